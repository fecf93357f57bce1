/* Plans of version 2: how they are read, what is checked, what their inputs take. In the texts `
 * stands for a double quote. */
#include "domain/base/json.h"
#include "domain/plan/plan_check.h"
#include "domain/plan/plan_inputs.h"
#include "domain/plan/references.h"
#include "domain/text/known_secrets.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct arena arena;
    struct tool_catalogue *catalogue;
    const struct tool *tools[2];
    struct plan *plan;
    struct problems problems;
};

static json_t *parse(struct arena *arena, const char *text)
{
    json_t *value = NULL;
    struct err err = { .code = ERR_NONE };
    char *quoted = arena_strdup(arena, text);
    for (char *at = quoted; (at = strchr(at, '`')); at++)
        *at = '"';
    if (json_parse(quoted, strlen(quoted), JSON_OURS, &value, &err))
        fail_msg("%s: %s", quoted, err.message);
    return arena_keep_json(arena, value);
}

static int open_fixture(void **state)
{
    static const char *const definitions[] = {
        "{`name`:`find`,`inputSchema`:{`type`:`object`,`properties`:{`query`:{`type`:`string`}}},"
        "`outputSchema`:{`type`:`object`,`properties`:{`n`:{`type`:`integer`},`matches`:{`type`:"
        "`array`,`items`:{`type`:`object`}}},`additionalProperties`:false}}",
        "{`name`:`read`,`inputSchema`:{`type`:`object`}}",
    };
    static struct fixture f;
    f = (struct fixture){ .catalogue = tool_catalogue_create("files") };
    for (size_t i = 0; i < ARRAY_LENGTH(definitions); i++)
        assert_int_equal(tool_catalogue_add(f.catalogue, parse(&f.arena, definitions[i]), NULL),
                         ERR_NONE);
    for (size_t i = 0; i < ARRAY_LENGTH(definitions); i++)
        f.tools[i] = &f.catalogue->tools[i];
    *state = &f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    tool_catalogue_unref(f->catalogue);
    arena_finish(&f->arena);
    return 0;
}

/* All problems, a line each; "" where it may run. */
static const char *problems_of(struct fixture *f, const char *text)
{
    const struct plan_check_input input = { .tools = f->tools, .n_tools = 2, .max_steps = 10 };
    struct plan_check_input whole = input;
    const char *all = "";
    f->problems = (struct problems){ .arena = &f->arena };
    if (plan_from_json(&f->arena, parse(&f->arena, text), &f->plan, &f->problems)) {
        whole.vars = f->plan->vars;
        (void)plan_check(&f->arena, f->plan, &whole, &f->problems);
    }
    for (size_t i = 0; i < f->problems.n; i++)
        all = arena_printf(&f->arena, "%s%s\n", all,
                           problem_print(&f->problems, &f->problems.list[i]));
    return all;
}

#define PLAN(steps)                                                                                \
    "{`version`:2,`inputs`:{`word`:{`default`:`x`},`n`:{`type`:`integer`,`default`:1}},`steps`:"   \
    "[" steps "]}"
#define FIND_1 "{`id`:`find`,`tool`:`find`}"
#define FIND_2 "{`tool`:`find`}"
#define FIND "{`id`:`find`,`tool`:`find`,`args`:{`query`:`{inputs.word}`}}"

static void a_plan_has_inputs_conditions_checks_and_outputs(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(
        problems_of(f, "{`version`:2,`goal`:`g`,`inputs`:{`word`:{`type`:`string`,`default`:`TODO`}"
                       "},`steps`:[" FIND
                       ",{`tool`:`read`,`when`:`{find.n} > 0`,`check`:[{`that`:`{s2.text} != ''`,"
                       "`else`:`it is empty`}]}],`outputs`:{`first`:`{find.matches[0]}`}}"),
        "");
    assert_int_equal(f->plan->version, 2);
    assert_string_equal(json_get_string(f->plan->vars, "word"), "TODO");
    assert_string_equal(f->plan->steps[1].when_text, "{find.n} > 0");
    assert_non_null(f->plan->steps[1].when);
    assert_string_equal(f->plan->steps[1].checks[0].otherwise, "it is empty");
    json_auto_t *printed = plan_to_json(f->plan);
    assert_int_equal(json_get_int(printed, "version", 0), 2);
}

