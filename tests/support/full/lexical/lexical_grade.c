#include "tests/support/full/lexical/lexical_grade.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DATE_BYTES = 11, FEW_CHOICES = 2, SECONDS_OF_DAY = 24 * 60 * 60 };

int64_t lexical_today(void)
{
    struct tm day;
    time_t now = time(NULL);
    localtime_r(&now, &day);
    return (now + day.tm_gmtoff) / SECONDS_OF_DAY;
}

/* "$today", "$today+1": a day counted from today. */
static bool is_day(const char *wanted, const char *got)
{
    char date[DATE_BYTES];
    struct tm day;
    time_t at = (time_t)(lexical_today() + atoi(wanted + strlen("$today"))) * SECONDS_OF_DAY;
    gmtime_r(&at, &day);
    strftime(date, sizeof date, "%Y-%m-%d", &day);
    return strcmp(date, got) == 0;
}

/* Without blanks at either end and a final full stop. */
static size_t trimmed(const char **text)
{
    while (isspace((unsigned char)**text))
        (*text)++;
    size_t length = strlen(*text);
    while (length && isspace((unsigned char)(*text)[length - 1]))
        length--;
    return length && (*text)[length - 1] == '.' ? length - 1 : length;
}

static bool same_text(const char *wanted, const char *got)
{
    if (text_starts_with(wanted, "$today"))
        return is_day(wanted, got);
    size_t length = trimmed(&wanted), got_length = trimmed(&got);
    return length == got_length && memcmp(wanted, got, length) == 0;
}

static bool matches(const json_t *wanted, const json_t *got);

static bool all_match(const json_t *wanted, const json_t *got)
{
    size_t i;
    const char *name;
    json_t *value;
    if (json_is_object(wanted) && json_is_object(got)) {
        bool same = json_object_size(wanted) == json_object_size(got);
        json_each_member (wanted, name, value)
            same = same && matches(value, json_object_get(got, name));
        return same;
    }
    bool same = json_array_size(wanted) == json_array_size(got);
    json_array_foreach (wanted, i, value)
        same = same && matches(value, json_array_get(got, i));
    return same;
}

static bool matches(const json_t *wanted, const json_t *got)
{
    size_t i;
    json_t *choice;
    const json_t *any = json_object_get(wanted, "$any");
    bool is_any = false;
    json_array_foreach (any, i, choice)
        is_any = is_any || matches(choice, got);
    if (any)
        return is_any;
    if (json_is_string(wanted) && json_is_string(got))
        return same_text(json_string_value(wanted), json_string_value(got));
    if (json_is_number(wanted) && json_is_number(got))
        return json_number_value(wanted) == json_number_value(got);
    bool are_nested = (json_is_object(wanted) && json_is_object(got)) ||
                      (json_is_array(wanted) && json_is_array(got));
    return are_nested ? all_match(wanted, got) : json_equal(wanted, got);
}

/* A default as descriptions tell it: "default 100", "text (default)", "1 = only this (default)". */
static bool is_told_default(const char *about, const json_t *value)
{
    char text[256], phrase[300];
    auto_str printed = json_print(value);
    const char *plain = json_is_string(value) ? json_string_value(value) : printed;
    if (!about || !plain)
        return false;
    snprintf(text, sizeof text, "%s", plain);
    snprintf(phrase, sizeof phrase, "default %s", text);
    const char *at = strstr(about, phrase);
    if (at && !text_is_word_byte(at[strlen(phrase)]))
        return true;
    snprintf(phrase, sizeof phrase, "%s (default)", text);
    if (strstr(about, phrase))
        return true;
    snprintf(phrase, sizeof phrase, "%s = ", text);
    at = strstr(about, phrase);
    return (at && strstr(at, "(default)")) ||
           (strcmp(text, ".") == 0 && strstr(about, "default: all"));
}

static bool is_default(const struct tool *tool, const char *name, const json_t *value)
{
    const json_t *schema = json_object_get(json_object_get(tool->input_schema, "properties"), name);
    const json_t *told = json_object_get(schema, "default");
    return told ? matches(told, value)
                : is_told_default(json_get_string(schema, "description"), value);
}

static bool arguments_match(const json_t *wanted, const struct lexical_act *call)
{
    const char *name;
    json_t *value;
    const json_t *args = json_object_get(wanted, "args"),
                 *may = json_object_get(wanted, "args_may");
    json_each_member (args, name, value) {
        const json_t *got = json_object_get(call->args, name);
        if (got ? !matches(value, got) : !is_default(call->tool, name, value))
            return false;
    }
    json_each_member (call->args, name, value) {
        const json_t *allowed = json_object_get(may, name);
        if (!json_object_get(args, name) && !(allowed && matches(allowed, value)) &&
            !is_default(call->tool, name, value))
            return false;
    }
    return true;
}

