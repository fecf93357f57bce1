#include "infrastructure/mcp/http_address.h"
#include "domain/base/text.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct origin {
    bool is_secure;
    const char *host;
    size_t host_length;
    long port;
    size_t end; /* of the origin in the address */
};

/* host[:port] in characters that everybody reads alike; no user. */
static bool read_authority(const char *text, size_t length, struct origin *out)
{
    static const char usual[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-._:[]";
    for (size_t i = 0; i < length; i++)
        if (!strchr(usual, text[i]))
            return false;
    const char *bracket = memchr(text, ']', length);
    const char *from = bracket ? bracket : text;
    const char *colon = memchr(from, ':', length - (size_t)(from - text));
    out->host = text;
    out->host_length = colon ? (size_t)(colon - text) : length;
    out->port = out->is_secure ? 443 : 80;
    if (colon && colon + 1 < text + length) {
        size_t n = strspn(colon + 1, "0123456789");
        if (colon + 1 + n != text + length || n > 5)
            return false;
        out->port = strtol(colon + 1, NULL, 10);
    }
    return out->host_length > 0;
}

static bool read_origin(const char *url, struct origin *out)
{
    size_t scheme = strcspn(url, ":");
    *out = (struct origin){ .is_secure = scheme == 5 && strncasecmp(url, "https", 5) == 0 };
    if (!out->is_secure && !(scheme == 4 && strncasecmp(url, "http", 4) == 0))
        return false;
    if (strncmp(url + scheme, "://", 3) != 0)
        return false;
    const char *authority = url + scheme + 3;
    size_t length = strcspn(authority, "/?#\\");
    out->end = (size_t)(authority - url) + length;
    return authority[length] != '\\' && read_authority(authority, length, out);
}

static bool is_same(const struct origin *a, const struct origin *b)
{
    return a->is_secure == b->is_secure && a->port == b->port && a->host_length == b->host_length &&
           strncasecmp(a->host, b->host, a->host_length) == 0;
}

/* Up to and with the last slash of the path. */
static size_t folder_length(const char *url, size_t origin_end)
{
    size_t end = origin_end + strcspn(url + origin_end, "?#");
    while (end > origin_end && url[end - 1] != '/')
        end--;
    return end;
}

const char *http_address_follow(struct arena *arena, const char *base, const char *location,
                                size_t length)
{
    struct origin from, to;
    const char *text = arena_strndup(arena, location, length), *url = text;
    if (length == 0 || length > HTTP_MAX_ADDRESS_BYTES || !read_origin(base, &from))
        return NULL;
    for (size_t i = 0; i < length; i++)
        if (text[i] <= ' ' || text[i] > '~' || text[i] == '\\')
            return NULL;
    if (text_starts_with(text, "//"))
        url = arena_printf(arena, "%s:%s", from.is_secure ? "https" : "http", text);
    else if (text[0] == '/')
        url = arena_printf(arena, "%.*s%s", (int)from.end, base, text);
    else if (text[0] == '?')
        url = arena_printf(arena, "%.*s%s", (int)(from.end + strcspn(base + from.end, "?#")), base,
                           text);
    else if (text[strcspn(text, ":/?#")] != ':') {
        size_t folder = folder_length(base, from.end);
        url =
            arena_printf(arena, "%.*s%s%s", (int)folder, base, folder == from.end ? "/" : "", text);
    }
    return read_origin(url, &to) && is_same(&from, &to) ? url : NULL;
}

const char *http_address_shown(struct arena *arena, const char *url)
{
    const char *scheme_end = strstr(url, "://");
    const char *authority = scheme_end ? scheme_end + 3 : url;
    size_t authority_length = strcspn(authority, "/?#");
    const char *host = authority;
    for (size_t i = 0; i < authority_length; i++)
        if (authority[i] == '@')
            host = authority + i + 1;
    size_t rest = strcspn(host, "?#");
    const char *shown = arena_printf(arena, "%.*s%.*s%s", (int)(authority - url), url, (int)rest,
                                     host, host[rest] == '?' ? "?…" : "");
    size_t shown_length = strlen(shown), columns_per_byte = 8;
    return text_one_line(arena, shown, shown_length, columns_per_byte * shown_length + 1);
}