static void what_belongs_to_version_2_is_unknown_in_version_1(void **state)
{
    assert_string_equal(
        problems_of(*state, "{`version`:1,`inputs`:{},`steps`:[{`tool`:`read`,`when`:`true`}]}"),
        "/inputs: there is no member of that name\n"
        "s1 /when: there is no member of that name\n");
    assert_string_equal(problems_of(*state, "{`steps`:[{`id`:`inputs`,`tool`:`read`}]}"), "");
    assert_string_equal(problems_of(*state, "{`version`:2,`vars`:{},`steps`:[]}"),
                        "/vars: there is no member of that name\n");
    assert_string_equal(problems_of(*state, "{`version`:3,`steps`:[]}"),
                        "/version: only the versions 1 and 2 of plans are known\n");
}

/* The advice for members of version 1 would leave another plan. */
static void a_plan_with_members_of_version_2_lacks_its_version_alone(void **state)
{
#define REST                                                                                       \
    "`inputs`:{`n`:{`default`:1}},`steps`:[{`tool`:`read`,`each`:[1],`when`:`true`}],"             \
    "`outputs`:{`n`:`{s1.count}`}}"
    struct fixture *f = *state;
    assert_string_equal(problems_of(f, "{" REST), "the version is missing\n");
    assert_string_equal(f->problems.list[0].fix,
                        "add \"version: 2\" as the first line (in JSON as the first member)");
    assert_int_equal(f->problems.list[0].line, 1);
    assert_string_equal(problems_of(f, "{`steps`:[{`tool`:`read`,`check`:[]}]}"),
                        "the version is missing\n");
    assert_string_equal(problems_of(f, "{`version`:3," REST),
                        "/version: only the versions 1 and 2 of plans are known\n");
    assert_string_equal(problems_of(f, "{`Version`:2," REST),
                        "/Version: there is no member of that name\n");
    assert_string_equal(f->problems.list[0].fix, "write \"version\" instead");
    assert_string_equal(problems_of(f, "{`steps`:[{`tool`:`read`,`whem`:`true`}]}"),
                        "s1 /whem: there is no member of that name\n");
#undef REST
}

/* The problems' fixes, a line each. */
static const char *fixes_of(struct fixture *f, const char *text)
{
    const char *all = "";
    (void)problems_of(f, text);
    for (size_t i = 0; i < f->problems.n; i++)
        all = arena_printf(&f->arena, "%s%s\n", all, f->problems.list[i].fix);
    return all;
}

static void members_with_the_names_of_other_languages_are_renamed(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(fixes_of(f, "{`version`:2,`vars`:{},`tasks`:[],`steps`:[]}"),
                        "write \"inputs\" instead\nremove it\n");
    (void)problems_of(f, "{`version`:2,`tasks`:[]}");
    assert_string_equal(f->problems.list[0].fix, "write \"steps\" instead");
    assert_string_equal(
        fixes_of(f, PLAN("{`name`:`a`,`tool`:`read`,`with`:{}},{`id`:`b`,`name`:`b`,`tool`:`read`,"
                         "`args`:{},`with`:{}}")),
        "write \"id\" instead\nwrite \"args\" instead\nremove it\nremove it\n");
    assert_string_equal(fixes_of(f, "{`version`:2,`steps`:[{`use`:`a.yml`,`args`:{}}],`used`:{"
                                    "`a.yml`:{`version`:2,`vars`:{},`steps`:[" FIND_2 "]}}}"),
                        "write \"with\" instead\nwrite \"inputs\" instead\n");
    assert_string_equal(fixes_of(f, "[{`name`:`read`}]"),
                        "write \"tool\" instead\nadd \"tool\" with the name of one tool\n");
}

