#include "application/structured/extract.h"
#include "domain/base/json.h"
#include <string.h>

struct span {
    const char *at, *end;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

/* Whether a bracket begins a value or is part of prose ("a { brace", "[sic]"). */
static bool begins_value(const char *at, const char *end)
{
    if (at == end || (*at != '{' && *at != '['))
        return false;
    const char *next = skip_blanks(at + 1, end);
    if (next == end)
        return true;
    return memchr(*at == '{' ? "\"}" : "]{[\"-0123456789tfn", *next, *at == '{' ? 2 : 18) != NULL;
}

/* The end of the string whose opening quote is at `at`; NULL when it has none. */
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

/* The end of the value whose opening bracket is at `at`; NULL when the text ends before it. */
static const char *balanced_end(const char *at, const char *end)
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

/* After the line of the next opening fence (``` at the beginning of a line); NULL: there is none.
 */
static const char *after_fence(const char *at, const char *end)
{
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline ? newline : end;
        const char *text = skip_blanks(at, line_end);
        if (line_end - text >= 3 && memcmp(text, "```", 3) == 0)
            return newline ? newline + 1 : end;
        at = newline ? newline + 1 : end;
    }
    return NULL;
}

/* A fence counts when the first thing in it begins a value. */
static enum extract_kind extract_fenced(struct span text, json_t **out)
{
    const char *at = text.at;
    while ((at = after_fence(at, text.end))) {
        const char *value = skip_blanks(at, text.end);
        if (!begins_value(value, text.end))
            continue;
        const char *value_end = balanced_end(value, text.end);
        if (!value_end)
            return EXTRACT_CUT;
        if (!json_parse(value, (size_t)(value_end - value), JSON_FOREIGN, out, NULL))
            return EXTRACT_FENCED;
        at = value_end;
    }
    return EXTRACT_NOTHING;
}

/* What balances but does not parse is skipped whole: a value inside a broken one is no answer. */
static enum extract_kind extract_balanced(struct span text, json_t **out)
{
    for (const char *at = text.at; at < text.end; at++) {
        if (!begins_value(at, text.end))
            continue;
        const char *value_end = balanced_end(at, text.end);
        if (!value_end)
            return EXTRACT_CUT;
        if (!json_parse(at, (size_t)(value_end - at), JSON_FOREIGN, out, NULL))
            return EXTRACT_BALANCED;
        at = value_end - 1;
    }
    return EXTRACT_NOTHING;
}

enum extract_kind extract_json(const char *text, size_t length, json_t **out)
{
    if (!json_parse(text, length, JSON_FOREIGN, out, NULL))
        return EXTRACT_WHOLE;
    struct span span = { text, text + length };
    enum extract_kind fenced = extract_fenced(span, out);
    return fenced != EXTRACT_NOTHING ? fenced : extract_balanced(span, out);
}
