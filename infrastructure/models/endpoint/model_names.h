/* The models that an endpoint lists, and which of them is meant by the name that was asked for: the
 * name as written, with ":latest" behind it, or through the alias table of the settings. Pure. */
#ifndef INFRASTRUCTURE_MODELS_ENDPOINT_MODEL_NAMES_H
#define INFRASTRUCTURE_MODELS_ENDPOINT_MODEL_NAMES_H

#include "application/settings.h"
#include <jansson.h>

/* What the endpoint says it has. */
struct endpoint_models {
    const char **names;
    size_t n;
    bool has_list; /* false: it cannot tell, and every name may be right */
    const json_t *entries;
};

struct model_name {
    const char *name;   /* what to send; when nothing was found, what to get */
    const char *reason; /* in the arena */
};

/* entries: array of objects whose member `key` is the name; anything else is "no list". */
struct endpoint_models endpoint_models_of(const json_t *entries, const char *key,
                                          struct arena *arena);
/* The entry of that name, or NULL. */
const json_t *endpoint_models_entry(const struct endpoint_models *models, const char *key,
                                    const char *name);

/* False when the endpoint has none of them. */
bool model_name_resolve(const struct settings *settings, const char *const *names, size_t n,
                        struct arena *arena, struct model_name *out);
/* As that, but without a list any name may be right, and a name that was not chosen may stand for
 * the only model there, or for the only Instruct model (only_model_is_meant). The reason tells of a
 * base model that it is no Instruct model. */
bool model_name_choose(const struct settings *settings, const struct endpoint_models *models,
                       bool only_model_is_meant, struct arena *arena, struct model_name *out);
/* "a, b, c, …": at most 8, for a hint; "nothing" when there are none. */
const char *model_names_print(const char *const *names, size_t n, struct arena *arena);

#endif
