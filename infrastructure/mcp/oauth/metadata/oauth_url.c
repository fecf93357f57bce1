#include "infrastructure/mcp/oauth/metadata/oauth_url.h"
#include "infrastructure/net/http_address.h"
#include <string.h>

bool oauth_url_is_private(const char *text)
{
    struct http_address url;
    return http_address_read(text, &url) && (url.is_secure || http_address_is_loopback(text));
}

/* A path with dots as folders is another path once a server resolves it. */
static bool has_dots(const char *path, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++)
        if (path[i] == '/' && path[i + 1] == '.') {
            size_t rest = length - i - 1, n = strspn(path + i + 1, ".");
            if (n <= 2 && (n >= rest || path[i + 1 + n] == '/'))
                return true;
        }
    return false;
}

bool oauth_url_covers(const char *resource, const char *server)
{
    struct http_address outer, inner;
    if (!http_address_same_origin(resource, server) || !http_address_read(resource, &outer) ||
        !http_address_read(server, &inner))
        return false;
    const char *prefix = resource + outer.origin_length, *path = server + inner.origin_length;
    size_t length = outer.path_length;
    if (has_dots(path, inner.path_length) || outer.has_fragment)
        return false;
    while (length && prefix[length - 1] == '/')
        length--;
    return length <= inner.path_length && memcmp(prefix, path, length) == 0 &&
           (length == inner.path_length || path[length] == '/');
}

const char *oauth_url_origin(struct arena *arena, const char *text)
{
    struct http_address url;
    return http_address_read(text, &url) ? arena_strndup(arena, text, url.origin_length) : NULL;
}

const char *oauth_url_plain(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, strcspn(text, "?#"));
}

/* The length of the path that is put behind a well-known one: 0 for the root. */
static int suffix_length(const char *text, const struct http_address *url)
{
    size_t length = url->path_length;
    while (length && text[url->origin_length + length - 1] == '/')
        length--;
    return (int)length;
}

size_t oauth_resource_candidates(struct arena *arena, const char *server,
                                 const char *out[static OAUTH_MAX_CANDIDATES])
{
    struct http_address url;
    size_t n = 0;
    if (!http_address_read(server, &url))
        return 0;
    int origin = (int)url.origin_length, path = suffix_length(server, &url);
    if (path)
        out[n++] = arena_printf(arena, "%.*s/.well-known/oauth-protected-resource%.*s", origin,
                                server, path, server + origin);
    out[n++] = arena_printf(arena, "%.*s/.well-known/oauth-protected-resource", origin, server);
    return n;
}

size_t oauth_issuer_candidates(struct arena *arena, const char *issuer,
                               const char *out[static OAUTH_MAX_CANDIDATES])
{
    static const char *const documents[] = { "oauth-authorization-server", "openid-configuration" };
    struct http_address url;
    size_t n = 0;
    if (!http_address_read(issuer, &url))
        return 0;
    int origin = (int)url.origin_length, path = suffix_length(issuer, &url);
    for (size_t i = 0; i < ARRAY_LENGTH(documents); i++)
        out[n++] = arena_printf(arena, "%.*s/.well-known/%s%.*s", origin, issuer, documents[i],
                                path, issuer + origin);
    if (path)
        out[n++] = arena_printf(arena, "%.*s%.*s/.well-known/openid-configuration", origin, issuer,
                                path, issuer + origin);
    return n;
}
