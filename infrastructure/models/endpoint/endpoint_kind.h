/* What is known of the kinds of model servers. model_endpoint_find (model_create.h) finds out which
 * one answers at an address; endpoint_kind.c has both. */
#ifndef INFRASTRUCTURE_MODELS_ENDPOINT_ENDPOINT_KIND_H
#define INFRASTRUCTURE_MODELS_ENDPOINT_ENDPOINT_KIND_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* What a list of models ("data" of /v1/models) says of the server: never NULL, "openai" when it
 * says nothing. */
const char *endpoint_kind_of_list(const json_t *data);
/* Of one model there, in tokens; -1 unknown. */
int64_t endpoint_kind_context(const json_t *entry);
/* Whether llama-server's /props say that its model takes images; older ones do not say. */
bool endpoint_kind_sees(const json_t *props);
/* Whether the usage this kind of server reports has the whole prompt, cached or not. */
bool endpoint_kind_counts_cached(const char *kind);

#endif
