/* The login of one MCP server (OAuth 2.1; MCP specification, "Authorization"): which token goes
 * with its requests, how the server refused one, and how to get another, with the help of a person
 * or without. Tokens come from the store and go there; other processes may change it at any time. A
 * token goes to the resource it was issued for and nowhere else, and into no message, event or
 * error. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_OAUTH_H
#define INFRASTRUCTURE_MCP_OAUTH_OAUTH_H

#include "application/ports/digest.h"
#include "application/ports/tool_server.h"
#include "application/settings.h"
#include "infrastructure/mcp/oauth/metadata/www_authenticate.h"

struct http_client;
struct oauth;
struct token_store;
struct uv_runtime;

/* All borrowed. */
struct oauth_options {
    struct uv_runtime *runtime;
    struct http_client *http;
    struct digest *digest;
    struct token_store *store;
    const struct server_config *config; /* of a server with a URL */
    const struct settings *settings;
};

/* What is known of the login. Texts are borrowed until the next wait; "" where unknown. */
struct oauth_status {
    bool is_in;
    const char *issuer, *scope;
    int64_t until_ms; /* wall clock; 0 = unknown */
};

/* NULL when the configuration has a header that takes the token's place. */
struct oauth *oauth_create(const struct oauth_options *options);
/* NULL is fine. */
void oauth_destroy(struct oauth *oauth);

/* Called before the first request: looks for a login, for which a person may be asked to open the
 * keyring. NULL is fine. */
awaits void oauth_prepare(struct oauth *oauth, const struct scope *scope);
/* The token for a request to this URL, borrowed until the next wait; NULL: none. The first call
 * looks into the store. */
const char *oauth_bearer(struct oauth *oauth, const char *url);
/* Counts the tokens: it says which one a request was sent with. */
unsigned oauth_generation(const struct oauth *oauth);
/* A request that was sent with the token of this generation was refused. */
void oauth_refused(struct oauth *oauth, int status, const struct challenge *challenge,
                   unsigned generation);
/* A refusal that a token can change: 401, or 403 for want of a scope. */
bool oauth_is_challenge(int status, const struct challenge *challenge);

/* Gets another token after a refusal, without a person. ERR_AUTH, with a hint: that needs one. */
awaits MUST_CHECK enum err_code oauth_renew(struct oauth *oauth, const struct scope *scope,
                                            struct err *err);
awaits MUST_CHECK enum err_code oauth_log_in(struct oauth *oauth, const struct scope *scope,
                                             const struct login *login, struct err *err);
awaits MUST_CHECK enum err_code oauth_log_out(struct oauth *oauth, const struct scope *scope,
                                              bool *out_was_in, struct err *err);
void oauth_get_status(struct oauth *oauth, struct oauth_status *out);

#endif