static bool call_matches(const json_t *wanted, const struct lexical_act *call)
{
    return text_equal(json_get_string(wanted, "tool"), call->tool->full_name) &&
           arguments_match(wanted, call);
}

static bool calls_match(const json_t *wanted, const struct lexical_outcome *found)
{
    bool same = found->n_calls && json_array_size(wanted) == found->n_calls;
    for (size_t i = 0; same && i < found->n_calls; i++)
        same = call_matches(json_array_get(wanted, i), &found->calls[i]);
    return same;
}

static bool are_wanted(const json_t *request, const struct lexical_outcome *found)
{
    size_t i;
    json_t *calls;
    bool wanted = calls_match(json_object_get(request, "calls"), found);
    json_array_foreach (json_object_get(request, "alt"), i, calls)
        wanted = wanted || calls_match(calls, found);
    return wanted;
}

static bool has_call(const json_t *wanted, const struct lexical_act *call)
{
    size_t i;
    json_t *one;
    json_array_foreach (wanted, i, one)
        if (call_matches(one, call))
            return true;
    return false;
}

static unsigned count_unasked(const json_t *request, const struct lexical_outcome *found)
{
    unsigned n = 0;
    for (size_t i = 0; found->did == LEXICAL_ACTED && i < found->n_calls; i++) {
        const struct lexical_act *call = &found->calls[i];
        bool wanted = has_call(json_object_get(request, "calls"), call);
        size_t k;
        json_t *calls;
        json_array_foreach (json_object_get(request, "alt"), k, calls)
            wanted = wanted || has_call(calls, call);
        n += json_array_has_text(json_object_get(request, "never"), call->tool->full_name) ||
             (!wanted && call->tool->read_only != HINT_YES);
    }
    return n;
}

/* The question which tool offers what was to choose from, or two of it. */
static bool choices_hold(const json_t *wanted, const struct lexical_outcome *found)
{
    size_t held = 0, n = json_array_size(wanted);
    for (size_t i = 0; i < found->n_choices; i++)
        held += json_array_has_text(wanted, found->choices[i]->full_name);
    return held >= (n < FEW_CHOICES ? n : FEW_CHOICES);
}

/* A parameter that holds nested ones may be asked for by the name of one of those. */
static bool holds_parameter(const struct lexical_outcome *found, const char *key,
                            const char *nested)
{
    for (size_t i = 0; i < found->n_calls; i++) {
        const json_t *properties =
            json_object_get(found->calls[i].tool->input_schema, "properties");
        auto_str schema = json_print(json_object_get(properties, key));
        char name[256];
        snprintf(name, sizeof name, "\"%s\":", nested);
        if (schema && strstr(schema, name))
            return true;
    }
    return false;
}

static bool asks_about(const json_t *request, const struct lexical_outcome *found)
{
    size_t i;
    json_t *about;
    for (size_t k = 0; k < found->n_keys; k++)
        json_array_foreach (json_object_get(request, "ask_about"), i, about) {
            const char *wanted = json_string_value(about), *key = found->keys[k];
            bool is_tool = strcmp(key, "tool") == 0;
            if (strcmp(key, wanted) == 0
                    ? !is_tool || choices_hold(json_object_get(request, "tool_choices"), found)
                    : !is_tool && holds_parameter(found, key, wanted))
                return true;
        }
    return false;
}

struct lexical_grade lexical_grade(const json_t *request, const struct lexical_outcome *found)
{
    static const char *const did[] = { "do", "ask", "refuse" };
    const char *expect = json_get_string(request, "expect");
    bool is_expected = text_equal(expect, did[found->did]);
    struct lexical_grade grade = { .unasked = count_unasked(request, found) };
    switch (found->did) {
    case LEXICAL_ACTED:
        grade.is_done = grade.is_right = is_expected && are_wanted(request, found);
        break;
    case LEXICAL_ASKED:
        grade.is_right = is_expected && asks_about(request, found);
        break;
    case LEXICAL_REFUSED:
        grade.is_right = is_expected;
        break;
    }
    grade.is_sensible = grade.is_right ||
                        (found->did != LEXICAL_ACTED &&
                         json_array_has_text(json_object_get(request, "also_ok"), did[found->did]));
    return grade;
}