static void types_of_other_languages_are_named_as_json_schema_does(void **state)
{
    assert_string_equal(
        fixes_of(*state, "{`version`:2,`inputs`:{`a`:{`type`:`int`},`b`:{`type`:`str`},`c`:{`type`:"
                         "`bool`},`d`:{`type`:`array`,`items`:{`type`:`float`}},`e`:{`type`:`x`}},"
                         "`steps`:[]}"),
        "write integer\nwrite string\nwrite boolean\nwrite number\nwrite a JSON Schema there\n");
}

static void signs_of_other_languages_are_named_in_expressions(void **state)
{
    assert_string_equal(
        fixes_of(*state, PLAN(FIND ",{`tool`:`read`,`when`:`{find.n} = 1`},{`tool`:`read`,`when`:"
                                   "`({find.n} == 1 && true)`},{`tool`:`read`,`when`:`{find.n} == "
                                   "1 || true`},{`tool`:`read`,`when`:`{find.n} === 1`},{`tool`:"
                                   "`read`,`when`:`{find.n} 1`}")),
        "write ==\nwrite and\nwrite or\nwrite ==\n"
        "write one such as \"length({s1.items}) > 0\"\n");
}

static void a_loop_is_given_the_reference_that_was_meant(void **state)
{
#define EACH(text) ",{`tool`:`read`,`each`:`" text "`}"
    assert_string_equal(
        fixes_of(*state, PLAN(FIND EACH("{{find.matches}}") EACH("find.matches")
                                  EACH("${{ inputs.word }}") EACH("{{note.items}}") EACH("notes"))),
        "write \"{find.matches}\"\nwrite \"{find.matches}\"\nwrite \"{inputs.word}\"\n"
        "write it as \"{s1.items}\" or [a, b]\nwrite it as \"{s1.items}\" or [a, b]\n");
#undef EACH
}

static void members_of_the_wrong_shape_are_problems(void **state)
{
    assert_string_equal(problems_of(*state, PLAN("{`tool`:`read`,`when`:true,`check`:{}}")),
                        "s1 /when: must be an expression in a text\n"
                        "s1 /check: must be a list of {that, else}\n");
    assert_string_equal(problems_of(*state, PLAN("{`tool`:`read`,`check`:[{},{`that`:`1 <`,`or`:1,"
                                                 "`else`:2}]}")),
                        "s1 /check/0: a check needs \"that\"\n"
                        "s1 /check/1/or: there is no member of that name\n"
                        "s1 /check/1/else: must be text\n"
                        "s1 /check/1/that: character 4 of the expression: it ends too early\n");
    assert_string_equal(
        problems_of(*state, "{`version`:2,`inputs`:{`a`:1,`b`:{`type`:`nope`},`c`:{`type`:`string`,"
                            "`default`:3},`d`:{`secret`:1},`e`:{`secret`:true,`default`:`x`,"
                            "`type`:`integer`,`env`:``},`f`:{`env`:`F`}},`steps`:[]}"),
        "/inputs/a: must be an object\n"
        "/inputs/b/type: must be the name of a JSON type or an array of them\n"
        "/inputs/c/default: is 3, must be a string\n"
        "/inputs/d/secret: must be true or false\n"
        "/inputs/e/env: must be the name of an environment variable, for an input with secret: "
        "true\n"
        "/inputs/e/type: a secret is a text: it must be string\n"
        "/inputs/e/default: a secret does not stand in a plan\n"
        "/inputs/f/env: must be the name of an environment variable, for an input with secret: "
        "true\n");
    assert_string_equal(problems_of(*state, "{`version`:2,`inputs`:{`a`:{`secret`:true,`env`:`A`},"
                                            "`b`:{`secret`:true,`type`:`string`,`required`:false},"
                                            "`c`:{`secret`:false}},`steps`:[]}"),
                        "");
}

