#include "infrastructure/mcp/wire/http_headers.h"
#include "domain/base/attributes.h"
#include "domain/base/base64.h"
#include "domain/base/text.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BASE64_BEGIN "=?base64?"
#define BASE64_END "?="

static bool is_plain(const char *text, size_t length)
{
    if (length == 0 || text[0] == ' ' || text[length - 1] == ' ')
        return false;
    for (size_t i = 0; i < length; i++)
        if (text[i] < ' ' || text[i] > '~')
            return false;
    size_t begin = strlen(BASE64_BEGIN), end = strlen(BASE64_END);
    return length < begin + end || memcmp(text, BASE64_BEGIN, begin) != 0 ||
           memcmp(text + length - end, BASE64_END, end) != 0;
}

const char *http_header_value(struct arena *arena, const char *text, size_t length)
{
    if (is_plain(text, length))
        return arena_strndup(arena, text, length);
    return arena_printf(arena, BASE64_BEGIN "%s" BASE64_END, base64_text(arena, text, length));
}

static bool is_ascii(const char *text)
{
    while (*text > 0)
        text++;
    return !*text;
}

const char *http_header_text(struct arena *arena, const char *value)
{
    size_t begin = strlen(BASE64_BEGIN), end = strlen(BASE64_END), length = strlen(value), n = 0;
    if (length < begin + end || strncmp(value, BASE64_BEGIN, begin) != 0 ||
        strcmp(value + length - end, BASE64_END) != 0)
        return is_ascii(value) ? value : NULL;
    const char *code = arena_strndup(arena, value + begin, length - begin - end);
    char *bytes = base64_decode(code, &n);
    bool is_strict = bytes && strcmp(base64_text(arena, bytes, n), code) == 0;
    const char *text = is_strict && !memchr(bytes, '\0', n) ? arena_strndup(arena, bytes, n) : NULL;
    free(bytes);
    return text;
}

bool http_header_is(const char *name, size_t length, const char *expected)
{
    return length == strlen(expected) && strncasecmp(name, expected, length) == 0;
}

bool http_header_is_ours(const char *line)
{
    static const char *const ours[] = {
        "Accept",         "Content-Length",    "Content-Type", "Expect",
        "Last-Event-ID",  "Mcp-Method",        "Mcp-Name",     "MCP-Protocol-Version",
        "Mcp-Session-Id", "Transfer-Encoding",
    };
    size_t length = strcspn(line, ":");
    for (size_t i = 0; i < ARRAY_LENGTH(ours); i++)
        if (http_header_is(line, length, ours[i]))
            return true;
    return strncasecmp(line, HEADER_PARAMETER_PREFIX, strlen(HEADER_PARAMETER_PREFIX)) == 0;
}

enum http_media http_media_of(const char *value, size_t length)
{
    size_t n = 0;
    while (n < length && value[n] != ';' && value[n] != ' ' && value[n] != '\t')
        n++;
    if (n == 0)
        return HTTP_MEDIA_NONE;
    if (http_header_is(value, n, "application/json"))
        return HTTP_MEDIA_JSON;
    return http_header_is(value, n, "text/event-stream") ? HTTP_MEDIA_EVENTS : HTTP_MEDIA_OTHER;
}

const char *http_session_id(struct arena *arena, const char *value, size_t length)
{
    size_t n = 0;
    while (n < length && value[n] != ',')
        n++;
    for (size_t i = 0; i < n; i++)
        if (value[i] <= ' ' || value[i] > '~')
            return NULL;
    return n && n <= HTTP_MAX_SESSION_ID_BYTES ? arena_strndup(arena, value, n) : NULL;
}
