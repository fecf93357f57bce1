
#include "application/figure/plot/plot.h"
#include "application/figure/stages/figure.h"
#include "domain/base/json.h"
#include "domain/figure/stage_contract.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_renderer.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include "tests/support/plain_style.h"
#include <string.h>

#define SOURCE "The client sends a SYN to the server. The server answers with a SYN-ACK."
#define PLAN "{\"initial_description\":\"\\\"Client\\\" sends \\\"SYN\\\" to \\\"Server\\\".\"}"
#define STYLED                                                                                     \
    "{\"optimized_description\":\"\\\"Client\\\" sends \\\"SYN\\\" to \\\"Server\\\", left to "    \
    "right.\",\"style_actions\":[\"direction\"]}"
#define GRAPH                                                                                      \
    "{\"kind\":\"flow\",\"nodes\":[{\"id\":\"a\",\"label\":\"Client\"},{\"id\":\"b\",\"label\":"   \
    "\"Server\"}],\"edges\":[{\"from\":\"a\",\"to\":\"b\",\"label\":\"SYN\"}]}"
#define GRAPH_ANSWERED                                                                             \
    "{\"kind\":\"flow\",\"nodes\":[{\"id\":\"a\",\"label\":\"Client\"},{\"id\":\"b\",\"label\":"   \
    "\"Server\"}],\"edges\":[{\"from\":\"a\",\"to\":\"b\",\"label\":\"SYN\"},{\"from\":\"b\","     \
    "\"to\":\"a\",\"label\":\"Acknowledgement\"}]}"
#define GRAPH_INVENTED                                                                             \
    "{\"kind\":\"flow\",\"nodes\":[{\"id\":\"a\",\"label\":\"Client\"},{\"id\":\"b\",\"label\":"   \
    "\"Blockchain\"}],\"edges\":[{\"from\":\"a\",\"to\":\"b\",\"label\":\"SYN\"}]}"
#define CRITIC(suggestion, revised, stop, gate)                                                    \
    "{\"critic_suggestions\":\"" suggestion "\",\"revised_description\":\"" revised                \
    "\",\"stop_flag\":" stop ",\"quality_gate\":{\"faithfulness_ok\":" gate                        \
    ",\"readability_ok\":" gate "}}"
#define REVISED "\\\"Client\\\" sends \\\"SYN\\\" to \\\"Server\\\"; nothing else."
#define APPROVAL CRITIC("No changes needed.", REVISED, "true", "true")
#define WISH CRITIC("Say more.", REVISED, "false", "false")
#define GARBAGE "Looks good to me!"

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct fake_renderer renderer;
    struct run_session session;
    struct engine engine;
    struct figure figure;
    struct figure_style style;
    struct figure_reference pool[1];
    struct figure_input input;
    struct figure_result result;
    struct arena arena;
    struct err err;
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    b->runtime = immediate_runtime();
    fake_services_init(&b->services, &b->runtime.port, SOURCE_DIR);
    fake_renderer_init(&b->renderer);
    struct services *services = &b->services.base;
    b->session.services = services;
    b->session.arena = &b->arena;
    b->session.scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    journal_init(&b->session.journal, &b->runtime.port, b->services.runs_port, services->digest,
                 services->ids, true);
    journal_begin(&b->session.journal, "figure", NULL, "", NULL);
    b->style = plain_style;
    b->style.guide = "few colours";
    b->engine = (struct engine){ .model = b->services.model_port,
                                 .runtime = &b->runtime.port,
                                 .settings = services->settings,
                                 .journal = &b->session.journal };
    b->pool[0] = (struct figure_reference){
        .id = "dns", .summary = "a client asks a server", .domain = "net", .diagram_type = "flow"
    };
    b->input = (struct figure_input){ .source_context = SOURCE,
                                      .communicative_intent = "how it begins",
                                      .caption = "A client greets a server",
                                      .pool = b->pool,
                                      .n_pool = 1 };
    b->figure = (struct figure){ .session = &b->session,
                                 .engine = &b->engine,
                                 .model = "fake",
                                 .renderer = &b->renderer.base,
                                 .style = &b->style,
                                 .max_rounds = 3 };
    static const char *const chosen[] = { "dns" };
    b->figure.refs = chosen;
    b->figure.n_refs = 1;
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    fake_services_finish(&b->services);
    arena_finish(&b->arena);
    free(b);
    return 0;
}

