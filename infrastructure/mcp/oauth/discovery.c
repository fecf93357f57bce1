/* Who gives out tokens for an MCP server (MCP specification, "Authorization"): the metadata of the
 * resource (RFC 9728) names the authorization server, whose own metadata (RFC 8414) names its
 * endpoints. Servers of 2025-03-26 publish the latter only, or nothing at all; then the endpoints
 * are at fixed paths of the server's origin. */
#include "domain/base/text.h"
#include "infrastructure/mcp/oauth/metadata/oauth_url.h"
#include "infrastructure/mcp/oauth/oauth_internal.h"
#include <string.h>

/* *out is NULL where there is no document: then the next place may have it. */
awaits MUST_CHECK static enum err_code fetch(const struct oauth_http *http,
                                             const struct scope *scope, const char *url,
                                             struct arena *arena, const json_t **out,
                                             struct err *err)
{
    AUTO(arena) scratch = { 0 };
    struct oauth_reply reply;
    *out = NULL;
    enum err_code r =
        oauth_http_send(http, scope, &(struct oauth_request){ .url = url }, arena, &reply, err);
    if (r)
        return r;
    if (reply.status >= 500)
        return err_set(err, ERR_UNAVAILABLE, reply.status, "%s cannot say who it is (HTTP %d)",
                       oauth_host(&scratch, url), reply.status);
    if (oauth_reply_is_success(&reply))
        *out = reply.value;
    return ERR_NONE;
}

awaits MUST_CHECK static enum err_code find_resource(const struct oauth_http *http,
                                                     const struct scope *scope, const char *named,
                                                     struct arena *arena, const json_t **out,
                                                     struct err *err)
{
    const char *candidates[OAUTH_MAX_CANDIDATES] = { named };
    size_t n = named ? 1 : oauth_resource_candidates(arena, http->server, candidates);
    enum err_code r = ERR_NONE;
    for (size_t i = 0; i < n && !r && !*out; i++)
        r = fetch(http, scope, candidates[i], arena, out, err);
    if (!r && named && !*out)
        return err_set(err, ERR_PROTOCOL, 0, "the resource metadata it names is not there");
    return r;
}

/* The document of another server is not used; the right one may be at another place. */
awaits MUST_CHECK static enum err_code find_server(const struct oauth_http *http,
                                                   const struct scope *scope, const char *issuer,
                                                   struct arena *arena,
                                                   struct authorization_server *out,
                                                   bool *out_found, struct err *err)
{
    const char *candidates[OAUTH_MAX_CANDIDATES];
    size_t n = oauth_issuer_candidates(arena, issuer, candidates);
    struct err first = { 0 };
    *out_found = false;
    for (size_t i = 0; i < n; i++) {
        const json_t *value;
        struct err why = { 0 };
        enum err_code r = fetch(http, scope, candidates[i], arena, &value, err);
        if (r)
            return r;
        if (!value)
            continue;
        if (authorization_server_read(value, issuer, out, &why) == ERR_NONE) {
            *out_found = true;
            return ERR_NONE;
        }
        if (!first.code)
            first = why;
    }
    if (first.code && err)
        *err = first;
    return first.code;
}

/* As in 2025-03-26: the server is its own authorization server, unless the user names another. */
awaits MUST_CHECK static enum err_code discover_by_origin(const struct oauth_http *http,
                                                          const struct scope *scope,
                                                          struct arena *arena,
                                                          struct oauth_target *out, struct err *err)
{
    bool is_found;
    const char *origin = oauth_url_origin(arena, http->server);
    const char *issuer = http->issuer ? http->issuer : origin;
    out->resource = oauth_url_plain(arena, http->server);
    enum err_code r = find_server(http, scope, issuer, arena, &out->server, &is_found, err);
    if (r)
        return r;
    if (!is_found && http->issuer)
        return err_set(err, ERR_PROTOCOL, 0, "the configured issuer publishes no metadata");
    out->is_assumed = !is_found;
    if (!is_found)
        authorization_server_assume(arena, origin, &out->server);
    return ERR_NONE;
}

awaits MUST_CHECK static enum err_code discover_by_resource(
    const struct oauth_http *http, const struct scope *scope, const json_t *document,
    struct arena *arena, struct oauth_target *out, struct err *err)
{
    struct protected_resource resource;
    bool is_found;
    enum err_code r = protected_resource_read(document, http->server, http->issuer, &resource, err);
    if (r)
        return r;
    if (!oauth_url_is_private(resource.issuer))
        return err_set(err, ERR_PROTOCOL, 0, "its authorization server has no https url");
    out->resource = resource.resource;
    out->scopes = resource.scopes;
    r = find_server(http, scope, resource.issuer, arena, &out->server, &is_found, err);
    if (!r && !is_found)
        return err_set(err, ERR_PROTOCOL, 0, "the authorization server %s publishes no metadata",
                       oauth_host(arena, resource.issuer));
    return r;
}

/* A client that was registered by hand is known to one authorization server: its secret goes to no
 * other one only because the MCP server says so. */
static enum err_code check_issuer(const struct oauth *oauth, const char *issuer, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const struct server_config *config = oauth->options.config;
    const char *before = oauth->login.issuer;
    if (!config->oauth.client_id || config->oauth.issuer || !before || strcmp(before, issuer) == 0)
        return ERR_NONE;
    enum err_code r =
        err_set(err, ERR_AUTH, 0, "its authorization server was '%s', and now it names '%s'",
                text_one_line(&scratch, before, strlen(before), 120),
                text_one_line(&scratch, issuer, strlen(issuer), 120));
    return err_hint(err, r,
                    "check with its operator, then write into %s: \"oauth\": {\"issuer\": …}",
                    config->file ? config->file : "mcp.json");
}

enum err_code oauth_discover(struct oauth *oauth, const struct scope *scope, struct arena *arena,
                             struct oauth_target *out, struct err *err)
{
    const struct oauth_http *http = &oauth->http;
    const char *named =
        oauth->refused_status ? arena_strdup(arena, oauth->challenge.resource_metadata) : NULL;
    struct oauth_target target = { 0 };
    const json_t *document = NULL;
    if (!oauth_url_is_private(http->server))
        return err_hint(
            err,
            err_set(err, ERR_INVALID, 0,
                    "a login over plain http would show its token to anyone on the way"),
            "give the server's url with https");
    enum err_code r = find_resource(http, scope, named, arena, &document, err);
    if (!r && document)
        r = discover_by_resource(http, scope, document, arena, &target, err);
    else if (!r)
        r = discover_by_origin(http, scope, arena, &target, err);
    if (!r)
        r = check_issuer(oauth, target.server.issuer, err);
    if (!r)
        *out = target;
    return r;
}
