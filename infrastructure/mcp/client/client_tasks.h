/* Calls that become tasks of their server (`mcp.md` 1.7): the answer of tools/call is not the
 * result but the id of a task, which is looked at until it is over. There are two forms that have
 * nothing in common but the idea. A legacy server (2025-11-25) makes a task because the call asked
 * for one, gives its outcome to tasks/result and asks its questions meanwhile (task_legacy.c). A
 * modern one (2026-07-28, an extension) decides for itself, gives the outcome and what it wants to
 * know with tasks/get, and is answered by tasks/update (task_modern.c).
 *
 * A tool of a legacy server becomes a task only where it can be called in no other way. Where the
 * choice is the client's the plain call is one message instead of many and says at once how it
 * ended.
 *
 * How far a task is is asked for at the pace that its server names. What that announces by itself
 * is heard and shortens the wait, but is not subscribed to (taskIds of subscriptions/listen): a
 * subscription would have to be replaced for each task that begins, its notices may be lost with
 * it, and so it would save none of the looks.
 *
 * A server that loses its connection, or is started again, is asked for the same task again. */
#ifndef INFRASTRUCTURE_MCP_CLIENT_CLIENT_TASKS_H
#define INFRASTRUCTURE_MCP_CLIENT_CLIENT_TASKS_H

#include "infrastructure/mcp/client/client_internal.h"
#include "infrastructure/mcp/client/input_rounds.h"
#include "infrastructure/mcp/client/task_state.h"

/* How long whoever gives up waits for the id of a task that is being made, and then for the server
 * to say that it heard of the end. */
#define TASK_CANCEL_WAIT_MS 1000

/* What a call may become; lies beside it. The first members are set by whoever makes the call. */
struct server_task {
    struct client *client;
    const struct tool_call *call;
    struct arena *arena; /* where the outcome goes */
    struct step_result *out;
    struct input_rounds *rounds; /* of the call; what the task asks for counts as further rounds */

    bool is_asked;       /* the call asks a legacy server to make it a task */
    enum server_era era; /* of the session that made it */
    json_t *id;          /* NULL: the call is no task */
    struct task_state state;
    bool is_over;         /* there is nothing left to look at, or to cancel */
    int64_t used_ms;      /* of the bound on the whole call, without the time of questions */
    int64_t lost_ms;      /* since when it cannot be looked at; 0: it can */
    bool was_turned_away; /* the last request was, for its revision */
    struct request kept;
    json_t *inputs;   /* modern: what the latest look says it wants; or NULL */
    json_t *answered; /* modern: the responses so far, by key; or NULL */
    json_t *unsent;   /* modern: those that the server may not have; or NULL */
    struct server_task *next;
};

/* Finds out whether the tool must be called as a task, once the server is started. */
awaits void server_task_decide(struct server_task *task, struct scope *scope);
/* How long whoever gives up the call waits for an answer that may make it a task; 0: none can. */
int64_t server_task_grace_ms(const struct server_task *task);
/* Whether the result of the call says that it became a task. */
bool server_task_is_made(const struct server_task *task, const struct result_outline *result);
/* Such a result. On the loop's stack. */
MUST_CHECK
enum err_code server_task_take(struct server_task *task, const struct result_outline *result,
                               struct err *err);
/* Until the task is over. ERR_FAILED: it failed in a way that is no result, was cancelled by its
 * server, or is forgotten there. */
awaits MUST_CHECK enum err_code server_task_await(struct server_task *task, struct scope *scope,
                                                  struct err *err);
/* Cancels it at the server unless it is over. */
awaits void server_task_finish(struct server_task *task);

/* notifications/tasks/status or notifications/tasks. */
void client_note_task(struct client *client, const json_t *params);

/* For the two forms: */

/* A request about the task, within the bounds of the call. */
struct request server_task_request(struct server_task *task, const char *method);
/* Sends it, with inputResponses unless that is NULL, and awaits its answer. A server that does not
 * know the task has forgotten it. */
awaits MUST_CHECK enum err_code server_task_ask(struct server_task *task, struct request *request,
                                                const json_t *responses, struct scope *scope,
                                                struct err *err);
/* Nothing more is heard of it from now on. On the loop's stack. */
void server_task_end(struct server_task *task);
void server_task_note(struct server_task *task, const struct task_state *state);

/* What comes after a look at a task that is not over. */
awaits MUST_CHECK enum err_code task_legacy_go_on(struct server_task *task, struct scope *scope,
                                                  struct err *err);
awaits MUST_CHECK enum err_code task_modern_go_on(struct server_task *task, struct scope *scope,
                                                  struct err *err);
/* The answer to a look (as by task_value), once its state was noted; on the loop's stack. */
MUST_CHECK
enum err_code task_modern_take(struct server_task *task, const json_t *value,
                               struct json_slice outcome, struct err *err);

#endif
