
#include "application/figure/plot/plot.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/unit/application/figure/stages/figure_stages.h"
#include <string.h>

static void is_approved_by_a_critic_that_passes_both_gates(void **state)
{
    struct figure_stages *b = *state;
    SAYS(b, PLAN, STYLED, GRAPH, APPROVAL);
    assert_int_equal(figure_stages_run(b), FIGURE_END_APPROVED);
    figure_stages_assert_contracts(b);
    assert_int_equal(b->result.log.n_rounds, 1);
    assert_true(b->result.log.terminated_early);
    assert_string_equal(b->result.log.rounds[0].artifact.value, "round_0.svg");
    assert_false(b->result.manual_review_required);
    assert_string_equal(b->result.stages[1].model, "fake");
}

static void goes_on_with_the_revised_description_until_there_are_no_rounds_left(void **state)
{
    struct figure_stages *b = *state;
    b->figure.max_rounds = 2;
    SAYS(b, PLAN, STYLED, GRAPH, WISH, GRAPH,
         CRITIC("More.", "Another description of SYN.", "false", "true"));
    assert_int_equal(figure_stages_run(b), FIGURE_END_MAX_ROUNDS);
    figure_stages_assert_contracts(b);
    assert_string_equal(b->result.log.rounds[1].description_t,
                        b->result.log.rounds[0].critique.revised_description);
    assert_false(b->result.log.terminated_early);
    assert_int_equal(b->result.best, 1);
    assert_true(b->result.manual_review_required);
}

static void takes_no_garbage_for_approval_and_stops_after_two_rounds_of_it(void **state)
{
    struct figure_stages *b = *state;
    SAYS(b, PLAN, STYLED, GRAPH, GARBAGE, GARBAGE, GARBAGE, GRAPH, GARBAGE, GARBAGE, GARBAGE);
    assert_int_equal(figure_stages_run(b), FIGURE_END_CRITIC_LOST);
    figure_stages_assert_contracts(b);
    assert_int_equal(b->result.log.n_rounds, 2);
    assert_string_equal(b->result.log.termination_reason, "critic_lost");
    assert_false(b->result.log.rounds[0].critique.reviewed);
    assert_false(b->result.log.rounds[0].critique.stop_flag);
    assert_false(b->result.log.rounds[0].critique.faithfulness_ok);
    assert_false(b->result.log.rounds[0].critique.readability_ok);
    assert_true(b->result.manual_review_required);
    assert_non_null(strstr(figure_stages_notes(b), "this is no approval"));
}

static void passes_on_what_a_critic_says_beyond_its_contract(void **state)
{
    struct figure_stages *b = *state;
    SAYS(b, PLAN, STYLED, GRAPH,
         "{\"critic_suggestions\":\"None.\",\"revised_description\":\"" REVISED
         "\",\"stop_flag\":true,\"quality_gate\":{\"faithfulness_ok\":true,"
         "\"readability_ok\":true},\"mood\":\"fine\"}");
    assert_int_equal(figure_stages_run(b), FIGURE_END_APPROVED);
    const json_t *output = b->result.stages[b->result.n_stages - 1].output;
    assert_string_equal(json_get_string(output, "mood"), "fine");
}

static void prefers_a_round_that_a_critic_approved_to_one_that_none_read(void **state)
{
    struct figure_stages *b = *state;
    b->figure.max_rounds = 2;
    SAYS(b, PLAN, STYLED, GRAPH, GARBAGE, GARBAGE, GARBAGE, GRAPH, APPROVAL);
    assert_int_equal(figure_stages_run(b), FIGURE_END_APPROVED);
    assert_int_equal(b->result.best, 1);
    assert_false(b->result.manual_review_required);
}

static void shows_the_round_that_was_approved_whatever_the_checks_say_of_another(void **state)
{
    struct figure_stages *b = *state;
    b->figure.max_rounds = 2;
    SAYS(b, PLAN, STYLED, GRAPH, CRITIC("Draw the answer.", REVISED, "false", "true"),
         GRAPH_ANSWERED, APPROVAL);
    assert_int_equal(figure_stages_run(b), FIGURE_END_APPROVED);
    assert_true(b->result.log.rounds[1].n_findings > b->result.log.rounds[0].n_findings);
    assert_int_equal(b->result.best, 1);
}

