/* Serves any tool_server to one MCP client, in both eras: discover, initialize, ping, tools/list
 * (paginated), tools/call (side by side, with progress and cancellation), list_changed, logs; and
 * resources and prompts where the server has any, with completions and updates of what is watched.
 *
 * What a tool asks in the middle of a call goes to the client, if that said it takes such
 * questions: as requests to a legacy client, while the call waits; to a modern one as the result of
 * its request, and the call goes on when the client repeats it with the answers.
 *
 * A call of a tool that supports tasks can become one, in the form of its era: its request is
 * answered at once, and the client can ask for the outcome for a while.
 *
 * The era is the client's choice, made by its first request and kept: `initialize` makes it a
 * legacy session, a request that describes itself a modern one. The bytes of a tool's result are
 * passed through. */
#ifndef PRESENTATION_MCP_SERVE_TOOLS_H
#define PRESENTATION_MCP_SERVE_TOOLS_H

#include "application/ports/ids.h"
#include "application/ports/rpc.h"
#include "application/ports/runtime.h"
#include "application/ports/tool_server.h"

#define SERVE_MAX_IN_FLIGHT 1024
#define SERVE_MAX_WAITING 256 /* requests beyond those in flight; more are refused as busy */
#define SERVE_MAX_SUBSCRIPTIONS 16
#define SERVE_MAX_WATCHED 100  /* resources of one subscription, or of a legacy session */
#define SERVE_GRACE_MS 1000    /* for calls that run when the client hangs up */
#define SERVE_MAX_QUESTIONS 16 /* of one call at once */
/* Calls that wait for a modern client to come back; the oldest is dropped for another. */
#define SERVE_MAX_PARKED 8
#define SERVE_QUESTION_MS 600000 /* how long an answer is waited for */

/* With those whose outcome is kept; the oldest of these is dropped for another. */
#define SERVE_MAX_TASKS 32
#define SERVE_TASK_TTL_MS 600000      /* how long a task lives where its client does not say */
#define SERVE_TASK_MAX_TTL_MS 3600000 /* how long it lives at most */
#define SERVE_TTL_MS 60000
#define SERVE_TASK_POLL_MS 200 /* how often its client is told to look */

struct serve_options {
    const char *name, *version; /* serverInfo */
    const char *instructions;   /* may be NULL */
    enum { SERVE_BOTH, SERVE_MODERN, SERVE_LEGACY } eras;
    size_t page_size;     /* of tools/list; 0 = everything on one page */
    size_t max_in_flight; /* calls at once, at most SERVE_MAX_IN_FLIGHT; further ones wait */
    struct ids *ids; /* for what names a call that waits; NULL: modern clients are not asked, and
                      * there are no tasks */
    int64_t ttl_ms;  /* how long lists and resources keep, for a modern client; 0 = SERVE_TTL_MS,
                      * negative = not at all */
    bool is_public;  /* they may be cached for every client, not only for this one */
    bool runs_tasks; /* tools whose definition says so (execution.taskSupport) */
};

/* Returns once the client has gone and everything started for it has ended: ERR_NONE after an
 * orderly end, else what ended the conversation. */
awaits MUST_CHECK enum err_code serve_tools(struct runtime *runtime, struct scope *scope,
                                            struct rpc *rpc, struct tool_server *tools,
                                            const struct serve_options *options, struct err *err);

#endif
