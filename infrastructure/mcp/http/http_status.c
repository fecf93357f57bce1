#include "infrastructure/mcp/http/http_status.h"
#include "infrastructure/mcp/wire/http_headers.h"
#include <string.h>

static bool has_token(const struct server_config *config)
{
    for (size_t i = 0; i < config->n_headers; i++)
        if (http_header_is(config->headers[i], strcspn(config->headers[i], ":"), "Authorization"))
            return true;
    return false;
}

static const char *file_of(const struct server_config *config)
{
    return config->file ? config->file : "mcp.json";
}

static enum err_code explain_refusal(int status, const struct server_config *config,
                                     struct err *err)
{
    enum err_code r = err_set(err, ERR_AUTH, status, "it %s (HTTP %d)",
                              status == 401 ? "wants to know who asks" : "denies access", status);
    if (has_token(config))
        return err_hint(err, r, "it does not take the Authorization header given in %s",
                        file_of(config));
    return err_hint(err, r,
                    "give it a token in %s: \"headers\": {\"Authorization\": \"Bearer "
                    "${TOKEN}\"}",
                    file_of(config));
}

enum err_code http_status_explain(int status, const struct server_config *config, struct err *err)
{
    enum err_code r;
    if (status == 401 || status == 403)
        return explain_refusal(status, config, err);
    if (status >= 300 && status < 400) {
        r = err_set(err, ERR_UNAVAILABLE, status, "it leads elsewhere (HTTP %d)", status);
        return err_hint(err, r,
                        "a redirect is followed within the same origin only: if you trust "
                        "where it leads, write that url");
    }
    if (status == 429)
        return err_set(err, ERR_UNAVAILABLE, status, "it has too much to do (HTTP 429)");
    if (status == 408 || (status >= 502 && status < 600))
        return err_set(err, ERR_UNAVAILABLE, status, "it cannot answer now (HTTP %d)", status);
    if (status >= 200 && status < 300)
        return err_set(err, ERR_PROTOCOL, status, "it did not answer (HTTP %d)", status);
    r = err_set(err, ERR_PROTOCOL, status, "HTTP %d instead of an answer", status);
    return err_hint(err, r, "is the url in %s that of an MCP endpoint?", file_of(config));
}
