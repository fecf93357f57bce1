/* One server of tools, and perhaps of resources and prompts, as the application sees it: an MCP
 * server behind a transport, or built-in tools in this process. It is started by the first call
 * that needs it and restarted with back-off after it died. Calls may run side by side. */
#ifndef APPLICATION_PORTS_TOOL_SERVER_H
#define APPLICATION_PORTS_TOOL_SERVER_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include "domain/tool/offering.h"
#include "domain/tool/step_result.h"
#include "domain/tool/tool.h"

struct tool_server;

/* A question of a server to a person in the middle of a call, as it came: a form to fill in here,
 * or a URL where the person is to do something that this program must not see. */
struct elicitation {
    const char *message;  /* for the person */
    const json_t *schema; /* the form: a flat object; NULL where there is a URL */
    const char *url;      /* or NULL */
    bool must_finish; /* the server does not wait for the person: accept when they are done there */
    const char *key;  /* by which a client may know the question before it is asked; or NULL */
};

enum elicitation_action { ELICITATION_ACCEPT, ELICITATION_DECLINE, ELICITATION_CANCEL };

struct elicitation_answer {
    enum elicitation_action action;
    json_t *content; /* ELICITATION_ACCEPT: an object that fits the schema; in the arena */
};

/* Who answers what a server asks in the middle of a request. Both are called on the caller's task
 * and may wait: the time a person takes does not count against the bounds of the request. */
struct answerer {
    /* May be NULL: there is no one to ask. ERR_INVALID: the schema is not a form, or such questions
     * are not taken; ERR_UNAVAILABLE: there was no answer, or not one to what was asked. */
    enum err_code (*on_question)(void *context, struct scope *sc,
                                 const struct elicitation *question, struct arena *arena,
                                 struct elicitation_answer *out, struct err *err);
    /* May be NULL: no model may be asked. params: those of sampling/createMessage, which were not
     * looked at; *out_result: its result, in the arena. ERR_DENIED: the person, the policy or a
     * bound refuses; ERR_INVALID: params are not what they should be. */
    enum err_code (*on_sampling)(void *context, struct scope *sc, const json_t *params,
                                 struct arena *arena, json_t **out_result, struct err *err);
    void *context;
};

/* The JSON-RPC code of a refusal because the client lacks a capability. */
#define ANSWERER_LACKS_ORIGIN (-32021)

/* ERR_INVALID: the work needs an answerer that can do more. capability: as MCP names it, with dots
 * between the levels ("elicitation.form"). */
static inline enum err_code answerer_lacks(const char *capability, struct err *err)
{
    enum err_code r = err_set(err, ERR_INVALID, ANSWERER_LACKS_ORIGIN,
                              "this needs a client with the capability %s", capability);
    return err_about(err, r, capability);
}

/* Where a request belongs in a trace (W3C Trace Context): what `_meta` has under these keys. */
struct trace_texts {
    const char *parent; /* traceparent; NULL: none */
    const char *state;  /* tracestate; NULL: none */
};
#define TRACE_PARENT_KEY "traceparent"
#define TRACE_STATE_KEY "tracestate"

struct tool_call {
    const char *name;        /* the server's own name of the tool */
    const json_t *arguments; /* object; NULL is {} */
    int64_t silence_ms;      /* so long without answer or progress: ERR_TIMEOUT; 0 = setting */
    int64_t max_ms; /* in all, however much progress there is; 0 = no bound but the scope */
    /* May be NULL. Called on the loop's stack: must not wait. total < 0: unknown. */
    void (*on_progress)(void *context, double progress, double total, const char *message);
    /* May be NULL. The caller may go and come back after so many milliseconds for what it missed;
     * must not wait. */
    void (*on_pause)(void *context, int64_t ms);
    /* Not 0: by a server that holds calls it is made ready and sent as soon as fewer than so many
     * calls of this kind are unanswered. Its times count from then. Others send it at once. */
    unsigned max_in_flight;
    /* May be NULL. A held call was sent; must not wait. Others need not call it. */
    void (*on_sent)(void *context);
    const struct answerer *answerer; /* NULL: no one answers */
    /* May be NULL. The call became a task, or its status changed; must not wait. */
    void (*on_task)(void *context, const char *id, const char *status, const char *message);
    /* The id of a task that an earlier process was given for this call, which is then not sent: the
     * task is asked for, and waited for where it works. One that the server does not know is an
     * error whose outcome is unknown. NULL: it is sent. */
    const char *task;
    const char *effect_id; /* told to the server, so that it can know a repetition; or NULL */
    /* Of the call: told to a server, and what a served one was told, unchecked. */
    struct trace_texts trace;
    void *context; /* of all of them but the answerer */
};

