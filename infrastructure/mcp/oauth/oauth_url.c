#include "infrastructure/mcp/oauth/oauth_url.h"
#include "domain/base/text.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_visible(const char *text)
{
    size_t n = 0;
    for (; text[n]; n++)
        if (text[n] <= ' ' || text[n] > '~' || text[n] == '\\' || n >= OAUTH_MAX_URL_BYTES)
            return false;
    return true;
}

static bool read_port(const char *text, size_t length, unsigned *out)
{
    if (length == 0)
        return true;
    size_t n = strspn(text, "0123456789");
    if (n != length || n > 5)
        return false;
    *out = (unsigned)strtoul(text, NULL, 10);
    return *out > 0 && *out <= 65535;
}

/* host[:port] in characters that everybody reads alike. */
static bool read_authority(const char *text, size_t length, struct oauth_url *out)
{
    static const char usual[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-._:[]";
    if (length == 0 || strspn(text, usual) < length)
        return false;
    const char *bracket = memchr(text, ']', length);
    const char *from = bracket ? bracket : text;
    const char *colon = memchr(from, ':', length - (size_t)(from - text));
    out->host = text;
    out->host_length = colon ? (size_t)(colon - text) : length;
    out->port = out->is_secure ? 443 : 80;
    size_t rest = colon ? length - out->host_length - 1 : 0;
    return out->host_length > 0 && (!colon || read_port(colon + 1, rest, &out->port));
}

bool oauth_url_read(const char *text, struct oauth_url *out)
{
    struct oauth_url url = { .is_secure = strncasecmp(text, "https://", 8) == 0 };
    if (!url.is_secure && strncasecmp(text, "http://", 7) != 0)
        return false;
    const char *authority = text + (url.is_secure ? 8 : 7);
    size_t length = strcspn(authority, "/?#");
    if (!is_visible(text) || !read_authority(authority, length, &url))
        return false;
    url.origin_length = (size_t)(authority - text) + length;
    const char *path = text + url.origin_length;
    url.path_length = strcspn(path, "?#");
    url.has_query = path[url.path_length] == '?';
    url.has_fragment = strchr(path, '#') != NULL;
    *out = url;
    return true;
}

bool oauth_url_is_loopback(const char *text)
{
    struct oauth_url url;
    char host[64];
    if (!oauth_url_read(text, &url) || url.host_length >= sizeof host)
        return false;
    memcpy(host, url.host, url.host_length);
    host[url.host_length] = '\0';
    bool is_numeric = strspn(host, "0123456789.") == url.host_length;
    return strcasecmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0 ||
           (is_numeric && text_starts_with(host, "127.")) || text_ends_with(host, ".localhost");
}

bool oauth_url_is_private(const char *text)
{
    struct oauth_url url;
    return oauth_url_read(text, &url) && (url.is_secure || oauth_url_is_loopback(text));
}

bool oauth_url_same_origin(const char *a, const char *b)
{
    struct oauth_url one, other;
    return oauth_url_read(a, &one) && oauth_url_read(b, &other) &&
           one.is_secure == other.is_secure && one.port == other.port &&
           one.host_length == other.host_length &&
           strncasecmp(one.host, other.host, one.host_length) == 0;
}

/* A path with dots for folders means another one to whoever resolves it. */
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
    struct oauth_url outer, inner;
    if (!oauth_url_same_origin(resource, server) || !oauth_url_read(resource, &outer) ||
        !oauth_url_read(server, &inner))
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
    struct oauth_url url;
    return oauth_url_read(text, &url) ? arena_strndup(arena, text, url.origin_length) : NULL;
}

const char *oauth_url_plain(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, strcspn(text, "?#"));
}

/* Of the path, what belongs behind a well-known one: nothing for the root. */
static int suffix_length(const char *text, const struct oauth_url *url)
{
    size_t length = url->path_length;
    while (length && text[url->origin_length + length - 1] == '/')
        length--;
    return (int)length;
}

size_t oauth_resource_candidates(struct arena *arena, const char *server,
                                 const char *out[static OAUTH_MAX_CANDIDATES])
{
    struct oauth_url url;
    size_t n = 0;
    if (!oauth_url_read(server, &url))
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
    struct oauth_url url;
    size_t n = 0;
    if (!oauth_url_read(issuer, &url))
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
