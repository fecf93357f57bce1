#include "infrastructure/checking/example_reader.h"
#include "application/ports/candidate_checker.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

static const char *expected(enum example_type type)
{
    static const char *const words[] = { [EXAMPLE_TEXT] = "a text",
                                         [EXAMPLE_NUMBER] = "a number",
                                         [EXAMPLE_COUNT] = "a whole number from 0",
                                         [EXAMPLE_FLAG] = "true or false",
                                         [EXAMPLE_ANY] = "a value",
                                         [EXAMPLE_TEXTS] = "a list of texts",
                                         [EXAMPLE_ROWS] = "a list of rows, each a list" };
    return words[type];
}

static bool is_text(const json_t *value)
{
    return json_is_string(value) && !json_string_has_nul(value);
}

static bool is_value_of_a_row(const json_t *value)
{
    return is_text(value) || json_is_number(value) || json_is_null(value) || json_is_boolean(value);
}

static bool is_row(const json_t *row)
{
    for (size_t i = 0; i < json_array_size(row); i++)
        if (!is_value_of_a_row(json_array_get(row, i)))
            return false;
    return json_is_array(row) && json_array_size(row) <= CANDIDATE_MAX_EXAMPLES;
}

static enum err_code bad(const char *name, const char *what, struct err *err)
{
    return err_set(err, ERR_INVALID, 0, "examples: /%s: %s is expected", name, what);
}

static enum err_code check_list(const json_t *list, const struct example_member *member,
                                struct err *err)
{
    size_t n = json_array_size(list);
    if (!json_is_array(list))
        return bad(member->name, expected(member->type), err);
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
    case EXAMPLE_TEXTS:
    case EXAMPLE_ROWS:
        break;
    }
    return true;
}

static enum err_code check_member(const json_t *value, const struct example_member *member,
                                  struct err *err)
{
    if (member->type == EXAMPLE_TEXTS || member->type == EXAMPLE_ROWS)
        return check_list(value, member, err);
    return is_of_type(value, member->type) ? ERR_NONE
                                           : bad(member->name, expected(member->type), err);
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
