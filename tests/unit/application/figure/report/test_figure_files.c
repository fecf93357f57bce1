/* What a figure leaves: the files, the scorecard, the page, the JSON of the command. */
#include "domain/base/json.h"
#include "domain/figure/stage_contract.h"
#include "tests/support/cmocka.h"
#include "tests/unit/application/figure/report/figure_made.h"
#include <stdlib.h>
#include <string.h>

static const char *page_of(struct figure_made *made)
{
    return find_file(made, FIGURE_INDEX)->bytes;
}

static int64_t score_of(struct figure_made *made, const char *dimension, const char **out_severity)
{
    const json_t *card = arena_keep_json(&made->arena, figure_scorecard(&made->result));
    const json_t *one = json_object_get(card, dimension);
    *out_severity = json_get_string(one, "severity");
    return json_get_int(one, "score", -1);
}

static void leaves_the_files_of_every_stage_and_round(void **state)
{
    struct figure_made *made = *state;
    static const char *const names[] = {
        "01_input.json",     "02_retriever.json", "03_planner.json", "05_round_log.json",
        "stages.json",       "round_0.svg",       "round_0.png",     "round_0.graph.json",
        "round_0.dot",       "round_1.svg",       "figure.svg",      "figure.png",
        "figure.graph.json", "figure.dot",        "figure.mmd",      "figure.drawio",
        "scorecard.json",    "scorecard.md",      "index.html",
    };

    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        assert_non_null(find_file(made, names[i]));

    assert_null(find_file(made, "04_stylist.json"));
    assert_null(find_file(made, "round_0.pdf"));
    assert_ptr_equal(find_file(made, "figure.svg")->bytes, made->pictures[1].bytes[PICTURE_SVG]);
}

static void its_log_and_outputs_keep_their_contracts(void **state)
{
    struct figure_made *made = *state;
    struct problems problems = { .arena = &made->arena };

    struct round_log_verdict verdict =
        round_log_check(read_file(made, "05_round_log.json"), 0, false, &problems);
    bool planner =
        stage_contract_check(STAGE_PLANNER, NULL, read_file(made, "03_planner.json"), &problems);

    assert_true(verdict.complete);
    assert_true(planner);
    assert_int_equal(problems.n, 0);
    assert_string_equal(json_get_string(read_file(made, "01_input.json"), "mode"), "diagram_image");
}

static void code_and_prompts_are_files_as_well(void **state)
{
    struct figure_made *made = *state;
    made->result.input.mode = made->result.log.mode = FIGURE_MODE_PLOT_CODE;
    made->rounds[0].artifact = (struct figure_artifact){ FIGURE_ARTIFACT_CODE_TEXT, "plot()" };
    made->rounds[1].artifact = (struct figure_artifact){ FIGURE_ARTIFACT_IMAGE_PROMPT, "a bar" };
    made->result.pictures = NULL;

    assert_string_equal(find_file(made, "round_0.py")->bytes, "plot()");
    assert_string_equal(find_file(made, "round_1.txt")->bytes, "a bar");
    assert_non_null(find_file(made, "round_0.plot.json"));
    assert_null(find_file(made, "round_0.graph.json"));
    assert_null(find_file(made, "figure.svg"));
    assert_non_null(strstr(page_of(made), ">plot()</pre>"));
}

/* A plot without a picture, of so many rows. */
static const char *page_of_plot(struct figure_made *made, const char *spec, int n_rows)
{
    static struct plot_column columns[] = { { "day", false }, { "rain_mm", true } };
    struct plot_data *data = arena_new(&made->arena, struct plot_data);
    json_t *rows = arena_keep_json(&made->arena, json_array());
    for (int i = 0; i < n_rows; i++)
        json_array_append_new(rows, json_pack("[s, f]", i ? "2026-01-02" : "<b>", i + 0.25));
    *data = (struct plot_data){ columns, 2, (size_t)n_rows, rows, "rain.csv" };
    made->result.input.mode = made->result.log.mode = FIGURE_MODE_PLOT_CODE;
    made->result.data = data;
    for (size_t i = 0; i < 2; i++) {
        made->rounds[i].drawn = parsed(&made->arena, spec);
        made->rounds[i].artifact = (struct figure_artifact){ FIGURE_ARTIFACT_CODE_TEXT, "plot()" };
    }
    return page_of(made);
}

