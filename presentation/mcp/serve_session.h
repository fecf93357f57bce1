/* One client of serve_tools, as its parts share it. Private to presentation/mcp.
 *
 * serve_tools.c reads messages and runs what waits side by side; serve_session.c knows the eras:
 * which methods there are, which version is spoken, what an answer must carry; serve_calls.c does
 * what has to wait for the tools, serve_offerings.c that of resources and prompts,
 * serve_watch.c what is told unasked, serve_complete.c what an argument could be. */
#ifndef PRESENTATION_MCP_SERVE_SESSION_H
#define PRESENTATION_MCP_SERVE_SESSION_H

#include "presentation/mcp/serve_tools.h"

#define MCP_MODERN "2026-07-28"
#define MCP_NEWEST_LEGACY "2025-11-25"

enum {
    MCP_INVALID_REQUEST = -32600,
    MCP_NO_METHOD = -32601,
    MCP_BAD_PARAMS = -32602,
    MCP_INTERNAL = -32603,
    MCP_WRONG_VERSION = -32022,
    MCP_BUSY = -32000,
    MCP_NO_RESOURCE = -32002, /* of legacy sessions; modern ones say MCP_BAD_PARAMS */
};

enum session_era { SESSION_UNDECIDED, SESSION_LEGACY, SESSION_MODERN };

/* A request whose answer has to wait for the tools. */
struct serve_call {
    struct session *session;
    struct rpc_message message; /* owned */
    const json_t *progress_token;
    double last_progress;
    int log_level; /* the least the request wants to hear of; LOG_NEVER unless it asked */
    struct scope scope;
    struct task *task; /* NULL while it waits for its turn */
    bool is_modern, is_cancelled, is_done;
};

struct session {
    struct runtime *runtime;
    struct rpc *rpc;
    struct tool_server *tools;
    const struct serve_options *options;
    enum session_era era;
    bool is_initialized;
    int log_level;             /* of a legacy session */
    struct scope *calls_scope; /* encloses every call */
    struct serve_call **calls; /* running and waiting, oldest first */
    size_t n_calls, max_calls; /* max_calls = running and waiting */
    json_t *subscriptions; /* array of {"id":…,"tools":whether list_changed is wanted,"uris":[…]} */
    json_t *watched;       /* URIs that a legacy client subscribed to: object of true */
};

enum { LOG_NEVER = 100 };
/* 0 (debug) to 7 (emergency); LOG_NEVER when there is no such level. */
int serve_log_level(const char *name);

/* Answers at once what can be; *out_waits when the request has to become a call. Takes nothing
 * over from the message. */
void session_answer(struct session *session, const struct rpc_message *message, bool *out_waits);
void session_notified(struct session *session, const struct rpc_message *message);
/* Tells the client, in the way of its era, that the list of tools changed. */
void session_tools_changed(struct session *session);
void session_log(struct session *session, const char *level, const char *text);
/* Ends subscriptions in order, with their results. */
void session_end(struct session *session);
/* A result of a modern session: resultType, serverInfo, and for lists how long it keeps. */
json_t *session_complete(const struct session *session, json_t *result, bool is_modern,
                         bool is_cacheable);

/* {"_meta":…} that says which subscription a message belongs to; a new value. */
json_t *session_subscription_meta(const json_t *id);
/* subscriptions/listen: answered at once, or a call where resources are to be watched. */
void session_listen(struct session *session, const struct rpc_message *message, bool *out_waits);
/* uri: NULL where any may have changed. */
void session_resource_updated(struct session *session, const char *uri);

/* Whether a method becomes a call: the era has it, and the server has what it is about. */
bool serve_is_call(const struct session *session, const char *method, enum session_era era);
/* Does one method and answers it; what it returns is answered as an error. */
typedef enum err_code serve_method_fn(struct serve_call *call, struct scope *scope,
                                      struct err *err);
serve_method_fn serve_list_resources, serve_list_templates, serve_read_resource, serve_list_prompts,
    serve_get_prompt, serve_complete, serve_listen, serve_subscribe, serve_unsubscribe;
/* Answers with the page of a list that the request's cursor names. */
MUST_CHECK
enum err_code serve_page(struct serve_call *call, const char *member,
                         const json_t *const *definitions, size_t n, struct err *err);
/* Answers with the bytes of a result as they are; a modern client is owed one member more. */
void serve_pass_on(struct serve_call *call, const char *bytes, size_t length);

/* Does the request of a call and answers it, unless it was cancelled. A task_fn. */
awaits enum err_code serve_call_run(struct runtime *runtime, struct scope *scope, void *call);
void serve_call_destroy(struct serve_call *call);

#endif
