/* A model server that mistro starts itself (`model.launch` in the settings): a child on a free
 * port or a unix socket of its own, waited for until it is healthy, ended when mistro ends,
 * started once more when it dies. Words of the command may hold {port} and {socket}
 * (launch_command.h). It keeps its address when it is started again. The first task that needs it
 * starts it, the others wait. */
#ifndef INFRASTRUCTURE_MODELS_LAUNCH_LAUNCHED_SERVER_H
#define INFRASTRUCTURE_MODELS_LAUNCH_LAUNCHED_SERVER_H

#include "application/ports/model.h"
#include "application/settings.h"
#include "domain/base/attributes.h"
#include "domain/base/scope.h"

#define LAUNCHED_SERVER_RESTARTS 1
#define LAUNCHED_SERVER_PORTS 3 /* tried when another process takes the one that was free */
#define LAUNCHED_SERVER_POLL_MS 200
#define LAUNCHED_SERVER_TELL_MS 10000   /* how often it is told that it is still loading */
#define LAUNCHED_SERVER_CLOSE_MS 2000   /* between TERM and KILL */
#define LAUNCHED_SERVER_END_MS 200      /* how long a lost connection waits to be explained */
#define LAUNCHED_SERVER_LAST_WORDS 4096 /* of its stderr, for the message when it fails */

struct launched_server;
struct uv_runtime;

/* state: "starting", "loading", "ready", "restarted", "failed", "closed"; message may be NULL. */
typedef void launched_server_fn(void *context, const char *state, const char *message,
                                int64_t since_start_ms);

/* settings, with a launch in them, are borrowed. Nothing is started yet. on_state may be NULL. */
struct launched_server *launched_server_create(struct uv_runtime *runtime,
                                               const struct settings *settings,
                                               launched_server_fn *on_state, void *context);
/* Running and healthy when it returns ERR_NONE; starts it where it is not. ERR_UNAVAILABLE with its
 * last words when it cannot be had within model.launch_timeout_seconds or died too often; that
 * answer is for good. A scope that ends meanwhile leaves it starting. */
awaits MUST_CHECK enum err_code launched_server_ensure(struct launched_server *server,
                                                       const struct scope *scope, struct err *err);
/* "http://127.0.0.1:PORT" or "unix:PATH", once it was healthy; as long as the server lives. */
const char *launched_server_url(const struct launched_server *server);
/* A request to it failed: where that was its death, *err says so with its last words. Returns
 * code. */
awaits enum err_code launched_server_explain(struct launched_server *server, enum err_code code,
                                             struct err *err);
/* Ends it: TERM, then KILL, sooner where the scope has less time. NULL is fine. */
awaits void launched_server_destroy(struct launched_server *server, const struct scope *scope);

/* The model at the server's address (stolen) with the server, which is borrowed, made sure of
 * before every request. A request that the server did not survive says so. */
struct model *launched_model_create(struct launched_server *server, struct model *inside);

#endif
