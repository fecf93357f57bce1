#include "infrastructure/net/http_address.h"
#include "domain/base/text.h"
#include "domain/text/web_url.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Characters that every program, and every person, reads alike. */
static bool is_visible(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] <= ' ' || text[i] > '~' || text[i] == '\\')
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

/* host[:port] in characters that every program reads alike. */
static bool read_authority(const char *text, size_t length, struct http_address *out)
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

static bool read_parts(const char *text, struct http_address *out)
{
    struct http_address address = { .is_secure = strncasecmp(text, "https://", 8) == 0 };
    if (!address.is_secure && strncasecmp(text, "http://", 7) != 0)
        return false;
    const char *authority = text + (address.is_secure ? 8 : 7);
    size_t length = strcspn(authority, "/?#");
    if (!read_authority(authority, length, &address))
        return false;
    address.origin_length = (size_t)(authority - text) + length;
    const char *path = text + address.origin_length;
    address.path_length = strcspn(path, "?#");
    address.has_query = path[address.path_length] == '?';
    address.has_fragment = strchr(path, '#') != NULL;
    *out = address;
    return true;
}

bool http_address_read(const char *text, struct http_address *out)
{
    size_t length = strnlen(text, HTTP_MAX_ADDRESS_BYTES + 1);
    return length <= HTTP_MAX_ADDRESS_BYTES && is_visible(text, length) && read_parts(text, out);
}

static bool is_same(const struct http_address *a, const struct http_address *b)
{
    return a->is_secure == b->is_secure && a->port == b->port && a->host_length == b->host_length &&
           strncasecmp(a->host, b->host, a->host_length) == 0;
}

bool http_address_same_origin(const char *a, const char *b)
{
    struct http_address one, other;
    return http_address_read(a, &one) && http_address_read(b, &other) && is_same(&one, &other);
}

bool http_address_is_loopback(const char *text)
{
    struct http_address address;
    if (!http_address_read(text, &address))
        return false;
    const char *host = address.host;
    size_t length = address.host_length;
    if (length < 2 || host[0] != '[' || host[length - 1] != ']')
        return web_host_is_here(host, length);
    return web_host_is_here(host + 1, length - 2);
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
    struct http_address from, to;
    const char *text = arena_strndup(arena, location, length), *url = text;
    if (length == 0 || length > HTTP_MAX_LOCATION_BYTES || !is_visible(text, length) ||
        !read_parts(base, &from))
        return NULL;
    if (text_starts_with(text, "//"))
        url = arena_printf(arena, "%s:%s", from.is_secure ? "https" : "http", text);
    else if (text[0] == '/')
        url = arena_printf(arena, "%.*s%s", (int)from.origin_length, base, text);
    else if (text[0] == '?')
        url = arena_printf(arena, "%.*s%s",
                           (int)(from.origin_length + strcspn(base + from.origin_length, "?#")),
                           base, text);
    else if (text[strcspn(text, ":/?#")] != ':') {
        size_t folder = folder_length(base, from.origin_length);
        url = arena_printf(arena, "%.*s%s%s", (int)folder, base,
                           folder == from.origin_length ? "/" : "", text);
    }
    return read_parts(url, &to) && is_same(&from, &to) ? url : NULL;
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
