#include "application/structured/repair.h"
#include "domain/base/buf.h"
#include <string.h>

struct repair {
    const char *at, *end;
    struct buf out;
    char before;     /* the last visible byte outside strings; 0 at the beginning */
    bool changed;    /* something was mended */
    bool is_refused; /* the text may mean more than one thing, or was cut */
};

struct word {
    const char *said, *meant;
};

static const struct word words[] = { { "True", "true" }, { "False", "false" }, { "None", "null" } };

/* Typographic quotation marks, all of three bytes: “ ” „ ‟ and ‘ ’. */
static const char *const double_marks[] = { "\xe2\x80\x9c", "\xe2\x80\x9d", "\xe2\x80\x9e",
                                            "\xe2\x80\x9f" };
static const char *const single_marks[] = { "\xe2\x80\x98", "\xe2\x80\x99" };
enum { MARK_BYTES = 3 };

static void put(struct repair *repair, const char *bytes, size_t length)
{
    repair->is_refused |= !buf_append(&repair->out, bytes, length);
}

static bool is_at(const struct repair *repair, const char *text, size_t length)
{
    return (size_t)(repair->end - repair->at) >= length && memcmp(repair->at, text, length) == 0;
}

static bool is_any_mark(const struct repair *repair, const char *const *marks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_at(repair, marks[i], MARK_BYTES))
            return true;
    return false;
}

static bool is_double_mark(const struct repair *repair)
{
    return is_any_mark(repair, double_marks, ARRAY_LENGTH(double_marks));
}

static bool is_single_mark(const struct repair *repair)
{
    return *repair->at == '\'' || is_any_mark(repair, single_marks, ARRAY_LENGTH(single_marks));
}

static size_t mark_bytes(const struct repair *repair)
{
    return *repair->at == '\'' || *repair->at == '"' ? 1 : MARK_BYTES;
}

const char *repair_skip_comment(const char *at, const char *end)
{
    bool is_comment = at < end && (*at == '#' || (*at == '/' && end - at > 1 && at[1] == '/'));
    while (is_comment && at < end && *at != '\n')
        at++;
    return at;
}

/* The next visible byte at or behind `at` that is not of a comment; 0 at the end. */
static char next_visible(const struct repair *repair, const char *at)
{
    const char *from;
    do {
        from = at;
        while (at < repair->end && strchr(" \t\r\n", *at) && *at)
            at++;
        at = repair_skip_comment(at, repair->end);
    } while (at > from);
    return at < repair->end ? *at : '\0';
}

/* What may follow the end of a string. */
static bool is_structural(char c)
{
    return c == '\0' || c == ',' || c == ':' || c == '}' || c == ']';
}