static void a_plot_without_a_picture_has_a_table_of_its_first_values(void **state)
{
    struct figure_made *made = *state;
    made->result.pictures = NULL;

    const char *page =
        page_of_plot(made, "{\"mark\":\"line\",\"x\":\"day\",\"y\":\"rain_mm\"}", 30);

    assert_non_null(strstr(page, "<code>python3-matplotlib</code>"));
    assert_non_null(strstr(page, "Rain (mm)</th>"));
    assert_non_null(strstr(page, "&lt;b&gt;</td>\n<td class=\"number\">0.25</td>"));
    assert_non_null(strstr(page, "<td class=\"number\">19.25</td>"));
    assert_null(strstr(page, "<td class=\"number\">20.25</td>"));
    assert_non_null(strstr(page, "The first 20 of 30 values."));
}

static void the_table_of_a_histogram_has_its_bins(void **state)
{
    struct figure_made *made = *state;
    made->result.pictures = NULL;

    const char *page = page_of_plot(made, "{\"mark\":\"histogram\",\"x\":\"rain_mm\"}", 3);

    assert_non_null(strstr(page, "0 – 0.5</td>\n<td class=\"number\">1</td>"));
    assert_non_null(strstr(page, "Count</th>"));
}

static void a_plot_with_a_picture_needs_no_table(void **state)
{
    struct figure_made *made = *state;

    const char *page =
        page_of_plot(made, "{\"mark\":\"line\",\"x\":\"day\",\"y\":\"rain_mm\"}", 30);

    assert_null(strstr(page, "python3-matplotlib"));
    assert_non_null(strstr(page, "<img "));
}

static void an_approved_figure_is_ready(void **state)
{
    struct figure_made *made = *state;
    const char *severity;

    assert_true(figure_is_ready(&made->result));
    assert_int_equal(score_of(made, "faithfulness", &severity), 100);
    assert_string_equal(severity, "none");
    assert_int_equal(score_of(made, "conciseness", &severity), 100);
    assert_int_equal(score_of(made, "readability", &severity), 100);
    assert_int_equal(score_of(made, "aesthetics", &severity), 90);
}

static void a_critical_finding_and_a_closed_gate_cost_and_say_why(void **state)
{
    struct figure_made *made = *state;
    const char *severity;
    made->result.best = 0;

    assert_int_equal(score_of(made, "faithfulness", &severity), 30);

    assert_string_equal(severity, "critical");
    assert_false(figure_is_ready(&made->result));
    const json_t *issues = json_object_get(
        json_object_get(read_file(made, "scorecard.json"), "faithfulness"), "issues");
    assert_string_equal(json_string_value(json_array_get(issues, 0)), "\"ACK\" was lost");
    assert_string_equal(json_string_value(json_array_get(issues, 1)),
                        "the critic's gate is closed");
}

static void the_page_shows_the_figure_and_below_it_what_a_person_has_to_look_at(void **state)
{
    struct figure_made *made = *state;
    made->result.manual_review_required = true;
    made->result.unresolved = "an arrow is missing\n";
    made->stages[1].output = parsed(&made->arena, "{\"initial_description\":\"A\","
                                                  "\"assumption_block\":\"only <one> arrow\"}");
    for (made->result.log.n_rounds = 1; made->result.log.n_rounds < 3;
         made->result.log.n_rounds++) {
        made->result.best = 0;
        const char *page = page_of(made);
        const char *figure = strstr(page, "<figure><a href=\"figure.svg\"><img alt=\"An &lt;b&gt;");
        const char *box = strstr(page, "an arrow is missing");
        assert_non_null(figure);
        assert_true(box > figure && box < strstr(page, "Round 0"));
        assert_non_null(strstr(page, "only &lt;one&gt; arrow"));
    }
}

