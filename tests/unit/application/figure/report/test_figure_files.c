/* What a figure leaves: the files, the scorecard, the page, the JSON of the command. */
#include "application/figure/report/figure_files_internal.h"
#include "domain/base/json.h"
#include "domain/figure/stage_contract.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

#define MAX_ROUNDS 3

/* A figure of two rounds, the second of which the critic approved. */
struct figure_made {
    struct arena arena;
    struct figure_result result;
    struct figure_round rounds[MAX_ROUNDS];
    struct picture pictures[MAX_ROUNDS];
    struct figure_stage_record stages[3];
    struct figure_style style;
    const json_t *request;
    const struct figure_folder *before; /* NULL: the folder is a new one */
};

static const struct figure_finding lost = { "entity_lost",    true, false, "\"ACK\" was lost",
                                            "write it again", 1 };
static const struct figure_finding crowded = { "label_long",   false,        true,
                                               "a long label", "shorten it", 1 };

static const json_t *parsed(struct arena *arena, const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_FOREIGN, &value, NULL), ERR_NONE);
    return arena_keep_json(arena, value);
}

static struct figure_round round_of(struct figure_made *made, unsigned at, bool approved)
{
    return (struct figure_round){
        .round = at,
        .description_t = at ? "A, B and ACK" : "A and B",
        .artifact = { FIGURE_ARTIFACT_IMAGE_PATH,
                      at ? "runs/x/round_1.png" : "runs/x/round_0.png" },
        .drawn =
            parsed(&made->arena, "{\"kind\":\"flow\",\"nodes\":[{\"id\":\"a\",\"label\":\"A\"},"
                                 "{\"id\":\"b\",\"label\":\"B\"}],\"edges\":[{\"from\":\"a\","
                                 "\"to\":\"b\",\"label\":\"ACK\"}]}"),
        .critique = { approved ? "No changes needed." : "Name the ACK.", "A, B and ACK", approved,
                      approved, true, true },
        .findings = approved ? NULL : &lost,
        .n_findings = approved ? 0 : 1,
        .rendered = true,
    };
}

static int setup(void **state)
{
    static const char svg[] = "<svg xmlns='http://www.w3.org/2000/svg'/>";
    struct figure_made *made = calloc(1, sizeof *made);
    assert_non_null(made);
    made->rounds[0] = round_of(made, 0, false);
    made->rounds[1] = round_of(made, 1, true);
    for (size_t i = 0; i < 2; i++)
        made->pictures[i] = (struct picture){ .bytes = { svg, "\x89PNG", NULL },
                                              .lengths = { sizeof svg - 1, 4, 0 },
                                              .renderer = "dot 2" };
    made->stages[0] = (struct figure_stage_record){
        .stage = STAGE_RETRIEVER,
        .output = parsed(&made->arena, "{\"top_refs\":[\"r1\"],\"selection_rationale\":\"close\","
                                       "\"retrieval_confidence\":\"low\"}"),
        .by_rules = true,
        .note = "a small pool",
    };
    made->stages[1] = (struct figure_stage_record){
        .stage = STAGE_PLANNER,
        .output = parsed(&made->arena, "{\"initial_description\":\"A and B\"}"),
        .model = "mistral",
        .duration_ms = 12,
    };
    made->style = (struct figure_style){ .name = "plain",
                                         .font = "DejaVu Sans",
                                         .font_size = 11,
                                         .edge_font_size = 9,
                                         .wrap = 20,
                                         .dpi = 96,
                                         .node_gap = 0.3,
                                         .rank_gap = 0.5,
                                         .line_width = 1 };
    for (size_t i = 0; i < ARRAY_LENGTH(made->style.roles); i++)
        made->style.roles[i].shape = "box";
    made->result = (struct figure_result){
        .end = FIGURE_END_APPROVED,
        .input = { .source_context = "A sends ACK to B.",
                   .communicative_intent = "show it",
                   .caption = "An <b>acknowledgement</b>" },
        .log = { .max_rounds = 3,
                 .terminated_early = true,
                 .termination_reason = "approved",
                 .rounds = made->rounds,
                 .n_rounds = 2 },
        .stages = made->stages,
        .n_stages = 2,
        .best = 1,
        .pictures = made->pictures,
        .unresolved = "",
        .retrieval_confidence = "low",
        .duration_ms = 40,
        .model_calls = 4,
    };
    made->request = parsed(&made->arena, "{\"caption\":\"An acknowledgement\"}");
    *state = made;
    return 0;
}

static int teardown(void **state)
{
    struct figure_made *made = *state;
    arena_finish(&made->arena);
    free(made);
    return 0;
}