static void put_control(struct repair *repair, char c)
{
    const char *names = "\b\f\n\r\t", *name = c ? strchr(names, c) : NULL;
    char escape[8] = { '\\', name ? "bfnrt"[name - names] : 'u', '0', '0' };
    escape[4] = (char)('0' + (c >> 4));
    escape[5] = "0123456789abcdef"[c & 15];
    put(repair, escape, name ? 2 : 6);
    repair->changed = true;
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* "a\_b", as Markdown writes it, and "\'"; not "c:\_b", where the backslash is meant. */
static bool is_idle_escape(const struct repair *repair)
{
    char before = repair->out.length ? buf_string(&repair->out)[repair->out.length - 1] : '\0';
    return repair->at[1] == '\'' ||
           (repair->at[1] == '_' && (is_word_byte(before) || before == '"'));
}

/* One character of a string's content, or an escape. */
static void put_content(struct repair *repair)
{
    char c = *repair->at;
    size_t length = c == '\\' && repair->end - repair->at > 1 ? 2 : 1;
    if (c >= 0 && c < ' ')
        put_control(repair, c);
    else if (length == 2 && is_idle_escape(repair))
        put(repair, repair->at + 1, 1), repair->changed = true;
    else if (length == 2 && repair->at[1] >= 0 && repair->at[1] < ' ')
        repair->is_refused = true;
    else
        put(repair, repair->at, length);
    repair->at += length;
}

static void put_plain_string(struct repair *repair)
{
    put(repair, repair->at++, 1);
    while (repair->at < repair->end && *repair->at != '"')
        put_content(repair);
    repair->is_refused |= repair->at == repair->end;
    put(repair, "\"", 1);
    repair->at++;
}

/* In “…” a plain quotation mark is content unless it could as well be the end. */
static void put_inner_quote(struct repair *repair, bool in_single)
{
    repair->is_refused |= !in_single && is_structural(next_visible(repair, repair->at + 1));
    put(repair, "\\\"", 2);
    repair->at++;
}

/* A string in other marks than JSON's. Its first closing mark must be its end: where it is not,
 * no one can know which of them is ("it's"). */
static void put_marked_string(struct repair *repair, bool is_single)
{
    bool (*is_end)(const struct repair *) = is_single ? is_single_mark : is_double_mark;
    repair->at += mark_bytes(repair);
    put(repair, "\"", 1);
    while (repair->at < repair->end && !is_end(repair)) {
        if (is_at(repair, "\\'", 2))
            repair->at++, put(repair, repair->at++, 1);
        else if (*repair->at == '"')
            put_inner_quote(repair, is_single);
        else
            put_content(repair);
    }
    repair->changed = true;
    put(repair, "\"", 1);
    if (repair->at >= repair->end) {
        repair->is_refused = true;
        return;
    }
    repair->at += mark_bytes(repair);
    repair->is_refused |= !is_structural(next_visible(repair, repair->at));
}

static void put_word(struct repair *repair)
{
    const char *from = repair->at;
    while (repair->at < repair->end && is_word_byte(*repair->at))
        repair->at++;
    size_t length = (size_t)(repair->at - from);
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (length == strlen(words[i].said) && memcmp(from, words[i].said, length) == 0) {
            put(repair, words[i].meant, strlen(words[i].meant));
            repair->changed = true;
            return;
        }
    put(repair, from, length);
}

/* A comma between the last element and the closing bracket says nothing. */
static bool is_idle_comma(const struct repair *repair)
{
    char next = next_visible(repair, repair->at + 1);
    return *repair->at == ',' && (next == '}' || next == ']') && repair->before &&
           !strchr("[{,:", repair->before);
}

static void put_other(struct repair *repair)
{
    if (is_idle_comma(repair))
        repair->changed = true;
    else
        put(repair, repair->at, 1);
    repair->at++;
}

static void put_next(struct repair *repair)
{
    char c = *repair->at;
    const char *behind = repair_skip_comment(repair->at, repair->end);
    if (behind > repair->at) {
        repair->at = behind;
        repair->changed = true;
        return;
    }
    if (c == '"')
        put_plain_string(repair);
    else if (is_single_mark(repair))
        put_marked_string(repair, true);
    else if (is_double_mark(repair))
        put_marked_string(repair, false);
    else if (is_word_byte(c))
        put_word(repair);
    else
        put_other(repair);
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
        repair->before = c;
}

bool repair_json(struct arena *arena, const char *text, size_t length, const char **out_text,
                 size_t *out_length)
{
    struct repair repair = { .at = text, .end = text + length };
    /* A control character becomes six bytes at most. */
    buf_init(&repair.out, length > (SIZE_MAX / 8) ? length : length * 6 + 2);
    while (is_at(&repair, "\xef\xbb\xbf", 3)) {
        repair.changed = true;
        repair.at += 3;
    }
    while (repair.at < repair.end && !repair.is_refused)
        put_next(&repair);
    bool mended = repair.changed && !repair.is_refused;
    if (mended) {
        *out_text = arena_strndup(arena, buf_string(&repair.out), repair.out.length);
        *out_length = repair.out.length;
    }
    buf_finish(&repair.out);
    return mended;
}