static void every_brace_is_a_reference_or_a_problem(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(
        problems_of(f, PLAN(FIND ",{`tool`:`read`,`args`:{`a`:`{{x} {{{find.n}}`}}")), "");
    assert_string_equal(
        problems_of(f,
                    PLAN(FIND ",{`tool`:`read`,`args`:{`a`:`{x y} {user.name} {vars.word} {`}}")),
        "s2 /a: {x y} is no reference\n"
        "s2 /a: {user.name} names no step\n"
        "s2 /a: {vars.word} names no step\n"
        "s2 /a: {} is no reference\n");
}

static void doubled_braces_write_one(void **state)
{
    struct fixture *f = *state;
    struct step_result result;
    const struct step_result *results[] = { &result, NULL };
    const json_t *bound = NULL;
    step_result_from_text(&f->arena, "", json_pack("{s:i}", "n", 7), false, &result);
    (void)problems_of(f,
                      PLAN(FIND ",{`tool`:`read`,`args`:{`a`:`{{x} {{{find.n}} {inputs.word}`}}"));
    assert_int_equal(references_bind(&f->arena, f->plan, 1, f->plan->vars, results, &bound, NULL),
                     ERR_NONE);
    assert_string_equal(json_get_string(bound, "a"), "{x} {7} x");
}

static void expressions_are_checked_with_what_they_refer_to(void **state)
{
    assert_string_equal(
        problems_of(*state, PLAN("{`tool`:`find`,`when`:`{inputs.n} < 'a'`}," FIND)),
        "s1 /when: < takes two numbers or two texts, not a number, a text\n");
    assert_string_equal(problems_of(*state, PLAN(FIND ",{`tool`:`read`,`when`:`{find.n}`}")),
                        "s2 /when: is neither true nor false\n");
    assert_string_equal(problems_of(*state, PLAN("{`tool`:`read`,`when`:`{s1.a} == 1`}," FIND)),
                        "s1 /when: {s1.a} refers to its own step\n");
    assert_string_equal(problems_of(*state, PLAN("{`tool`:`read`,`when`:`{find.n} == 1`}," FIND)),
                        "s1 /when: {find.n} refers to a later step\n");
    assert_string_equal(
        problems_of(*state, PLAN(FIND ",{`tool`:`read`,`when`:`{find.m} == {a b}`}")),
        "s2 /when: {find.m} asks for \"m\", which files/find does not give\n"
        "s2 /when: {a b} is no reference\n");
    assert_string_equal(problems_of(*state, PLAN(FIND ",{`tool`:`read`,`when`:`{inputs.m} == 1`}")),
                        "s2 /when: {inputs.m} names an input that does not exist\n");
}

static void what_may_be_skipped_is_referred_to_under_the_same_condition(void **state)
{
#define MAYBE "{`id`:`maybe`,`tool`:`find`,`when`:`{inputs.n} > 0`}"
    static const char refused[] = "s2 /a: {maybe.n} refers to a step that may be skipped\n";
    assert_string_equal(
        problems_of(*state, PLAN(MAYBE ",{`tool`:`read`,`args`:{`a`:`{maybe.n}`}}")), refused);
    assert_string_equal(problems_of(*state, PLAN(MAYBE ",{`tool`:`read`,`when`:`{inputs.n} > 1`,"
                                                       "`args`:{`a`:`{maybe.n}`}}")),
                        refused);
    assert_string_equal(problems_of(*state, PLAN(MAYBE ",{`tool`:`read`,`when`:`{inputs.n} > 0`,"
                                                       "`args`:{`a`:`{maybe.n}`}}")),
                        "");
    assert_string_equal(
        problems_of(*state, PLAN(MAYBE ",{`tool`:`read`,`when`:`default({maybe.n}, 0) > 1`}")), "");
    assert_string_equal(problems_of(*state, PLAN(MAYBE ",{`tool`:`read`,`needs`:[`maybe`]}")), "");
}