static void is_less_sure_of_few_references_whoever_chose_them(void **state)
{
    struct figure_stages *b = *state;
    struct figure_reference pool[6];
    static const char *const ids[] = { "dns", "tcp", "tls", "ntp", "arp", "bgp" };
    for (size_t i = 0; i < 6; i++)
        pool[i] = (struct figure_reference){ ids[i], "a client asks a server", "net", "flow", NULL,
                                             NULL };
    b->input.pool = pool;
    b->input.n_pool = 6;
    b->figure.refs = ids;
    b->figure.n_refs = 4;
    b->figure.engine = NULL;
    figure_stages_run(b);
    assert_string_equal(b->result.retrieval_confidence, "low");
    assert_non_null(strstr(figure_stages_notes(b), "--refs names only 4"));
    b->figure.n_refs = 5;
    figure_stages_run(b);
    assert_string_equal(b->result.retrieval_confidence, "high");
}

static void shows_the_planner_no_more_references_than_the_settings_say(void **state)
{
    struct figure_stages *b = *state;
    struct figure_reference pool[3];
    static const char *const ids[] = { "dns", "tcp", "tls" };
    for (size_t i = 0; i < 3; i++)
        pool[i] = (struct figure_reference){ ids[i], "a client asks a server", "net", "flow", NULL,
                                             NULL };
    b->input.pool = pool;
    b->input.n_pool = 3;
    b->services.settings.figure_references = 2;
    b->figure.n_refs = 0;
    b->figure.index = fake_index_create();
    SAYS(b,
         "{\"top_refs\":[\"tls\",\"dns\",\"tcp\"],\"selection_rationale\":\"near\","
         "\"retrieval_confidence\":\"high\"}",
         PLAN, STYLED, GRAPH, APPROVAL);
    assert_int_equal(figure_stages_run(b), FIGURE_END_APPROVED);
    assert_int_equal(
        json_array_size(json_object_get(b->result.stages[1].input, "retrieved_examples")), 2);
    tool_index_destroy(b->figure.index);
}

static void ignores_a_stop_while_a_gate_is_false(void **state)
{
    struct figure_stages *b = *state;
    b->figure.max_rounds = 1;
    SAYS(b, PLAN, STYLED, GRAPH, CRITIC("Fine.", REVISED, "true", "false"));
    assert_int_equal(figure_stages_run(b), FIGURE_END_MAX_ROUNDS);
    figure_stages_assert_contracts(b);
    assert_false(b->result.log.rounds[0].critique.stop_flag);
    assert_non_null(strstr(figure_stages_notes(b), "stop_flag ignored: gate failed"));
}

static void lets_a_critical_finding_stand_against_the_critic(void **state)
{
    struct figure_stages *b = *state;
    SAYS(b, PLAN, STYLED, GRAPH_INVENTED, APPROVAL, GRAPH, APPROVAL);
    assert_int_equal(figure_stages_run(b), FIGURE_END_APPROVED);
    figure_stages_assert_contracts(b);
    assert_false(b->result.log.rounds[0].critique.faithfulness_ok);
    assert_int_equal(b->result.best, 1);
}

static void stops_when_the_description_comes_back_unchanged_twice(void **state)
{
    struct figure_stages *b = *state;
    SAYS(b, PLAN, STYLED, GRAPH, WISH, GRAPH, WISH, GRAPH, WISH);
    b->figure.max_rounds = 5;
    assert_int_equal(figure_stages_run(b), FIGURE_END_NO_PROGRESS);
    figure_stages_assert_contracts(b);
    assert_int_equal(b->result.log.n_rounds, 3);
}

static void keeps_the_best_round_when_a_later_one_cannot_be_drawn(void **state)
{
    struct figure_stages *b = *state;
    b->renderer.fails = ERR_FAILED;
    b->renderer.fails_from = 1;
    SAYS(b, PLAN, STYLED, GRAPH, WISH, GRAPH);
    assert_int_equal(figure_stages_run(b), FIGURE_END_RENDER_LOST);
    figure_stages_assert_contracts(b);
    assert_int_equal(b->result.best, 0);
    assert_int_equal(b->result.log.rounds[1].artifact.type, FIGURE_ARTIFACT_IMAGE_PROMPT);
}