static const struct figure_file *find_file(struct figure_made *made, const char *name)
{
    size_t n = 0;
    const struct figure_file *files =
        figure_files(&made->arena, &made->result, &made->style, made->request, made->before, &n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(files[i].name, name) == 0)
            return &files[i];
    return NULL;
}

static const json_t *read_file(struct figure_made *made, const char *name)
{
    const struct figure_file *file = find_file(made, name);
    assert_non_null(file);
    return parsed(&made->arena, file->bytes);
}

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

static void a_figure_without_a_round_still_has_its_files(void **state)
{
    struct figure_made *made = *state;
    const char *severity;
    made->result.log.n_rounds = 0;
    made->result.end = FIGURE_END_STAGE_FAILED;
    err_set(&made->result.err, ERR_FAILED, 0, "planner: no description");
    made->result.manual_review_required = true;
    made->result.unresolved = "the planner <gave> nothing\n";

    assert_int_equal(score_of(made, "faithfulness", &severity), 0);
    assert_null(find_file(made, "05_round_log.json"));
    assert_null(find_file(made, "figure.svg"));
    assert_non_null(strstr(page_of(made), "planner: no description"));
    assert_non_null(
        strstr(find_file(made, "scorecard.md")->bytes, "- the planner \\<gave\\> nothing"));
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

static const char red[] = "<svg xmlns='http://www.w3.org/2000/svg'><rect fill='red'/></svg>";

/* The figure with two pictures that differ, of which the second is shown, as its folder has it. */
static struct figure_file *kept_files(struct figure_made *made, size_t *out_n)
{
    size_t n = 0;
    for (size_t i = 0; i < 2; i++) {
        made->pictures[i].bytes[PICTURE_PNG] = NULL;
        made->rounds[i].artifact.value = i ? "round_1.svg" : "round_0.svg";
    }
    made->pictures[1].bytes[PICTURE_SVG] = red;
    made->pictures[1].lengths[PICTURE_SVG] = sizeof red - 1;
    struct figure_file *files = figure_files(&made->arena, &made->result, &made->style,
                                             made->request, NULL /* before */, &n);
    *out_n = 0;
    for (size_t i = 0; i < n; i++)
        if (figure_folder_keeps(files[i].name))
            files[(*out_n)++] = files[i];
    return files;
}

static void assert_same_files(struct figure_made *made, const struct figure_folder *folder,
                              struct figure_result *again)
{
    size_t n_first = 0, n_second = 0;
    const struct figure_file *first = figure_files(&made->arena, &made->result, &made->style,
                                                   made->request, NULL /* before */, &n_first);
    const struct figure_file *second =
        figure_files(&made->arena, again, &made->style, NULL /* request */, folder, &n_second);
    assert_int_equal(n_first, n_second);
    for (size_t i = 0; i < n_first; i++) {
        size_t k = 0;
        while (k < n_second && strcmp(first[i].name, second[k].name) != 0)
            k++;
        assert_true(k < n_second);
        assert_int_equal(first[i].length, second[k].length);
        assert_memory_equal(first[i].bytes, second[k].bytes, first[i].length);
    }
}

static void a_folder_that_is_read_again_gives_the_same_files(void **state)
{
    struct figure_made *made = *state;
    static const char *const ends[] = { "approved", "", "no_progress", "stage_failed" };
    static const enum figure_end meant[] = { FIGURE_END_APPROVED, FIGURE_END_MAX_ROUNDS,
                                             FIGURE_END_NO_PROGRESS, FIGURE_END_STAGE_FAILED };
    for (size_t i = 0; i < ARRAY_LENGTH(ends); i++) {
        struct figure_folder folder;
        struct err err;
        size_t n;
        made->result.end = meant[i];
        made->result.log.termination_reason = ends[i];
        made->result.log.terminated_early = *ends[i];
        made->result.log.max_rounds = *ends[i] ? 3 : 2;
        figure_show_round(&made->arena, &made->result, i % 2, i > 1);
        const struct figure_file *files = kept_files(made, &n);

        assert_int_equal(figure_folder_read(&made->arena, files, n, &folder, &err), ERR_NONE);

        struct figure_result again = folder.result;
        again.input = made->result.input;
        assert_int_equal(again.best, i % 2);
        figure_show_round(&made->arena, &again, again.best, i > 1);
        assert_same_files(made, &folder, &again);
    }
}

static void a_round_that_a_person_chose_is_the_figure_everywhere(void **state)
{
    struct figure_made *made = *state;
    struct figure_folder folder;
    struct problems problems = { .arena = &made->arena };
    struct err err;
    size_t n;
    const struct figure_file *files = kept_files(made, &n);
    assert_int_equal(figure_folder_read(&made->arena, files, n, &folder, &err), ERR_NONE);
    folder.result.input = made->result.input;
    made->result = folder.result;
    made->before = &folder;

    figure_show_round(&made->arena, &made->result, 0, true);

    const json_t *log = read_file(made, "05_round_log.json");
    assert_int_equal(json_get_int(log, "best", -1), 0);
    assert_string_equal(json_get_string(log, "chosen_by"), "person");
    assert_true(round_log_check(log, 0, false, &problems).complete);
    assert_string_equal(find_file(made, "figure.svg")->bytes,
                        find_file(made, "round_0.svg")->bytes);
    assert_non_null(find_file(made, "figure.dot"));
    assert_non_null(strstr(page_of(made), "A person chose round 0"));
    assert_non_null(strstr(find_file(made, "scorecard.md")->bytes, "chosen by a person: round 0"));
    assert_non_null(strstr(made->result.unresolved, "the critic asks: Name the ACK."));
    assert_false(figure_is_ready(&made->result));
}

static void a_folder_that_is_damaged_is_not_read(void **state)
{
    struct figure_made *made = *state;
    static const struct {
        const char *file, *bytes, *says; /* bytes NULL: it is not there */
    } cases[] = {
        { "05_round_log.json", NULL, "there is no 05_round_log.json" },
        { "05_round_log.json", "{\"rounds\":", "05_round_log.json: " },
        { "05_round_log.json", "\xff", "05_round_log.json: " },
        { "05_round_log.json", "[]", "05_round_log.json: " },
        { "05_round_log.json", "{\"max_rounds\":3,\"rounds\":[{}]}", "05_round_log.json: " },
        { "round_1.svg", NULL, "there is no round_1.svg" },
        { "round_1.svg", "<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", "round_1.svg" },
        { "round_0.svg", "", "round_0.svg: empty" },
        { "round_0.graph.json", "{", "round_0.graph.json: " },
        { "stages.json", "nothing", "stages.json: " },
        { "stages.json", NULL, "there is no stages.json" },
        { "request.json", NULL, "there is no request.json" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct figure_folder folder;
        struct err err = { 0 };
        size_t n, left = 0;
        struct figure_file *files = kept_files(made, &n);
        for (size_t k = 0; k < n; k++) {
            bool is_it = strcmp(files[k].name, cases[i].file) == 0;
            const char *bytes = is_it ? cases[i].bytes : files[k].bytes;
            if (bytes)
                files[left++] = (struct figure_file){ files[k].name, bytes,
                                                      is_it ? strlen(bytes) : files[k].length };
        }
        assert_int_equal(figure_folder_read(&made->arena, files, left, &folder, &err), ERR_INVALID);
        assert_non_null(strstr(err.message, cases[i].says));
    }
}

static void a_log_says_nothing_that_cannot_be(void **state)
{
    struct figure_made *made = *state;
    static const char *const members[] = { "{\"best\":2}", "{\"best\":-1}", "{\"best\":\"1\"}",
                                           "{\"mode\":\"film\"}", "{\"max_rounds\":61}" };
    for (size_t i = 0; i < ARRAY_LENGTH(members); i++) {
        struct figure_folder folder;
        size_t n;
        struct figure_file *files = kept_files(made, &n);
        for (size_t k = 0; k < n; k++)
            if (strcmp(files[k].name, "05_round_log.json") == 0) {
                json_t *log = json_deep_copy(parsed(&made->arena, files[k].bytes));
                json_object_update(log, (json_t *)(uintptr_t)parsed(&made->arena, members[i]));
                files[k].bytes = json_print_in(&made->arena, arena_keep_json(&made->arena, log));
                files[k].length = strlen(files[k].bytes);
            }
        assert_int_equal(figure_folder_read(&made->arena, files, n, &folder, NULL), ERR_INVALID);
    }
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
        TEST(a_figure_without_a_round_still_has_its_files),
        TEST(every_text_on_the_page_is_escaped),
        TEST(the_page_fetches_nothing_and_runs_nothing),
        TEST(the_page_says_of_every_end_what_it_was),
        TEST(a_picture_above_the_bound_is_a_link),
        TEST(the_result_as_json_says_how_it_ended),
        TEST(the_result_of_a_failed_stage_says_why),
        TEST(a_folder_that_is_read_again_gives_the_same_files),
        TEST(a_round_that_a_person_chose_is_the_figure_everywhere),
        TEST(a_folder_that_is_damaged_is_not_read),
        TEST(a_log_says_nothing_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
