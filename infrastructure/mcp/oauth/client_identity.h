/* As which client mistro goes to an authorization server (MCP specification, "Client
 * Registration"): one that was registered there beforehand, a URL that is the client's id, or one
 * that registered itself and was kept. Pure functions over settings and JSON. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_CLIENT_IDENTITY_H
#define INFRASTRUCTURE_MCP_OAUTH_CLIENT_IDENTITY_H

#include "application/settings.h"
#include "infrastructure/mcp/oauth/metadata/oauth_metadata.h"

enum client_method {
    CLIENT_NONE,  /* names itself, and proves nothing */
    CLIENT_BASIC, /* client_secret_basic */
    CLIENT_POST,  /* client_secret_post */
    CLIENT_KEY,   /* private_key_jwt */
};

struct client_identity {
    const char *id, *secret;
    enum client_method method;
    const char *private_key, *algorithm; /* of CLIENT_KEY */
    const char *redirect_uri;            /* that it registered; NULL: any on this machine */
    int64_t until_ms;                    /* wall clock; 0 = for good */
};

const char *client_method_name(enum client_method method);
/* False when there is no such method. */
bool client_method_find(const char *name, enum client_method *out);

/* The identity the user configured, if it is one for this server. *out_found is false when there is
 * none. ERR_AUTH: the configured one belongs to another issuer. */
MUST_CHECK
enum err_code client_identity_configured(const struct server_oauth *config,
                                         const struct authorization_server *server,
                                         struct client_identity *out, bool *out_found,
                                         struct err *err);

/* The request to a registration endpoint (RFC 7591); owned by the caller. */
json_t *client_registration_request(const struct authorization_server *server,
                                    const char *redirect_uri);
/* The answer in the form that is kept; owned by the caller. ERR_PROTOCOL: it is not a
 * registration. */
MUST_CHECK
enum err_code client_registration_read(const json_t *answer, const json_t *request, json_t **out,
                                       struct err *err);
/* Reads a client that was kept. False when there is none, or its time is over. */
bool client_identity_kept(const json_t *kept, int64_t now_ms, struct client_identity *out);

#endif
