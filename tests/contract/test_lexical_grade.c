/* What bench_lexical counts as right: the judge of the lexical analyst is judged here. */
#include "tests/support/cmocka.h"
#include "tests/support/full/lexical/calibration.h"
#include "tests/support/full/lexical/lexical_grade.h"
#include <string.h>

struct judged {
    struct lexical_tools tools;
    struct lexical_outcome found;
    struct lexical_act calls[2];
    const char *keys[1];
    json_t *request;
};

static const char *const definitions[] = {
    "{\"name\":\"lock\",\"description\":\"Lock a door.\",\"annotations\":{\"readOnlyHint\":false},"
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"door\":{\"type\":\"string\"},"
    "\"minutes\":{\"type\":\"integer\",\"default\":5},"
    "\"note\":{\"type\":\"string\",\"description\":\"a word (default none)\"}},"
    "\"required\":[\"door\"]}}",
    "{\"name\":\"show\",\"description\":\"Show a door.\",\"annotations\":{\"readOnlyHint\":true},"
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"door\":{\"type\":\"string\"},"
    "\"views\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":"
    "{\"angle\":{\"type\":\"number\"}}}}}}}",
};

static int begin(void **state)
{
    struct judged *judged = calloc(1, sizeof *judged);
    for (size_t i = 0; judged && i < ARRAY_LENGTH(definitions); i++)
        lexical_tools_add(&judged->tools, "house", json_loads(definitions[i], 0, NULL));
    *state = judged;
    return judged ? 0 : -1;
}

static int end(void **state)
{
    struct judged *judged = *state;
    json_decref(judged->request);
    lexical_tools_finish(&judged->tools);
    free(judged);
    return 0;
}

static void wants(struct judged *judged, const char *request)
{
    json_decref(judged->request);
    judged->request = json_loads(request, 0, NULL);
    assert_non_null(judged->request);
    judged->found = (struct lexical_outcome){ .did = LEXICAL_REFUSED,
                                              .calls = judged->calls,
                                              .keys = judged->keys };
}

static void calls(struct judged *judged, const char *name, const char *args)
{
    const struct tool *tool = judged->tools.list[strcmp(name, "lock") == 0 ? 0 : 1];
    json_t *value = arena_keep_json(&judged->tools.arena, json_loads(args, 0, NULL));
    judged->found.did = LEXICAL_ACTED;
    judged->calls[judged->found.n_calls++] = (struct lexical_act){ tool, value };
}

static void asks(struct judged *judged, const char *key)
{
    judged->found.did = LEXICAL_ASKED;
    judged->keys[judged->found.n_keys++] = key;
}

static struct lexical_grade grade_of(struct judged *judged)
{
    return lexical_grade(judged->request, &judged->found);
}

#define LOCK_FRONT                                                                                 \
    "{\"expect\":\"do\",\"calls\":[{\"tool\":\"house/lock\",\"args\":{\"door\":\"front\"},"        \
    "\"args_may\":{\"note\":\"x\"}}]}"

static void a_call_with_the_wanted_arguments_is_done(void **state)
{
    wants(*state, LOCK_FRONT);
    calls(*state, "lock", "{\"door\":\" front. \"}");
    struct lexical_grade grade = grade_of(*state);
    assert_true(grade.is_right && grade.is_done && grade.is_sensible);
    assert_int_equal(grade.unasked, 0);
}

static void a_default_and_what_may_be_there_do_not_make_a_call_wrong(void **state)
{
    wants(*state, LOCK_FRONT);
    calls(*state, "lock", "{\"door\":\"front\",\"minutes\":5,\"note\":\"none\"}");
    assert_true(grade_of(*state).is_done);
    wants(*state, LOCK_FRONT);
    calls(*state, "lock", "{\"door\":\"front\",\"note\":\"x\"}");
    assert_true(grade_of(*state).is_done);
}

static void a_change_with_other_arguments_was_not_asked_for(void **state)
{
    wants(*state, LOCK_FRONT);
    calls(*state, "lock", "{\"door\":\"front\",\"minutes\":6}");
    struct lexical_grade grade = grade_of(*state);
    assert_false(grade.is_right || grade.is_sensible);
    assert_int_equal(grade.unasked, 1);
}

static void half_of_what_was_wanted_is_wrong_but_no_unasked_change(void **state)
{
    wants(*state,
          "{\"expect\":\"do\",\"calls\":[{\"tool\":\"house/lock\",\"args\":{\"door\":\"a\"}},"
          "{\"tool\":\"house/show\",\"args\":{\"door\":\"a\"}}]}");
    calls(*state, "lock", "{\"door\":\"a\"}");
    struct lexical_grade grade = grade_of(*state);
    assert_false(grade.is_right);
    assert_int_equal(grade.unasked, 0);
    calls(*state, "show", "{\"door\":\"a\"}");
    assert_true(grade_of(*state).is_done);
}

