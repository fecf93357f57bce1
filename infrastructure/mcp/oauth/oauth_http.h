/* Requests to authorization servers, and for the metadata that servers publish. Their URLs come
 * from other servers' answers: no redirect is followed, size and time are bounded, and an address
 * that the user did not name must be a public one, unless the MCP server is on this machine. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_OAUTH_HTTP_H
#define INFRASTRUCTURE_MCP_OAUTH_OAUTH_HTTP_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include "infrastructure/net/http_client.h"
#include <jansson.h>

#define OAUTH_MAX_DOCUMENT_BYTES (1 << 20)
#define OAUTH_REQUEST_MS 30000

#define OAUTH_FORM "application/x-www-form-urlencoded"
#define OAUTH_JSON "application/json"

struct uv_runtime;

struct oauth_http {
    struct uv_runtime *runtime;
    struct http_client *client;
    const char *server; /* URL of the MCP server */
    const char *issuer; /* the one that the user named; or NULL */
};

/* A POST where there is a body, else a GET. */
struct oauth_request {
    const char *url;
    const char *type; /* of the body */
    const char *body;
    size_t body_length;
    const char *const *headers; /* "Name: value" */
    size_t n_headers;
};

struct oauth_reply {
    int status;
    const json_t *value; /* in the arena; NULL when the body is not a JSON object */
};

/* Which addresses a request to this URL may reach: any only where the user named its origin. */
enum http_reach oauth_reach(const struct oauth_http *http, const char *url);
/* ERR_NONE whatever the status is. ERR_DENIED: a server may not name this address. */
awaits MUST_CHECK enum err_code oauth_http_send(const struct oauth_http *http,
                                                const struct scope *scope,
                                                const struct oauth_request *request,
                                                struct arena *arena, struct oauth_reply *out,
                                                struct err *err);
/* Whether a person may be sent to this URL. ERR_DENIED as above. */
awaits MUST_CHECK enum err_code oauth_http_check(const struct oauth_http *http,
                                                 const struct scope *scope, const char *url,
                                                 struct err *err);
/* The host of a URL, for people; in the arena. */
const char *oauth_host(struct arena *arena, const char *url);

static inline bool oauth_reply_is_success(const struct oauth_reply *reply)
{
    return reply->status >= 200 && reply->status < 300 && reply->value;
}

#endif
