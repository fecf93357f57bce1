/* What a run did as a plan of version 2. In the texts ` stands for a double quote. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/saved_plan.h"
#include "tests/support/cmocka.h"
#include <string.h>

enum { MOST_STEPS = 4 };

struct fixture {
    struct arena arena;
    struct saved_step steps[MOST_STEPS];
    bool is_turn;
};

static int open_fixture(void **state)
{
    static struct fixture f;
    f = (struct fixture){ 0 };
    for (size_t i = 0; i < MOST_STEPS; i++)
        f.steps[i].is_done = true;
    *state = &f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    arena_finish(&f->arena);
    return 0;
}

static const json_t *parse(struct fixture *f, const char *text)
{
    json_t *value = NULL;
    struct err err = { .code = ERR_NONE };
    char *quoted = arena_strdup(&f->arena, text);
    for (char *at = quoted; (at = strchr(at, '`')); at++)
        *at = '"';
    if (json_parse(quoted, strlen(quoted), JSON_OURS, &value, &err))
        fail_msg("%s: %s", quoted, err.message);
    return arena_keep_json(&f->arena, value);
}

/* The steps of a plan of version 1 and its variables; NULL with the error's text in out. */
static const json_t *saved(struct fixture *f, const char *text, const char **out)
{
    struct problems problems = { .arena = &f->arena };
    struct plan *plan = NULL;
    struct err err = { .code = ERR_NONE };
    const json_t *value = NULL;
    if (!plan_from_json(&f->arena, parse(f, text), &plan, &problems))
        fail_msg("%s", problem_print(&problems, problems.list));
    const struct saved_plan_source source = {
        .plan = plan, .steps = f->steps, .request = "the request", .is_turn = f->is_turn
    };
    enum err_code r = saved_plan_make(&f->arena, &source, &value, &err);
    *out = r ? arena_printf(&f->arena, "%s%s%s", err.message, *err.hint ? "; " : "", err.hint)
             : json_print_in(&f->arena, value);
    return r ? NULL : value;
}

static void expect(struct fixture *f, const char *text, const char *member, const char *expected)
{
    const char *printed;
    const json_t *plan = saved(f, text, &printed);
    if (!plan)
        fail_msg("%s", printed);
    const json_t *wanted = parse(f, expected), *found = json_object_get(plan, member);
    if (!json_equal(wanted, found))
        fail_msg("%s: %s\nis not %s", member, json_print_in(&f->arena, found), expected);
}

static void expect_steps(struct fixture *f, const char *text, const char *expected)
{
    expect(f, text, "steps", expected);
}

static void expect_inputs(struct fixture *f, const char *text, const char *expected)
{
    expect(f, text, "inputs", expected);
}

static void expect_refused(struct fixture *f, const char *text, const char *why)
{
    const char *printed;
    assert_null(saved(f, text, &printed));
    assert_string_equal(printed, why);
}

static void a_plan_is_written_in_order_and_answers_with_its_last_step(void **state)
{
    const char *printed;
    assert_non_null(
        saved(*state, "[{`tool`:`a/b`,`args`:{`x`:`y`},`estimated_ms`:3},{`tool`:`c`}]", &printed));
    assert_string_equal(printed, "{\"version\":2,\"goal\":\"the request\",\"inputs\":{\"x\":{"
                                 "\"type\":\"string\",\"default\":\"y\"}},\"steps\":[{\"id\":"
                                 "\"s1\",\"tool\":\"a/b\",\"args\":{\"x\":\"{inputs.x}\"}},{"
                                 "\"id\":\"s2\",\"tool\":\"c\"}],\"outputs\":{\"answer\":"
                                 "\"{s2.text}\"}}");
}

static void what_is_written_is_a_plan_of_version_2(void **state)
{
    struct fixture *f = *state;
    const char *printed;
    const json_t *value = saved(f,
                                "{`vars`:{`v`:[1]},`steps`:[{`id`:`inputs`,`tool`:`a`,`args`:{`x`:1"
                                "}},{`tool`:`b`,`args`:{`y`:`{inputs.z}`,`v`:`{vars.v[0]} {a}`}}]}",
                                &printed);
    struct problems problems = { .arena = &f->arena };
    struct plan *plan = NULL;
    assert_true(plan_from_json(&f->arena, value, &plan, &problems));
    assert_int_equal(plan->version, 2);
}

