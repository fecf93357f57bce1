/* Scopes of OAuth: words with a blank between them, whose order does not matter. They have nothing
 * to do with struct scope. Pure; results live in the arena. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_METADATA_SCOPE_SET_H
#define INFRASTRUCTURE_MCP_OAUTH_METADATA_SCOPE_SET_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>

/* Scopes that do not fit into this are not asked for. */
#define SCOPE_SET_MAX_BYTES 4096

bool scope_set_has(const char *set, const char *word, size_t length);
/* Whether every word of the part is in the set. NULL is the empty set. */
bool scope_set_includes(const char *set, const char *part);
/* The words of a, then those of b that it lacks; NULL when both are empty. */
const char *scope_set_union(struct arena *arena, const char *a, const char *b);
/* The texts of an array; NULL when there is none. */
const char *scope_set_of(struct arena *arena, const json_t *array);

#endif
