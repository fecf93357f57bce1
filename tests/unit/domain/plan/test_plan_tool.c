/* What a plan is as a tool. In the texts ` stands for a double quote. */
#include "domain/base/json.h"
#include "domain/plan/plan_tool.h"
#include "domain/schema/json_schema.h"
#include "tests/support/cmocka.h"
#include <string.h>

static struct arena arena;

static int clear(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

static json_t *parse(const char *text)
{
    json_t *value = NULL;
    struct err err = { .code = ERR_NONE };
    char *quoted = arena_strdup(&arena, text);
    for (char *at = quoted; (at = strchr(at, '`')); at++)
        *at = '"';
    if (json_parse(quoted, strlen(quoted), JSON_OURS, &value, &err))
        fail_msg("%s: %s", quoted, err.message);
    return arena_keep_json(&arena, value);
}

static const json_t *define(const char *plan)
{
    return arena_keep_json(&arena,
                           plan_tool_definition(&arena, parse(plan), "plan.x", true, false));
}

static void assert_is(const json_t *value, const char *expected)
{
    if (!json_equal(value, parse(expected)))
        fail_msg("%s is not %s", json_print_in(&arena, value), expected);
}

static const json_t *member(const json_t *definition, const char *key)
{
    return json_object_get(definition, key);
}

static void a_name_has_letters_digits_and_two_signs_and_a_bound(void **state)
{
    (void)state;
    char name[PLAN_TOOL_NAME_MAX + 2];
    memset(name, 'a', sizeof name);
    name[PLAN_TOOL_NAME_MAX + 1] = '\0';
    assert_true(plan_tool_name_is_valid("Open_tasks-2"));
    assert_false(plan_tool_name_is_valid(""));
    assert_false(plan_tool_name_is_valid("open tasks"));
    assert_false(plan_tool_name_is_valid("open.tasks"));
    assert_false(plan_tool_name_is_valid("gr\xC3\xBC\xC3\x9F"
                                         "e"));
    assert_false(plan_tool_name_is_valid(name));
    name[PLAN_TOOL_NAME_MAX] = '\0';
    assert_true(plan_tool_name_is_valid(name));
}

static void its_inputs_are_the_arguments_without_what_is_no_schema(void **state)
{
    (void)state;
    const json_t *tool = define("{`inputs`:{`word`:{`type`:`string`},`n`:{`type`:`integer`,"
                                "`default`:1},`maybe`:{`required`:false},`home`:{`type`:`string`,"
                                "`env`:`HOME`},`o`:{`type`:`object`,`required`:[`a`]}},"
                                "`steps`:[]}");
    assert_is(member(tool, "inputSchema"),
              "{`type`:`object`,`properties`:{`word`:{`type`:`string`},`n`:{`type`:`integer`,"
              "`default`:1},`maybe`:{},`home`:{`type`:`string`},`o`:{`type`:`object`,`required`:"
              "[`a`]}},`required`:[`word`,`o`],`additionalProperties`:false}");
    assert_null(member(tool, "outputSchema"));
}

static void a_secret_is_no_argument_and_must_have_a_variable(void **state)
{
    (void)state;
    const char *reached = "{`inputs`:{`key`:{`type`:`string`,`secret`:true,`env`:`KEY`}}}";
    const json_t *properties =
        json_object_get(member(define(reached), "inputSchema"), "properties");
    assert_int_equal(json_object_size(properties), 0);
    assert_null(plan_tool_unreachable_input(parse(reached)));
    assert_string_equal(
        plan_tool_unreachable_input(parse("{`inputs`:{`a`:{},`key`:{`secret`:true}}}")), "key");
}

static void its_outputs_are_all_there_and_of_the_schema_they_say(void **state)
{
    (void)state;
    assert_is(member(define("{`outputs`:{`a`:`{s1.n}`,`b`:{`value`:`{s1}`,`schema`:{`type`:"
                            "`array`}},`c`:{`value`:1,`schema`:{},`more`:1},`d`:{`schema`:{}}}}"),
                     "outputSchema"),
              "{`type`:`object`,`properties`:{`a`:{},`b`:{`type`:`array`},`c`:{},`d`:{}},"
              "`required`:[`a`,`b`,`c`,`d`]}");
    assert_null(member(define("{`outputs`:{}}"), "outputSchema"));
}

static void a_reference_within_a_schema_still_leads_there(void **state)
{
    (void)state;
    const json_t *schema =
        member(define("{`inputs`:{`tree`:{`$defs`:{`node`:{`type`:`object`,`properties`:{`next`:{"
                      "`$ref`:`#/$defs/node`}},`additionalProperties`:false}},`$ref`:"
                      "`#/$defs/node`}}}"),
               "inputSchema");
    assert_int_equal(json_schema_require(schema, parse("{`tree`:{`next`:{`next`:{}}}}"), NULL),
                     ERR_NONE);
    assert_int_equal(json_schema_require(schema, parse("{`tree`:{`next`:{`prev`:{}}}}"), NULL),
                     ERR_INVALID);
}

static void it_says_what_the_plan_is_for_and_what_its_inputs_are(void **state)
{
    (void)state;
    const json_t *tool = define("{`goal`:`count plums\\nby tree`,`inputs`:{`tree`:{`description`:"
                                "`which\\u001b one`},`n`:{},`key`:{`secret`:true,`env`:`K`,"
                                "`description`:`hush`}}}");
    assert_string_equal(json_get_string(tool, "title"), "count plums\\nby tree");
    assert_string_equal(json_get_string(tool, "description"),
                        "count plums\\nby tree\ntree: which\\x1b one");
    assert_string_equal(json_get_string(define("{`goal`:``}"), "description"),
                        "runs the plan plan.x");
}

static bool counts(void *context, const json_t *step)
{
    ++*(int *)context;
    return strcmp(json_get_string(step, "tool"), "refused") != 0;
}

static void every_step_that_calls_is_looked_at_wherever_it_stands(void **state)
{
    (void)state;
    int n = 0;
    assert_true(plan_tool_all_steps(
        parse("{`steps`:[{`tool`:`a`},{`steps`:[{`tool`:`b`},{`approve`:{}}]}],`finally`:[{`tool`:"
              "`c`}]}"),
        counts, &n));
    assert_int_equal(n, 3);
    assert_false(plan_tool_all_steps(
        parse("{`steps`:[{`steps`:[{`use`:`x.yml`}]}],`used`:{`x.yml`:{`steps`:[{`tool`:`refused`"
              "}]}}}"),
        counts, &n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_teardown(name, clear)
        T(a_name_has_letters_digits_and_two_signs_and_a_bound),
        T(its_inputs_are_the_arguments_without_what_is_no_schema),
        T(a_secret_is_no_argument_and_must_have_a_variable),
        T(its_outputs_are_all_there_and_of_the_schema_they_say),
        T(a_reference_within_a_schema_still_leads_there),
        T(it_says_what_the_plan_is_for_and_what_its_inputs_are),
        T(every_step_that_calls_is_looked_at_wherever_it_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