static void texts_and_numbers_are_inputs_and_nothing_else(void **state)
{
    static const char text[] = "[{`tool`:`a`,`args`:{`t`:`x`,`i`:3,`r`:0.5,`b`:true,`n`:null,"
                               "`l`:[`{`,1],`o`:{`k`:`v`},`empty`:``}}]";
    expect_inputs(*state, text,
                  "{`t`:{`type`:`string`,`default`:`x`},`i`:{`type`:`integer`,`default`:3},`r`:{"
                  "`type`:`number`,`default`:0.5},`empty`:{`type`:`string`,`default`:``}}");
    expect_steps(*state, text,
                 "[{`id`:`s1`,`tool`:`a`,`args`:{`t`:`{inputs.t}`,`i`:`{inputs.i}`,`r`:`{inputs.r}`"
                 ",`b`:true,`n`:null,`l`:[`{{`,1],`o`:{`k`:`v`},`empty`:`{inputs.empty}`}}]");
}

static void the_same_value_of_the_same_argument_is_one_input(void **state)
{
    expect_steps(*state,
                 "[{`tool`:`a`,`args`:{`p`:`x`,`q`:`x`}},{`tool`:`a`,`args`:{`p`:`y`}},{`tool`:`a`,"
                 "`args`:{`p`:`x`,`a b`:1}},{`tool`:`a`,`args`:{`p`:`y`,``:2}}]",
                 "[{`id`:`s1`,`tool`:`a`,`args`:{`p`:`{inputs.p}`,`q`:`{inputs.q}`}},{`id`:`s2`,"
                 "`tool`:`a`,`args`:{`p`:`{inputs.p_2}`}},{`id`:`s3`,`tool`:`a`,`args`:{`p`:`"
                 "{inputs.p}`,`a b`:`{inputs.a_b}`}},{`id`:`s4`,`tool`:`a`,`args`:{`p`:`{inputs.p_2"
                 "}`,``:`{inputs.value}`}}]");
}

static void the_schema_of_a_tool_says_type_and_description(void **state)
{
    struct fixture *f = *state;
    static const char text[] = "[{`tool`:`a`,`args`:{`n`:3,`s`:`x`,`wrong`:`x`,`other`:1}}]";
    f->steps[0].schema =
        parse(f, "{`properties`:{`n`:{`type`:`number`,`description`:`how\\nmany`},`s`:{`type`:["
                 "`string`,`null`]},`wrong`:{`type`:`integer`},`other`:true}}");
    expect_inputs(f, text,
                  "{`n`:{`type`:`number`,`description`:`how many`,`default`:3},`s`:{`type`:["
                  "`string`,`null`],`default`:`x`},`wrong`:{`type`:`string`,`default`:`x`},`other`:"
                  "{`type`:`integer`,`default`:1}}");
}

static void references_keep_their_meaning(void **state)
{
    expect_steps(
        *state,
        "[{`id`:`index`,`tool`:`a`},{`tool`:`b`,`args`:{`x`:`{prev_result.a[0].b}`,`y`:"
        "`{steps[0]}`}},{`tool`:`c`,`needs`:[`index`],`args`:{`z`:[`{s2.0.c}: {index}`]}}]",
        "[{`id`:`index_`,`tool`:`a`},{`id`:`s2`,`tool`:`b`,`args`:{`x`:`{index_.a[0].b}`,"
        "`y`:`{index_}`}},{`id`:`s3`,`tool`:`c`,`args`:{`z`:[`{s2.0.c}: {index_}`]},"
        "`needs`:[`index_`]}]");
}

static void braces_that_are_no_references_are_doubled(void **state)
{
    static const char text[] = "[{`tool`:`a`},{`tool`:`a`,`args`:{`x`:`{s1.a} {u.n} {{s1}} {{ }`,"
                               "`y`:`{u} {{s1}}`}}]";
    expect_steps(*state, text,
                 "[{`id`:`s1`,`tool`:`a`},{`id`:`s2`,`tool`:`a`,`args`:{`x`:`{s1.a} {{u.n} {{s1} "
                 "{{{{ }`,`y`:`{inputs.y}`}}]");
    expect_inputs(*state, text, "{`y`:{`type`:`string`,`default`:`{u} {s1}`}}");
}

