/* Requests to a token endpoint: a form, the client's proof of itself, and what came back. No part
 * of either shows up in an error. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_TOKEN_REQUEST_H
#define INFRASTRUCTURE_MCP_OAUTH_TOKEN_REQUEST_H

#include "domain/base/buf.h"
#include "infrastructure/mcp/oauth/client_identity.h"
#include "infrastructure/mcp/oauth/oauth_http.h"

#define OAUTH_MAX_FORM_BYTES 65536
/* A token of unknown age is believed to last as long as this at most. */
#define TOKEN_MAX_LIFE_SECONDS (400 * 24 * 3600)

struct token_request {
    const char *endpoint, *issuer;
    const struct client_identity *client;
    struct buf *form; /* without the client's proof */
    int64_t now_ms;   /* wall clock */
};

struct token_answer {
    const char *access_token, *refresh_token; /* the latter may be NULL */
    const char *scope;                        /* NULL: as asked for */
    int64_t until_ms;                         /* wall clock; 0 = it does not say */
};

/* ERR_AUTH: refused, and it says so as OAuth has it; err->origin is the status. ERR_UNAVAILABLE,
 * ERR_PROTOCOL: that was no answer, and what was sent may still be good. Everything lives in the
 * arena. */
awaits MUST_CHECK enum err_code token_request(const struct oauth_http *http,
                                              const struct scope *scope,
                                              const struct token_request *request,
                                              struct arena *arena, struct token_answer *out,
                                              struct err *err);
/* The same for a revocation endpoint (RFC 7009), whose answer says nothing. */
awaits MUST_CHECK enum err_code token_revoke(const struct oauth_http *http,
                                             const struct scope *scope,
                                             const struct token_request *request, struct err *err);

#endif
