/* One visit of a person to an authorization server (the authorization code grant of OAuth 2.1 with
 * PKCE): the URL it begins with, the page on this machine that the browser comes back to, and the
 * answer that it brings. All that must be remembered in between is in struct authorization.
 *
 * The listener is one page on a port of 127.0.0.1, open while a login waits, for one answer. Other
 * paths and methods, long requests and answers that belong to another login are turned away, and
 * after enough of them the listener gives up. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_AUTHORIZATION_H
#define INFRASTRUCTURE_MCP_OAUTH_AUTHORIZATION_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include "domain/base/scope.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OAUTH_CALLBACK_PATH "/callback"

struct authorization {
    const char *endpoint, *issuer;
    const char *client_id, *redirect_uri;
    const char *state, *challenge; /* S256 of the verifier */
    const char *resource;
    const char *scope; /* or NULL */
    bool must_name_issuer;
};

/* In the arena. NULL when it would be too long. */
const char *authorization_url(struct arena *arena, const struct authorization *authorization);
/* Whether an answer belongs to this visit. */
bool authorization_is_answer(const struct authorization *authorization, const char *query,
                             size_t length);
/* The code in an answer that belongs to this visit, in the arena. ERR_AUTH: it is a refusal, or
 * does not come from the issuer; then none of its text is shown. */
MUST_CHECK
enum err_code authorization_code(const struct authorization *authorization, const char *query,
                                 size_t length, struct arena *arena, const char **out_code,
                                 struct err *err);

/* The small pages that answer a request of the browser. */
enum callback_reply {
    CALLBACK_DONE,
    CALLBACK_NOT_OURS,  /* 400: the answer of another login */
    CALLBACK_NOT_FOUND, /* 404 */
    CALLBACK_NO_METHOD, /* 405 */
    CALLBACK_TOO_LONG,  /* 431 */
};

/* Whether the head of a request has arrived as a whole. */
bool callback_request_is_whole(const char *bytes, size_t length);
/* The query of a GET of the callback's path; where it is another request, *out_reply answers it. */
bool callback_request_query(const char *bytes, size_t length, const char **out_query,
                            size_t *out_length, enum callback_reply *out_reply);
/* A whole response, of static life. */
const char *callback_reply_text(enum callback_reply reply);

#define CALLBACK_MAX_REQUEST_BYTES 32768
/* Connections at one time, above which the oldest is closed; and requests turned away in all. */
#define CALLBACK_MAX_CONNECTIONS 8
#define CALLBACK_MAX_REFUSED 100

struct callback_listener;
struct uv_runtime;

/* Whether an answer is the one that is waited for; must not wait. */
typedef bool callback_accepts_fn(void *context, const char *query, size_t length);

/* port 0: any. ERR_UNAVAILABLE: another program has it. */
MUST_CHECK
enum err_code callback_listener_create(struct uv_runtime *runtime, int64_t port,
                                       struct callback_listener **out, struct err *err);
int callback_listener_port(const struct callback_listener *listener);
/* Begins to accept answers; until then every request is turned away. */
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
