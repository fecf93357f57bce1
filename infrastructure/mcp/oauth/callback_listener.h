/* Where a browser comes back to after a login: one page on a port of 127.0.0.1, open for as long as
 * somebody waits, for one answer. Other paths and methods, long requests and answers that belong to
 * no login of ours are turned away, and after enough of them the listener gives up. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_CALLBACK_LISTENER_H
#define INFRASTRUCTURE_MCP_OAUTH_CALLBACK_LISTENER_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALLBACK_MAX_REQUEST_BYTES 32768
/* At the same time, after which the oldest goes; and turned away in all. */
#define CALLBACK_MAX_CONNECTIONS 8
#define CALLBACK_MAX_REFUSED 100

struct callback_listener;
struct uv_runtime;

/* Whether an answer is the one that is waited for; must not wait. */
typedef bool callback_accepts_fn(void *context, const char *query, size_t length);

/* port 0: any. ERR_UNAVAILABLE: it is taken. */
MUST_CHECK
enum err_code callback_listener_create(struct uv_runtime *runtime, int64_t port,
                                       struct callback_listener **out, struct err *err);
int callback_listener_port(const struct callback_listener *listener);
/* From now on; before, every request is turned away. */
void callback_listener_expect(struct callback_listener *listener, callback_accepts_fn *accepts,
                              void *context);
/* Waits for an answer that is accepted: its query, in the arena. ERR_LIMIT: too many others. */
awaits MUST_CHECK enum err_code callback_listener_await(struct callback_listener *listener,
                                                        const struct scope *scope,
                                                        struct arena *arena, const char **out_query,
                                                        struct err *err);
/* NULL is fine. */
void callback_listener_destroy(struct callback_listener *listener);

#endif
