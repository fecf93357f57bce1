/* A server asks mistro's own model in the middle of a request (MCP sampling), where its
 * configuration lets it: `ask` shows a person the whole prompt before the model sees it, and the
 * answer before the server does; `allow` was their word beforehand. What a server can spend is
 * bounded in tokens and requests. Told as sampling_asked and sampling_answered. */
#ifndef APPLICATION_TOOLS_SAMPLING_H
#define APPLICATION_TOOLS_SAMPLING_H

#include "application/journal.h"
#include "application/services.h"
#include "application/tools/asker.h"

/* Whether the server may ask at all. */
bool sampling_is_allowed(const struct services *services, const char *server);

/* As on_sampling of struct answerer. n_asked: requests of the same call so far; it is counted up.
 */
awaits MUST_CHECK enum err_code sampling_answer(struct services *services, struct journal *journal,
                                                const struct asker *asker, int64_t *n_asked,
                                                const json_t *params, struct scope *scope,
                                                struct arena *arena, json_t **out_result,
                                                struct err *err);

#endif
