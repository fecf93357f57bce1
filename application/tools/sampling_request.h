/* What a server asks of the model (MCP sampling), as a prompt. It is foreign text through and
 * through: control tokens of chat templates are broken up, and a person can read all of it before
 * the model does. Text only; the hints about models, and the wish for more context, are not
 * followed. Pure. */
#ifndef APPLICATION_TOOLS_SAMPLING_REQUEST_H
#define APPLICATION_TOOLS_SAMPLING_REQUEST_H

#include "application/structured/prompt.h"
#include "application/structured/stream_watch.h"
#include "domain/base/err.h"
#include <jansson.h>

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

#endif