/* The key of the effect id in `_meta` of a call. */
#define TOOL_CALL_EFFECT_ID "local.mistro/effect-id"

struct prompt_request {
    const char *name;
    const json_t *arguments;         /* an object of strings; NULL is {} */
    const struct answerer *answerer; /* NULL: no one answers */
};

/* What a completion is for: an argument of a prompt, or a variable of a resource template. */
struct completion_request {
    enum offering_kind kind; /* OFFERING_PROMPT or OFFERING_TEMPLATE */
    const char *key;         /* name, or URI template */
    const char *argument;    /* whose value is being typed */
    const char *typed;       /* so far; may be "" */
    const json_t *others;    /* the arguments that are known already: object of strings, or NULL */
};

struct completion_values {
    const char **list; /* at most COMPLETION_MAX_VALUES, in the server's order */
    size_t n;
    bool has_more;
};

#define COMPLETION_MAX_VALUES 100

/* A person logs in to a server behind a URL. */
struct login {
    /* Called on the caller's task when there is a page to open; must not wait. */
    void (*on_url)(void *context, const char *url);
    void *context;
};

enum tool_server_state { SERVER_IDLE, SERVER_STARTING, SERVER_READY, SERVER_FAILED, SERVER_CLOSED };

/* How a server was reached. Strings are borrowed until the next wait. */
struct tool_server_status {
    const char *name; /* as configured */
    enum tool_server_state state;
    const char *transport; /* "in process", "stdio" */
    const char *command;   /* for people; "" in process */
    const char *era;       /* "modern", "legacy" or "" */
    const char *protocol_version, *server_name, *server_version, *instructions; /* or "" */
    int64_t start_ms; /* from start to the answered handshake; -1 before */
    size_t n_tools;
    unsigned restarts;
    bool has_resources, has_prompts; /* it says so of itself; false before the handshake */
    bool is_builtin;                 /* the workspace of mistro itself */
    /* A login to it, whether it wants one at the moment or not; "" where that is not known. */
    const char *login_issuer, *login_scope;
    int64_t login_until_ms; /* wall clock; 0 = unknown */
    bool is_logged_in;
    const char *identity; /* what approvals are bound to; secret: only its hash is kept */
    /* Where the folder that it works in is part of the identity: the identity as it would be
     * without the folder, and the path in its command that lies there. Else both are NULL. */
    const char *identity_without_folder, *folder_path;
    const char
        *offer; /* what it is told that it may ask for, "" for nothing: it may list by that */
    struct err last_error; /* code NONE when there was none */
};

/* Told by a server, on the loop's stack (must not wait): the catalogue changed, a log line. */
struct tool_server_listener {
    void (*on_tools_changed)(void *context, struct tool_server *server);
    void (*on_log)(void *context, struct tool_server *server, const char *level, const char *text);
    /* May be NULL: what a person should know without asking for logs, such as a list that was cut.
     */
    void (*on_warning)(void *context, struct tool_server *server, const char *text);
    void (*on_state)(void *context, struct tool_server *server);
    /* May be NULL: a resource that is watched changed, or, with NULL, perhaps any of them. */
    void (*on_resource_updated)(void *context, struct tool_server *server, const char *uri);
    void *context;
};

