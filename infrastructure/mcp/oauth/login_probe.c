#include "infrastructure/mcp/oauth/login_probe.h"
#include "application/ports/runtime.h"
#include "infrastructure/mcp/wire/era.h"
#include "infrastructure/mcp/wire/http_headers.h"
#include "infrastructure/net/http_client.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <string.h>

#define CONNECT_MS 10000
#define PROBE_BYTES 4096

struct probe {
    struct arena arena;
    struct challenge challenge;
};

static void on_header(void *context, const char *name, size_t name_length, const char *value,
                      size_t value_length)
{
    struct probe *probe = context;
    if (http_header_is(name, name_length, "WWW-Authenticate"))
        www_authenticate_read(&probe->challenge, &probe->arena, value, value_length);
}

/* How it answers is of no interest. */
static bool on_bytes(void *context, const char *bytes, size_t length)
{
    (void)context;
    (void)bytes;
    (void)length;
    return false;
}

enum err_code login_probe(struct oauth *oauth, const struct scope *scope, struct err *err)
{
    static const char *const headers[] = { "MCP-Protocol-Version: " ERA_MODERN_VERSION,
                                           "Mcp-Method: server/discover" };
    struct probe probe = { 0 };
    AUTO(buf) body;
    buf_init(&body, PROBE_BYTES);
    if (!buf_puts(&body, "{\"jsonrpc\":\"2.0\",\"id\":\"login-1\",\"method\":"
                         "\"server/discover\",\"params\":{\"_meta\":{") ||
        !era_append_meta(&body, ERA_NO_OFFER) || !buf_puts(&body, "}}}"))
        return err_set(err, ERR_INTERNAL, 0, "the probe is too long");
    struct http_request request = { .url = oauth->options.config->url,
                                    .body = buf_string(&body),
                                    .body_length = body.length,
                                    .accept = "application/json, text/event-stream",
                                    .headers = headers,
                                    .n_headers = ARRAY_LENGTH(headers),
                                    .connect_timeout_ms = CONNECT_MS,
                                    .silence_ms = OAUTH_REQUEST_MS,
                                    .max_bytes = SIZE_MAX,
                                    .on_header = on_header,
                                    .on_bytes = on_bytes,
                                    .context = &probe };
    struct http_response response;
    struct scope bounded =
        runtime_scope(uv_runtime_port(oauth->options.runtime), scope, OAUTH_REQUEST_MS);
    enum err_code r = http_client_perform(oauth->http.client, &bounded, &request, &response, err);
    if (!r && oauth_is_challenge(response.status, &probe.challenge))
        oauth_refused(oauth, response.status, &probe.challenge, oauth->generation);
    arena_finish(&probe.arena);
    return r;
}
