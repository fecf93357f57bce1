/* Plans with blocks and used plans: where each step stands, and how it is found. In the texts `
 * stands for a double quote. */
#include "domain/base/json.h"
#include "domain/plan/plan_check.h"
#include "tests/support/cmocka.h"
#include <string.h>

struct fixture {
    struct arena arena;
    struct plan *plan;
    struct problems problems;
    bool is_read;
};

static int open_fixture(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .is_read = false };
    *state = &f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    arena_finish(&f->arena);
    return 0;
}

static struct plan *read_plan(struct fixture *f, const char *text)
{
    json_t *value = NULL;
    char *quoted = arena_strdup(&f->arena, text);
    for (char *at = quoted; (at = strchr(at, '`')); at++)
        *at = '"';
    if (json_parse(quoted, strlen(quoted), JSON_OURS, &value, NULL))
        fail_msg("%s is no JSON", quoted);
    f->problems = (struct problems){ .arena = &f->arena };
    f->plan = plan_read(&f->arena, arena_keep_json(&f->arena, value), &f->problems, &f->is_read);
    return f->plan;
}

#define TOOL(id) "{`id`:`" id "`,`tool`:`a/b`}"

/* before, outer(one, inner(deep), two), after | end */
static const char nested[] =
    "{`version`:2,`steps`:[" TOOL("before") ",{`id`:`outer`,`steps`:[" TOOL(
        "one") ",{`id`:`inner`,`each`:[1],`steps`:["
               "{`tool`:`a/b`}]}," TOOL("two") "]}," TOOL("after") "],"
                                                                   "`finally`:[" TOOL("end") "]}";

/* a, u -> u.yml: a, b(c), v -> v.yml: a | end ; z */
static const char used[] = "{`version`:2,`steps`:[" TOOL("a") ",{`id`:`u`,`use`:`u.yml`}," TOOL(
    "z") "],`used`:{"
         "`u.yml`:{`version`:2,`steps`:[" TOOL(
             "a") ",{`id`:`b`,`steps`:[{`tool`:`a/b`}]},"
                  "{`id`:`v`,`use`:`sub/v.yml`}],`finally`:[" TOOL(
                      "end") "]},"
                             "`sub/v.yml`:{`version`:2,`steps`:[" TOOL("a") "]}}}";

struct expected {
    const char *id;
    size_t body_of, unit, end;
    const char *at;
};

static void stand_so(const struct plan *plan, const struct expected *expected, size_t n)
{
    assert_int_equal(plan->n_steps, n);
    for (size_t i = 0; i < n; i++) {
        const struct step *step = &plan->steps[i];
        assert_string_equal(step->id, expected[i].id);
        assert_int_equal(step->body_of, expected[i].body_of);
        assert_int_equal(step->unit, expected[i].unit);
        assert_int_equal(step->end, expected[i].end);
        assert_string_equal(step->at, expected[i].at);
    }
}

static void steps_of_a_block_stand_behind_it(void **state)
{
    static const struct expected expected[] = {
        { "before", 0, 0, 1, "/steps/0" },
        { "outer", 0, 0, 6, "/steps/1" },
        { "one", 2, 0, 3, "/steps/1/steps/0" },
        { "inner", 2, 0, 5, "/steps/1/steps/1" },
        { "s5", 4, 0, 5, "/steps/1/steps/1/steps/0" },
        { "two", 2, 0, 6, "/steps/1/steps/2" },
        { "after", 0, 0, 7, "/steps/2" },
        { "end", 0, 0, 8, "/finally/0" },
    };
    struct fixture *f = *state;
    const struct plan *plan = read_plan(f, nested);
    assert_true(f->is_read);
    stand_so(plan, expected, ARRAY_LENGTH(expected));
    for (size_t i = 0; i < plan->n_steps; i++)
        assert_int_equal(plan->steps[i].is_finally, i == 7);
}

