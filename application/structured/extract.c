#include "application/structured/extract.h"
#include "application/structured/json_span.h"
#include "application/structured/repair.h"
#include "domain/base/json.h"
#include <string.h>

struct search {
    struct arena *arena; /* NULL: without repair */
    const char *text, *end;
    struct extraction *found;
};

static bool starts_with(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(end - at) >= length && memcmp(at, text, length) == 0;
}

/* Parses the span, mended if the search may. */
static bool parse_span(const struct search *search, const char *at, const char *end,
                       enum extract_kind kind)
{
    const char *text = at;
    size_t length = (size_t)(end - at);
    bool repair = search->arena != NULL;
    if (repair && !repair_json(search->arena, at, length, &text, &length))
        return false;
    if (json_parse(text, length, JSON_FOREIGN, &search->found->value, NULL))
        return false;
    search->found->kind = kind;
    search->found->is_repaired = repair;
    search->found->at = (size_t)(at - search->text);
    search->found->length = (size_t)(end - at);
    return true;
}

/* After the line of the next opening fence (``` at the beginning of a line); NULL: there is none.
 */
static const char *after_fence(const char *at, const char *end)
{
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline ? newline : end;
        const char *line = json_span_skip_blanks(at, line_end);
        if (starts_with(line, line_end, "```"))
            return newline ? newline + 1 : end;
        at = newline ? newline + 1 : end;
    }
    return NULL;
}

/* A fence counts when the first thing in it begins a value. */
static enum extract_kind find_fenced(const struct search *search, const char *at)
{
    if (!memmem(at, (size_t)(search->end - at), "```", 3))
        return EXTRACT_NOTHING;
    while ((at = after_fence(at, search->end))) {
        const char *value = json_span_skip_blanks(at, search->end);
        if (!json_span_begins(value, search->end))
            continue;
        const char *end = json_span_end(value, search->end);
        if (!end)
            return EXTRACT_CUT;
        if (parse_span(search, value, end, EXTRACT_FENCED))
            return EXTRACT_FENCED;
        at = end;
    }
    return EXTRACT_NOTHING;
}

/* "[1]" and "["a"]" in prose: an array of anything but objects and arrays. */
static bool is_plain_array(const char *at, const char *end)
{
    const char *next = json_span_skip_blanks(at + 1, end);
    return *at == '[' && next < end && *next != '{' && *next != '[';
}

/* What balances but does not parse is skipped whole: a value inside a broken one is no answer. */
static enum extract_kind find_balanced(const struct search *search, const char *at,
                                       bool take_plain_arrays)
{
    for (; (at = json_span_find_bracket(at, search->end)) < search->end; at++) {
        if (!json_span_begins(at, search->end))
            continue;
        const char *end = json_span_end(at, search->end);
        if (!end)
            return EXTRACT_CUT;
        bool wanted = take_plain_arrays || !is_plain_array(at, search->end);
        if (wanted && parse_span(search, at, end, EXTRACT_BALANCED))
            return EXTRACT_BALANCED;
        at = end - 1;
    }
    return EXTRACT_NOTHING;
}

/* From the first bracket to the last one of its kind: for values whose strings hide brackets from
 * the search above ('a "b', “}”) until they are mended. */
static enum extract_kind find_outermost(const struct search *search, const char *at)
{
    while (at < search->end && !json_span_begins(at, search->end))
        at++;
    if (at == search->end)
        return EXTRACT_NOTHING;
    const char *last = memrchr(at, *at == '{' ? '}' : ']', (size_t)(search->end - at));
    bool found = last && parse_span(search, at, last + 1, EXTRACT_BALANCED);
    return found ? EXTRACT_BALANCED : EXTRACT_NOTHING;
}

static bool is_found(enum extract_kind kind)
{
    return kind == EXTRACT_WHOLE || kind == EXTRACT_FENCED || kind == EXTRACT_BALANCED;
}

/* Whether the text may be one value as it is; what surely is not one is not parsed, for a reply may
 * be long. */
static bool may_be_whole(const struct search *search, const char *at)
{
    const char *first = json_span_skip_blanks(at, search->end);
    if (first == search->end)
        return false;
    if (*first != '{' && *first != '[')
        return search->end - first <= EXTRACT_MAX_SCALAR_BYTES;
    const char *end = json_span_end(first, search->end);
    return !end || json_span_skip_blanks(end, search->end) == search->end;
}

static enum extract_kind find(const struct search *search, const char *at)
{
    if (may_be_whole(search, at) && parse_span(search, at, search->end, EXTRACT_WHOLE))
        return EXTRACT_WHOLE;
    enum extract_kind kind = find_fenced(search, at);
    if (kind == EXTRACT_NOTHING)
        kind = find_balanced(search, at, false);
    if (kind == EXTRACT_NOTHING)
        kind = find_balanced(search, at, true);
    if (search->arena && !is_found(kind) && is_found(find_outermost(search, at)))
        kind = EXTRACT_BALANCED;
    return kind;
}

/* Behind the thinking in front of the answer; NULL: it never came to an end. */
static const char *skip_thinking(const char *at, const char *end)
{
    static const char *const tags[][2] = { { "<think>", "</think>" }, { "[THINK]", "[/THINK]" } };
    const char *text = json_span_skip_blanks(at, end);
    for (size_t i = 0; i < ARRAY_LENGTH(tags); i++) {
        if (!starts_with(text, end, tags[i][0]))
            continue;
        const char *close = memmem(text, (size_t)(end - text), tags[i][1], strlen(tags[i][1]));
        return close ? close + strlen(tags[i][1]) : NULL;
    }
    return at;
}

static bool has_trailing(const char *at, const char *end)
{
    at = json_span_skip_blanks(at, end);
    if (starts_with(at, end, "```"))
        at = json_span_skip_blanks(at + 3, end);
    return at < end;
}

static void extract(struct arena *arena, const char *text, size_t length, struct extraction *found)
{
    const char *end = text + length;
    const char *at = starts_with(text, end, "\xef\xbb\xbf") ? text + 3 : text;
    const char *answer = skip_thinking(at, end);
    if (!answer) {
        found->kind = EXTRACT_CUT;
        return;
    }
    struct search search = { .text = text, .end = end, .found = found };
    found->kind = find(&search, answer);
    if (arena && !is_found(found->kind)) {
        search.arena = arena;
        enum extract_kind kind = find(&search, answer);
        found->kind = is_found(kind) ? kind : found->kind;
    }
    if (found->kind == EXTRACT_WHOLE && answer != at)
        found->kind = EXTRACT_BALANCED;
    found->has_trailing = found->value && has_trailing(text + found->at + found->length, end);
}

enum extract_kind extract_json(const char *text, size_t length, json_t **out)
{
    struct extraction found = { 0 };
    extract(NULL, text, length, &found);
    if (found.value)
        *out = found.value;
    return found.kind;
}

struct extraction extract_value(struct arena *arena, const char *text, size_t length)
{
    struct extraction found = { 0 };
    extract(arena, text, length, &found);
    found.value = arena_keep_json(arena, found.value);
    return found;
}
