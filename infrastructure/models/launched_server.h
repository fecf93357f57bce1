/* A model server that mistro starts itself (`model.launch` in the settings): a child on a free
 * port or a unix socket of its own, waited for until it is healthy, ended when mistro ends,
 * started once more when it dies. Words of the command may hold {port} and {socket}; a command
 * with neither gets "--host 127.0.0.1 --port N" behind it, as llama-server takes them. */
#ifndef INFRASTRUCTURE_MODELS_LAUNCHED_SERVER_H
#define INFRASTRUCTURE_MODELS_LAUNCHED_SERVER_H

#include "application/settings.h"
#include "domain/base/attributes.h"
#include "domain/base/scope.h"

#define LAUNCHED_SERVER_RESTARTS 1
#define LAUNCHED_SERVER_MAX_WORDS 128
#define LAUNCHED_SERVER_POLL_MS 200
#define LAUNCHED_SERVER_LAST_WORDS 4096 /* of its stderr, for the message when it fails */

struct launched_server;
struct uv_runtime;

/* state: "starting", "loading", "ready", "restarted", "failed", "closed"; message may be NULL. */
typedef void launched_server_fn(void *context, const char *state, const char *message,
                                int64_t since_start_ms);

struct launched_server *launched_server_create(struct uv_runtime *runtime,
                                               const struct settings *settings,
                                               launched_server_fn *on_state, void *context);
/* Running and healthy when it returns ERR_NONE; starts it where it is not. *out_base_url and
 * *out_socket (NULL for a port) live as long as the server. ERR_UNAVAILABLE with its last words
 * when it cannot be had within model.launch_timeout_seconds or died too often. */
awaits MUST_CHECK enum err_code launched_server_ensure(struct launched_server *server,
                                                       struct scope *scope,
                                                       const char **out_base_url,
                                                       const char **out_socket, struct err *err);
/* Ends it: TERM, then KILL. */
awaits void launched_server_destroy(struct launched_server *server);

#endif
