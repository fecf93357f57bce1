/* An MCP server that wants a login, and the authorization server that gives out its tokens, behind
 * one loopback URL: URL/mcp is the former, URL/as the latter's issuer. It checks what it is sent as
 * a strict one would: the redirect, PKCE, the resource, the client's proof, that a refresh token is
 * used once. Whoever opens its page is let in and sent back at once. */
#ifndef TESTS_SUPPORT_FULL_LOGIN_AUTHORIZATION_SERVER_H
#define TESTS_SUPPORT_FULL_LOGIN_AUTHORIZATION_SERVER_H

#include "domain/base/arena.h"
#include "tests/support/full/mock_endpoint.h"
#include <stdint.h>

struct authorization_server_options {
    int64_t expires_in;        /* of access tokens; 0: it does not say */
    const char *scope;         /* what the challenge asks for; or NULL */
    const char *call_scope;    /* what tools/call needs beyond a token; or NULL */
    const char *iss;           /* in answers; NULL: its own issuer */
    const char *error;         /* what the page answers with, instead of a code */
    const char *auth_method;   /* the one it takes; NULL: "none" */
    const char *refresh_error; /* a refresh token is refused with it */
    int refresh_status;        /* of that; 0: 400 */
    const char *issuer_path;   /* NULL: "/as" */
    const char *page;          /* its authorization endpoint; NULL: "URL/as/authorize" */
    const char *redirect;      /* where the MCP server sends requests with a token; or NULL */
    bool no_registration, no_refresh, no_s256;
    bool announces;    /* changes of its tools, on streams that end at once */
    bool never_enough; /* call_scope is asked for whatever was granted */
    bool makes_tasks;  /* of calls, with a token that is good no more once the task is made */
};

struct as_tokens {
    char access[32], refresh[32], scope[128];
};

struct auth_server {
    struct mock_endpoint *endpoint;
    struct authorization_server_options options;
    struct arena arena;
    struct as_tokens current;
    char code[32], challenge[64], redirect_uri[128], asked[128];
    unsigned n_tokens, n_authorized, n_refreshed, n_registered, n_revoked, n_calls, n_listens;
    const char *problem; /* the first thing that was wrong with a request; or NULL */
};

void auth_server_init(struct auth_server *server, struct uv_runtime *runtime,
                      const struct authorization_server_options *options);
void auth_server_finish(struct auth_server *server);
/* URL/mcp, in the server's arena. */
const char *auth_server_url(struct auth_server *server);
/* The access token is good no more; what was refreshed from it may be. */
void auth_server_expire(struct auth_server *server);

#endif
