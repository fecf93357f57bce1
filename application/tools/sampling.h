/* A server asks mistro's own model in the middle of a request (MCP sampling), where its
 * configuration lets it: `ask` shows a person the whole prompt before the model sees it, and the
 * answer before the server does; `allow` was their word beforehand. What a server can spend is
 * bounded in tokens and requests. Told as sampling_asked and sampling_answered.
 *
 * What it asks is foreign text through and through: control tokens of chat templates are made
 * harmless, and a person can read all of it before the model does. Text only; the hints about
 * models, and the wish for more context, are not followed. */
#ifndef APPLICATION_TOOLS_SAMPLING_H
#define APPLICATION_TOOLS_SAMPLING_H

#include "application/structured/prompt.h"
#include "application/structured/stream_watch.h"
#include "application/tools/answering.h"

#define SAMPLING_MAX_MESSAGES 100
#define SAMPLING_MAX_BLOCKS 100 /* of one message */
#define SAMPLING_MAX_STOPS 16
#define SAMPLING_MAX_STOP_BYTES 256

struct sampling_request {
    struct prompt prompt;
    int max_tokens;     /* what was asked for and may be */
    double temperature; /* < 0: the model's own default */
    struct stop_words stops;
    const char *shown; /* system text and messages, for people */
};

struct sampling_bounds {
    int64_t max_tokens;
    int64_t max_bytes; /* of all texts together */
};

/* params: of sampling/createMessage. The outcome lives in the arena and borrows from params.
 * ERR_INVALID says what is wrong with them: no text, tools, the model's turn, too much. */
MUST_CHECK
enum err_code sampling_request_read(const json_t *params, const struct sampling_bounds *bounds,
                                    struct arena *arena, struct sampling_request *out,
                                    struct err *err);

/* Whether the server may ask at all. */
bool sampling_is_allowed(const struct services *services, const char *server);

/* As on_sampling of struct answerer; counts the requests of the same call. */
awaits MUST_CHECK enum err_code sampling_answer(struct answering *answering, const json_t *params,
                                                struct scope *scope, struct arena *arena,
                                                json_t **out_result, struct err *err);

#endif