static void says(struct bench *b, const char *const *replies, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fake_model_reply(&b->services.model, replies[i]);
}
#define SAYS(b, ...)                                                                               \
    says((b), (const char *const[]){ __VA_ARGS__ },                                                \
         ARRAY_LENGTH(((const char *const[]){ __VA_ARGS__ })))

static enum figure_end run(struct bench *b)
{
    assert_int_equal(figure_run(&b->figure, &b->input, &b->result, &b->err), ERR_NONE);
    return b->result.end;
}

static const char *notes(struct bench *b)
{
    const char *text = "";
    for (size_t i = 0; i < b->result.n_stages; i++)
        if (b->result.stages[i].note)
            text = arena_printf(&b->arena, "%s%s\n", text, b->result.stages[i].note);
    return text;
}

/* What holds for every figure, however it ended. */
static void assert_contracts_hold(struct bench *b)
{
    struct problems problems = { .arena = &b->arena };
    for (size_t i = 0; i < b->result.n_stages; i++)
        stage_contract_check(b->result.stages[i].stage, b->result.stages[i].input,
                             b->result.stages[i].output, &problems);
    json_auto_t *log = figure_round_log_to_json(&b->result.log);
    if (b->result.log.n_rounds)
        assert_true(round_log_check(log, 0, false, &problems).well_formed);
    for (size_t i = 0; i < problems.n; i++)
        if (!problems.list[i].rule || strcmp(problems.list[i].rule, "complete") != 0)
            fail_msg("%s", problem_print(&problems, &problems.list[i]));
    assert_string_equal(b->result.input.source_context, SOURCE);
}

static void is_approved_by_a_critic_that_passes_both_gates(void **state)
{
    struct bench *b = *state;
    SAYS(b, PLAN, STYLED, GRAPH, APPROVAL);
    assert_int_equal(run(b), FIGURE_END_APPROVED);
    assert_contracts_hold(b);
    assert_int_equal(b->result.log.n_rounds, 1);
    assert_true(b->result.log.terminated_early);
    assert_string_equal(b->result.log.rounds[0].artifact.value, "round_0.svg");
    assert_false(b->result.manual_review_required);
    assert_string_equal(b->result.stages[1].model, "fake");
}

static void goes_on_with_the_revised_description_until_there_are_no_rounds_left(void **state)
{
    struct bench *b = *state;
    b->figure.max_rounds = 2;
    SAYS(b, PLAN, STYLED, GRAPH, WISH, GRAPH,
         CRITIC("More.", "Another description of SYN.", "false", "true"));
    assert_int_equal(run(b), FIGURE_END_MAX_ROUNDS);
    assert_contracts_hold(b);
    assert_string_equal(b->result.log.rounds[1].description_t,
                        b->result.log.rounds[0].critique.revised_description);
    assert_false(b->result.log.terminated_early);
    assert_int_equal(b->result.best, 1);
    assert_true(b->result.manual_review_required);
}

static void takes_no_garbage_for_approval_and_stops_after_two_rounds_of_it(void **state)
{
    struct bench *b = *state;
    SAYS(b, PLAN, STYLED, GRAPH, GARBAGE, GARBAGE, GARBAGE, GRAPH, GARBAGE, GARBAGE, GARBAGE);
    assert_int_equal(run(b), FIGURE_END_CRITIC_LOST);
    assert_contracts_hold(b);
    assert_int_equal(b->result.log.n_rounds, 2);
    assert_string_equal(b->result.log.termination_reason, "critic_lost");
    assert_false(b->result.log.rounds[0].critique.reviewed);
    assert_false(b->result.log.rounds[0].critique.stop_flag);
    assert_false(b->result.log.rounds[0].critique.faithfulness_ok);
    assert_false(b->result.log.rounds[0].critique.readability_ok);
    assert_true(b->result.manual_review_required);
    assert_non_null(strstr(notes(b), "this is no approval"));
}

