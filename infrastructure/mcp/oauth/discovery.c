#include "infrastructure/mcp/oauth/discovery.h"
#include "infrastructure/mcp/oauth/metadata/oauth_url.h"
#include <string.h>

/* A document is there, is not (the next place may have it), or cannot be told to be either. */
awaits MUST_CHECK static enum err_code fetch(const struct oauth_http *http,
                                             const struct scope *scope, const char *url,
                                             struct arena *arena, const json_t **out,
                                             struct err *err)
{
    AUTO(arena) scratch = { 0 };
    struct oauth_reply reply;
    *out = NULL;
    enum err_code r = oauth_http_get(http, scope, url, arena, &reply, err);
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

/* A document that belongs to somebody else is not used; the right one may be at another place. */
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

/* 2025-03-26: the server is its own authorization server, unless the user knows better. */
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

enum err_code oauth_discover(const struct oauth_http *http, const struct scope *scope,
                             const char *resource_metadata, struct arena *arena,
                             struct oauth_target *out, struct err *err)
{
    struct oauth_target target = { 0 };
    const json_t *document = NULL;
    if (!oauth_url_is_private(http->server))
        return err_hint(err,
                        err_set(err, ERR_INVALID, 0,
                                "a login over plain http would show its token to everybody"),
                        "give the server's url with https");
    enum err_code r = find_resource(http, scope, resource_metadata, arena, &document, err);
    if (!r && document)
        r = discover_by_resource(http, scope, document, arena, &target, err);
    else if (!r)
        r = discover_by_origin(http, scope, arena, &target, err);
    if (r)
        return r;
    *out = target;
    return ERR_NONE;
}
