/* One client of serve_tools, as its parts share it. Private to presentation/mcp.
 *
 * serve_tools.c reads messages and runs calls side by side; serve_session.c knows the eras: which
 * version is spoken, what is answered at once, what an answer must carry. serve_calls.c has the
 * methods that wait for the tools, serve_offerings.c those of resources and prompts, serve_watch.c
 * subscriptions. serve_question.c asks the client in the middle of a call, serve_rounds.c does so
 * where a client can be asked only by a result. serve_tasks.c runs calls that outlive their request
 * and answers the requests about them. */
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
    MCP_NO_CAPABILITY = ANSWERER_LACKS_ORIGIN,
    MCP_WRONG_VERSION = -32022,
    MCP_BUSY = -32000,
    MCP_NO_RESOURCE = -32002, /* of legacy sessions; modern ones say MCP_BAD_PARAMS */
};

enum session_era { SESSION_UNDECIDED, SESSION_LEGACY, SESSION_MODERN };

/* Something the client is asked in the middle of a call. It lies in the frame of the function that
 * waits for the answer. */
struct serve_question {
    struct serve_question *next;
    int64_t number;  /* its id */
    const char *key; /* to a modern client; NULL: "q" and the number */
    const char *method;
    json_t *params; /* owned */
    json_t *answer; /* owned; NULL until there is one: a result, or the error of a refusal */
    bool is_sent, is_refused;
    struct scope *waiting; /* ends when it is answered */
};

enum serve_task_status {
    SERVE_TASK_WORKING,
    SERVE_TASK_INPUT_REQUIRED,
    SERVE_TASK_COMPLETED,
    SERVE_TASK_FAILED,
    SERVE_TASK_CANCELLED,
};

/* An MCP task: a call that outlives its request. It lies in the frame of the call. */
struct serve_task {
    char id[ID_SIZE];
    enum serve_task_status status;
    int64_t created_ms, updated_ms, ttl_ms; /* the first two by the clock on the wall */
    struct scope *work;                     /* ends when it is cancelled */
    json_t *outcome; /* owned; once it is completed a result, once it failed an error */
};

enum { SERVE_STATE_SIZE = ID_SIZE + 24 };

/* A request whose answer has to wait for the tools. */
struct serve_call {
    struct session *session;
    struct rpc_message message; /* owned; the latest, which is the one to be answered */
    struct rpc_message first;   /* owned; what is being worked on, once there is a later one */
    struct answerer answerer;   /* asks the client what the client accepts to be asked */
    struct serve_question *questions; /* that wait for answers, oldest first */
    char state[SERVE_STATE_SIZE];     /* names it while it is parked: its request was answered with
                                       * questions, and no other has come yet; "" when it is not */
    struct scope *parked; /* of the wait for that other request, once the work is done, or for a
                           * task to end */
    struct serve_task *as_task;       /* NULL unless it became a task */
    const struct serve_call *fetches; /* the task whose end this request waits for, or NULL */
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
    bool is_initialized, is_gone; /* gone: no question will be answered */
    json_t *capabilities;         /* of a legacy client; NULL before it said so */
    int64_t n_asked, n_parked;    /* so far */
    int log_level;                /* of a legacy session */
    struct scope *calls_scope;    /* encloses every call */
    struct serve_call **calls;    /* running and waiting, oldest first */
    size_t n_calls, max_calls;    /* max_calls = running and waiting */
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
/* Notifies the client, in the way of its era, that the list of tools changed. */
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

/* A string of an object without U+0000, or NULL; borrowed. */
const char *serve_text(const json_t *object, const char *key);
/* What the client of a call is able to do; borrowed. */
const json_t *serve_capabilities(const struct serve_call *call);
/* Sets up the answerer of a new call. */
void serve_question_init(struct serve_call *call);
bool serve_has_open_question(const struct serve_call *call);
void serve_send_question(struct serve_call *call, struct serve_question *question);
/* A message that answers a question of a legacy session. */
void serve_answered(struct session *session, const struct rpc_message *message);
/* Takes a result over as the answer, which wakes the call that waits for it. */
void serve_question_settle(struct serve_question *question, struct session *session, json_t *answer,
                           bool is_refused);
/* The client has gone: every wait for an answer of it ends. */
void serve_abandon_questions(struct session *session);

bool serve_is_parked(const struct serve_call *call);
/* Whether its request was answered, although it goes on: it is parked, or a task. */
bool serve_is_answered(const struct serve_call *call);
/* Answers the request that a call has, if it has one, with the questions that were not asked. */
void serve_round_ask(struct serve_call *call);
/* What is to be asked, by key, as a modern client gets it; owned by the caller. */
json_t *serve_input_requests(struct serve_call *call);
/* Takes the answers of a modern client out of the object, as far as they are answers to something.
 */
void serve_settle_questions(struct serve_call *call, json_t *responses);
/* Whether the answer came with the request already, whose client knew what would be asked; then it
 * was taken. */
bool serve_is_foreseen(const struct serve_call *call, struct serve_question *question);
/* Ends a call that the client did not come back for. */
void serve_round_drop(struct serve_call *call);
/* Waits until there is a request to answer; the call may be cancelled meanwhile. */
awaits void serve_round_await(struct serve_call *call);
/* Whether a request goes on with a parked call, by its own account. */
bool serve_is_retry(const struct rpc_message *message);
/* Goes on with that call, or refuses. Takes the message over. */
void serve_retry(struct session *session, struct rpc_message *message);

/* The code of an error as a client of the call's era knows it, and what goes with it. */
json_t *serve_error(const struct serve_call *call, const struct err *err);

/* Whether this call becomes an MCP task. Fails where the tool may not be called as the client asks.
 */
awaits MUST_CHECK enum err_code serve_task_decide(struct serve_call *call, struct scope *scope,
                                                  bool *out_becomes, struct err *err);
/* Answers its request with the task, and runs the call. */
awaits MUST_CHECK enum err_code serve_task_run(struct serve_call *call, struct scope *scope,
                                               const struct tool_call *request, struct err *err);
bool serve_task_is_over(const struct serve_task *task);
void serve_task_note(struct serve_call *call, enum serve_task_status status);
/* Asks the questions that were not asked yet, if the client waits for the task at the moment. */
void serve_task_ask(struct serve_call *call);
serve_method_fn serve_get_task, serve_task_result, serve_list_tasks, serve_cancel_task,
    serve_update_task;

/* Does the request of a call and answers it, unless it was cancelled. A task_fn. */
awaits enum err_code serve_call_run(struct runtime *runtime, struct scope *scope, void *call);
void serve_call_destroy(struct serve_call *call);

#endif