static void steps_of_a_used_plan_are_numbered_and_placed_in_its_own_file(void **state)
{
    static const struct expected expected[] = {
        { "a", 0, 0, 1, "/steps/0" },
        { "u", 0, 0, 8, "/steps/1" },
        { "a", 2, 2, 3, "/used/u.yml/steps/0" },
        { "b", 2, 2, 5, "/used/u.yml/steps/1" },
        { "s3", 4, 2, 5, "/used/u.yml/steps/1/steps/0" },
        { "v", 2, 2, 7, "/used/u.yml/steps/2" },
        { "a", 6, 6, 7, "/used/sub~1v.yml/steps/0" },
        { "end", 2, 2, 8, "/used/u.yml/finally/0" },
        { "z", 0, 0, 9, "/steps/2" },
    };
    struct fixture *f = *state;
    const struct plan *plan = read_plan(f, used);
    if (f->problems.n)
        fail_msg("%s", problem_print(&f->problems, &f->problems.list[0]));
    stand_so(plan, expected, ARRAY_LENGTH(expected));
}

static void ids_are_found_in_their_own_file(void **state)
{
    struct fixture *f = *state;
    const struct plan *plan = read_plan(f, used);
    assert_int_equal(plan_find_step(plan, "a"), 0);
    assert_int_equal(plan_find_step_of(plan, 2, "a"), 2);
    assert_int_equal(plan_find_step_of(plan, 6, "a"), 6);
    assert_int_equal(plan_find_step(plan, "b"), -1);
    assert_int_equal(plan_find_step(plan, "s3"), -1);
    assert_int_equal(plan_find_step_of(plan, 2, "s3"), 4);
    assert_int_equal(plan_find_step_of(plan, 2, "z"), -1);
}

static void an_address_leads_through_blocks_loops_and_files(void **state)
{
    struct fixture *f = *state;
    const struct plan *plan = read_plan(f, nested);
    assert_int_equal(plan_step_at(plan, "outer.inner[17].s5"), 4);
    assert_int_equal(plan_step_at(plan, "outer.two"), 5);
    assert_int_equal(plan_step_at(plan, "outer.nothing"), -1);
    assert_int_equal(plan_step_at(plan, ""), -1);
    plan = read_plan(f, used);
    assert_int_equal(plan_step_at(plan, "u.a"), 2);
    assert_int_equal(plan_step_at(plan, "u.b.s3"), 4);
    assert_int_equal(plan_step_at(plan, "u.v.a"), 6);
    assert_int_equal(plan_step_at(plan, "u.z"), -1);
    assert_int_equal(plan_step_at(plan, "u[3].v[0].a"), 6);
}

static void an_id_in_an_address_has_sixty_four_bytes_and_not_one_more(void **state)
{
    struct fixture *f = *state;
    char id[PLAN_STEP_ID_MAX + 2];
    memset(id, 'x', sizeof id - 1);
    id[PLAN_STEP_ID_MAX] = '\0';
    const struct plan *plan = read_plan(
        f, arena_printf(&f->arena, "{`version`:2,`steps`:[{`id`:`%s`,`tool`:`a/b`}]}", id));
    assert_true(f->is_read);
    assert_int_equal(plan_step_at(plan, id), 0);
    id[PLAN_STEP_ID_MAX] = 'x';
    id[PLAN_STEP_ID_MAX + 1] = '\0';
    assert_int_equal(plan_step_at(plan, id), -1);
}

static void a_used_file_lies_below_the_folder_of_the_plan_that_names_it(void **state)
{
    static const struct {
        const char *from, *said, *file;
    } cases[] = {
        { NULL, "a.yml", "a.yml" },
        { NULL, "./a//b/./c.yml", "a/b/c.yml" },
        { "x/y.yml", "a.yml", "x/a.yml" },
        { "x/y/z.yml", "./b/a.yml", "x/y/b/a.yml" },
        { "y.yml", "a.yml", "a.yml" },
        { NULL, "..a/b..yml", "..a/b..yml" },
        { NULL, "../a.yml", NULL },
        { "x/y.yml", "../a.yml", NULL },
        { NULL, "a/../b.yml", NULL },
        { NULL, "a/..", NULL },
        { NULL, "/a.yml", NULL },
        { NULL, "a\\b.yml", NULL },
        { NULL, "a/", NULL },
        { NULL, ".", NULL },
        { NULL, "", NULL },
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        const char *file = plan_use_file(&f->arena, cases[i].from, cases[i].said);
        if ((file == NULL) != (cases[i].file == NULL) || (file && strcmp(file, cases[i].file) != 0))
            fail_msg("%s is %s", cases[i].said, file ? file : "no file");
    }
}

