/* Calls that become tasks of their server (MCP specification, "Tasks"): the answer of tools/call is
 * not the result but the id of a task, which is looked at until it is over. There are two forms
 * that have nothing in common but the idea, and mcp_task_forms.c has both. A legacy server
 * (2025-11-25) makes a task because the call asked for one, gives its outcome to tasks/result and
 * asks its questions meanwhile. A modern one (2026-07-28, an extension) decides for itself, gives
 * the outcome and what it wants to know with tasks/get, and is answered by tasks/update. What both
 * say of a task is read by mcp_task_state.c; mcp_task.c follows it to its end.
 *
 * A tool of a legacy server becomes a task only where it can be called in no other way. Where the
 * choice is the client's the plain call is one message instead of many and says at once how it
 * ended.
 *
 * The state of a task is asked for at the pace that its server names. What the server announces by
 * itself is heard and shortens the wait, but is not subscribed to (taskIds of
 * subscriptions/listen): a subscription would have to be replaced for each task that begins, its
 * notices may be lost with it, and so it would save none of the looks.
 *
 * A server that loses its connection, or is started again, is asked for the same task again. */
#ifndef INFRASTRUCTURE_MCP_CLIENT_CLIENT_TASKS_H
#define INFRASTRUCTURE_MCP_CLIENT_CLIENT_TASKS_H

#include "infrastructure/mcp/client/client_request.h"

/* Bounds on what a server says. */
#define MCP_TASK_MAX_ID_BYTES 1024
#define MCP_TASK_MESSAGE_COLUMNS 200 /* the rest of a longer message is cut */
/* Between two looks at a task, whatever the server names. */
#define MCP_TASK_MIN_POLL_MS 10
#define MCP_TASK_MAX_POLL_MS 600000

enum mcp_task_status {
    MCP_TASK_WORKING,
    MCP_TASK_INPUT_REQUIRED,
    MCP_TASK_COMPLETED,
    MCP_TASK_FAILED,
    MCP_TASK_CANCELLED,
};

struct mcp_task_state {
    enum mcp_task_status status;
    char
        message[4 * MCP_TASK_MESSAGE_COLUMNS + 1]; /* on one line, escaped; "" when there is none */
    int64_t poll_ms;                               /* 0: the server names no time */
};

/* How long a caller that gives up waits for the id of a task that is being made, and then for the
 * server to say that it heard of the end. */
#define MCP_TASK_CANCEL_WAIT_MS 1000

/* What a call may become; lies beside it. The caller sets the first members. */
struct mcp_task {
    struct client *client;
    const struct tool_call *call;
    struct arena *arena; /* where the outcome goes */
    struct step_result *out;
    struct input_rounds *rounds; /* of the call; what the task asks for counts as further rounds */

    bool is_asked;       /* the call asks a legacy server to make it a task */
    enum server_era era; /* of the session that made it */
    json_t *id;          /* NULL: the call is not a task */
    struct mcp_task_state state;
    bool is_taken_up;     /* it was made for an earlier process */
    bool is_over;         /* there is nothing left to look at, or to cancel */
    int64_t used_ms;      /* of the bound on the whole call, without the time of questions */
    int64_t lost_ms;      /* since when it cannot be looked at; 0: it can */
    bool was_turned_away; /* the last request was, for its revision */
    struct request kept;
    json_t *inputs;   /* modern: what the latest look says it wants; or NULL */
    json_t *answered; /* modern: the responses so far, by key; or NULL */
    json_t *unsent;   /* modern: those that the server may not have; or NULL */
    struct mcp_task *next;
};

/* Finds out whether the tool must be called as a task, once the server is started. */
awaits void mcp_task_decide(struct mcp_task *task, struct scope *scope);
/* How long a caller that gives up waits for an answer that may make the call a task; 0: none can.
 */
int64_t mcp_task_grace_ms(const struct mcp_task *task);
/* Whether the result of the call says that it became a task. */
bool mcp_task_is_made(const struct mcp_task *task, const struct result_outline *result);
/* Such a result. On the loop's stack. */
MUST_CHECK
enum err_code mcp_task_take(struct mcp_task *task, const struct result_outline *result,
                            struct err *err);
/* The task that tool_call.task names, which is looked at at once. Fails as mcp_task_await does. */
awaits MUST_CHECK enum err_code mcp_task_take_up(struct mcp_task *task, struct scope *scope,
                                                 struct err *err);
/* Until the task is over. ERR_FAILED: it failed without a result, was cancelled by its
 * server, or is forgotten there. Unless the server says that it failed or was cancelled, the
 * outcome of the call is unknown: it could not be looked at, or its result cannot be read. */
awaits MUST_CHECK enum err_code mcp_task_await(struct mcp_task *task, struct scope *scope,
                                               struct err *err);
/* Cancels it at the server unless it is over. */
awaits void mcp_task_finish(struct mcp_task *task);

/* notifications/tasks/status or notifications/tasks. */
void mcp_task_receive_notice(struct client *client, const json_t *params);

/* Between mcp_task.c and mcp_task_forms.c: */

/* A request about the task, within the bounds of the call; what a result becomes is the caller's to
 * set. */
struct client_request mcp_task_request(struct mcp_task *task, struct scope *scope,
                                       const char *method);
/* Sends it once and awaits its answer; tasks/update takes the responses along that are unsent. A
 * server that does not know the task has forgotten it. */
awaits MUST_CHECK enum err_code mcp_task_ask(struct mcp_task *task, struct client_request *x,
                                             struct err *err);
/* Nothing more is heard of it from now on. On the loop's stack. */
void mcp_task_end(struct mcp_task *task);
void mcp_task_note(struct mcp_task *task, const struct mcp_task_state *state);

/* What follows a look at a task that is not over. */
awaits MUST_CHECK enum err_code mcp_task_legacy_go_on(struct mcp_task *task, struct scope *scope,
                                                      struct err *err);
awaits MUST_CHECK enum err_code mcp_task_modern_go_on(struct mcp_task *task, struct scope *scope,
                                                      struct err *err);
/* The answer to a look (as by mcp_task_value), once its state was noted; on the loop's stack. */
MUST_CHECK
enum err_code mcp_task_modern_take(struct mcp_task *task, const json_t *value,
                                   struct json_slice outcome, struct err *err);

/* What a server says of a task: the same few members in both eras, under names that differ a
 * little. Pure functions over values that are not trusted. */

/* What the text of a task says, but for its outcome (the member `result`), which may be long and
 * is only pointed at. *out_value is an object owned by the caller. ERR_LIMIT when a member has more
 * than max_values values. */
MUST_CHECK
enum err_code mcp_task_value(struct json_slice text, size_t max_values, json_t **out_value,
                             struct json_slice *out_outcome, struct err *err);

const char *mcp_task_status_name(enum mcp_task_status status);

/* The id within a task, borrowed: a string without U+0000. ERR_PROTOCOL: none that can be used. */
MUST_CHECK
enum err_code mcp_task_id_read(const json_t *task, json_t **out_id, struct err *err);
/* ERR_PROTOCOL: no status, or one that does not exist. */
MUST_CHECK
enum err_code mcp_task_state_read(const json_t *task, struct mcp_task_state *out, struct err *err);

/* How long to wait until the next look; default_ms where the server names nothing. */
int64_t mcp_task_poll_ms(const struct mcp_task_state *state, int64_t default_ms);

#endif
