/* Which of an endpoint's models is meant by the name that was asked for, and why: the name as
 * written, with ":latest" behind it, or through the alias table of the settings. Pure. */
#ifndef INFRASTRUCTURE_MODELS_ENDPOINT_MODEL_NAMES_H
#define INFRASTRUCTURE_MODELS_ENDPOINT_MODEL_NAMES_H

#include "application/settings.h"

struct model_name {
    const char *name;   /* what to send; when nothing was found, what to get */
    const char *reason; /* in the arena */
};

/* False when the endpoint has none of them. */
bool model_name_resolve(const struct settings *settings, const char *const *names, size_t n,
                        struct arena *arena, struct model_name *out);
/* "a, b, c, …": at most 8, for a hint; "nothing" when there are none. */
const char *model_names_print(const char *const *names, size_t n, struct arena *arena);

#endif