static void the_path_of_a_used_file_has_1024_bytes_and_not_one_more(void **state)
{
    struct fixture *f = *state;
    char *said = arena_alloc(&f->arena, 1026);
    memset(said, 'x', 1025);
    said[1025] = '\0';
    assert_null(plan_use_file(&f->arena, NULL, said));
    assert_non_null(plan_use_file(&f->arena, NULL, said + 1));
    assert_null(plan_use_file(&f->arena, "f/a.yml", said + 1));
    assert_non_null(plan_use_file(&f->arena, "f/a.yml", said + 2));
}

static void an_approve_guards_its_list_up_to_the_next_one(void **state)
{
    struct fixture *f = *state;
    const struct plan *plan = read_plan(
        f, "{`version`:2,`steps`:[{`id`:`yes`,`approve`:{`text`:`?`}},"
           "{`id`:`block`,`steps`:[" TOOL("in") ",{`id`:`inner`,`approve`:{`text`:`?`}}," TOOL(
               "last") "]}," TOOL("more") ",{`id`:`again`,`approve`:{`text`:`?`}}],`finally`:"
                                          "[" TOOL("end") "]}");
    assert_true(f->is_read);
    assert_int_equal(plan_guarded_end(plan, 0), 6);
    assert_int_equal(plan_guarded_end(plan, 3), 5);
    assert_int_equal(plan_guarded_end(plan, 6), 7);
    assert_true(plan_step_is_in(plan, 4, 1));
    assert_false(plan_step_is_in(plan, 1, 1));
    assert_false(plan_step_is_in(plan, 5, 1));
}

static void needs(struct fixture *f, size_t later, const char *expected)
{
    bool list[16] = { false };
    char text[17] = "";
    memset(list, true, sizeof list); /* it clears the others */
    plan_step_needs(&f->arena, f->plan, later, list);
    for (size_t i = 0; i < f->plan->n_steps; i++)
        text[i] = list[i] ? 'x' : '-';
    text[f->plan->n_steps] = '\0';
    assert_string_equal(text, expected);
}

static void a_block_waits_for_what_its_steps_refer_to_outside_of_it(void **state)
{
    struct fixture *f = *state;
    read_plan(f, "{`version`:2,`steps`:[" TOOL("a") "," TOOL("b") "," TOOL(
                     "c") ","
                          "{`id`:`block`,`when`:`{a.x} > 1`,`steps`:["
                          "{`id`:`d`,`tool`:`a/b`,`args`:{`x`:`{b.x}`}},"
                          "{`id`:`e`,`tool`:`a/b`,`args`:{`x`:`{d.x}`}}]},"
                          "{`id`:`f`,`each`:`{block.list}`,`tool`:`a/b`,`args`:{`x`:`{item}`}},"
                          "{`id`:`g`,`needs`:[`f`],`tool`:`a/b`}]}");
    assert_true(f->is_read);
    needs(f, 0, "--------");
    needs(f, 3, "xx------");
    needs(f, 4, "-x------");
    needs(f, 5, "----x---");
    needs(f, 6, "---x----");
    needs(f, 7, "------x-");
}

static void a_used_plan_waits_for_what_it_is_given(void **state)
{
    struct fixture *f = *state;
    read_plan(
        f, "{`version`:2,`steps`:[" TOOL("a") "," TOOL(
               "b") ","
                    "{`id`:`u`,`use`:`u.yml`,`with`:{`x`:`{b.x}`}}],`used`:{`u.yml`:{`version`:2,"
                    "`inputs`:{`x`:{}},`steps`:[" TOOL("a") ",{`id`:`c`,`tool`:`a/b`,`args`:{"
                                                            "`x`:`{a.x} {inputs.x}`}}]}}}");
    assert_true(f->is_read);
    needs(f, 2, "-x---");
    needs(f, 3, "-----");
    needs(f, 4, "---x-");
}