static void tells_the_figure_in_words_where_nothing_draws(void **state)
{
    struct figure_stages *b = *state;
    b->renderer.available = ERR_NOT_FOUND;
    b->figure.max_rounds = 1;
    SAYS(b, PLAN, STYLED, GRAPH, APPROVAL);
    assert_int_equal(figure_stages_run(b), FIGURE_END_MAX_ROUNDS);
    figure_stages_assert_contracts(b);
    const struct figure_round *round = &b->result.log.rounds[0];
    assert_false(round->rendered);
    assert_non_null(strstr(round->artifact.value, "Not drawn: there is no such program"));
    assert_non_null(strstr(round->artifact.value, "\"Client\""));
}

static void ends_when_the_planner_gives_no_plan(void **state)
{
    struct figure_stages *b = *state;
    SAYS(b, GARBAGE, GARBAGE, GARBAGE);
    assert_int_equal(figure_stages_run(b), FIGURE_END_STAGE_FAILED);
    assert_int_equal(b->result.err.code, ERR_FAILED);
    assert_int_equal(b->result.log.n_rounds, 0);
    assert_true(b->result.manual_review_required);
}

static void passes_the_plan_through_when_the_stylist_loses_names(void **state)
{
    struct figure_stages *b = *state;
    const char *lost = "{\"optimized_description\":\"Two boxes.\",\"style_actions\":[]}";
    SAYS(b, PLAN, lost, lost, lost, GRAPH, APPROVAL);
    assert_int_equal(figure_stages_run(b), FIGURE_END_APPROVED);
    figure_stages_assert_contracts(b);
    assert_non_null(strstr(b->result.log.rounds[0].description_t, "SYN"));
    assert_non_null(strstr(figure_stages_notes(b), "the plan goes on unchanged"));
}

static void ends_with_what_is_there_when_the_endpoint_is_gone(void **state)
{
    struct figure_stages *b = *state;
    SAYS(b, PLAN, STYLED, GRAPH); /* the script is over: unavailable */
    assert_int_equal(figure_stages_run(b), FIGURE_END_STAGE_FAILED);
    figure_stages_assert_contracts(b);
    assert_int_equal(b->result.err.code, ERR_UNAVAILABLE);
    assert_int_equal(b->result.log.n_rounds, 1);
    assert_false(b->result.log.rounds[0].critique.reviewed);
}

static void does_all_of_it_by_rules_without_a_model(void **state)
{
    struct figure_stages *b = *state;
    b->figure.engine = NULL;
    b->figure.model = NULL;
    assert_int_equal(figure_stages_run(b), FIGURE_END_CHECKED);
    figure_stages_assert_contracts(b);
    assert_int_equal(b->result.log.n_rounds, 1);
    assert_false(b->result.log.rounds[0].critique.reviewed);
    assert_true(b->result.manual_review_required);
    for (size_t i = 0; i < b->result.n_stages; i++)
        assert_true(b->result.stages[i].by_rules);
}

static void takes_a_graph_whose_labels_have_the_number_of_the_figure_in_front(void **state)
{
    struct figure_stages *b = *state;
    const char *numbered =
        "{\"kind\":\"flow\",\"nodes\":[{\"id\":\"a\",\"label\":\"Figure 1: Client\"},"
        "{\"id\":\"b\",\"label\":\"Server\"}],\"edges\":[{\"from\":\"a\",\"to\":"
        "\"b\",\"label\":\"SYN\"}]}";
    SAYS(b, PLAN, STYLED, numbered, APPROVAL);
    assert_int_equal(figure_stages_run(b), FIGURE_END_APPROVED);
    json_auto_t *drawn = json_share(b->result.log.rounds[0].drawn);
    const json_t *node = json_array_get(json_object_get(drawn, "nodes"), 0);
    assert_string_equal(json_get_string(node, "label"), "Client");
}

static void draws_nothing_by_rules_that_they_do_not_understand(void **state)
{
    struct figure_stages *b = *state;
    b->figure.engine = NULL;
    b->input.source_context = "Rain is wet. Snow is cold.";
    assert_int_equal(figure_stages_run(b), FIGURE_END_STAGE_FAILED);
    assert_int_equal(b->result.err.code, ERR_FAILED);
    assert_non_null(strstr(b->result.err.hint, "--as-list"));
    b->figure.as_list = true;
    assert_int_equal(figure_stages_run(b), FIGURE_END_CHECKED);
    assert_non_null(
        strstr(figure_stages_notes(b), "the sentences of the text stand in their order"));
}