static void passes_on_what_a_critic_says_beyond_its_contract(void **state)
{
    struct bench *b = *state;
    SAYS(b, PLAN, STYLED, GRAPH,
         "{\"critic_suggestions\":\"None.\",\"revised_description\":\"" REVISED
         "\",\"stop_flag\":true,\"quality_gate\":{\"faithfulness_ok\":true,"
         "\"readability_ok\":true},\"mood\":\"fine\"}");
    assert_int_equal(run(b), FIGURE_END_APPROVED);
    const json_t *output = b->result.stages[b->result.n_stages - 1].output;
    assert_string_equal(json_get_string(output, "mood"), "fine");
}

#define UNSAID(suggestion, member, stop, gate)                                                     \
    "{\"critic_suggestions\":\"" suggestion "\"," member "\"stop_flag\":" stop                     \
    ",\"quality_gate\":{\"faithfulness_ok\":" gate ",\"readability_ok\":true}}"

static void takes_blanks_for_no_answer(void **state)
{
    struct bench *b = *state;
    b->figure.max_rounds = 1;
    SAYS(b, PLAN, STYLED, GRAPH, CRITIC("  \\n", REVISED, "true", "true"), APPROVAL);
    assert_int_equal(run(b), FIGURE_END_APPROVED);
    assert_contracts_hold(b);
    assert_int_equal(b->result.model_calls, 5);
}

static void takes_a_description_that_is_not_repeated_for_unchanged(void **state)
{
    struct bench *b = *state;
    static const char *const approvals[] = {
        UNSAID("Fine.", "", "true", "true"),
        UNSAID("Fine.", "\"revised_description\":\"\",", "true", "true"),
        UNSAID("Fine.", "\"revised_description\":null,", "true", "true"),
    };
    for (size_t i = 0; i < ARRAY_LENGTH(approvals); i++) {
        SAYS(b, PLAN, STYLED, GRAPH, approvals[i]);
        assert_int_equal(run(b), FIGURE_END_APPROVED);
        assert_contracts_hold(b);
        assert_int_equal(b->result.model_calls, 4);
        assert_string_equal(b->result.log.rounds[0].critique.revised_description,
                            b->result.log.rounds[0].description_t);
    }
}

static void asks_again_for_a_description_where_a_gate_is_closed(void **state)
{
    struct bench *b = *state;
    SAYS(b, PLAN, STYLED, GRAPH, UNSAID("The answer is missing.", "", "false", "false"), WISH,
         GRAPH, APPROVAL);
    assert_int_equal(run(b), FIGURE_END_APPROVED);
    assert_contracts_hold(b);
    assert_non_null(strstr(b->services.model.requests[4].user,
                           "Write the whole description with what has to change"));
}

static void prefers_a_round_that_a_critic_approved_to_one_that_none_read(void **state)
{
    struct bench *b = *state;
    b->figure.max_rounds = 2;
    SAYS(b, PLAN, STYLED, GRAPH, GARBAGE, GARBAGE, GARBAGE, GRAPH, APPROVAL);
    assert_int_equal(run(b), FIGURE_END_APPROVED);
    assert_int_equal(b->result.best, 1);
    assert_false(b->result.manual_review_required);
}

static void shows_the_round_that_was_approved_whatever_the_checks_say_of_another(void **state)
{
    struct bench *b = *state;
    b->figure.max_rounds = 2;
    SAYS(b, PLAN, STYLED, GRAPH, CRITIC("Draw the answer.", REVISED, "false", "true"),
         GRAPH_ANSWERED, APPROVAL);
    assert_int_equal(run(b), FIGURE_END_APPROVED);
    assert_true(b->result.log.rounds[1].n_findings > b->result.log.rounds[0].n_findings);
    assert_int_equal(b->result.best, 1);
}

static void is_less_sure_of_few_references_whoever_chose_them(void **state)
{
    struct bench *b = *state;
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
    run(b);
    assert_string_equal(b->result.retrieval_confidence, "low");
    assert_non_null(strstr(notes(b), "--refs names only 4"));
    b->figure.n_refs = 5;
    run(b);
    assert_string_equal(b->result.retrieval_confidence, "high");
}

static void shows_the_planner_no_more_references_than_the_settings_say(void **state)
{
    struct bench *b = *state;
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
    assert_int_equal(run(b), FIGURE_END_APPROVED);
    assert_int_equal(
        json_array_size(json_object_get(b->result.stages[1].input, "retrieved_examples")), 2);
    tool_index_destroy(b->figure.index);
}

