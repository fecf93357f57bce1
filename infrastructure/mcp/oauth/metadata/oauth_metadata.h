/* What servers publish about authorization: the metadata of a protected resource (RFC 9728) and of
 * an authorization server (RFC 8414, OpenID Connect Discovery), read and checked. Pure functions
 * over JSON values; what they give lives as long as value and arena. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_METADATA_OAUTH_METADATA_H
#define INFRASTRUCTURE_MCP_OAUTH_METADATA_OAUTH_METADATA_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include <jansson.h>
#include <stdbool.h>

/* The longest text in what they publish. */
#define OAUTH_MAX_TEXT_BYTES 8192

struct protected_resource {
    const char *resource; /* sent exactly so */
    const char *issuer;   /* of the authorization server */
    const json_t *scopes; /* array, or NULL */
};

struct authorization_server {
    const char *issuer;
    const char *authorization_endpoint, *token_endpoint;
    const char *registration_endpoint, *revocation_endpoint; /* or NULL */
    const json_t *scopes, *auth_methods;                     /* arrays, or NULL */
    bool has_s256;
    bool names_itself; /* answers carry `iss` */
    bool takes_urls;   /* as the id of a client (CIMD) */
};

/* A member that is text of visible characters and blanks, of at most OAUTH_MAX_TEXT_BYTES; else
 * NULL. */
const char *oauth_member(const json_t *object, const char *name);
/* Whether an array has this text in it. */
bool oauth_lists(const json_t *array, const char *text);

/* ERR_PROTOCOL: not the metadata of this server. wanted_issuer: the one to choose where several
 * are named; NULL: the first. */
MUST_CHECK
enum err_code protected_resource_read(const json_t *value, const char *server,
                                      const char *wanted_issuer, struct protected_resource *out,
                                      struct err *err);
/* ERR_PROTOCOL: not the metadata of this issuer, or without an endpoint that is needed. */
MUST_CHECK
enum err_code authorization_server_read(const json_t *value, const char *issuer,
                                        struct authorization_server *out, struct err *err);
/* A server that publishes nothing, as the MCP specification of 2025-03-26 allows: its endpoints are
 * at fixed paths of its origin. */
void authorization_server_assume(struct arena *arena, const char *origin,
                                 struct authorization_server *out);

#endif