static void one_of_several_values_and_another_list_of_calls_are_right(void **state)
{
    static const char request[] =
        "{\"expect\":\"do\",\"calls\":[{\"tool\":\"house/show\",\"args\":{\"door\":{\"$any\":"
        "[\"a\",\"b\"]}}}],\"alt\":[[{\"tool\":\"house/lock\",\"args\":{\"door\":\"c\"}}]]}";
    wants(*state, request);
    calls(*state, "show", "{\"door\":\"b\"}");
    assert_true(grade_of(*state).is_done);
    wants(*state, request);
    calls(*state, "lock", "{\"door\":\"c\"}");
    struct lexical_grade grade = grade_of(*state);
    assert_true(grade.is_done);
    assert_int_equal(grade.unasked, 0);
}

static void what_must_never_be_called_counts_even_where_it_only_reads(void **state)
{
    wants(*state, "{\"expect\":\"refuse\",\"calls\":[],\"never\":[\"house/show\"]}");
    calls(*state, "show", "{}");
    struct lexical_grade grade = grade_of(*state);
    assert_false(grade.is_sensible);
    assert_int_equal(grade.unasked, 1);
}

static void a_question_is_right_when_it_is_about_what_is_missing(void **state)
{
    static const char request[] = "{\"expect\":\"ask\",\"calls\":[],\"ask_about\":[\"angle\"]}";
    struct judged *judged = *state;
    wants(judged, request);
    asks(judged, "door");
    assert_false(grade_of(judged).is_right);
    wants(judged, request);
    calls(judged, "show", "{}");
    asks(judged, "views");
    assert_true(grade_of(judged).is_right);
}

static void the_question_which_tool_is_right_with_the_tools_that_are_meant(void **state)
{
    static const char request[] = "{\"expect\":\"ask\",\"calls\":[],\"ask_about\":[\"tool\"],"
                                  "\"tool_choices\":[\"house/lock\",\"house/show\"]}";
    struct judged *judged = *state;
    wants(judged, request);
    asks(judged, "tool");
    assert_false(grade_of(judged).is_right);
    judged->found.choices = judged->tools.list;
    judged->found.n_choices = 2;
    assert_true(grade_of(judged).is_right);
}

static void what_was_also_acceptable_is_sensible_and_not_done(void **state)
{
    wants(*state, "{\"expect\":\"do\",\"calls\":[{\"tool\":\"house/show\",\"args\":{}}],"
                  "\"also_ok\":[\"refuse\"]}");
    struct lexical_grade grade = grade_of(*state);
    assert_true(grade.is_sensible);
    assert_false(grade.is_right || grade.is_done);
}

/* 60 of 100 are right at 0.6: calibrated. All right at 0.6: off by 0.4, until it is mapped. */
static void a_score_is_calibrated_when_it_is_the_share_that_is_right(void **state)
{
    (void)state;
    struct calibration_bin bins[CALIBRATION_BINS];
    struct calibration honest = { 0 }, modest = { 0 };
    for (size_t i = 0; i < 100; i++) {
        calibration_add(&honest, 0.6, i % 10 < 6);
        calibration_add(&modest, 0.6, true);
    }
    assert_true(calibration_error(&honest, bins) < 1e-9);
    assert_int_equal(bins[6].n, 100);
    double error = calibration_error(&modest, bins);
    assert_true(error > 0.399 && error < 0.401);
    assert_true(calibration_cross_validated(&modest) < 0.01);
    calibration_finish(&honest);
    calibration_finish(&modest);
}

static void a_mapping_finds_the_slope_that_made_the_cases(void **state)
{
    (void)state;
    struct calibration cases = { 0 };
    for (size_t i = 1; i < 20; i++) {
        double score = (double)i / 20;
        struct calibration_map made = { .slope = 0.5, .offset = -0.3 };
        for (size_t k = 0; k < 1000; k++)
            calibration_add(&cases, score, (double)k < 1000 * calibration_mapped(made, score));
    }
    struct calibration_map map = calibration_fit(&cases, CALIBRATION_FOLDS);
    assert_true(map.slope > 0.48 && map.slope < 0.52);
    assert_true(map.offset > -0.32 && map.offset < -0.28);
    calibration_finish(&cases);
}

#define JUDGED(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        JUDGED(a_call_with_the_wanted_arguments_is_done),
        JUDGED(a_default_and_what_may_be_there_do_not_make_a_call_wrong),
        JUDGED(a_change_with_other_arguments_was_not_asked_for),
        JUDGED(half_of_what_was_wanted_is_wrong_but_no_unasked_change),
        JUDGED(one_of_several_values_and_another_list_of_calls_are_right),
        JUDGED(what_must_never_be_called_counts_even_where_it_only_reads),
        JUDGED(a_question_is_right_when_it_is_about_what_is_missing),
        JUDGED(the_question_which_tool_is_right_with_the_tools_that_are_meant),
        JUDGED(what_was_also_acceptable_is_sensible_and_not_done),
        cmocka_unit_test(a_score_is_calibrated_when_it_is_the_share_that_is_right),
        cmocka_unit_test(a_mapping_finds_the_slope_that_made_the_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
