/* What a server says of a task (`mcp.md` 1.7): the same few members in both eras, under names that
 * differ a little. Pure functions over values that nobody trusts. */
#ifndef INFRASTRUCTURE_MCP_CLIENT_TASK_STATE_H
#define INFRASTRUCTURE_MCP_CLIENT_TASK_STATE_H

#include "domain/base/err.h"
#include "domain/base/json_string.h"
#include <jansson.h>
#include <stdint.h>

/* Bounds on what a server says. */
#define TASK_MAX_ID_BYTES 1024
#define TASK_MESSAGE_COLUMNS 200 /* the rest of a longer message is cut */
/* Between two looks at a task, whatever the server names. */
#define TASK_MIN_POLL_MS 10
#define TASK_MAX_POLL_MS 600000

enum task_status {
    TASK_WORKING,
    TASK_INPUT_REQUIRED,
    TASK_COMPLETED,
    TASK_FAILED,
    TASK_CANCELLED,
};

struct task_state {
    enum task_status status;
    char message[4 * TASK_MESSAGE_COLUMNS + 1]; /* on one line, escaped; "" when there is none */
    int64_t poll_ms;                            /* 0: the server names no time */
};

/* What the text of a task says, but for its outcome (the member `result`), which may be long and
 * is only pointed at. *out_value is an object owned by the caller. ERR_LIMIT when a member has more
 * than max_values values. */
MUST_CHECK
enum err_code task_value(struct json_slice text, size_t max_values, json_t **out_value,
                         struct json_slice *out_outcome, struct err *err);

const char *task_status_name(enum task_status status);

/* The id within a task, borrowed: a string without U+0000. ERR_PROTOCOL: none that can be used. */
MUST_CHECK
enum err_code task_id_read(const json_t *task, json_t **out_id, struct err *err);
/* ERR_PROTOCOL: no status, or one that does not exist. */
MUST_CHECK
enum err_code task_state_read(const json_t *task, struct task_state *out, struct err *err);

/* How long to wait until the next look; default_ms where the server names nothing. */
int64_t task_poll_ms(const struct task_state *state, int64_t default_ms);

#endif
