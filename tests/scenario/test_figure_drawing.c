/* Who else may draw a figure: a tool of a server, and a program of the settings. What they give is
 * told by its bytes, and what is no picture or no code leaves the figure in words. */
#include "domain/base/json.h"
#include "domain/policy/policy.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/figure_job.h"
#include <string.h>

#define PAINT                                                                                      \
    "[{\"name\":\"paint\",\"annotations\":{\"readOnlyHint\":true},\"inputSchema\":{\"type\":"      \
    "\"object\",\"properties\":{\"prompt\":{\"type\":\"string\"}}}}]"
#define SVG "<svg xmlns='http://www.w3.org/2000/svg' width='8pt' height='8pt'></svg>"
#define PNG                                                                                        \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVQI12P4//8/"                             \
    "AAX+Av7czFnnAAAAAElFTkSuQmCC"
#define BLOCKS(blocks) "{\"content\":[" blocks "]}"
#define TEXT_BLOCK(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define IMAGE_BLOCK(data) "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"" data "\"}"

static void use_tool(struct figure_job *job)
{
    (void)fake_services_add_server(&job->services, "art", PAINT);
    job->services.settings.figure_image_tool = "art/paint";
    job->services.base.approve_all = true;
    job->request.max_rounds = 1;
}

static void answers(struct figure_job *job, struct fake_tool_reply reply)
{
    reply.tool = "paint";
    fake_tool_server_reply(&job->services.servers[0], reply);
}

/* The only round of a figure whose tool gives this result. */
static const struct figure_round *round_of(struct figure_job *job, const char *result)
{
    use_tool(job);
    answers(job, (struct fake_tool_reply){ .text = result, .is_whole = true });
    enum err_code r = figure_job_draw(job);
    assert_int_equal(r, ERR_NONE);
    const char *broken = figure_job_broken_rule(job, r);
    if (broken)
        fail_msg("%s", broken);
    return &job->result.log.rounds[0];
}

static void assert_not_drawn(struct figure_job *job, const char *result, const char *why)
{
    const struct figure_round *round = round_of(job, result);
    assert_false(round->rendered);
    assert_int_equal(round->artifact.type, FIGURE_ARTIFACT_IMAGE_PROMPT);
    if (!strstr(round->artifact.value, why))
        fail_msg("\"%s\" is not in \"%s\"", why, round->artifact.value);
}

static void takes_a_picture_of_an_image_block_by_its_bytes(void **state)
{
    struct figure_job *job = *state;
    const struct figure_round *round =
        round_of(job, BLOCKS(TEXT_BLOCK("here it is") "," IMAGE_BLOCK(PNG)));
    assert_true(round->rendered);
    assert_string_equal(round->artifact.value, "round_0.png");
    assert_string_equal(job->result.pictures[0].renderer, "art/paint");
    assert_int_equal(job->renderer.n_calls, 0);
    assert_non_null(strstr(job->services.servers[0].calls[0].arguments, "\"prompt\":\""));
}

static void takes_an_svg_that_comes_as_text(void **state)
{
    const struct figure_round *round = round_of(*state, BLOCKS(TEXT_BLOCK(SVG)));
    assert_true(round->rendered);
    assert_string_equal(round->artifact.value, "round_0.svg");
}

static void takes_a_picture_of_a_resource(void **state)
{
    const struct figure_round *round =
        round_of(*state, BLOCKS("{\"type\":\"resource\",\"resource\":{\"uri\":\"a://b\",\"blob\":"
                                "\"" PNG "\"}}"));
    assert_true(round->rendered);
}

static void takes_no_junk_for_a_picture(void **state)
{
    assert_not_drawn(*state, BLOCKS(IMAGE_BLOCK("aGVsbG8=")), "is not an SVG, PNG or PDF");
}

static void takes_no_broken_base64_for_a_picture(void **state)
{
    assert_not_drawn(*state, BLOCKS(IMAGE_BLOCK("%%%")), "the tool gave no picture");
}

static void takes_no_picture_that_was_cut_off(void **state)
{
    assert_not_drawn(*state, BLOCKS(IMAGE_BLOCK("iVBORw0KGgoAAAANSUhEUg==")), "Not drawn: ");
}

static void takes_no_svg_that_runs_something(void **state)
{
    assert_not_drawn(*state, BLOCKS(TEXT_BLOCK("<svg><script>x</script></svg>")), "Not drawn: ");
}