static void variables_are_inputs_with_what_the_run_had(void **state)
{
    struct fixture *f = *state;
    static const char text[] =
        "{`vars`:{`a`:`default`,`b`:[1],`unused`:1},`steps`:[{`tool`:`t`,`args`:{`x`:`is {vars.a}`,"
        "`a`:`default`}},{`tool`:`t`,`args`:{`x`:`{vars.a}`,`y`:`{vars.b[0]}`,`z`:`{vars.c.d}`}}]}";
    f->steps[1].args = parse(f, "{`x`:`given`,`y`:1,`z`:2}");
    expect_inputs(f, text,
                  "{`a`:{`type`:`string`,`default`:`given`},`b`:{`type`:`array`,`default`:[1]},`c`:"
                  "{`type`:`string`},`a_2`:{`type`:`string`,`default`:`default`}}");
    expect_steps(f, text,
                 "[{`id`:`s1`,`tool`:`t`,`args`:{`x`:`is {inputs.a}`,`a`:`{inputs.a_2}`}},{`id`:"
                 "`s2`,`tool`:`t`,`args`:{`x`:`{inputs.a}`,`y`:`{inputs.b[0]}`,`z`:`{inputs.c.d}`}}"
                 "]");
    f->steps[1].args = parse(f, "{`x`:`default`}");
    expect(f, text, "outputs", "{`answer`:`{s2.text}`}");
    expect_inputs(f, "{`vars`:{`a`:1},`steps`:[{`tool`:`t`,`args`:{`x`:`{vars.a}`,`a`:1}}]}",
                  "{`a`:{`type`:`integer`,`default`:1},`a_2`:{`type`:`integer`,`default`:1}}");
}

static void secrets_are_inputs_without_a_value(void **state)
{
    expect_inputs(*state,
                  "[{`tool`:`a`,`args`:{`password`:`x`,`q`:`[redacted]`,`h`:`Bearer abcdefgh1`,"
                  "`pin`:1}},{`tool`:`a`,`args`:{`password`:`x`}}]",
                  "{`password`:{`type`:`string`,`secret`:true},`q`:{`type`:`string`,`secret`:true},"
                  "`h`:{`type`:`string`,`secret`:true},`pin`:{`type`:`integer`,`default`:1},"
                  "`password_2`:{`type`:`string`,`secret`:true}}");
}

static void only_steps_that_succeeded_are_kept(void **state)
{
    struct fixture *f = *state;
    static const char text[] = "[{`tool`:`a`},{`tool`:`b`,`args`:{`x`:1}},{`tool`:`c`,`needs`:["
                               "`s2`,`s1`]},{`tool`:`d`,`needs`:[`s2`]}]";
    f->steps[1].is_done = false;
    expect_steps(f, text,
                 "[{`id`:`s1`,`tool`:`a`},{`id`:`s3`,`tool`:`c`,`needs`:[`s1`]},{`id`:`s4`,`tool`:"
                 "`d`}]");
    f->steps[3].is_done = false;
    expect(f, text, "outputs", "{`answer`:`{s3.text}`}");
    expect_refused(f, "[{`tool`:`a`},{`tool`:`b`},{`tool`:`c`,`args`:{`x`:`{s2.y}`}}]",
                   "step s3 takes {s2.y}, which no step that succeeded gave");
    f->steps[0].is_done = f->steps[2].is_done = false;
    expect_refused(f, text, "none of its steps succeeded");
}

static void results_of_earlier_turns_are_refused(void **state)
{
    struct fixture *f = *state;
    static const char text[] = "{`vars`:{`r1`:{`text`:`x`}},`steps`:[{`tool`:`a`,`args`:{`x`:[`of "
                               "{vars.r1.text}`]}}]}";
    expect_inputs(f, text, "{`r1`:{`type`:`object`,`default`:{`text`:`x`}}}");
    f->is_turn = true;
    expect_refused(f, text,
                   "step s1 takes {vars.r1.text}, a result of an earlier turn, which a plan file "
                   "does not have; ask for all of it in one request, and save what that did");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        T(a_plan_is_written_in_order_and_answers_with_its_last_step),
        T(what_is_written_is_a_plan_of_version_2),
        T(texts_and_numbers_are_inputs_and_nothing_else),
        T(the_same_value_of_the_same_argument_is_one_input),
        T(the_schema_of_a_tool_says_type_and_description),
        T(references_keep_their_meaning),
        T(braces_that_are_no_references_are_doubled),
        T(variables_are_inputs_with_what_the_run_had),
        T(secrets_are_inputs_without_a_value),
        T(only_steps_that_succeeded_are_kept),
        T(results_of_earlier_turns_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
