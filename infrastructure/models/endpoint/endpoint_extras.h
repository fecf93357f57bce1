/* What an endpoint can do besides answering: count the tokens of a text, and evaluate a system
 * text ahead of the request that will begin with it. Operations of the model port. */
#ifndef INFRASTRUCTURE_MODELS_ENDPOINT_ENDPOINT_EXTRAS_H
#define INFRASTRUCTURE_MODELS_ENDPOINT_ENDPOINT_EXTRAS_H

#include "infrastructure/models/endpoint/endpoint_model.h"

/* llama-server and vLLM have a route for it; ERR_FAILED for all others. */
awaits MUST_CHECK enum err_code endpoint_model_count_tokens(struct model *base, struct scope *scope,
                                                            const char *text, int64_t *out_tokens,
                                                            struct err *err);
/* A request with that system text and next to nothing behind it, of whose answer at most one token
 * is made: the model is loaded, stays so as long as after any other request, and the beginning of
 * the next prompt is in its cache. Yields to every real request. Nothing is sent to an endpoint
 * that is not known to be a server of the user's own: elsewhere tokens may cost money. */
awaits MUST_CHECK enum err_code endpoint_model_warm(struct model *base, struct scope *scope,
                                                    const char *system, struct err *err);

#endif