static void ignores_a_stop_while_a_gate_is_false(void **state)
{
    struct bench *b = *state;
    b->figure.max_rounds = 1;
    SAYS(b, PLAN, STYLED, GRAPH, CRITIC("Fine.", REVISED, "true", "false"));
    assert_int_equal(run(b), FIGURE_END_MAX_ROUNDS);
    assert_contracts_hold(b);
    assert_false(b->result.log.rounds[0].critique.stop_flag);
    assert_non_null(strstr(notes(b), "stop_flag ignored: gate failed"));
}

static void lets_a_critical_finding_stand_against_the_critic(void **state)
{
    struct bench *b = *state;
    SAYS(b, PLAN, STYLED, GRAPH_INVENTED, APPROVAL, GRAPH, APPROVAL);
    assert_int_equal(run(b), FIGURE_END_APPROVED);
    assert_contracts_hold(b);
    assert_false(b->result.log.rounds[0].critique.faithfulness_ok);
    assert_int_equal(b->result.best, 1);
}

static void stops_when_the_description_comes_back_unchanged_twice(void **state)
{
    struct bench *b = *state;
    SAYS(b, PLAN, STYLED, GRAPH, WISH, GRAPH, WISH, GRAPH, WISH);
    b->figure.max_rounds = 5;
    assert_int_equal(run(b), FIGURE_END_NO_PROGRESS);
    assert_contracts_hold(b);
    assert_int_equal(b->result.log.n_rounds, 3);
}

static void keeps_the_best_round_when_a_later_one_cannot_be_drawn(void **state)
{
    struct bench *b = *state;
    b->renderer.fails = ERR_FAILED;
    b->renderer.fails_from = 1;
    SAYS(b, PLAN, STYLED, GRAPH, WISH, GRAPH);
    assert_int_equal(run(b), FIGURE_END_RENDER_LOST);
    assert_contracts_hold(b);
    assert_int_equal(b->result.best, 0);
    assert_int_equal(b->result.log.rounds[1].artifact.type, FIGURE_ARTIFACT_IMAGE_PROMPT);
}

static void tells_the_figure_in_words_where_nothing_draws(void **state)
{
    struct bench *b = *state;
    b->renderer.available = ERR_NOT_FOUND;
    b->figure.max_rounds = 1;
    SAYS(b, PLAN, STYLED, GRAPH, APPROVAL);
    assert_int_equal(run(b), FIGURE_END_MAX_ROUNDS);
    assert_contracts_hold(b);
    const struct figure_round *round = &b->result.log.rounds[0];
    assert_false(round->rendered);
    assert_non_null(strstr(round->artifact.value, "Not drawn: there is no such program"));
    assert_non_null(strstr(round->artifact.value, "\"Client\""));
}

static void ends_when_the_planner_gives_no_plan(void **state)
{
    struct bench *b = *state;
    SAYS(b, GARBAGE, GARBAGE, GARBAGE);
    assert_int_equal(run(b), FIGURE_END_STAGE_FAILED);
    assert_int_equal(b->result.err.code, ERR_FAILED);
    assert_int_equal(b->result.log.n_rounds, 0);
    assert_true(b->result.manual_review_required);
}

static void passes_the_plan_through_when_the_stylist_loses_names(void **state)
{
    struct bench *b = *state;
    const char *lost = "{\"optimized_description\":\"Two boxes.\",\"style_actions\":[]}";
    SAYS(b, PLAN, lost, lost, lost, GRAPH, APPROVAL);
    assert_int_equal(run(b), FIGURE_END_APPROVED);
    assert_contracts_hold(b);
    assert_non_null(strstr(b->result.log.rounds[0].description_t, "SYN"));
    assert_non_null(strstr(notes(b), "the plan goes on unchanged"));
}

static void ends_with_what_is_there_when_the_endpoint_is_gone(void **state)
{
    struct bench *b = *state;
    SAYS(b, PLAN, STYLED, GRAPH); /* the script is over: unavailable */
    assert_int_equal(run(b), FIGURE_END_STAGE_FAILED);
    assert_contracts_hold(b);
    assert_int_equal(b->result.err.code, ERR_UNAVAILABLE);
    assert_int_equal(b->result.log.n_rounds, 1);
    assert_false(b->result.log.rounds[0].critique.reviewed);
}

