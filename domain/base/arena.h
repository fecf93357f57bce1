/* Memory that lives exactly as long as one thing: a turn, a catalogue, one parsed request.
 *
 * The owner is the first parameter of whatever allocates. Blocks are zeroed and never freed one
 * by one; arena_finish releases all of them, and drops the JSON values the arena was given to
 * keep. Small allocations abort when the system has no memory; sizes chosen by the outside are
 * bounded before they get here. Under AddressSanitizer a poisoned gap follows every block; with
 * MISTRO_VALGRIND every block is a malloc of its own. Not for use from two threads. */
#ifndef DOMAIN_BASE_ARENA_H
#define DOMAIN_BASE_ARENA_H

#include "domain/base/attributes.h"
#include "domain/base/cleanup.h"
#include <jansson.h>
#include <stddef.h>

struct arena {
    struct arena_chunk *chunks;
    struct arena_kept *kept;
    size_t bytes; /* handed out so far */
};

void *arena_alloc(struct arena *arena, size_t size);
#define arena_new(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define arena_array(arena, type, n) ((type *)arena_calloc((arena), (n), sizeof(type)))
void *arena_calloc(struct arena *arena, size_t n, size_t size);

/* NULL in, NULL out. */
char *arena_strdup(struct arena *arena, const char *string);
/* Copies length bytes and adds a NUL. */
char *arena_strndup(struct arena *arena, const char *bytes, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);

/* Steals value: it is released with the arena. Returns it, borrowed. NULL is fine. */
json_t *arena_keep_json(struct arena *arena, json_t *value);

/* Makes room for one more element of a growing array; the old block stays until the end. */
void *arena_grow(struct arena *arena, void *array, size_t n, size_t *capacity, size_t size);
#define arena_push(arena, array, n, capacity)                                                      \
    ((array) = arena_grow((arena), (array), (n), &(capacity), sizeof *(array)), &(array)[(n)++])

/* A zeroed arena is fine, and is empty and usable again afterwards. */
void arena_finish(struct arena *arena);

#endif