static void outputs_name_what_steps_give(void **state)
{
    assert_string_equal(problems_of(*state, "{`version`:2,`steps`:[" FIND_1 "],`outputs`:{`a`:"
                                            "`{find.n}`,`b`:[`{find.m}`,`{nope}`]}}"),
                        "/outputs/b/0: {find.m} asks for \"m\", which files/find does not give\n"
                        "/outputs/b/1: {nope} names no step\n");
}

static void a_list_or_an_object_is_no_text_whatever_is_in_it(void **state)
{
    assert_string_equal(
        problems_of(*state, PLAN(FIND ",{`tool`:`find`,`each`:`{find.matches}`,`args`:{`query`:["
                                      "`{item.path}`]}},{`tool`:`find`,`args`:{`query`:{`a`:"
                                      "`{find.n}`}}},{`tool`:`find`,`args`:{`query`:[[`x`]]}}")),
        "s2 /query: is [\"{item.path}\"], must be a string\n"
        "s3 /query: is {\"a\":\"{find.n}\"}, must be a string\n"
        "s4 /query: is [[\"x\"]], must be a string\n");
}

static void conditions_make_a_step_wait(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(problems_of(f, PLAN(FIND "," FIND_2 ",{`tool`:`read`,`when`:`{find.n} > 0`,"
                                                 "`check`:[{`that`:`{s2.n} == {s3.n}`}]}")),
                        "");
    bool needs[3] = { false };
    plan_step_needs(&f->arena, f->plan, 2, needs);
    assert_true(needs[0] && needs[1] && !needs[2]);
}

/* The values as JSON, or the error with its hint. */
static const char *set(struct fixture *f, const char *inputs, const char *given)
{
    const json_t *schemas = parse(&f->arena, inputs), *out = NULL;
    struct problems problems = { .arena = &f->arena };
    struct err err = { .code = ERR_NONE };
    const json_t *defaults = plan_inputs_defaults(&f->arena, schemas, &problems);
    assert_int_equal(problems.n, 0);
    if (plan_inputs_set(&f->arena, schemas, defaults, parse(&f->arena, given), &out, &err))
        return arena_printf(&f->arena, "%s; %s", err.message, err.hint);
    return json_print_in(&f->arena, out);
}

static void inputs_take_what_fits_their_schema(void **state)
{
    static const char inputs[] = "{`word`:{`type`:`string`},`n`:{`type`:`integer`,`default`:1},"
                                 "`m`:{`required`:false}}";
    assert_string_equal(set(*state, inputs, "{`word`:`x`}"), "{\"n\":1,\"m\":null,\"word\":\"x\"}");
    assert_string_equal(set(*state, inputs, "{`n`:2,`m`:[],`word`:``}"),
                        "{\"n\":2,\"m\":[],\"word\":\"\"}");
    assert_string_equal(set(*state, inputs, "{`n`:2}"),
                        "the plan needs the input \"word\"; give it with --var word=…");
    assert_string_equal(set(*state, inputs, "{`word`:2}"),
                        "input word: is 2, must be a string; write it as a string, in double "
                        "quotes: \"2\"");
    assert_string_equal(set(*state, inputs, "{`wort`:`x`}"),
                        "the plan has no input \"wort\"; did you mean word?");
    assert_string_equal(set(*state, "{}", "{`a`:`x`}"), "the plan has no input \"a\"; it has none");
}

static const char *variable(void *context, const char *name)
{
    (void)context;
    return strcmp(name, "A") == 0 ? "from the environment" : NULL;
}

/* What is given then, or the error with its hint. */
static const char *take(struct fixture *f, const char *inputs, const char *given,
                        plan_variable_fn *look_up)
{
    const json_t *out = NULL;
    struct err err = { .code = ERR_NONE };
    if (plan_inputs_take_secrets(&f->arena, parse(&f->arena, inputs),
                                 given ? parse(&f->arena, given) : NULL, look_up, NULL, &out, &err))
        return arena_printf(&f->arena, "%s; %s", err.message, err.hint);
    return json_print_in(&f->arena, out);
}