static void does_all_of_it_by_rules_without_a_model(void **state)
{
    struct bench *b = *state;
    b->figure.engine = NULL;
    b->figure.model = NULL;
    assert_int_equal(run(b), FIGURE_END_CHECKED);
    assert_contracts_hold(b);
    assert_int_equal(b->result.log.n_rounds, 1);
    assert_false(b->result.log.rounds[0].critique.reviewed);
    assert_true(b->result.manual_review_required);
    for (size_t i = 0; i < b->result.n_stages; i++)
        assert_true(b->result.stages[i].by_rules);
}

static void takes_a_graph_whose_labels_have_the_number_of_the_figure_in_front(void **state)
{
    struct bench *b = *state;
    const char *numbered =
        "{\"kind\":\"flow\",\"nodes\":[{\"id\":\"a\",\"label\":\"Figure 1: Client\"},"
        "{\"id\":\"b\",\"label\":\"Server\"}],\"edges\":[{\"from\":\"a\",\"to\":"
        "\"b\",\"label\":\"SYN\"}]}";
    SAYS(b, PLAN, STYLED, numbered, APPROVAL);
    assert_int_equal(run(b), FIGURE_END_APPROVED);
    json_auto_t *drawn = json_share(b->result.log.rounds[0].drawn);
    const json_t *node = json_array_get(json_object_get(drawn, "nodes"), 0);
    assert_string_equal(json_get_string(node, "label"), "Client");
}

static void draws_nothing_by_rules_that_they_do_not_understand(void **state)
{
    struct bench *b = *state;
    b->figure.engine = NULL;
    b->input.source_context = "Rain is wet. Snow is cold.";
    assert_int_equal(run(b), FIGURE_END_STAGE_FAILED);
    assert_int_equal(b->result.err.code, ERR_FAILED);
    assert_non_null(strstr(b->result.err.hint, "--as-list"));
    b->figure.as_list = true;
    assert_int_equal(run(b), FIGURE_END_CHECKED);
    assert_non_null(strstr(notes(b), "the sentences of the text stand in their order"));
}

static void draws_nothing_where_model_and_rules_made_no_graph(void **state)
{
    struct bench *b = *state;
    const char *plan = "{\"initial_description\":\"Rain is wet. Snow is cold.\"}";
    b->input.source_context = "Rain is wet. Snow is cold.";
    b->input.caption = "Rain and snow";
    b->figure.max_rounds = 1;
    SAYS(b, plan, "no", "no", "no", "no", "no", "no", WISH);
    assert_int_equal(run(b), FIGURE_END_MAX_ROUNDS);
    assert_false(b->result.log.rounds[0].rendered);
    assert_non_null(strstr(b->result.log.rounds[0].artifact.value, "no graph was made of it"));
}

static void says_that_a_small_pool_and_an_ambiguous_caption_leave_it_uncertain(void **state)
{
    struct bench *b = *state;
    b->figure.engine = NULL;
    b->input.caption = "כיצד זה מתחיל?";
    run(b);
    assert_string_equal(b->result.retrieval_confidence, "low");
    const char *block = json_get_string(b->result.stages[1].output, "assumption_block");
    assert_non_null(
        strstr(block, "The caption asks instead of saying; the figure shows \"Client\""));
    assert_non_null(strstr(block, "Uncertain"));
    assert_string_equal(b->result.input.caption, "כיצד זה מתחיל?");
}

static void words_what_a_planner_leaves_open_of_a_vague_caption(void **state)
{
    struct bench *b = *state;
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
        assert_int_equal(run(b), FIGURE_END_APPROVED);
        assert_contracts_hold(b);
        assert_int_equal(b->result.model_calls, 4);
        assert_non_null(
            strstr(json_get_string(b->result.stages[1].output, "assumption_block"),
                   "The caption names nothing of the text; the figure shows \"Client\", \"SYN\", "
                   "\"Server\" (intent: how it begins)."));
        assert_non_null(strstr(notes(b), "the assumption is mistro's own"));
    }
}

