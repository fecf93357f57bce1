/* The inside of the MCP client, shared by the files that make it up: client.c (the port),
 * client_description.c (how its configuration is told to others), client_start.c (start and
 * restart), client_request.c (what is sent, and sent again), input_rounds.c (what a server asks in
 * the middle of that), client_call.c (calls), mcp_task.c (calls that go on as tasks), client_list.c
 * (lists, page by page), client_offerings.c (resources and prompts), client_complete.c (what an
 * argument could be) and client_watch.c (what the server announces). */
#ifndef INFRASTRUCTURE_MCP_CLIENT_CLIENT_INTERNAL_H
#define INFRASTRUCTURE_MCP_CLIENT_CLIENT_INTERNAL_H

#include "infrastructure/mcp/client/client.h"
#include "infrastructure/mcp/client/hint_cache.h"
#include "infrastructure/mcp/wire/connection.h"
#include "infrastructure/mcp/wire/era.h"
#include "infrastructure/mcp/wire/question.h"
#include "infrastructure/runtime/alarm.h"
#include "infrastructure/runtime/task_lock.h"

/* A start that took longer is worth remembering what the server speaks. */
#define CLIENT_SLOW_START_MS 500
/* What servers are asked to log where there is a listener. */
#define CLIENT_LOG_LEVEL "info"
/* How a modern request says so within its `_meta`. */
#define CLIENT_LOG_LEVEL_MEMBER "\"io.modelcontextprotocol/logLevel\":\"" CLIENT_LOG_LEVEL "\""

struct client;
struct mcp_task;
struct oauth;
struct url_visit;

/* How often a server may be started again: at most so many times within any five minutes, each
 * time after a longer wait than before. Pure: the caller says what time it is. */
#define RESTART_WINDOW_MS (5 * 60 * 1000)
#define RESTART_DELAY_MS 100 /* before the second restart in the window; the first is at once */
#define RESTART_DELAY_MAX_MS 5000

struct restart_window {
    int64_t *times_ms; /* of the restarts in the window, a ring with room for `most` */
    size_t most, first, n;
};

void restart_window_init(struct restart_window *window, size_t most);
void restart_window_finish(struct restart_window *window);
/* Counts a restart and says how long to wait before it. False: there were too many. */
bool restart_window_count(struct restart_window *window, int64_t now_ms, int64_t *out_delay_ms);

/* Resources that are watched at one server. */
#define WATCH_MAX_RESOURCES 64
/* How often a subscription is opened again that breaks off each time; the first time after
 * mcp.list_changed_delay_ms, then after twice as long as before, up to this. */
#define WATCH_MAX_REOPENINGS 8
#define WATCH_MAX_REOPEN_MS 30000
/* One that lasted so long did not break off at once: the count begins anew. */
#define WATCH_STEADY_MS 30000

/* One subscriptions/listen. */
struct subscription {
    struct client *client;
    struct request request;
    bool is_acknowledged;
    bool tools, prompts, resources; /* granted: changes of these lists */
    json_t *uris;                   /* granted: updates of these; array or NULL */
};

struct watch {
    struct alarm *changed;   /* the list of tools did; rings once for a burst */
    struct alarm *reopening; /* of a subscription that broke off */
    struct subscription subscriptions[2];
    struct subscription *current; /* the latest that was acknowledged, or NULL */
    int64_t acknowledged_ms;      /* when that was */
    unsigned n_drops;             /* in a row */
    bool has_missed;              /* nothing was heard for a while */
    bool is_over;                 /* the server refused, or ended it in order: lists go by ttlMs */
    bool has_given_up;
    bool must_resume; /* in the next session */

    char *uris[WATCH_MAX_RESOURCES];
    size_t n_uris;
    struct task_lock lock;        /* of the task that adds one */
    struct subscription *awaited; /* by that task, or NULL */
    const char *awaited_uri;      /* which URI it is about */
    struct completion answered;   /* it was acknowledged or ended */
    struct err refusal;           /* why the URI is not watched; code NONE: it is */
};

/* What a server is. The folder it works in is part of that where its command or arguments have a
 * relative path of something there: in another folder they mean another file. */
struct server_identity {
    const char *text;
    const char *without_folder; /* NULL: the folder is no part of it */
    const char *path;           /* the first such path, NULL as above */
};

struct client {
    struct tool_server base;
    struct mcp_context context;
    const struct server_config *config;
    struct transport *transport;
    struct oauth *oauth; /* NULL: no one logs in */
    bool has_model;      /* this server may ask mistro's model */
    struct arena kept;   /* the three that follow */
    const char *command; /* how people see what is started or contacted */
    const char *roots;   /* the answer to roots/list, or NULL */
    struct server_identity identity;
    struct runtime *runtime;
    struct connection *connection;
    struct tool_server_listener listener;
    enum tool_server_state state;
    struct err last_error;

    /* Starting. */
    struct task_lock start_lock;
    struct scope *start_scope; /* of a start that is going on */
    unsigned n_attempts;       /* starts that came to an end of their own */
    struct err start_error;    /* of the last of them */
    bool was_started;
    struct session session;
    enum server_era verdict;    /* of the last successful start, or of an earlier process */
    enum server_era remembered; /* what the memory has */
    int64_t start_ms;
    struct err last_end; /* why it ended, or could not be started */
    unsigned restarts;
    struct restart_window restart_window;

    bool has_asked_for_logs;    /* in this session */
    struct request log_request; /* when a listener came in the middle of it */

    struct url_visit *visits; /* that go on; each lies in the frame of its call */

    /* The catalogue. */
    struct task_lock list_lock;
    struct tool_catalogue *catalogue; /* NULL before the first */
    bool is_stale;
    int64_t fresh_until_ms;