static void tells_in_words_what_came_with_text_only(void **state)
{
    assert_not_drawn(*state, BLOCKS(TEXT_BLOCK("I drew two boxes.")), "is not an SVG, PNG or PDF");
}

static void tells_in_words_what_came_with_nothing(void **state)
{
    assert_not_drawn(*state, BLOCKS(""), "the tool gave no picture");
}

static void tells_the_error_of_a_tool_in_one_line(void **state)
{
    assert_not_drawn(*state, "{\"isError\":true,\"content\":[" TEXT_BLOCK("no\\ncanvas") "]}",
                     "Not drawn: no\\ncanvas.\n");
}

static void takes_a_picture_of_at_most_so_many_bytes(void **state)
{
    struct figure_job *job = *state;
    job->services.settings.figure_max_picture_bytes = (int64_t)strlen(SVG);
    assert_true(round_of(job, BLOCKS(TEXT_BLOCK(SVG)))->rendered);
}

static void takes_no_picture_of_one_byte_more(void **state)
{
    struct figure_job *job = *state;
    job->services.settings.figure_max_picture_bytes = (int64_t)strlen(SVG) - 1;
    assert_not_drawn(job, BLOCKS(TEXT_BLOCK(SVG)), "the picture has more than");
}

static void ends_at_once_where_a_rule_denies_the_tool(void **state)
{
    struct figure_job *job = *state;
    const struct policy_rule deny = { .effect = POLICY_DENY, .tool = "paint" };
    job->services.settings.policy = &deny;
    job->services.settings.n_policy = 1;
    use_tool(job);
    enum err_code r = figure_job_draw(job);
    assert_int_equal(r, ERR_DENIED);
    assert_null(figure_job_broken_rule(job, r));
    assert_int_equal(job->services.servers[0].n_calls, 0);
}

static void ends_at_once_where_there_is_no_such_tool(void **state)
{
    struct figure_job *job = *state;
    use_tool(job);
    job->services.settings.figure_image_tool = "art/pant";
    enum err_code r = figure_job_draw(job);
    assert_int_equal(r, ERR_NOT_FOUND);
    assert_non_null(strstr(job->err.message, "figure.image_tool"));
    assert_null(figure_job_broken_rule(job, r));
}

static void takes_the_text_of_a_tool_as_the_script_of_a_plot(void **state)
{
    struct figure_job *job = *state;
    figure_job_plots(job);
    const struct figure_round *round = round_of(job, BLOCKS(TEXT_BLOCK("print('Oslo')")));
    assert_int_equal(round->artifact.type, FIGURE_ARTIFACT_CODE_TEXT);
    assert_string_equal(round->artifact.value, "print('Oslo')");
}

static void finds_numbers_in_a_script_that_the_data_do_not_have(void **state)
{
    struct figure_job *job = *state;
    figure_job_plots(job);
    const struct figure_round *round =
        round_of(job, BLOCKS(TEXT_BLOCK("values = [71, 52, 987654]")));
    assert_true(round->n_findings > 0);
    assert_non_null(strstr(round->findings[0].message, "987654"));
}

/* A script of so many bytes, all of them letters. */
static const char *script_of(struct figure_job *job, size_t bytes)
{
    char *text = arena_alloc(&job->arena, bytes + 1);
    memset(text, 'a', bytes);
    text[bytes] = '\0';
    return text;
}

static enum figure_artifact_type artifact_of(struct figure_job *job, size_t bytes)
{
    figure_job_plots(job);
    use_tool(job);
    answers(job, (struct fake_tool_reply){ .text = script_of(job, bytes) });
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    return job->result.log.rounds[0].artifact.type;
}

static void takes_code_of_at_most_so_many_bytes(void **state)
{
    assert_int_equal(artifact_of(*state, FIGURE_MAX_TEXT_BYTES), FIGURE_ARTIFACT_CODE_TEXT);
}

static void takes_no_code_of_one_byte_more(void **state)
{
    assert_int_equal(artifact_of(*state, FIGURE_MAX_TEXT_BYTES + 1), FIGURE_ARTIFACT_IMAGE_PROMPT);
}

