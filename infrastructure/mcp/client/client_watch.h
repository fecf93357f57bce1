/* What a client hears of changes, in both eras. A legacy server tells them unasked, except those of
 * resources, which are subscribed to one by one. A modern server is asked for all that it can
 * announce in one request that stays open (subscriptions/listen, `mcp.md` 1.5); when one more
 * resource is watched, a wider one is opened and the old one is given up once that is acknowledged.
 *
 * A subscription that breaks off may have missed something: it is opened again, later and later,
 * and then everything counts as changed. One that breaks off too often is given up, which is told
 * the same way. A server that was started again is asked again. client_subscription.c does this,
 * client_watch.c the rest. */
#ifndef INFRASTRUCTURE_MCP_CLIENT_CLIENT_WATCH_H
#define INFRASTRUCTURE_MCP_CLIENT_CLIENT_WATCH_H

#include "infrastructure/mcp/wire/connection.h"
#include "infrastructure/runtime/alarm.h"
#include "infrastructure/runtime/task_lock.h"

/* Resources that are watched at one server. */
#define WATCH_MAX_RESOURCES 64
/* How often a subscription is opened again that breaks off each time; the first time after
 * mcp.list_changed_delay_ms, then after twice as long as before, up to this. */
#define WATCH_MAX_REOPENINGS 8
#define WATCH_MAX_REOPEN_MS 30000
/* One that lasted so long did not break off at once: the count begins anew. */
#define WATCH_STEADY_MS 30000

struct client;
struct tool_server;

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
    bool has_missed;              /* nobody listened for a while */
    bool is_over;                 /* the server refused, or ended it in order: lists go by ttlMs */
    bool has_given_up;
    bool must_resume; /* in the next session */

    char *uris[WATCH_MAX_RESOURCES];
    size_t n_uris;
    struct task_lock lock;        /* of whoever adds one */
    struct subscription *awaited; /* by that task, or NULL */
    const char *awaited_uri;      /* … which it is about */
    struct completion answered;   /* it was acknowledged or ended */
    struct err refusal;           /* why the URI is not watched; code NONE: it is */
};

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

/* Whether the server tells when its list of tools changed. */
bool client_watch_hears_tools(const struct client *client);

/* tool_server_watch_resource. */
awaits MUST_CHECK enum err_code client_watch_resource(struct tool_server *server,
                                                      struct scope *scope, const char *uri,
                                                      struct err *err);
/* The events of the connection; context is the client. */
void client_on_notification(void *context, const char *method, const json_t *params);

/* Between the two files: what was said before is not used any more from now on. That the list of
 * tools changed is told once for a burst. */
void client_note_tools(struct client *client);
/* uri: NULL where any of those watched may have changed. */
void client_note_update(struct client *client, const char *uri);
void client_note_all(struct client *client);
/* Nobody is told. */
void client_forget_tools(struct client *client);
/* The one of these of our subscriptions, or NULL. Ids are compared as text: one server returned
 * "16" for 16. */
struct subscription *subscription_find(struct client *client, const json_t *id);
/* Opens one for everything that is wanted now. */
MUST_CHECK
enum err_code subscription_open(struct client *client, struct subscription **out, struct err *err);
void subscription_acknowledge(struct subscription *subscription, const json_t *granted);
/* The server ended it without a result. */
void subscription_drop(struct subscription *subscription);
bool subscription_grants(const struct subscription *subscription, const char *uri);

#endif
