#include "application/tools/definition_check.h"
#include "domain/base/json.h"
#include "domain/schema/json_schema.h"
#include <string.h>

/* NULL when only an input schema was given. */
static const json_t *definition_in(const json_t *expected)
{
    const json_t *wrapped = json_object_get(expected, "definition");
    const json_t *definition = json_is_object(wrapped) ? wrapped : expected;
    return json_object_get(definition, "inputSchema") ? definition : NULL;
}

static void check_member(const char *path, const json_t *expected, const json_t *actual,
                         struct problems *problems)
{
    if (!actual)
        problems_add(problems, NULL, path, "the server no longer gives it");
    else if (!json_schema_equal(expected, actual))
        problems_add(problems, NULL, path, "it is not what was expected");
}

static void check_strictly(const struct tool *tool, const json_t *expected,
                           struct problems *problems)
{
    const json_t *definition = definition_in(expected);
    const char *key;
    const json_t *value;
    if (!definition) {
        check_member("/inputSchema", expected, tool->input_schema, problems);
        return;
    }
    json_each_member (definition, key, value) {
        if (strcmp(key, "_meta") != 0)
            check_member(json_path_member(problems->arena, "", key), value,
                         json_object_get(tool->definition, key), problems);
    }
}

static bool lists(const json_t *array, const json_t *value)
{
    for (size_t i = 0; i < json_array_size(array); i++)
        if (json_schema_equal(json_array_get(array, i), value))
            return true;
    return false;
}

static void check_choices(const char *path, const json_t *expected, const json_t *actual,
                          struct problems *problems)
{
    const json_t *allowed = json_object_get(actual, "enum");
    const json_t *before = json_object_get(expected, "enum");
    if (allowed && !before)
        problems_add(problems, NULL, path, "only certain values are allowed now");
    for (size_t i = 0; allowed && i < json_array_size(before); i++) {
        const json_t *choice = json_array_get(before, i);
        if (!lists(allowed, choice))
            problems_add(problems, NULL, path, "%.80s is no longer allowed",
                         json_print_in(problems->arena, choice));
    }
}

static void check_property(const char *path, const json_t *expected, const json_t *actual,
                           struct problems *problems)
{
    const json_t *type = json_object_get(actual, "type");
    if (!actual) {
        problems_add(problems, NULL, path, "the parameter is gone");
        return;
    }
    if (type && !json_schema_equal(type, json_object_get(expected, "type")))
        problems_add(problems, NULL, path, "its type is %.60s now",
                     json_print_in(problems->arena, type));
    check_choices(path, expected, actual, problems);
}

static void check_compatibly(const struct tool *tool, const json_t *expected,
                             struct problems *problems)
{
    const json_t *definition = definition_in(expected);
    const json_t *before = definition ? json_object_get(definition, "inputSchema") : expected;
    const json_t *now = tool->input_schema;
    const json_t *required = json_object_get(now, "required");
    const char *key;
    const json_t *schema;
    json_each_member (json_object_get(before, "properties"), key, schema) {
        const json_t *actual = json_object_get(json_object_get(now, "properties"), key);
        check_property(json_path_member(problems->arena, "/inputSchema/properties", key), schema,
                       actual, problems);
    }
    for (size_t i = 0; i < json_array_size(required); i++) {
        const json_t *name = json_array_get(required, i);
        if (!lists(json_object_get(before, "required"), name))
            problems_add(problems, NULL, "/inputSchema/required", "%.80s is required now",
                         json_print_in(problems->arena, name));
    }
}

bool definition_matches(const struct tool *tool, const json_t *expected, enum schema_mode mode,
                        struct problems *problems)
{
    size_t before = problems->n;
    if (mode == SCHEMA_MODE_STRICT)
        check_strictly(tool, expected, problems);
    else
        check_compatibly(tool, expected, problems);
    return problems->n == before;
}

enum err_code definition_require(const struct tool *tool, const json_t *expected,
                                 enum schema_mode mode, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    struct problems problems = { .arena = &scratch };
    if (!expected || definition_matches(tool, expected, mode, &problems))
        return ERR_NONE;
    enum err_code r =
        err_set(err, ERR_MISMATCH, 0, "%.200s is not the tool the caller expects: %.200s",
                tool->full_name, problem_print(&problems, problems.list));
    err_about(err, r, "tool");
    return err_hint(err, r, "%zu difference%s; mistro tool %.100s shows what it is now", problems.n,
                    problems.n == 1 ? "" : "s", tool->full_name);
}
