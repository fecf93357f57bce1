/* Requests to a token endpoint: a form, the client's proof of itself, and the answer. No part of
 * them gets into an error, but for the error code of a refusal. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_TOKEN_REQUEST_H
#define INFRASTRUCTURE_MCP_OAUTH_TOKEN_REQUEST_H

#include "infrastructure/mcp/oauth/client_identity.h"
#include "infrastructure/mcp/oauth/oauth_http.h"

#define OAUTH_MAX_FORM_BYTES 65536
/* A lifetime above this one is not believed; then the token's end counts as unknown. */
#define TOKEN_MAX_LIFE_SECONDS (400 * 24 * 3600)

struct token_request {
    const char *endpoint, *issuer;
    const struct client_identity *client;
    int64_t now_ms; /* wall clock */
    /* The form, without the client's proof. A field without a value is left out. */
    struct {
        const char *name, *value;
    } fields[5];
};

struct token_answer {
    const char *access_token, *refresh_token; /* the latter may be NULL */
    const char *scope;                        /* NULL: as asked for */
    int64_t until_ms;                         /* wall clock; 0 = it does not say */
};

/* ERR_AUTH: refused with an error code of OAuth; err->origin is the status. ERR_UNAVAILABLE,
 * ERR_PROTOCOL: there was no such answer, and what was sent may still be good. ERR_LIMIT: the form
 * has more than OAUTH_MAX_FORM_BYTES. Everything lives in the arena. */
awaits MUST_CHECK enum err_code token_request(const struct oauth_http *http,
                                              const struct scope *scope,
                                              const struct token_request *request,
                                              struct arena *arena, struct token_answer *out,
                                              struct err *err);
/* Sends a form to a revocation endpoint (RFC 7009), whose answer has no content. */
awaits MUST_CHECK enum err_code token_revoke(const struct oauth_http *http,
                                             const struct scope *scope,
                                             const struct token_request *request, struct err *err);

#endif
