#include "domain/base/json_scan.h"
#include "infrastructure/config/clients/foreign_text.h"
#include <string.h>

#define NO_COMMA SIZE_MAX

static size_t string_end(const char *text, size_t length, size_t at)
{
    for (at++; at < length && text[at] != '"'; at++)
        at += text[at] == '\\';
    return at < length ? at + 1 : length;
}

/* The end of the comment at that place; the place itself where there is none. */
static size_t comment_end(const char *text, size_t length, size_t at)
{
    if (text[at] != '/' || (text[at + 1] != '/' && text[at + 1] != '*'))
        return at;
    bool is_line = text[at + 1] == '/';
    const char *end = strstr(text + at + 2, is_line ? "\n" : "*/");
    return end ? (size_t)(end - text) + (is_line ? 0 : 2) : length;
}

char *jsonc_blanked(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_strndup(arena, text, length);
    size_t comma = NO_COMMA;
    for (size_t i = 0; i < length;) {
        size_t end = comment_end(copy, length, i);
        if (end > i) {
            for (; i < end; i++)
                copy[i] = copy[i] == '\n' || copy[i] == '\r' ? copy[i] : ' ';
            continue;
        }
        if ((copy[i] == ']' || copy[i] == '}') && comma != NO_COMMA)
            copy[comma] = ' ';
        if (!strchr(" \t\r\n", copy[i]))
            comma = copy[i] == ',' ? i : NO_COMMA;
        i = copy[i] == '"' ? string_end(copy, length, i) : i + 1;
    }
    return copy;
}

/* The first place in a string that JSON does not allow; NULL: there is none. */
static const char *flaw_of_string(const char *start, const char **out_why)
{
    const char *at = start + 1;
    for (; *at && *at != '"' && *at != '\n' && *at != '\r'; at++) {
        if (*at != '\\')
            continue;
        if (!at[1] || !strchr("\"\\/bfnrtu", at[1])) {
            *out_why = "an escape that JSON does not have";
            return at;
        }
        at++;
    }
    *out_why = "a string without its closing quote";
    return *at == '"' ? NULL : start;
}

/* *out_at is where the walk was last before a flaw ended it. */
static void walk(struct json_scan *scan, const char **out_at)
{
    struct json_slice passed;
    bool goes_on = true, is_object = json_scan_peek(scan) == '{';
    if (scan->verdict == JSON_SOUND)
        *out_at = scan->at;
    if (!json_scan_enter(scan, is_object ? '{' : '[')) {
        json_scan_value(scan, &passed);
        return;
    }
    while (goes_on) {
        (void)json_scan_peek(scan);
        if (scan->verdict == JSON_SOUND)
            *out_at = scan->at;
        goes_on = is_object ? json_scan_member(scan, &passed) : json_scan_element(scan);
        if (goes_on)
            walk(scan, out_at);
    }
}

/* Where reading stopped, or what is wrong inside of a string before it. */
static struct text_flaw explain(const char *text, size_t length)
{
    struct json_scan scan;
    const char *stop = text;
    json_scan_begin(&scan, text, length);
    walk(&scan, &stop);
    if (scan.verdict == JSON_SOUND)
        stop = scan.at;
    for (size_t at = 0; at < length && text + at <= stop;) {
        const char *why, *flaw = text[at] == '"' ? flaw_of_string(text + at, &why) : NULL;
        if (flaw)
            return text_flaw_at(text, flaw, why);
        at = text[at] == '"' ? string_end(text, length, at) : at + 1;
    }
    return text_flaw_at(text, stop, *stop ? "not JSON, or nested too deep" : "it is cut off");
}

json_t *jsonc_read(const char *text, size_t length, struct text_flaw *out_flaw)
{
    AUTO(arena) scratch = { 0 };
    json_t *value = NULL;
    struct err ignored;
    *out_flaw = (struct text_flaw){ 0 };
    if (!text_flaw_check_bytes(text, length, out_flaw))
        return NULL;
    const char *plain = jsonc_blanked(&scratch, text, length);
    if (!plain[strspn(plain, "\xEF\xBB\xBF \t\r\n")])
        return json_null();
    enum err_code r = json_parse_message(plain, length, FOREIGN_MAX_VALUES, &value, &ignored);
    if (r == ERR_LIMIT && json_depth_fits(plain, length, JSON_MAX_DEPTH))
        *out_flaw = (struct text_flaw){ .why = "it has too many values" };
    else if (r)
        *out_flaw = explain(plain, length);
    return value;
}