struct tool_server_ops {
    /* Mandatory unless said otherwise. */
    const char *(*name)(struct tool_server *s);
    enum err_code (*list)(struct tool_server *s, struct scope *sc, struct tool_catalogue **out,
                          struct err *err);
    enum err_code (*call)(struct tool_server *s, struct scope *sc, const struct tool_call *call,
                          struct arena *arena, struct step_result *out, struct err *err);
    void (*status)(struct tool_server *s, struct tool_server_status *out);
    /* Optional: NULL means that the list never changes and nothing is logged. A server has one
     * listener, the latest; NULL listens no more. */
    void (*listen)(struct tool_server *s, const struct tool_server_listener *listener);
    /* Optional, all three or none: NULL means that the server has tools only. */
    enum err_code (*offerings)(struct tool_server *s, struct scope *sc, enum offering_kind kind,
                               struct offerings *out, struct err *err);
    enum err_code (*read_resource)(struct tool_server *s, struct scope *sc, const char *uri,
                                   const struct answerer *answerer, struct arena *arena,
                                   struct offering_result *out, struct err *err);
    enum err_code (*get_prompt)(struct tool_server *s, struct scope *sc,
                                const struct prompt_request *request, struct arena *arena,
                                struct offering_result *out, struct err *err);
    /* Optional: NULL means that nothing is suggested. */
    enum err_code (*complete)(struct tool_server *s, struct scope *sc,
                              const struct completion_request *request, struct arena *arena,
                              struct completion_values *out, struct err *err);
    /* Optional: NULL means that no resource can be watched. */
    enum err_code (*watch_resource)(struct tool_server *s, struct scope *sc, const char *uri,
                                    struct err *err);
    /* Optional, both or none: NULL means that there is no login. */
    enum err_code (*log_in)(struct tool_server *s, struct scope *sc, const struct login *login,
                            struct err *err);
    enum err_code (*log_out)(struct tool_server *s, struct scope *sc, bool *out_was_in,
                             struct err *err);
    /* Ends the server gracefully. The scope bounds the wait; the server is gone in any case. */
    void (*close)(struct tool_server *s, struct scope *sc);
    void (*destroy)(struct tool_server *s);
    bool holds_calls; /* whether max_in_flight of a call counts */
};

struct tool_server {
    const struct tool_server_ops *ops;
};

/* The configured name: letters, digits, '_', '-', '.'. Borrowed for the server's life. */
static inline const char *tool_server_name(struct tool_server *s)
{
    return s->ops->name(s);
}
/* The current catalogue, fetched when there is none or it changed; a reference the caller owns.
 * ERR_UNAVAILABLE, ERR_TIMEOUT or ERR_PROTOCOL when the server cannot be had; the message has the
 * end of its stderr. */
awaits MUST_CHECK static inline enum err_code tool_server_list(struct tool_server *s,
                                                               struct scope *sc,
                                                               struct tool_catalogue **out,
                                                               struct err *err)
{
    return s->ops->list(s, sc, out, err);
}
/* The result lives in the arena. A tool's own failure is a result (is_error). ERR_NOT_FOUND and
 * ERR_INVALID: the server does not know the tool or refuses the arguments. After ERR_TIMEOUT,
 * ERR_CANCELLED and ERR_UNAVAILABLE it is unknown whether the tool ran; where the call went out the
 * error says so (err_outcome_unknown). */
awaits MUST_CHECK static inline enum err_code tool_server_call(
    struct tool_server *s, struct scope *sc, const struct tool_call *call, struct arena *arena,
    struct step_result *out, struct err *err)
{
    return s->ops->call(s, sc, call, arena, out, err);
}
/* ERR_NOT_FOUND, without asking: the server does not say of itself that it has any. */
static inline enum err_code tool_server_lacks(enum offering_kind kind, struct err *err)
{
    enum err_code r = err_set(err, ERR_NOT_FOUND, 0, "the server offers no %s",
                              kind == OFFERING_PROMPT ? "prompts" : "resources");
    (void)err_about(err, r, "server");
    return r;
}
/* Every resource, template or prompt of the server, added to *out in its order; what is kept for
 * the next time is kept as long as the server said. ERR_NOT_FOUND when it has none at all by its
 * own account; a server with resources and without templates gives an empty list of those. Else
 * fails like a list. */
