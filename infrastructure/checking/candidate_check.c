#include "infrastructure/checking/candidate_check.h"
#include "application/ports/candidate_checker.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *check_quoted(struct candidate_check *check, const char *text)
{
    return arena_printf(&check->arena, "\"%s\"",
                        text_one_line(&check->arena, text, strlen(text), CHECK_SHOWN_COLUMNS));
}

const char *check_shown(struct candidate_check *check, const json_t *value)
{
    const char *text = json_print_in(&check->arena, value);
    return text_one_line(&check->arena, text, strlen(text), CHECK_SHOWN_COLUMNS);
}

void check_fails(struct candidate_check *check, const char *format, ...)
{
    char text[1000];
    va_list arguments;
    if (check->failure)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_trim_broken_end(text);
    check->failure = arena_strdup(&check->arena, text);
}

/* For people: what a member of this type must be. */
static const char *const expected[] = { [EXAMPLE_TEXT] = "a text",
                                        [EXAMPLE_NUMBER] = "a number",
                                        [EXAMPLE_COUNT] = "a whole number from 0",
                                        [EXAMPLE_FLAG] = "true or false",
                                        [EXAMPLE_ANY] = "a value",
                                        [EXAMPLE_TEXTS] = "a list of texts",
                                        [EXAMPLE_ROWS] = "a list of rows, each a list" };

static bool is_text(const json_t *value)
{
    return json_is_string(value) && !json_string_has_nul(value);
}

static bool is_row(const json_t *row)
{
    for (size_t i = 0; i < json_array_size(row); i++) {
        const json_t *value = json_array_get(row, i);
        if (json_string_has_nul(value) || json_is_object(value) || json_is_array(value))
            return false;
    }
    return json_is_array(row) && json_array_size(row) <= CANDIDATE_MAX_EXAMPLES;
}

static enum err_code check_list(const json_t *list, const struct example_member *member,
                                struct err *err)
{
    size_t n = json_array_size(list);
    if (n > CANDIDATE_MAX_EXAMPLES)
        return err_set(err, ERR_INVALID, 0, "examples: /%s: %zu of them, at most %d are allowed",
                       member->name, n, CANDIDATE_MAX_EXAMPLES);
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(list, i);
        if (member->type == EXAMPLE_TEXTS ? is_text(item) : is_row(item))
            continue;
        return err_set(err, ERR_INVALID, 0, "examples: /%s/%zu: %s is expected", member->name, i,
                       member->type == EXAMPLE_TEXTS ? "a text" : "a list of plain values");
    }
    return ERR_NONE;
}

static bool is_of_type(const json_t *value, enum example_type type)
{
    switch (type) {
    case EXAMPLE_TEXT:
        return is_text(value);
    case EXAMPLE_NUMBER:
        return json_is_number(value);
    case EXAMPLE_COUNT:
        return json_is_integer(value) && json_integer_value(value) >= 0;
    case EXAMPLE_FLAG:
        return json_is_boolean(value);
    case EXAMPLE_ANY:
        return true;
    case EXAMPLE_TEXTS:
    case EXAMPLE_ROWS:
        break;
    }
    return json_is_array(value);
}

static enum err_code check_member(const json_t *value, const struct example_member *member,
                                  struct err *err)
{
    if (!is_of_type(value, member->type))
        return err_set(err, ERR_INVALID, 0, "examples: /%s: %s is expected", member->name,
                       expected[member->type]);
    return json_is_array(value) && member->type != EXAMPLE_ANY ? check_list(value, member, err)
                                                               : ERR_NONE;
}

static enum err_code unknown(const char *key, const struct example_member *members, size_t n,
                             struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *known = "";
    for (size_t i = 0; i < n; i++)
        known = arena_printf(&scratch, "%s%s%s", known, i ? ", " : "", members[i].name);
    enum err_code r = err_set(err, ERR_INVALID, 0, "examples: /%s: there is no such member here",
                              text_one_line(&scratch, key, strlen(key), 40));
    return err_hint(err, r, "there may be: %s", known);
}

enum err_code examples_check(const json_t *examples, const struct example_member *members, size_t n,
                             struct err *err)
{
    const char *key;
    json_t *value;
    if (examples && !json_is_object(examples))
        return err_set(err, ERR_INVALID, 0, "examples: an object is expected");
    json_each_member (examples, key, value) {
        size_t i = 0;
        while (i < n && strcmp(members[i].name, key) != 0)
            i++;
        enum err_code r =
            i < n ? check_member(value, &members[i], err) : unknown(key, members, n, err);
        if (r)
            return r;
    }
    return ERR_NONE;
}
