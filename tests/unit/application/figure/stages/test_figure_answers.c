/* What a Planner or a Critic may leave open, and what is made of it. */
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/unit/application/figure/stages/figure_stages.h"
#include <string.h>

#define UNSAID(suggestion, member, stop, gate)                                                     \
    "{\"critic_suggestions\":\"" suggestion "\"," member "\"stop_flag\":" stop                     \
    ",\"quality_gate\":{\"faithfulness_ok\":" gate ",\"readability_ok\":true}}"

static void takes_blanks_for_no_answer(void **state)
{
    struct figure_stages *b = *state;
    b->figure.max_rounds = 1;
    SAYS(b, PLAN, STYLED, GRAPH, CRITIC("  \\n", REVISED, "true", "true"), APPROVAL);
    assert_int_equal(figure_stages_run(b), FIGURE_END_APPROVED);
    figure_stages_assert_contracts(b);
    assert_int_equal(b->result.model_calls, 5);
}

static void takes_a_description_that_is_not_repeated_for_unchanged(void **state)
{
    struct figure_stages *b = *state;
    static const char *const approvals[] = {
        UNSAID("Fine.", "", "true", "true"),
        UNSAID("Fine.", "\"revised_description\":\"\",", "true", "true"),
        UNSAID("Fine.", "\"revised_description\":null,", "true", "true"),
    };
    for (size_t i = 0; i < ARRAY_LENGTH(approvals); i++) {
        SAYS(b, PLAN, STYLED, GRAPH, approvals[i]);
        assert_int_equal(figure_stages_run(b), FIGURE_END_APPROVED);
        figure_stages_assert_contracts(b);
        assert_int_equal(b->result.model_calls, 4);
        assert_string_equal(b->result.log.rounds[0].critique.revised_description,
                            b->result.log.rounds[0].description_t);
    }
}

static void asks_again_for_a_description_where_a_gate_is_closed(void **state)
{
    struct figure_stages *b = *state;
    SAYS(b, PLAN, STYLED, GRAPH, UNSAID("The answer is missing.", "", "false", "false"), WISH,
         GRAPH, APPROVAL);
    assert_int_equal(figure_stages_run(b), FIGURE_END_APPROVED);
    figure_stages_assert_contracts(b);
    assert_non_null(strstr(b->services.model.requests[4].user,
                           "Write the whole description with what has to change"));
}

static void words_what_a_planner_leaves_open_of_a_vague_caption(void **state)
{
    struct figure_stages *b = *state;
    static const char *const plans[] = {
        PLAN,
        "{\"initial_description\":\"\\\"Client\\\" sends \\\"SYN\\\" to \\\"Server\\\".\","
        "\"assumption_block\":\" \"}",
        "{\"initial_description\":\"\\\"Client\\\" sends \\\"SYN\\\" to \\\"Server\\\".\","
        "\"assumption_block\":null}",
    };
    b->input.caption = "Overview";
    for (size_t i = 0; i < ARRAY_LENGTH(plans); i++) {
        SAYS(b, plans[i], STYLED, GRAPH, APPROVAL);
        assert_int_equal(figure_stages_run(b), FIGURE_END_APPROVED);
        figure_stages_assert_contracts(b);
        assert_int_equal(b->result.model_calls, 4);
        assert_non_null(
            strstr(json_get_string(b->result.stages[1].output, "assumption_block"),
                   "The caption names nothing of the text; the figure shows \"Client\", \"SYN\", "
                   "\"Server\" (intent: how it begins)."));
        assert_non_null(strstr(figure_stages_notes(b), "the assumption is mistro's own"));
    }
}

static void leaves_what_a_planner_assumes_as_it_is(void **state)
{
    struct figure_stages *b = *state;
    b->input.caption = "Overview";
    SAYS(b,
         "{\"initial_description\":\"\\\"Client\\\" sends \\\"SYN\\\".\","
         "\"assumption_block\":\"The beginning is meant.\"}",
         STYLED, GRAPH, APPROVAL);
    figure_stages_run(b);
    const char *block = json_get_string(b->result.stages[1].output, "assumption_block");
    assert_memory_equal(block, "The beginning is meant. Uncertain", 33);
    assert_non_null(strstr(b->services.model.requests[3].user, "Assumptions: The beginning"));
}

#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, figure_stages_set_up, figure_stages_tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(takes_blanks_for_no_answer),
        TEST(takes_a_description_that_is_not_repeated_for_unchanged),
        TEST(asks_again_for_a_description_where_a_gate_is_closed),
        TEST(words_what_a_planner_leaves_open_of_a_vague_caption),
        TEST(leaves_what_a_planner_assumes_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
