/* Which part of a schema an endpoint cannot take: by the pointer in its error text, or else by
 * trying parts alone, half of them at a time, as deep as one part is refused by itself. The waiting
 * is whoever's tries; nothing else here does. */
#ifndef INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_SUSPECT_H
#define INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_SUSPECT_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include <stdbool.h>

#define SCHEMA_SUSPECT_MAX_TRIES 24

/* Does the endpoint take this schema? Fails when that cannot be found out. */
typedef enum err_code schema_try_fn(void *context, const json_t *schema, bool *out_taken,
                                    struct err *err);

/* The part named as "#/properties/…" in a text, as far as there is one; NULL when the text names
 * none, or only the whole. */
const json_t *schema_suspect_named(struct arena *arena, const json_t *schema, const char *text);

/* The schema as a whole was refused. *out_part is its smallest part that is refused by itself, or
 * NULL when none is, as when it is only too large. */
awaits MUST_CHECK enum err_code schema_suspect_search(struct arena *arena, const json_t *schema,
                                                      schema_try_fn *try_schema, void *context,
                                                      const json_t **out_part, struct err *err);

#endif
