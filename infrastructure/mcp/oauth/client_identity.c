#include "infrastructure/mcp/oauth/client_identity.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/net/http_address.h"
#include <string.h>

static const char *const method_names[] = {
    [CLIENT_NONE] = "none",
    [CLIENT_BASIC] = "client_secret_basic",
    [CLIENT_POST] = "client_secret_post",
    [CLIENT_KEY] = "private_key_jwt",
};

const char *client_method_name(enum client_method method)
{
    return method_names[method];
}

bool client_method_find(const char *name, enum client_method *out)
{
    for (size_t i = 0; i < ARRAY_LENGTH(method_names); i++)
        if (text_equal(name, method_names[i])) {
            *out = (enum client_method)i;
            return true;
        }
    return false;
}

/* A server that says nothing takes client_secret_basic (RFC 8414 2). */
static enum client_method method_with_secret(const struct authorization_server *server)
{
    bool takes_basic =
        !server->auth_methods || oauth_lists(server->auth_methods, "client_secret_basic");
    return !takes_basic && oauth_lists(server->auth_methods, "client_secret_post") ? CLIENT_POST
                                                                                   : CLIENT_BASIC;
}

static bool is_metadata_url(const char *url)
{
    struct http_address parts;
    return http_address_read(url, &parts) && parts.is_secure && parts.path_length > 1 &&
           !parts.has_fragment;
}

enum err_code client_identity_configured(const struct server_oauth *config,
                                         const struct authorization_server *server,
                                         struct client_identity *out, bool *out_found,
                                         struct err *err)
{
    const char *url = config->client_metadata_url;
    *out_found = false;
    if (config->issuer && strcmp(config->issuer, server->issuer) != 0)
        return err_hint(err,
                        err_set(err, ERR_AUTH, 0,
                                "its authorization server is another than the configured issuer"),
                        "check with its operator, then correct \"oauth\": {\"issuer\": …}");
    if (config->client_id) {
        *out = (struct client_identity){ .id = config->client_id,
                                         .secret = config->client_secret,
                                         .private_key = config->private_key,
                                         .algorithm = config->algorithm };
        out->method = config->private_key     ? CLIENT_KEY
                      : config->client_secret ? method_with_secret(server)
                                              : CLIENT_NONE;
        *out_found = true;
    } else if (url && is_metadata_url(url) && server->takes_urls) {
        *out = (struct client_identity){ .id = url, .method = CLIENT_NONE };
        *out_found = true;
    }
    return ERR_NONE;
}

/* A program on a person's own machine cannot keep a secret from that person: so mistro asks for
 * none where the server allows it. */
json_t *client_registration_request(const struct authorization_server *server,
                                    const char *redirect_uri)
{
    enum client_method method =
        oauth_lists(server->auth_methods, "none") ? CLIENT_NONE : method_with_secret(server);
    return json_pack("{s:s, s:[s], s:[s, s], s:[s], s:s, s:s}", "client_name", "mistro",
                     "redirect_uris", redirect_uri, "grant_types", "authorization_code",
                     "refresh_token", "response_types", "code", "token_endpoint_auth_method",
                     client_method_name(method), "application_type", "native");
}

enum err_code client_registration_read(const json_t *answer, const json_t *request, json_t **out,
                                       struct err *err)
{
    enum client_method method = CLIENT_NONE;
    const char *id = oauth_member(answer, "client_id");
    const char *secret = oauth_member(answer, "client_secret");
    const char *name = oauth_member(answer, "token_endpoint_auth_method");
    if (!name)
        name = secret ? json_get_string(request, "token_endpoint_auth_method") : "none";
    if (!id)
        return err_set(err, ERR_PROTOCOL, 0, "the registration has no client_id");
    if (!client_method_find(name, &method) || method == CLIENT_KEY ||
        (method != CLIENT_NONE && !secret))
        return err_set(err, ERR_PROTOCOL, 0,
                       "the registration wants a client to prove itself in a way mistro did not "
                       "ask for");
    json_t *kept = json_pack("{s:s, s:s}", "client_id", id, "auth_method", name);
    if (method != CLIENT_NONE)
        json_object_set_new(kept, "client_secret", json_string(secret));
    json_object_set_new(kept, "redirect_uri",
                        json_share(json_array_get(json_object_get(request, "redirect_uris"), 0)));
    int64_t until = json_get_int(answer, "client_secret_expires_at", 0);
    if (until > 0 && until < INT64_MAX / 1000 && method != CLIENT_NONE)
        json_object_set_new(kept, "until_ms", json_integer(until * 1000));
    *out = kept;
    return ERR_NONE;
}

bool client_identity_kept(const json_t *kept, int64_t now_ms, struct client_identity *out)
{
    struct client_identity identity = {
        .id = oauth_member(kept, "client_id"),
        .secret = oauth_member(kept, "client_secret"),
        .redirect_uri = oauth_member(kept, "redirect_uri"),
        .until_ms = json_get_int(kept, "until_ms", 0),
    };
    bool is_known = client_method_find(oauth_member(kept, "auth_method"), &identity.method);
    bool is_over = identity.until_ms && identity.until_ms <= now_ms;
    if (!identity.id || !is_known || is_over || identity.method == CLIENT_KEY)
        return false;
    *out = identity;
    return true;
}