static const struct figure_round *plot_with_renderer(struct figure_job *job)
{
    figure_job_plots(job);
    job->renderer.base.takes_plots = true;
    job->request.max_rounds = 1;
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    assert_null(figure_job_broken_rule(job, ERR_NONE));
    return &job->result.log.rounds[0];
}

static void a_renderer_that_takes_plots_is_asked_for_them(void **state)
{
    struct figure_job *job = *state;
    const struct figure_round *round = plot_with_renderer(job);
    assert_int_equal(job->renderer.n_calls, 1);
    assert_int_equal(round->artifact.type, FIGURE_ARTIFACT_CODE_TEXT);
    assert_non_null(strstr(round->artifact.value, "matplotlib"));
    assert_non_null(fake_artifacts_text(&job->services.artifacts, "runs/x", "round_0.svg"));
    assert_non_null(fake_artifacts_text(&job->services.artifacts, "runs/x", "figure.py"));
    assert_non_null(fake_artifacts_text(&job->services.artifacts, "runs/x", "figure.vl.json"));
}

static void the_code_of_a_renderer_is_the_plot(void **state)
{
    struct figure_job *job = *state;
    job->renderer.code = "plot(71, 52)";
    assert_string_equal(plot_with_renderer(job)->artifact.value, "plot(71, 52)");
}

static void a_renderer_that_fails_leaves_the_own_script(void **state)
{
    struct figure_job *job = *state;
    job->renderer.fails = ERR_FAILED;
    const struct figure_round *round = plot_with_renderer(job);
    assert_true(round->rendered);
    assert_non_null(strstr(round->artifact.value, "matplotlib"));
}

static const struct figure_round *plot_by_rules(struct figure_job *job)
{
    figure_job_plots(job);
    job->services.model_port = NULL;
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    return &job->result.log.rounds[0];
}

static void the_script_of_a_plot_is_run_for_the_pictures_of_its_folder(void **state)
{
    struct figure_job *job = *state;
    const struct figure_round *round = plot_by_rules(job);
    assert_int_equal(job->renderer.n_calls, 1);
    assert_null(job->renderer.dot);
    assert_string_equal(job->renderer.script, round->artifact.value);
    assert_string_equal(round->artifact.value,
                        fake_artifacts_text(&job->services.artifacts, "runs/x", "figure.py"));
    assert_non_null(fake_artifacts_text(&job->services.artifacts, "runs/x", "figure.svg"));
    assert_non_null(fake_artifacts_text(&job->services.artifacts, "runs/x", "figure.png"));
}

static void the_script_of_a_plot_is_not_run_where_no_picture_is_wanted(void **state)
{
    struct figure_job *job = *state;
    job->request.out = NULL;
    assert_true(plot_by_rules(job)->rendered);
    assert_int_equal(job->renderer.n_calls, 0);
}

static void a_picture_is_wanted_without_a_folder_as_well(void **state)
{
    struct figure_job *job = *state;
    job->request.out = NULL;
    job->request.wants_picture = true;
    plot_by_rules(job);
    assert_non_null(job->result.pictures[0].bytes[PICTURE_PNG]);
}

static void a_script_that_cannot_be_run_is_a_note_and_a_table(void **state)
{
    struct figure_job *job = *state;
    job->renderer.fails = ERR_NOT_FOUND;
    assert_true(plot_by_rules(job)->rendered);
    const char *note = "";
    for (size_t i = 0; i < job->result.n_stages; i++)
        if (job->result.stages[i].stage == STAGE_VISUALIZER)
            note = job->result.stages[i].note;
    assert_string_equal(note, "no picture: it cannot be drawn");
    const char *page = fake_artifacts_text(&job->services.artifacts, "runs/x", "index.html");
    assert_non_null(strstr(page, "python3-matplotlib"));
    assert_non_null(strstr(page, "Oslo</td>\n<td class=\"number\">71</td>"));
}

static void a_script_from_outside_is_never_run(void **state)
{
    struct figure_job *job = *state;
    figure_job_plots(job);
    round_of(job, BLOCKS(TEXT_BLOCK("import os")));
    assert_int_equal(job->renderer.n_calls, 0);
}

static void code_is_no_picture_of_a_diagram(void **state)
{
    struct figure_job *job = *state;
    job->renderer.code = "draw()";
    job->request.max_rounds = 1;
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    assert_null(figure_job_broken_rule(job, ERR_NONE));
    assert_int_equal(job->result.log.rounds[0].artifact.type, FIGURE_ARTIFACT_IMAGE_PROMPT);
}