awaits MUST_CHECK static inline enum err_code tool_server_offerings(struct tool_server *s,
                                                                    struct scope *sc,
                                                                    enum offering_kind kind,
                                                                    struct offerings *out,
                                                                    struct err *err)
{
    if (!s->ops->offerings)
        return tool_server_lacks(kind, err);
    return s->ops->offerings(s, sc, kind, out, err);
}
/* What a resource holds now. answerer: NULL when no one answers. ERR_NOT_FOUND: no resource has
 * that URI. */
awaits MUST_CHECK static inline enum err_code tool_server_read_resource(
    struct tool_server *s, struct scope *sc, const char *uri, const struct answerer *answerer,
    struct arena *arena, struct offering_result *out, struct err *err)
{
    if (!s->ops->read_resource)
        return tool_server_lacks(OFFERING_RESOURCE, err);
    return s->ops->read_resource(s, sc, uri, answerer, arena, out, err);
}
/* The messages of a prompt. ERR_NOT_FOUND or ERR_INVALID: the server does not know the prompt or
 * refuses the arguments; many servers say both in the same way, and the list of its prompts tells
 * which. */
awaits MUST_CHECK static inline enum err_code tool_server_get_prompt(
    struct tool_server *s, struct scope *sc, const struct prompt_request *request,
    struct arena *arena, struct offering_result *out, struct err *err)
{
    if (!s->ops->get_prompt)
        return tool_server_lacks(OFFERING_PROMPT, err);
    return s->ops->get_prompt(s, sc, request, arena, out, err);
}
/* What the argument could be, as the server suggests. None where it suggests nothing. */
awaits MUST_CHECK static inline enum err_code tool_server_complete(
    struct tool_server *s, struct scope *sc, const struct completion_request *request,
    struct arena *arena, struct completion_values *out, struct err *err)
{
    *out = (struct completion_values){ 0 };
    return s->ops->complete ? s->ops->complete(s, sc, request, arena, out, err) : ERR_NONE;
}
/* From now on the listener hears of changes of the resource, until the server is closed; a server
 * that was started again is asked again. ERR_NOT_FOUND: it announces none. */
awaits MUST_CHECK static inline enum err_code tool_server_watch_resource(struct tool_server *s,
                                                                         struct scope *sc,
                                                                         const char *uri,
                                                                         struct err *err)
{
    if (!s->ops->watch_resource)
        return err_set(err, ERR_NOT_FOUND, 0, "the server announces no changes of resources");
    return s->ops->watch_resource(s, sc, uri, err);
}
/* Returns when the person is back from the authorization server, with tokens on disk. The server
 * need not ask for them at the moment. ERR_AUTH: it was refused; ERR_TIMEOUT: the person did not
 * come back. */
awaits MUST_CHECK static inline enum err_code tool_server_log_in(struct tool_server *s,
                                                                 struct scope *sc,
                                                                 const struct login *login,
                                                                 struct err *err)
{
    if (!s->ops->log_in)
        return err_set(err, ERR_INVALID, 0, "only servers behind a url have a login");
    return s->ops->log_in(s, sc, login, err);
}
/* Forgets its tokens, here and where the authorization server takes them back. */
awaits MUST_CHECK static inline enum err_code tool_server_log_out(struct tool_server *s,
                                                                  struct scope *sc,
                                                                  bool *out_was_in, struct err *err)
{
    if (!s->ops->log_out)
        return err_set(err, ERR_INVALID, 0, "only servers behind a url have a login");
    return s->ops->log_out(s, sc, out_was_in, err);
}
static inline bool tool_server_holds_calls(const struct tool_server *s)
{
    return s->ops->holds_calls;
}
static inline void tool_server_status(struct tool_server *s, struct tool_server_status *out)
{
    s->ops->status(s, out);
}
static inline void tool_server_listen(struct tool_server *s,
                                      const struct tool_server_listener *listener)
{
    if (s->ops->listen)
        s->ops->listen(s, listener);
}
awaits static inline void tool_server_close(struct tool_server *s, struct scope *sc)
{
    s->ops->close(s, sc);
}
/* After close. NULL is fine. */
static inline void tool_server_destroy(struct tool_server *s)
{
    if (s)
        s->ops->destroy(s);
}

#endif
