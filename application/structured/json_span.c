#include "application/structured/json_span.h"
#include <stddef.h>
#include <string.h>

const char *json_span_skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

const char *json_span_find_bracket(const char *at, const char *end)
{
    while (at < end && *at != '{' && *at != '[')
        at++;
    return at;
}

static bool starts_with(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(end - at) >= length && memcmp(at, text, length) == 0;
}

static bool begins_string(const char *at, const char *end)
{
    return *at == '"' || *at == '\'' || starts_with(at, end, "\xe2\x80\x9c") ||
           starts_with(at, end, "\xe2\x80\x98");
}

static bool begins_word(const char *at, const char *end)
{
    static const char *const words[] = { "true", "false", "null", "True", "False", "None" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (starts_with(at, end, words[i]))
            return true;
    return false;
}

bool json_span_begins(const char *at, const char *end)
{
    if (at == end || (*at != '{' && *at != '['))
        return false;
    const char *next = json_span_skip_blanks(at + 1, end);
    if (next == end || begins_string(next, end))
        return true;
    if (*at == '{')
        return *next == '}';
    bool is_value = *next && strchr("]{[-0123456789", *next);
    return is_value || begins_word(next, end);
}

/* Behind the string whose opening quote is at `at`; NULL when it has no end. */
static const char *string_end(const char *at, const char *end)
{
    for (at++; at < end; at++) {
        if (*at == '"')
            return at + 1;
        if (*at == '\\')
            at++;
    }
    return NULL;
}

const char *json_span_end(const char *at, const char *end)
{
    size_t depth = 0;
    while (at && at < end) {
        if (*at == '"') {
            at = string_end(at, end);
            continue;
        }
        if (*at == '{' || *at == '[')
            depth++;
        if ((*at == '}' || *at == ']') && --depth == 0)
            return at + 1;
        at++;
    }
    return NULL;
}
