/* What AddressSanitizer, LeakSanitizer, ThreadSanitizer and valgrind have to be told when a
 * program leaves one stack for another. Private to fiber.c; without these tools everything here
 * compiles to nothing (valgrind's requests to a few harmless instructions).
 *
 * The functions around a switch are always inlined: ThreadSanitizer keeps a call stack per fiber,
 * and a call that begins on one fiber may not end on another. */
#ifndef INFRASTRUCTURE_RUNTIME_FIBER_TOOLS_H
#define INFRASTRUCTURE_RUNTIME_FIBER_TOOLS_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_WITH_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define FIBER_WITH_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FIBER_WITH_TSAN 1
#endif
#endif

#ifdef FIBER_WITH_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif
#ifdef FIBER_WITH_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define FIBER_WITH_VALGRIND 1
#endif

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The memory of one stack, and what the tools know it by. */
struct fiber_stack {
    char *bytes; /* lowest address that may be used */
    size_t length;
    void *asan_frames; /* ASan's copies of frames, while the stack is left */
    void *tsan_fiber;
    unsigned valgrind_id;
};

ALWAYS_INLINE void fiber_tools_map(struct fiber_stack *stack)
{
#ifdef FIBER_WITH_VALGRIND
    stack->valgrind_id = VALGRIND_STACK_REGISTER(stack->bytes, stack->bytes + stack->length);
#endif
    (void)stack;
}

ALWAYS_INLINE void fiber_tools_unmap(struct fiber_stack *stack)
{
#ifdef FIBER_WITH_VALGRIND
    VALGRIND_STACK_DEREGISTER(stack->valgrind_id);
#endif
    (void)stack;
}

ALWAYS_INLINE void fiber_tools_begin(struct fiber_stack *stack)
{
#ifdef FIBER_WITH_ASAN
    __lsan_register_root_region(stack->bytes, stack->length);
#endif
#ifdef FIBER_WITH_TSAN
    stack->tsan_fiber = __tsan_create_fiber(0);
#endif
#ifdef FIBER_WITH_VALGRIND
    (void)VALGRIND_MAKE_MEM_UNDEFINED(stack->bytes, stack->length);
#endif
    stack->asan_frames = NULL;
}

/* The fiber on this stack has ended: the frames it left behind are plain memory again. */
ALWAYS_INLINE void fiber_tools_end(struct fiber_stack *stack)
{
#ifdef FIBER_WITH_ASAN
    __lsan_unregister_root_region(stack->bytes, stack->length);
    __asan_unpoison_memory_region(stack->bytes, stack->length);
#endif
#ifdef FIBER_WITH_TSAN
    __tsan_destroy_fiber(stack->tsan_fiber);
#endif
#ifdef FIBER_WITH_VALGRIND
    (void)VALGRIND_MAKE_MEM_DEFINED(stack->bytes, stack->length);
#endif
    (void)stack;
}

/* Directly before the switch; for_good when nothing comes back to `from`. */
ALWAYS_INLINE void fiber_tools_leave(struct fiber_stack *from, struct fiber_stack *to,
                                     bool for_good)
{
#ifdef FIBER_WITH_ASAN
    __sanitizer_start_switch_fiber(for_good ? NULL : &from->asan_frames, to->bytes, to->length);
#endif
#ifdef FIBER_WITH_TSAN
    if (!from->tsan_fiber)
        from->tsan_fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to->tsan_fiber, 0);
#endif
    (void)from;
    (void)to;
    (void)for_good;
}

/* Directly after a switch, on the stack that was reached; `from` learns its extent if unknown. */
ALWAYS_INLINE void fiber_tools_arrive(struct fiber_stack *here, struct fiber_stack *from)
{
#ifdef FIBER_WITH_ASAN
    const void *bytes;
    size_t length;
    __sanitizer_finish_switch_fiber(here->asan_frames, &bytes, &length);
    if (!from->bytes) {
        from->bytes = (char *)(size_t)bytes;
        from->length = length;
    }
#endif
    (void)here;
    (void)from;
}

#endif
