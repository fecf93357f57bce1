
#include "domain/base/json.h"
#include "domain/plan/plan.h"
#include "tests/support/cmocka.h"
#include <string.h>

static int open_arena(void **state)
{
    static struct arena arena;
    *state = &arena;
    return 0;
}

static int close_arena(void **state)
{
    arena_finish(*state);
    return 0;
}

static bool read(struct arena *arena, const char *text, struct plan **out,
                 struct problems *problems)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    arena_keep_json(arena, value);
    *problems = (struct problems){ .arena = arena };
    return plan_from_json(arena, value, out, problems);
}

static void the_object_of_the_manual_is_a_plan(void **state)
{
    struct plan *plan = NULL;
    struct problems problems;
    assert_true(read(*state,
                     "{\"version\":1,\"goal\":\"review\",\"vars\":{\"path\":\"n.md\"},\"steps\":["
                     "{\"id\":\"s1\",\"tool\":\"files/read_file\",\"args\":{\"path\":"
                     "\"{vars.path}\"}},{\"id\":\"b\",\"tool\":\"dev/review\",\"args\":{},"
                     "\"needs\":[\"s1\"],\"timeout_ms\":30000,\"retry\":1,\"on_error\":"
                     "\"continue\",\"estimated_ms\":5}],\"estimated_ms\":9}",
                     &plan, &problems));
    assert_string_equal(plan->goal, "review");
    assert_int_equal(plan->n_steps, 2);
    const struct step *step = &plan->steps[1];
    assert_string_equal(step->id, "b");
    assert_string_equal(step->needs[0], "s1");
    assert_int_equal(step->timeout_ms, 30000);
    assert_int_equal(step->retry, 1);
    assert_int_equal(step->on_error, STEP_CONTINUE);
    assert_int_equal(step->estimated_ms, -1);
    assert_int_equal(plan->estimated_ms, -1);
    assert_int_equal(plan_find_step(plan, "b"), 1);
    assert_int_equal(plan_find_step(plan, "c"), -1);
}

static void the_seeds_array_of_tool_and_args_is_a_plan(void **state)
{
    struct plan *plan = NULL;
    struct problems problems;
    assert_true(read(*state, "[{\"tool\":\"formalize_task\",\"args\":{}},{\"tool\":\"b\"}]", &plan,
                     &problems));
    assert_string_equal(plan->goal, "");
    assert_string_equal(plan->steps[0].id, "s1");
    assert_string_equal(plan->steps[1].id, "s2");
    assert_true(json_is_object(plan->steps[1].args));
}

static void a_plan_reads_back_as_it_was_printed(void **state)
{
    struct plan *plan = NULL, *again = NULL;
    struct problems problems;
    assert_true(read(*state,
                     "{\"goal\":\"g\",\"vars\":{\"a\":1},\"steps\":[{\"id\":\"x\",\"tool\":\"t\","
                     "\"needs\":[],\"args\":{\"k\":[1]}},{\"id\":\"y\",\"tool\":\"t\",\"args\":{},"
                     "\"needs\":[\"x\"],\"timeout_ms\":7,\"retry\":2,\"on_error\":\"continue\"}]}",
                     &plan, &problems));
    plan->steps[0].estimated_ms = 3;
    plan->estimated_ms = 3;
    json_auto_t *printed = plan_to_json(plan);
    assert_true(plan_from_json(*state, printed, &again, &problems));
    json_auto_t *second = plan_to_json(again);
    json_object_del(printed, "estimated_ms");
    json_object_del(json_array_get(json_object_get(printed, "steps"), 0), "estimated_ms");
    assert_true(json_equal(printed, second));
}