static void draws_nothing_where_model_and_rules_made_no_graph(void **state)
{
    struct figure_stages *b = *state;
    const char *plan = "{\"initial_description\":\"Rain is wet. Snow is cold.\"}";
    b->input.source_context = "Rain is wet. Snow is cold.";
    b->input.caption = "Rain and snow";
    b->figure.max_rounds = 1;
    SAYS(b, plan, "no", "no", "no", "no", "no", "no", WISH);
    assert_int_equal(figure_stages_run(b), FIGURE_END_MAX_ROUNDS);
    assert_false(b->result.log.rounds[0].rendered);
    assert_non_null(strstr(b->result.log.rounds[0].artifact.value, "no graph was made of it"));
}

static void says_that_a_small_pool_and_an_ambiguous_caption_leave_it_uncertain(void **state)
{
    struct figure_stages *b = *state;
    b->figure.engine = NULL;
    b->input.caption = "כיצד זה מתחיל?";
    figure_stages_run(b);
    assert_string_equal(b->result.retrieval_confidence, "low");
    const char *block = json_get_string(b->result.stages[1].output, "assumption_block");
    assert_non_null(
        strstr(block, "The caption asks instead of saying; the figure shows \"Client\""));
    assert_non_null(strstr(block, "Uncertain"));
    assert_string_equal(b->result.input.caption, "כיצד זה מתחיל?");
}

static void repeats_no_round_that_rules_would_make_the_same_again(void **state)
{
    struct figure_stages *b = *state;
    b->figure.engine = NULL;
    b->renderer.available = ERR_NOT_FOUND;
    assert_int_equal(figure_stages_run(b), FIGURE_END_NO_PROGRESS);
    figure_stages_assert_contracts(b);
    assert_int_equal(b->result.log.n_rounds, 1);
    assert_true(b->result.log.terminated_early);
    assert_string_equal(b->result.log.termination_reason, "no_progress");
}

static void tells_a_graph_that_is_too_large_in_words(void **state)
{
    struct figure_stages *b = *state;
    b->services.settings.figure_max_nodes = 1;
    b->figure.engine = NULL;
    assert_int_equal(figure_stages_run(b), FIGURE_END_NO_PROGRESS);
    figure_stages_assert_contracts(b);
    assert_int_equal(b->renderer.n_calls, 0);
    assert_non_null(strstr(b->result.log.rounds[0].artifact.value, "too many for a picture"));
}

/* A scatter plot of so many rows, by rules. */
static const struct figure_artifact *plot(struct figure_stages *b, size_t n_rows)
{
    struct plot_data *data = arena_new(&b->arena, struct plot_data);
    AUTO(buf) table;
    buf_init(&table, SIZE_MAX);
    assert_true(buf_puts(&table, "height,weight\n"));
    for (size_t i = 0; i < n_rows; i++)
        assert_true(buf_printf(&table, "%zu.5,%zu.25\n", i, n_rows - i));
    assert_int_equal(plot_table_from_text(&b->arena, table.bytes, table.length, table.length,
                                          "people.csv", data, NULL),
                     ERR_NONE);
    b->figure.engine = NULL;
    b->figure.data = data;
    b->input.mode = FIGURE_MODE_PLOT_CODE;
    b->input.caption = "Weight over height";
    (void)figure_stages_run(b);
    figure_stages_assert_contracts(b);
    return &b->result.log.rounds[b->result.best].artifact;
}

static void draws_a_plot_as_a_script(void **state)
{
    const struct figure_artifact *artifact = plot(*state, 100);
    assert_int_equal(artifact->type, FIGURE_ARTIFACT_CODE_TEXT);
    assert_non_null(strstr(artifact->value, "99.5"));
}

static void tells_a_plot_in_words_whose_script_would_be_too_long(void **state)
{
    const struct figure_artifact *artifact = plot(*state, 20000);
    assert_int_equal(artifact->type, FIGURE_ARTIFACT_IMAGE_PROMPT);
    assert_non_null(strstr(artifact->value, "more than 262144: add the rows up, or take a sample"));
    assert_non_null(strstr(artifact->value, "\"weight\": number"));
}

