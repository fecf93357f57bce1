#include "infrastructure/runtime/fiber.h"
#include "infrastructure/runtime/fiber_tools.h"
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* Stacks kept for the next fibers. More than the tools that run side by side in one turn. */
#define POOL_MAX 512
#define PAINT 0xA5
#define SIGNAL_STACK_BYTES (64 * 1024)

struct fiber {
    struct fiber_stack stack;
    char *map; /* the guard page, then the stack */
    size_t map_length;
    ucontext_t context;
    fiber_fn *fn;
    void *argument;
    struct fiber *resumer; /* who gets control back; NULL while suspended */
    bool entered, done, painted;
    struct fiber *next_in_pool;
};

/* The state of the one thread that uses fibers. No thread-local storage: after a switch a compiler
 * may go on using the address it computed before. */
static struct fiber root;
static struct fiber *current = &root;
static struct {
    struct fiber *pool;
    size_t pooled, live, high_water;
    bool paint;
} all;
static struct sigaction previous; /* of SIGSEGV */

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static void switch_to(struct fiber *from, struct fiber *to, bool for_good)
{
    fiber_tools_leave(&from->stack, &to->stack, for_good);
    current = to;
    swapcontext(&from->context, &to->context);
    fiber_tools_arrive(&from->stack, &to->stack);
}

static void entry(void)
{
    struct fiber *fiber = current;
    fiber_tools_arrive(&fiber->stack, &fiber->resumer->stack);
    fiber->fn(fiber->argument);
    fiber->done = true;
    switch_to(fiber, fiber->resumer, true);
    abort(); /* a finished fiber is never resumed */
}

static struct fiber *map_fiber(void)
{
    struct fiber *fiber = calloc(1, sizeof *fiber);
    if (!fiber)
        abort();
    size_t guard = page_size();
    fiber->map_length = guard + FIBER_STACK_BYTES;
    fiber->map = mmap(NULL, fiber->map_length, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (fiber->map == MAP_FAILED || mprotect(fiber->map, guard, PROT_NONE) != 0) {
        perror("mistro: no memory for the stack of a task");
        abort();
    }
    fiber->stack.bytes = fiber->map + guard;
    fiber->stack.length = FIBER_STACK_BYTES;
    fiber_tools_map(&fiber->stack);
    return fiber;
}

static void unmap_fiber(struct fiber *fiber)
{
    fiber_tools_unmap(&fiber->stack);
    munmap(fiber->map, fiber->map_length);
    free(fiber);
}

static struct fiber *take_fiber(void)
{
    struct fiber *fiber = all.pool;
    if (!fiber)
        return map_fiber();
    all.pool = fiber->next_in_pool;
    all.pooled--;
    return fiber;
}

static void arm(struct fiber *fiber)
{
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack.bytes;
    fiber->context.uc_stack.ss_size = fiber->stack.length;
    fiber->context.uc_link = NULL;
    makecontext(&fiber->context, entry, 0);
    /* Only makecontext needs to know the extent. AddressSanitizer would clear its notes on the
     * whole stack at every switch to a context that states it. */
    fiber->context.uc_stack.ss_size = 0;
}

struct fiber *fiber_create(fiber_fn *fn, void *argument)
{
    struct fiber *fiber = take_fiber();
    fiber->fn = fn;
    fiber->argument = argument;
    fiber->entered = fiber->done = false;
    fiber_tools_begin(&fiber->stack);
    fiber->painted = all.paint;
    if (fiber->painted)
        memset(fiber->stack.bytes, PAINT, fiber->stack.length);
    arm(fiber);
    all.live++;
    return fiber;
}

static void note_high_water(const struct fiber *fiber)
{
    size_t untouched = 0;
    while (untouched < fiber->stack.length && (unsigned char)fiber->stack.bytes[untouched] == PAINT)
        untouched++;
    if (fiber->stack.length - untouched > all.high_water)
        all.high_water = fiber->stack.length - untouched;
}

void fiber_destroy(struct fiber *fiber)
{
    if (!fiber)
        return;
    assert(fiber->done || !fiber->entered);
    fiber_tools_end(&fiber->stack);
    if (fiber->painted)
        note_high_water(fiber);
    all.live--;
    if (all.pooled == POOL_MAX) {
        unmap_fiber(fiber);
        return;
    }
    fiber->next_in_pool = all.pool;
    all.pool = fiber;
    all.pooled++;
}

void fiber_resume(struct fiber *fiber)
{
    assert(!fiber->done && !fiber->resumer);
    struct fiber *self = current;
    fiber->resumer = self;
    fiber->entered = true;
    switch_to(self, fiber, false);
    fiber->resumer = NULL;
}

void fiber_yield(void)
{
    struct fiber *self = current;
    assert(self != &root && "waiting in a callback, or on the thread's own stack");
    switch_to(self, self->resumer, false);
}

struct fiber *fiber_self(void)
{
    return current == &root ? NULL : current;
}

bool fiber_is_done(const struct fiber *fiber)
{
    return fiber->done;
}

size_t fiber_count(void)
{
    return all.live;
}

void fiber_paint_stacks(bool on)
{
    all.paint = on;
    all.high_water = 0;
}

size_t fiber_high_water_bytes(void)
{
    return all.high_water;
}

void fiber_pool_drain(void)
{
    while (all.pool)
        unmap_fiber(take_fiber());
}

static bool is_in_guard(const void *address)
{
    const char *byte = address;
    return current != &root && byte >= current->map && byte < current->stack.bytes;
}

/* Runs on the signal stack and calls only what is safe there. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    static const char message[] = "mistro: a task overflowed its stack of 1 MiB\n";
    (void)context;
    if (info->si_code > 0 && is_in_guard(info->si_addr)) {
        (void)!write(STDERR_FILENO, message, sizeof message - 1);
        abort();
    }
    /* Not ours: the instruction faults again, under the handler that was there before. */
    sigaction(number, &previous, NULL);
    if (info->si_code <= 0)
        raise(number);
}

/* Sanitizers have a signal stack of their own, which serves as well. */
static void need_signal_stack(void)
{
    static _Alignas(16) char bytes[SIGNAL_STACK_BYTES];
    stack_t present;
    if (sigaltstack(NULL, &present) == 0 && !(present.ss_flags & SS_DISABLE))
        return;
    stack_t own = { .ss_sp = bytes, .ss_size = sizeof bytes };
    sigaltstack(&own, NULL);
}

void fiber_guard_install(void)
{
    struct sigaction present;
    sigaction(SIGSEGV, NULL, &present);
    if ((present.sa_flags & SA_SIGINFO) && present.sa_sigaction == on_fault)
        return;
    need_signal_stack();
    struct sigaction own = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    sigemptyset(&own.sa_mask);
    sigaction(SIGSEGV, &own, &previous);
}
