/* Which server answers at an address. Judged by the shape of what it says, not by the status: some
 * servers answer routes they do not know with 200. Asks one route after the other and stops at the
 * first whose answer fits, since most of them are there and idle. */
#ifndef INFRASTRUCTURE_MODELS_ENDPOINT_ENDPOINT_KIND_H
#define INFRASTRUCTURE_MODELS_ENDPOINT_ENDPOINT_KIND_H

#include "infrastructure/models/endpoint/endpoint_client.h"
#include "infrastructure/models/endpoint/model_create.h"

/* Fills all of *out but base_url; strings in the arena. kind is NULL when something answers that
 * is no model server. Fails as endpoint_client_get does. */
awaits MUST_CHECK enum err_code endpoint_kind_find(struct endpoint_client *client,
                                                   const struct scope *scope, bool may_be_ollama,
                                                   struct arena *arena, struct endpoint *out,
                                                   struct err *err);
/* What a list of models ("data" of /v1/models) says of the server: never NULL, "openai" when it
 * says nothing. */
const char *endpoint_kind_of_list(const json_t *data);
/* Of one model there; -1 unknown. */
int64_t endpoint_kind_context(const json_t *entry);

/* Whether llama-server's /props say that its model takes images; older ones do not say. */
bool endpoint_kind_sees(const json_t *props);

/* Whether the usage this kind of server reports has the whole prompt, cached or not. */
bool endpoint_kind_counts_cached(const char *kind);

#endif