static void shows_the_picture_to_a_critic_that_sees(void **state)
{
    struct figure_stages *b = *state;
    b->figure.can_see = true;
    SAYS(b, PLAN, STYLED, GRAPH, APPROVAL);
    assert_int_equal(figure_stages_run(b), FIGURE_END_APPROVED);
    const struct fake_request *asked = b->services.model.requests;
    assert_int_equal(b->services.model.n_requests, 4);
    assert_null(asked[2].image);
    assert_non_null(asked[3].image);
    assert_memory_equal(asked[3].image, "iVBORw0KGgo", 11);
}

static void keeps_the_picture_from_a_critic_that_is_blind(void **state)
{
    struct figure_stages *b = *state;
    SAYS(b, PLAN, STYLED, GRAPH, APPROVAL);
    assert_int_equal(figure_stages_run(b), FIGURE_END_APPROVED);
    assert_null(b->services.model.requests[3].image);
}

static const char *note_of_the_critic(const struct figure_stages *b)
{
    return b->result.stages[b->result.n_stages - 1].note;
}

static void shows_no_picture_that_is_too_large_and_says_so(void **state)
{
    struct figure_stages *b = *state;
    b->figure.can_see = true;
    b->renderer.png = arena_alloc(&b->arena, FIGURE_MAX_SEEN_BYTES + 1);
    b->renderer.png_length = FIGURE_MAX_SEEN_BYTES;
    SAYS(b, PLAN, STYLED, GRAPH, APPROVAL);
    figure_stages_run(b);
    assert_non_null(b->services.model.requests[3].image);
    assert_null(note_of_the_critic(b));
    b->renderer.png_length++;
    SAYS(b, PLAN, STYLED, GRAPH, APPROVAL);
    figure_stages_run(b);
    assert_null(b->services.model.requests[7].image);
    assert_string_equal(note_of_the_critic(b), "the picture is too large to be shown to the model");
}

#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, figure_stages_set_up, figure_stages_tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(is_approved_by_a_critic_that_passes_both_gates),
        TEST(goes_on_with_the_revised_description_until_there_are_no_rounds_left),
        TEST(takes_no_garbage_for_approval_and_stops_after_two_rounds_of_it),
        TEST(passes_on_what_a_critic_says_beyond_its_contract),
        TEST(prefers_a_round_that_a_critic_approved_to_one_that_none_read),
        TEST(shows_the_round_that_was_approved_whatever_the_checks_say_of_another),
        TEST(is_less_sure_of_few_references_whoever_chose_them),
        TEST(shows_the_planner_no_more_references_than_the_settings_say),
        TEST(ignores_a_stop_while_a_gate_is_false),
        TEST(lets_a_critical_finding_stand_against_the_critic),
        TEST(stops_when_the_description_comes_back_unchanged_twice),
        TEST(keeps_the_best_round_when_a_later_one_cannot_be_drawn),
        TEST(tells_the_figure_in_words_where_nothing_draws),
        TEST(ends_when_the_planner_gives_no_plan),
        TEST(passes_the_plan_through_when_the_stylist_loses_names),
        TEST(ends_with_what_is_there_when_the_endpoint_is_gone),
        TEST(does_all_of_it_by_rules_without_a_model),
        TEST(takes_a_graph_whose_labels_have_the_number_of_the_figure_in_front),
        TEST(draws_nothing_by_rules_that_they_do_not_understand),
        TEST(draws_nothing_where_model_and_rules_made_no_graph),
        TEST(says_that_a_small_pool_and_an_ambiguous_caption_leave_it_uncertain),
        TEST(repeats_no_round_that_rules_would_make_the_same_again),
        TEST(tells_a_graph_that_is_too_large_in_words),
        TEST(draws_a_plot_as_a_script),
        TEST(tells_a_plot_in_words_whose_script_would_be_too_long),
        TEST(shows_the_picture_to_a_critic_that_sees),
        TEST(keeps_the_picture_from_a_critic_that_is_blind),
        TEST(shows_no_picture_that_is_too_large_and_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
