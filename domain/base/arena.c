#include "domain/base/arena.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1 /* clang; gcc defines __SANITIZE_ADDRESS__ instead */
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(WITH_ASAN)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

enum {
    CHUNK_BYTES = 16 * 1024,
    SHORT_TEXT_BYTES = 256,
    GAP_BYTES = 16, /* stays poisoned under AddressSanitizer, so an overflow is caught */
};

struct arena_chunk {
    struct arena_chunk *next;
    size_t size, used;
    _Alignas(max_align_t) unsigned char memory[];
};

struct arena_kept {
    struct arena_kept *next;
    json_t *value;
};

static struct arena_chunk *add_chunk(struct arena *arena, size_t need)
{
#ifdef MISTRO_VALGRIND
    size_t room = need;
#else
    size_t room = need > CHUNK_BYTES ? need : CHUNK_BYTES;
#endif
    struct arena_chunk *chunk = malloc(sizeof *chunk + room);
    if (!chunk)
        abort();
    *chunk = (struct arena_chunk){ .next = arena->chunks, .size = room };
    ASAN_POISON_MEMORY_REGION(chunk->memory, room);
    arena->chunks = chunk;
    return chunk;
}

/* Not zeroed. */
static void *take(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        abort();
    size_t need = ((size + 15) & ~(size_t)15) + GAP_BYTES;
    struct arena_chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < need)
        chunk = add_chunk(arena, need);
    void *block = chunk->memory + chunk->used;
    chunk->used += need;
    arena->bytes += size;
    ASAN_UNPOISON_MEMORY_REGION(block, size);
    return block;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    return memset(take(arena, size), 0, size);
}

void *arena_calloc(struct arena *arena, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / 2 / size)
        abort();
    return arena_alloc(arena, n * size);
}

char *arena_strdup(struct arena *arena, const char *string)
{
    return string ? arena_strndup(arena, string, strlen(string)) : NULL;
}

char *arena_strndup(struct arena *arena, const char *bytes, size_t length)
{
    char *copy = take(arena, length + 1);
    if (length)
        memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    char few[SHORT_TEXT_BYTES] = ""; /* mostly all of it, so that it is formatted once */
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(few, sizeof few, format, args);
    size_t size = length < 0 ? 0 : (size_t)length;
    va_end(args);
    char *text = size < sizeof few ? arena_strndup(arena, few, size) : take(arena, size + 1);
    if (size >= sizeof few)
        vsnprintf(text, size + 1, format, again);
    va_end(again);
    return text;
}

json_t *arena_keep_json(struct arena *arena, json_t *value)
{
    if (!value)
        return NULL;
    struct arena_kept *kept = arena_new(arena, struct arena_kept);
    *kept = (struct arena_kept){ .next = arena->kept, .value = value };
    arena->kept = kept;
    return value;
}

void *arena_grow(struct arena *arena, void *array, size_t n, size_t *capacity, size_t size)
{
    if (n < *capacity)
        return array;
    size_t room = *capacity ? *capacity * 2 : 8;
    void *bigger = arena_calloc(arena, room, size);
    if (n)
        memcpy(bigger, array, n * size);
    *capacity = room;
    return bigger;
}

void arena_finish(struct arena *arena)
{
    for (struct arena_kept *kept = arena->kept; kept; kept = kept->next)
        json_decref(kept->value);
    while (arena->chunks) {
        struct arena_chunk *next = arena->chunks->next;
        ASAN_UNPOISON_MEMORY_REGION(arena->chunks->memory, arena->chunks->size);
        free(arena->chunks);
        arena->chunks = next;
    }
    *arena = (struct arena){ 0 };
}