static void every_fault_of_shape_is_a_problem_with_its_place(void **state)
{
    static const struct {
        const char *text, *problem;
    } cases[] = {
        { "7", "a plan must be an object with steps, or a list of steps" },
        { "{}", "/steps: must be a list of steps" },
        { "{\"steps\":{}}", "/steps: must be a list of steps" },
        { "{\"steps\":[],\"version\":3}",
          "/version: only the versions 1 and 2 of plans are known" },
        { "{\"steps\":[],\"goal\":1}", "/goal: must be text" },
        { "{\"steps\":[],\"vars\":[]}", "/vars: must be an object" },
        { "{\"steps\":[],\"gaol\":\"\"}", "/gaol: there is no member of that name" },
        { "[7]", "s1: a step must be an object" },
        { "[{\"args\":{}}]", "s1 /tool: a step needs a tool" },
        { "[{\"tool\":1}]", "s1 /tool: must be text" },
        { "[{\"tool\":\"t\",\"args\":[]}]", "s1 /args: must be an object" },
        { "[{\"tool\":\"t\",\"id\":\"vars\"}]", "s1 /id: not a name for a step" },
        { "[{\"tool\":\"t\",\"id\":\"a b\"}]", "s1 /id: not a name for a step" },
        { "[{\"tool\":\"t\",\"id\":1}]", "s1 /id: not a name for a step" },
        { "[{\"tool\":\"t\",\"id\":\"\"}]", "s1 /id: not a name for a step" },
        { "[{\"tool\":\"t\",\"needs\":\"s1\"}]", "s1 /needs: must be a list of step ids" },
        { "[{\"tool\":\"t\",\"needs\":[1]}]", "s1 /needs/0: must be a step's id" },
        { "[{\"tool\":\"t\",\"retry\":11}]", "s1 /retry: must be a whole number from 0 to 10" },
        { "[{\"tool\":\"t\",\"timeout_ms\":86400001}]",
          "s1 /timeout_ms: must be a whole number from 0 to 86400000" },
        { "[{\"tool\":\"t\",\"timeout_ms\":-1}]",
          "s1 /timeout_ms: must be a whole number from 0 to 86400000" },
        { "[{\"tool\":\"t\",\"on_error\":\"die\"}]",
          "s1 /on_error: \"die\" is neither stop nor continue" },
        { "[{\"tool\":\"t\",\"args\":{},\"argz\":{}}]",
          "s1 /argz: there is no member of that name" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct plan *plan = NULL;
        struct problems problems;
        assert_false(read(*state, cases[i].text, &plan, &problems));
        assert_int_equal(problems.n, 1);
        assert_string_equal(problem_print(&problems, &problems.list[0]), cases[i].problem);
        assert_null(plan);
    }
}

static void numbers_at_their_bounds_are_taken(void **state)
{
    struct plan *plan = NULL;
    struct problems problems;
    assert_true(
        read(*state, "[{\"tool\":\"t\",\"retry\":10,\"timeout_ms\":86400000}]", &plan, &problems));
    assert_int_equal(plan->steps[0].retry, PLAN_MAX_RETRY);
    assert_int_equal(plan->steps[0].timeout_ms, PLAN_MAX_TIMEOUT_MS);
}

static void a_step_id_may_have_64_letters_and_not_65(void **state)
{
    char text[200], id[66];
    struct plan *plan = NULL;
    struct problems problems;
    memset(id, 'i', sizeof id);
    id[64] = '\0';
    snprintf(text, sizeof text, "[{\"tool\":\"t\",\"id\":\"%s\"}]", id);
    assert_true(read(*state, text, &plan, &problems));
    id[64] = 'i';
    id[65] = '\0';
    snprintf(text, sizeof text, "[{\"tool\":\"t\",\"id\":\"%s\"}]", id);
    assert_false(read(*state, text, &plan, &problems));
}

static void a_mistyped_member_is_answered_with_the_nearest(void **state)
{
    struct plan *plan = NULL;
    struct problems problems;
    assert_false(read(*state, "[{\"tool\":\"t\",\"need\":[]},{\"tool\":\"t\",\"qqqqqq\":1}]", &plan,
                      &problems));
    assert_string_equal(problems.list[0].fix, "write \"needs\" instead");
    assert_string_equal(problems.list[1].fix, "remove it");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)
    const struct CMUnitTest tests[] = {
        T(the_object_of_the_manual_is_a_plan),
        T(the_seeds_array_of_tool_and_args_is_a_plan),
        T(a_plan_reads_back_as_it_was_printed),
        T(every_fault_of_shape_is_a_problem_with_its_place),
        T(numbers_at_their_bounds_are_taken),
        T(a_step_id_may_have_64_letters_and_not_65),
        T(a_mistyped_member_is_answered_with_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