static void secrets_come_from_the_environment_where_they_are_not_given(void **state)
{
    static const char inputs[] = "{`a`:{`secret`:true,`env`:`A`},`b`:{`secret`:true,`env`:`B`}}";
    struct fixture *f = *state;
    assert_string_equal(take(f, inputs, NULL, variable), "{\"a\":\"from the environment\"}");
    assert_string_equal(take(f, inputs, "{`a`:`given as a file`}", variable),
                        "{\"a\":\"given as a file\"}");
    assert_string_equal(known_secrets_mask(&f->arena, "given as a file; from the environment"),
                        "[redacted]; [redacted]");
    assert_string_equal(take(f, inputs, NULL, NULL),
                        "input a is secret, and has no place in a call; a person gives it, with "
                        "mistro run");
    assert_string_equal(take(f, "{`a`:{}}", "{`a`:1}", NULL), "{\"a\":1}");
    known_secrets_forget();
}

static void a_secret_that_is_missing_or_too_short_is_refused(void **state)
{
    static const char inputs[] = "{`a`:{`secret`:true},`b`:{`secret`:true,`env`:`B`}}";
    struct fixture *f = *state;
    assert_string_equal(set(f, inputs, "{`b`:`123456`}"),
                        "the plan needs the input \"a\"; give it with --var a@FILE, or --var a@- "
                        "for what standard input has");
    assert_string_equal(
        set(f, inputs, "{`a`:`123456`}"),
        "the plan needs the input \"b\"; set the environment variable B, in UTF-8, or give it "
        "with --var b@FILE");
    assert_string_equal(set(f, inputs, "{`a`:`12345`}"),
                        "input a: a secret has at least 6 bytes; a shorter one cannot be kept out "
                        "of what is shown");
    assert_string_equal(set(f, inputs, "{`a`:`123456`,`b`:7}"),
                        "input b: is 7, must be a string; write it as a string, in double quotes: "
                        "\"7\"");
    known_secrets_forget();
}

static void texts_take_the_type_of_their_input(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *schema, *text, *value;
    } rows[] = {
        { "{`type`:`integer`}", "3", "3" },
        { "{`type`:`number`}", "-0.5", "-0.5" },
        { "{`type`:`boolean`}", "true", "true" },
        { "{`type`:`array`}", "[1]", "[1]" },
        { "{`type`:[`integer`,`null`]}", "null", "null" },
        { "{`type`:`integer`}", "three", "\"three\"" },
        { "{`type`:`string`}", "3", "\"3\"" },
        { "{`type`:[`integer`,`string`]}", "3", "\"3\"" },
        { "{}", "3", "\"3\"" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        json_auto_t *value = plan_input_from_text(parse(&f->arena, rows[i].schema), rows[i].text);
        assert_string_equal(json_print_in(&f->arena, value), rows[i].value);
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        T(a_plan_has_inputs_conditions_checks_and_outputs),
        T(what_belongs_to_version_2_is_unknown_in_version_1),
        T(a_plan_with_members_of_version_2_lacks_its_version_alone),
        T(members_with_the_names_of_other_languages_are_renamed),
        T(types_of_other_languages_are_named_as_json_schema_does),
        T(signs_of_other_languages_are_named_in_expressions),
        T(a_loop_is_given_the_reference_that_was_meant),
        T(members_of_the_wrong_shape_are_problems),
        T(every_brace_is_a_reference_or_a_problem),
        T(doubled_braces_write_one),
        T(expressions_are_checked_with_what_they_refer_to),
        T(what_may_be_skipped_is_referred_to_under_the_same_condition),
        T(outputs_name_what_steps_give),
        T(a_list_or_an_object_is_no_text_whatever_is_in_it),
        T(conditions_make_a_step_wait),
        T(inputs_take_what_fits_their_schema),
        T(secrets_come_from_the_environment_where_they_are_not_given),
        T(a_secret_that_is_missing_or_too_short_is_refused),
        T(texts_take_the_type_of_their_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