static void faults_in_a_block_are_told_at_their_place_and_step(void **state)
{
    struct fixture *f = *state;
    read_plan(
        f, "{`version`:2,`steps`:[{`id`:`b`,`steps`:[" TOOL("a") ",{`id`:`c`,`tool`:`a/b`,"
                                                                 "`retry`:11}]}," TOOL("d") "]}");
    assert_false(f->is_read);
    assert_int_equal(f->problems.n, 1);
    assert_string_equal(f->problems.list[0].step, "c");
    assert_string_equal(f->problems.list[0].at, "/steps/0/steps/1/retry");
    assert_int_equal(f->plan->n_steps, 4);
}

static void a_used_plan_that_is_not_there_or_uses_itself_is_a_problem_and_ends(void **state)
{
    struct fixture *f = *state;
    read_plan(f, "{`version`:2,`steps`:[{`use`:`a.yml`},{`use`:`b.yml`},{`use`:`c.yml`}],`used`:{"
                 "`a.yml`:{`version`:2,`steps`:[{`use`:`a.yml`}]},`b.yml`:`b.yml: gone`}}");
    assert_false(f->is_read);
    assert_int_equal(f->problems.n, 3);
    assert_string_equal(f->problems.list[0].message, "the plan a.yml uses itself");
    assert_string_equal(f->problems.list[0].at, "/used/a.yml/steps/0/use");
    assert_string_equal(f->problems.list[1].message, "b.yml: gone");
    assert_string_equal(f->problems.list[2].message, "the plan c.yml is not there");
}

static void plans_use_each_other_eight_levels_deep_and_not_nine(void **state)
{
    struct fixture *f = *state;
    for (int depth = PLAN_MAX_USE_DEPTH; depth <= PLAN_MAX_USE_DEPTH + 1; depth++) {
        const char *text = "{`version`:2,`steps`:[{`use`:`f1`}],`used`:{";
        for (int i = 1; i < depth; i++)
            text = arena_printf(&f->arena, "%s`f%d`:{`version`:2,`steps`:[{`use`:`f%d`}]},", text,
                                i, i + 1);
        read_plan(f, arena_printf(&f->arena, "%s`f%d`:{`version`:2,`steps`:[%s]}}}", text, depth,
                                  TOOL("last")));
        assert_int_equal(f->is_read, depth == PLAN_MAX_USE_DEPTH);
    }
}

static void a_model_is_allowed_by_that_word_alone(void **state)
{
    struct fixture *f = *state;
    read_plan(f, "{`version`:2,`model`:`allowed`,`steps`:[" TOOL("a") "]}");
    assert_true(f->is_read && f->plan->may_ask);
    read_plan(f, "{`version`:2,`model`:``,`steps`:[" TOOL("a") "]}");
    assert_false(f->is_read || f->plan->may_ask);
    read_plan(f, "{`version`:2,`model`:true,`steps`:[" TOOL("a") "]}");
    assert_int_equal(f->problems.n, 1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        T(steps_of_a_block_stand_behind_it),
        T(steps_of_a_used_plan_are_numbered_and_placed_in_its_own_file),
        T(ids_are_found_in_their_own_file),
        T(an_address_leads_through_blocks_loops_and_files),
        T(an_id_in_an_address_has_sixty_four_bytes_and_not_one_more),
        T(a_used_file_lies_below_the_folder_of_the_plan_that_names_it),
        T(the_path_of_a_used_file_has_1024_bytes_and_not_one_more),
        T(an_approve_guards_its_list_up_to_the_next_one),
        T(a_block_waits_for_what_its_steps_refer_to_outside_of_it),
        T(a_used_plan_waits_for_what_it_is_given),
        T(faults_in_a_block_are_told_at_their_place_and_step),
        T(a_used_plan_that_is_not_there_or_uses_itself_is_a_problem_and_ends),
        T(plans_use_each_other_eight_levels_deep_and_not_nine),
        T(a_model_is_allowed_by_that_word_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