static void leaves_what_a_planner_assumes_as_it_is(void **state)
{
    struct bench *b = *state;
    b->input.caption = "Overview";
    SAYS(b,
         "{\"initial_description\":\"\\\"Client\\\" sends \\\"SYN\\\".\","
         "\"assumption_block\":\"The beginning is meant.\"}",
         STYLED, GRAPH, APPROVAL);
    run(b);
    const char *block = json_get_string(b->result.stages[1].output, "assumption_block");
    assert_memory_equal(block, "The beginning is meant. Uncertain", 33);
    assert_non_null(strstr(b->services.model.requests[3].user, "Assumptions: The beginning"));
}

static void repeats_no_round_that_rules_would_make_the_same_again(void **state)
{
    struct bench *b = *state;
    b->figure.engine = NULL;
    b->renderer.available = ERR_NOT_FOUND;
    assert_int_equal(run(b), FIGURE_END_NO_PROGRESS);
    assert_contracts_hold(b);
    assert_int_equal(b->result.log.n_rounds, 1);
    assert_true(b->result.log.terminated_early);
    assert_string_equal(b->result.log.termination_reason, "no_progress");
}

static void tells_a_graph_that_is_too_large_in_words(void **state)
{
    struct bench *b = *state;
    b->services.settings.figure_max_nodes = 1;
    b->figure.engine = NULL;
    assert_int_equal(run(b), FIGURE_END_NO_PROGRESS);
    assert_contracts_hold(b);
    assert_int_equal(b->renderer.n_calls, 0);
    assert_non_null(strstr(b->result.log.rounds[0].artifact.value, "too many for a picture"));
}

/* A scatter plot of so many rows, by rules. */
static const struct figure_artifact *plot(struct bench *b, size_t n_rows)
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
    (void)run(b);
    assert_contracts_hold(b);
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
    struct bench *b = *state;
    b->figure.can_see = true;
    SAYS(b, PLAN, STYLED, GRAPH, APPROVAL);
    assert_int_equal(run(b), FIGURE_END_APPROVED);
    const struct fake_request *asked = b->services.model.requests;
    assert_int_equal(b->services.model.n_requests, 4);
    assert_null(asked[2].image);
    assert_non_null(asked[3].image);
    assert_memory_equal(asked[3].image, "iVBORw0KGgo", 11);
}

static void keeps_the_picture_from_a_critic_that_is_blind(void **state)
{
    struct bench *b = *state;
    SAYS(b, PLAN, STYLED, GRAPH, APPROVAL);
    assert_int_equal(run(b), FIGURE_END_APPROVED);
    assert_null(b->services.model.requests[3].image);
}

static const char *note_of_the_critic(const struct bench *b)
{
    return b->result.stages[b->result.n_stages - 1].note;
}

static void shows_no_picture_that_is_too_large_and_says_so(void **state)
{
    struct bench *b = *state;
    b->figure.can_see = true;
    b->renderer.png = arena_alloc(&b->arena, FIGURE_MAX_SEEN_BYTES + 1);
    b->renderer.png_length = FIGURE_MAX_SEEN_BYTES;
    SAYS(b, PLAN, STYLED, GRAPH, APPROVAL);
    run(b);
    assert_non_null(b->services.model.requests[3].image);
    assert_null(note_of_the_critic(b));
    b->renderer.png_length++;
    SAYS(b, PLAN, STYLED, GRAPH, APPROVAL);
    run(b);
    assert_null(b->services.model.requests[7].image);
    assert_string_equal(note_of_the_critic(b), "the picture is too large to be shown to the model");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(is_approved_by_a_critic_that_passes_both_gates),
        TEST(goes_on_with_the_revised_description_until_there_are_no_rounds_left),
        TEST(takes_no_garbage_for_approval_and_stops_after_two_rounds_of_it),
        TEST(passes_on_what_a_critic_says_beyond_its_contract),
        TEST(takes_blanks_for_no_answer),
        TEST(takes_a_description_that_is_not_repeated_for_unchanged),
        TEST(asks_again_for_a_description_where_a_gate_is_closed),
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
        TEST(words_what_a_planner_leaves_open_of_a_vague_caption),
        TEST(leaves_what_a_planner_assumes_as_it_is),
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
