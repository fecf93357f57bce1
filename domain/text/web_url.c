#include "domain/text/web_url.h"
#include <ctype.h>
#include <string.h>

/* Refuses bytes that browsers read differently from one another, or that a person cannot see. */
static bool has_only_plain_bytes(const char *text)
{
    size_t length = 0;
    for (; text[length]; length++)
        if ((unsigned char)text[length] <= ' ' || text[length] == 0x7f ||
            strchr("\"'<>\\^`", text[length]))
            return false;
    return length <= WEB_URL_MAX_BYTES;
}

static bool is_made_of(const char *text, size_t length, int (*is_of)(int), const char *beside)
{
    for (size_t i = 0; i < length; i++)
        if (!is_of((unsigned char)text[i]) && !strchr(beside, text[i]))
            return false;
    return true;
}

/* `name`, `name:port`, `[::1]` or `[::1]:port`. */
static bool read_host(const char *text, size_t at, size_t length, struct web_url *out)
{
    const char *start = text + at, *end = start + length;
    bool is_bracketed = length > 0 && *start == '[';
    const char *stop = memchr(start, is_bracketed ? ']' : ':', length);
    const char *after = is_bracketed && stop ? stop + 1 : stop ? stop : end;
    if (is_bracketed && !stop)
        return false;
    out->host_at = at + is_bracketed;
    out->host_length = (size_t)((stop ? stop : end) - start) - is_bracketed;
    if (after < end && (*after != ':' || end - after > 6 ||
                        !is_made_of(after + 1, (size_t)(end - after - 1), isdigit, "")))
        return false;
    return out->host_length > 0 && text[out->host_at] != '-' &&
           is_made_of(text + out->host_at, out->host_length, isalnum, is_bracketed ? ":." : "-._");
}

static bool host_is(const char *host, size_t length, const char *name)
{
    return length == strlen(name) && strncasecmp(host, name, length) == 0;
}

bool web_host_is_here(const char *host, size_t length)
{
    static const char below[] = ".localhost";
    size_t n = strlen(below);
    return host_is(host, length, "localhost") || host_is(host, length, "::1") ||
           (length > n && host_is(host + length - n, n, below)) ||
           (length > 4 && strncmp(host, "127.", 4) == 0 &&
            is_made_of(host, length, isdigit, ".")); /* anything else could be a name */
}

/* Any of the labels of the name. */
static bool is_punycode(const char *host, size_t length)
{
    for (size_t i = 0; i + 4 <= length; i++)
        if ((i == 0 || host[i - 1] == '.') && strncasecmp(host + i, "xn--", 4) == 0)
            return true;
    return false;
}

bool web_url_read(const char *text, struct web_url *out)
{
    struct web_url url = { .is_https = strncasecmp(text, "https://", 8) == 0 };
    if (!has_only_plain_bytes(text) || (!url.is_https && strncasecmp(text, "http://", 7) != 0))
        return false;
    size_t at = url.is_https ? 8 : 7, length = strcspn(text + at, "/?#");
    const char *user_end = memrchr(text + at, '@', length);
    url.has_user = user_end != NULL;
    if (user_end) {
        size_t skipped = (size_t)(user_end - (text + at)) + 1;
        at += skipped;
        length -= skipped;
    }
    if (!read_host(text, at, length, &url))
        return false;
    url.is_here = web_host_is_here(text + url.host_at, url.host_length);
    url.is_punycode = is_punycode(text + url.host_at, url.host_length);
    *out = url;
    return true;
}