static void what_no_critic_read_is_not_ready(void **state)
{
    struct figure_made *made = *state;
    const char *severity;
    made->rounds[1].critique.reviewed = false;
    made->rounds[1].findings = &crowded;
    made->rounds[1].n_findings = 1;

    assert_int_equal(score_of(made, "readability", &severity), 67);

    assert_string_equal(severity, "major");
    assert_false(figure_is_ready(&made->result));
    assert_non_null(strstr(page_of(made), "this is no approval"));
}

static void a_large_graph_and_an_odd_shape_cost(void **state)
{
    struct figure_made *made = *state;
    const char *severity;
    static const char wide[] =
        "<svg width=\"2000pt\" height=\"100pt\" xmlns=\"http://www.w3.org/2000/svg\"/>";
    json_t *nodes = json_array();
    for (int i = 0; i < 40; i++)
        json_array_append_new(
            nodes, json_pack("{s:s, s:s}", "id", "n", "label",
                             "a label of far more than forty-eight bytes, by any count"));
    made->rounds[1].drawn =
        arena_keep_json(&made->arena, json_pack("{s:o, s:[]}", "nodes", nodes, "edges"));
    made->pictures[1].bytes[PICTURE_SVG] = wide;
    made->pictures[1].lengths[PICTURE_SVG] = sizeof wide - 1;

    assert_int_equal(score_of(made, "conciseness", &severity), 20);
    assert_string_equal(severity, "critical");
    assert_int_equal(score_of(made, "aesthetics", &severity), 65);
}

static void a_stage_that_failed_after_a_round_is_on_the_page(void **state)
{
    struct figure_made *made = *state;
    made->result.end = FIGURE_END_STAGE_FAILED;
    err_set(&made->result.err, ERR_FAILED, 0, "critic: no answer");
    made->result.manual_review_required = true;
    made->result.unresolved = "the critic <gave> nothing\n";

    assert_non_null(strstr(page_of(made), "critic: no answer"));
    assert_non_null(
        strstr(find_file(made, "scorecard.md")->bytes, "- the critic \\<gave\\> nothing"));
}

static void a_figure_without_a_round_has_no_score(void **state)
{
    struct figure_made *made = *state;
    made->result.log.n_rounds = 0;
    json_auto_t *card = figure_scorecard(&made->result);
    assert_int_equal(json_get_int(json_object_get(card, "faithfulness"), "score", -1), 0);
}

static void every_text_on_the_page_is_escaped(void **state)
{
    struct figure_made *made = *state;
    static const char hostile[] = "</p><script>alert('\"&')</script>\x01\xff";
    made->result.input.source_context = made->result.input.communicative_intent = hostile;
    made->result.input.caption = made->result.unresolved = hostile;
    made->result.manual_review_required = true;
    made->style.name = made->stages[1].model = made->stages[1].note = hostile;
    made->pictures[0].renderer = hostile;
    made->rounds[0].description_t = made->rounds[0].critique.critic_suggestions = hostile;
    made->rounds[0].critique.revised_description = hostile;
    made->rounds[0].artifact = (struct figure_artifact){ FIGURE_ARTIFACT_IMAGE_PROMPT, hostile };
    struct figure_finding finding = { "x", true, true, hostile, hostile, 1 };
    made->rounds[0].findings = &finding;
    const json_t *card = arena_keep_json(
        &made->arena, figure_scorecard(&(struct figure_result){ .unresolved = "" }));

    const char *page = figure_page(&made->arena, &made->result, &made->style, card);

    assert_null(strstr(page, "<script"));
    assert_null(strchr(page, '\x01'));
    assert_null(strchr(page, '\xff'));
    assert_non_null(strstr(page, "&lt;script&gt;alert(&#39;&quot;&amp;&#39;)"));
}

static void the_page_fetches_nothing_and_runs_nothing(void **state)
{
    struct figure_made *made = *state;

    const char *page = page_of(made);

    assert_non_null(strstr(page, "default-src 'none'"));
    assert_non_null(strstr(page, "src=\"data:image/svg+xml;base64,"));
    assert_null(strstr(page, "http://"));
    assert_null(strstr(page, "https://"));
    assert_null(strstr(page, "<svg"));
    assert_null(strstr(page, " style="));
    assert_null(strstr(page, " onload"));
}