    struct watch watch;
    struct hint_cache hints; /* what a modern server said for a while */
    struct mcp_task *tasks;  /* calls that became tasks and are not over */
};

/* Whether some parameters of a call go in headers as well. */
static inline bool client_sends_parameters(const struct client *client)
{
    return client->session.era == ERA_MODERN && client->config->url;
}

static inline struct client *client_of(struct tool_server *server)
{
    return (struct client *)server;
}

void client_set_state(struct client *client, enum tool_server_state state);
/* Keeps the error for the status, which the change of state makes known. */
void client_fail(struct client *client, const struct err *why);
/* Keeps the error for the status and tells the log, if there is a listener. */
void client_report(struct client *client, const struct err *err);
/* Likewise, of what is missing in what is shown: tells the user, who may not listen to logs. */
void client_warn(struct client *client, const struct err *err);
void client_log(struct client *client, const char *level, const char *text, size_t length);
/* What a request may take when the caller did not say. */
int64_t client_silence_ms(const struct client *client);

/* What the server may ask of us. */
struct era_offer client_offer(const struct client *client);
/* Appends the member `_meta` that every request to a modern server has: what it may be answered
 * with, and what is to be logged where there is a listener. */
MUST_CHECK
bool client_append_meta(const struct client *client, struct buf *line, struct era_offer offer);
/* Begins the member `_meta` of a request that belongs to a call, behind other members: what every
 * request to a modern server has (offer: NULL for a legacy one) and the trace of the call. The
 * caller closes it. *comma: what stands before the next member. */
MUST_CHECK
bool client_append_call_meta(const struct client *client, struct buf *line,
                             const struct era_offer *offer, const struct tool_call *call,
                             const char **comma);
/* A member behind *comma; nothing for NULL. */
MUST_CHECK
bool client_append_text(struct buf *line, const char **comma, const char *key, const char *text);
/* What it may ask in the middle of a request with this answerer, or NULL. */
struct era_offer client_offer_of(const struct client *client, const struct answerer *answerer);

/* Whether a modern server refused a request, with this error (may be NULL), for a revision that it
 * spoke before. Unless it lists that one all the same the session is over, and the next start finds
 * out what it speaks now. */
bool client_revision_was_refused(struct client *client, const json_t *error);

/* Somebody began to listen: a legacy server that runs is asked for its logs, unless it was. Modern
 * ones are told with every request. */
void client_ask_for_logs(struct client *client);
/* Returns with a server that has answered the handshake. */
awaits MUST_CHECK enum err_code client_ensure_started(struct client *client, struct scope *scope,
                                                      struct err *err);

/* The session as the next client must know it that goes on with it; the caller's. And begins as it
 * says: false where it says nothing that can be used. */
json_t *client_note(const struct client *client);
MUST_CHECK
bool client_read_note(struct client *client, const json_t *note);

void client_watch_init(struct client *client);
void client_watch_finish(struct client *client);

/* Asks a modern server to announce what it can, unless that is going on or in vain. */
void client_watch_open(struct client *client);
/* The connection ended: nothing is heard until the next session. */
void client_watch_reset(struct client *client);
/* In a new session: asks for what was asked for in the old one. */
awaits void client_watch_resume(struct client *client, struct scope *scope);
/* The server is being closed: what is open is not opened again. */
void client_watch_stop(struct client *client);

/* Takes back what was asked for without an answer. False: the server goes on to tell of resources
 * that it was asked to watch. */
bool client_watch_leaves_nothing(struct client *client);

/* Whether the server tells when its list of tools changed. */
bool client_watch_hears_tools(const struct client *client);

/* tool_server_watch_resource. */
awaits MUST_CHECK enum err_code client_watch_resource(struct tool_server *server,
                                                      struct scope *scope, const char *uri,
                                                      struct err *err);
/* The events of the connection; context is the client. */
void client_on_notification(void *context, const char *method, const json_t *params);

/* How the configuration says what the server is, in the arena: the command or address for people;
 * what approvals, pins and the era are kept under; and
 * `{"roots":[{"uri":"file:///…","name":"…"}]}`, NULL when the server is given no folders. */
const char *server_command(struct arena *arena, const struct server_config *config);
struct server_identity server_identity(struct arena *arena, const struct server_config *config);
const char *server_roots(struct arena *arena, const struct server_config *config);

enum err_code client_list(struct tool_server *server, struct scope *scope,
                          struct tool_catalogue **out, struct err *err);
enum err_code client_call(struct tool_server *server, struct scope *scope,
                          const struct tool_call *call, struct arena *arena,
                          struct step_result *out, struct err *err);

/* ERR_NOT_FOUND: the server does not say of itself that it has any of that kind. */
MUST_CHECK
enum err_code client_check_offers(const struct client *client, enum offering_kind kind,
                                  struct err *err);
/* Whether the server still runs and the caller still waits, after a request that failed. */
bool client_goes_on(const struct client *client, const struct scope *scope);

enum err_code client_offerings(struct tool_server *server, struct scope *scope,
                               enum offering_kind kind, struct offerings *out, struct err *err);
enum err_code client_read_resource(struct tool_server *server, struct scope *scope, const char *uri,
                                   const struct answerer *answerer, struct arena *arena,
                                   struct offering_result *out, struct err *err);
enum err_code client_get_prompt(struct tool_server *server, struct scope *scope,
                                const struct prompt_request *wanted, struct arena *arena,
                                struct offering_result *out, struct err *err);
enum err_code client_complete(struct tool_server *server, struct scope *scope,
                              const struct completion_request *wanted, struct arena *arena,
                              struct completion_values *out, struct err *err);
/* ERR_PROTOCOL unless the result is the whole answer. */
MUST_CHECK
enum err_code client_check_result_type(const struct result_outline *result, struct err *err);

#endif