/* As many rows as a script of the bound has no room for. */
static void a_script_that_would_be_too_long_is_told_in_words(void **state)
{
    struct figure_job *job = *state;
    json_t *rows = json_array();
    for (int i = 0; i < 20000; i++)
        json_array_append_new(rows, json_pack("[f, i]", i + 0.5, i));
    static struct plot_column columns[] = { { "x", true }, { "y", true } };
    job->request.max_rounds = 1;
    job->request.mode = FIGURE_MODE_PLOT_CODE;
    job->services.choice = MODEL_CHOICE_LEXICAL;
    job->data = (struct plot_data){ .columns = columns,
                                    .n_columns = 2,
                                    .n_rows = 20000,
                                    .rows = arena_keep_json(&job->arena, rows),
                                    .origin = "long.csv" };
    job->request.data = &job->data;
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    assert_null(figure_job_broken_rule(job, ERR_NONE));
    const char *value = job->result.log.rounds[0].artifact.value;
    assert_memory_equal(value, "Not drawn: the script", strlen("Not drawn: the script"));
    assert_true(strlen(value) < 2000);
}

/* Slow, and not to be read on a page in any layout. */
static void layouts_that_are_tried_share_their_time(void **state)
{
    struct figure_job *job = *state;
    job->renderer.geometry = "{\"name\":\"figure\",\"bb\":\"0,0,9000,8\"}";
    job->renderer.runtime = &job->runtime.port;
    job->renderer.measuring_ms = 3000;
    job->request.max_rounds = 1;
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    assert_true(job->result.log.rounds[0].rendered);
    assert_true(job->renderer.n_measured > 3);
    assert_in_range(job->runtime.now_ms, 3000, 3000 + 7000);
}

static void layouts_that_are_tried_in_time_are_all_measured(void **state)
{
    struct figure_job *job = *state;
    job->renderer.geometry = "{\"name\":\"figure\",\"bb\":\"0,0,9000,8\"}";
    job->renderer.runtime = &job->runtime.port;
    job->renderer.measuring_ms = 100;
    job->request.max_rounds = 1;
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    assert_in_range(job->runtime.now_ms, 100 * job->renderer.n_measured, 4000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, figure_job_set_up, figure_job_tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(takes_a_picture_of_an_image_block_by_its_bytes),
        TEST(takes_an_svg_that_comes_as_text),
        TEST(takes_a_picture_of_a_resource),
        TEST(takes_no_junk_for_a_picture),
        TEST(takes_no_broken_base64_for_a_picture),
        TEST(takes_no_picture_that_was_cut_off),
        TEST(takes_no_svg_that_runs_something),
        TEST(tells_in_words_what_came_with_text_only),
        TEST(tells_in_words_what_came_with_nothing),
        TEST(tells_the_error_of_a_tool_in_one_line),
        TEST(takes_a_picture_of_at_most_so_many_bytes),
        TEST(takes_no_picture_of_one_byte_more),
        TEST(ends_at_once_where_a_rule_denies_the_tool),
        TEST(ends_at_once_where_there_is_no_such_tool),
        TEST(takes_the_text_of_a_tool_as_the_script_of_a_plot),
        TEST(finds_numbers_in_a_script_that_the_data_do_not_have),
        TEST(takes_code_of_at_most_so_many_bytes),
        TEST(takes_no_code_of_one_byte_more),
        TEST(a_renderer_that_takes_plots_is_asked_for_them),
        TEST(the_code_of_a_renderer_is_the_plot),
        TEST(a_renderer_that_fails_leaves_the_own_script),
        TEST(the_script_of_a_plot_is_run_for_the_pictures_of_its_folder),
        TEST(the_script_of_a_plot_is_not_run_where_no_picture_is_wanted),
        TEST(a_picture_is_wanted_without_a_folder_as_well),
        TEST(a_script_that_cannot_be_run_is_a_note_and_a_table),
        TEST(a_script_from_outside_is_never_run),
        TEST(code_is_no_picture_of_a_diagram),
        TEST(a_script_that_would_be_too_long_is_told_in_words),
        TEST(layouts_that_are_tried_share_their_time),
        TEST(layouts_that_are_tried_in_time_are_all_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