static void the_page_says_of_every_end_what_it_was(void **state)
{
    struct figure_made *made = *state;
    for (enum figure_end end = 0; end <= FIGURE_END_STAGE_FAILED; end++) {
        made->result.end = end;
        const char *page = page_of(made);
        if (strstr(page, "(null)"))
            fail_msg("the page has no words for %s", figure_end_name(end));
    }
    made->result.end = FIGURE_END_CHECKED;
    assert_non_null(strstr(page_of(made), "no model has reviewed it"));
}

static void a_picture_above_the_bound_is_a_link(void **state)
{
    struct figure_made *made = *state;
    char *large = arena_alloc(&made->arena, FIGURE_PAGE_MAX_PICTURE_BYTES + 1);
    made->pictures[0].bytes[PICTURE_SVG] = large;
    made->pictures[0].lengths[PICTURE_SVG] = FIGURE_PAGE_MAX_PICTURE_BYTES;

    bool is_shown = strstr(page_of(made), "is too large to show here") == NULL;
    made->pictures[0].lengths[PICTURE_SVG]++;
    bool is_linked = strstr(page_of(made), "round_0.svg</a> is too large to show here") != NULL;

    assert_true(is_shown);
    assert_true(is_linked);
}

static void the_result_as_json_says_how_it_ended(void **state)
{
    struct figure_made *made = *state;

    json_auto_t *value = figure_result_to_json(&made->result, "run1", "runs/x");

    assert_string_equal(json_get_string(value, "end"), "approved");
    assert_string_equal(json_get_string(value, "folder"), "runs/x");
    assert_int_equal(json_get_int(value, "best", -1), 1);
    assert_true(json_get_bool(value, "ready_for_publish", false));
    assert_int_equal(json_array_size(json_object_get(value, "rounds")), 2);
    assert_int_equal(json_array_size(json_object_get(value, "stages")), 2);
    assert_true(json_is_null(json_object_get(value, "error")));
    assert_int_equal(json_get_int(json_object_get(value, "usage"), "model_calls", 0), 4);
}

static void the_result_of_a_failed_stage_says_why(void **state)
{
    struct figure_made *made = *state;
    made->result.end = FIGURE_END_STAGE_FAILED;
    made->result.log.n_rounds = 0;
    err_set(&made->result.err, ERR_TIMEOUT, 0, "planner: no answer");

    json_auto_t *value = figure_result_to_json(&made->result, NULL, "");

    assert_string_equal(json_get_string(json_object_get(value, "error"), "code"), "timeout");
    assert_true(json_is_null(json_object_get(value, "best")));
    assert_true(json_is_null(json_object_get(value, "folder")));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(leaves_the_files_of_every_stage_and_round),
        TEST(its_log_and_outputs_keep_their_contracts),
        TEST(code_and_prompts_are_files_as_well),
        TEST(a_plot_without_a_picture_has_a_table_of_its_first_values),
        TEST(the_table_of_a_histogram_has_its_bins),
        TEST(a_plot_with_a_picture_needs_no_table),
        TEST(an_approved_figure_is_ready),
        TEST(a_critical_finding_and_a_closed_gate_cost_and_say_why),
        TEST(the_page_shows_the_figure_and_below_it_what_a_person_has_to_look_at),
        TEST(what_no_critic_read_is_not_ready),
        TEST(a_large_graph_and_an_odd_shape_cost),
        TEST(a_stage_that_failed_after_a_round_is_on_the_page),
        TEST(a_figure_without_a_round_has_no_score),
        TEST(every_text_on_the_page_is_escaped),
        TEST(the_page_fetches_nothing_and_runs_nothing),
        TEST(the_page_says_of_every_end_what_it_was),
        TEST(a_picture_above_the_bound_is_a_link),
        TEST(the_result_as_json_says_how_it_ended),
        TEST(the_result_of_a_failed_stage_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
