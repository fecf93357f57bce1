#include "infrastructure/mcp/oauth/oauth_http.h"
#include "application/ports/runtime.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/net/http_address.h"
#include "infrastructure/net/http_client.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <string.h>

#define CONNECT_MS 10000

static bool keep_bytes(void *context, const char *bytes, size_t length)
{
    return buf_append(context, bytes, length);
}

enum http_reach oauth_reach(const struct oauth_http *http, const char *url)
{
    bool is_named = http_address_same_origin(url, http->server) ||
                    (http->issuer && http_address_same_origin(url, http->issuer));
    if (is_named)
        return HTTP_ANYWHERE;
    return http_address_is_loopback(http->server) ? HTTP_HERE_TOO : HTTP_PUBLIC;
}

const char *oauth_host(struct arena *arena, const char *url)
{
    struct http_address parts;
    return http_address_read(url, &parts) ? arena_strndup(arena, parts.host, parts.host_length)
                                          : text_one_line(arena, url, strlen(url), 80);
}

static const json_t *read_body(struct arena *arena, const struct buf *body)
{
    json_t *value = NULL;
    bool repaired;
    if (!body->length || json_parse_foreign(body->bytes, body->length, &value, &repaired, NULL))
        return NULL;
    arena_keep_json(arena, value);
    return json_is_object(value) ? value : NULL;
}

/* The hint of the refusal says what is required; this one says what the user can do about it. */
static enum err_code explain(enum err_code code, const char *url, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    if (code == ERR_DENIED && err) {
        err->hint[0] = '\0';
        (void)err_hint(err, code,
                       "if you trust where the server sends you, name it: \"oauth\": "
                       "{\"issuer\": …}");
    }
    return code ? err_prefix(err, code, "%s", oauth_host(&scratch, url)) : ERR_NONE;
}

enum err_code oauth_http_send(const struct oauth_http *http, const struct scope *scope,
                              const struct oauth_request *request, struct arena *arena,
                              struct oauth_reply *out, struct err *err)
{
    AUTO(buf) body;
    struct http_response response;
    struct scope bounded = runtime_scope(uv_runtime_port(http->runtime), scope, OAUTH_REQUEST_MS);
    struct http_request message = {
        .url = request->url,
        .body = request->body,
        .body_length = request->body_length,
        .content_type = request->type,
        .headers = request->headers,
        .n_headers = request->n_headers,
        .reach = oauth_reach(http, request->url),
        .accept = OAUTH_JSON,
        .connect_timeout_ms = CONNECT_MS,
        .silence_ms = OAUTH_REQUEST_MS,
        .max_bytes = OAUTH_MAX_DOCUMENT_BYTES,
        .on_bytes = keep_bytes,
        .context = &body,
    };
    buf_init(&body, OAUTH_MAX_DOCUMENT_BYTES);
    enum err_code r = http_client_perform(http->client, &bounded, &message, &response, err);
    if (r)
        return explain(r, request->url, err);
    *out = (struct oauth_reply){ .status = response.status, .value = read_body(arena, &body) };
    return ERR_NONE;
}

enum err_code oauth_http_check(const struct oauth_http *http, const struct scope *scope,
                               const char *url, struct err *err)
{
    enum err_code r = http_client_check(http->client, scope, url, oauth_reach(http, url), err);
    return explain(r, url, err);
}
