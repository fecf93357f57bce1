/* A figure that is there is changed: another round of it is shown, or a person's feedback adds
 * rounds to it. What is asked of the model is held against what is left in the folder. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/stage_contract.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/figure_job.h"
#include <string.h>

#define FOLDER "runs/x"
#define FEEDBACK "Show the answer as well."
#define PLAN                                                                                       \
    "{\"initial_description\":\"\\\"Client\\\" sends \\\"SYN\\\" to \\\"Server\\\".\","            \
    "\"assumption_block\":\"clients are programs\"}"
#define STYLED                                                                                     \
    "{\"optimized_description\":\"\\\"Client\\\" sends \\\"SYN\\\" to \\\"Server\\\", left to "    \
    "right.\",\"style_actions\":[\"direction\"]}"
#define GRAPH(label)                                                                               \
    "{\"kind\":\"flow\",\"nodes\":[{\"id\":\"a\",\"label\":\"Client\"},{\"id\":\"b\",\"label\":"   \
    "\"" label "\"}],\"edges\":[{\"from\":\"a\",\"to\":\"b\",\"label\":\"SYN\"}]}"
#define CRITIC(suggestion, revised, stop, gate)                                                    \
    "{\"critic_suggestions\":\"" suggestion "\",\"revised_description\":\"\\\"Client\\\" sends "   \
    "\\\"SYN\\\" to \\\"Server\\\", " revised ".\",\"stop_flag\":" stop                            \
    ",\"quality_gate\":{\"faithfulness_ok\":" gate ",\"readability_ok\":" gate "}}"
#define APPROVAL CRITIC("No changes needed.", "as it is", "true", "true")
#define WISH(revised) CRITIC("More.", revised, "false", "false")
#define GARBAGE "Looks good to me!"

static int set_up(void **state)
{
    static const char *const refs[] = { "dns_resolution" };
    if (figure_job_set_up(state) != 0)
        return 1;
    struct figure_job *job = *state;
    job->services.model_port = &job->services.model.base;
    job->request.refs = refs;
    job->request.n_refs = 1;
    return 0;
}

static void says(struct figure_job *job, const char *const *replies, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fake_model_reply(&job->services.model, replies[i]);
}
#define SAYS(job, ...)                                                                             \
    says((job), (const char *const[]){ __VA_ARGS__ },                                              \
         ARRAY_LENGTH(((const char *const[]){ __VA_ARGS__ })))

static const char *question(const struct figure_job *job, size_t at)
{
    return job->services.model.requests[at].user;
}

/* The request is one that changes the figure in the folder. Pictures with a NUL in them are not
 * kept by the fake. */
static void change(struct figure_job *job, const char *feedback, int64_t round, unsigned more)
{
    const json_t *folder = json_object_get(job->services.artifacts.folders, FOLDER), *text;
    const char *name;
    struct figure_file *files =
        arena_array(&job->arena, struct figure_file, json_object_size(folder) + 1);
    size_t n = 0;
    json_each_member (folder, name, text) {
        if (figure_folder_keeps(name) && !text_ends_with(name, ".png"))
            files[n++] = (struct figure_file){ arena_strdup(&job->arena, name),
                                               arena_strdup(&job->arena, json_string_value(text)),
                                               json_string_length(text) };
    }
    job->request = (struct figure_request){ .out = "runs",
                                            .name = "x",
                                            .files = files,
                                            .n_files = n,
                                            .feedback = feedback,
                                            .round = round,
                                            .max_rounds = more };
}

static const json_t *log_of(struct figure_job *job)
{
    const char *text = fake_artifacts_text(&job->services.artifacts, FOLDER, "05_round_log.json");
    json_t *value = NULL;
    assert_non_null(text);
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return arena_keep_json(&job->arena, value);
}

/* Page, figure and log show it, and the log and every stage keep their contracts. */
static void assert_shows(struct figure_job *job, unsigned round)
{
    const struct fake_artifacts *files = &job->services.artifacts;
    struct problems problems = { .arena = &job->arena };
    const json_t *log = log_of(job);
    const char *page = fake_artifacts_text(files, FOLDER, "index.html");
    const char *best = strstr(page, "<article class=\"best\">");
    assert_true(round_log_check(log, 0, false, &problems).well_formed);
    assert_int_equal(json_get_int(log, "best", -1), round);
    assert_non_null(best);
    assert_true(text_starts_with(strstr(best, "<h2>"),
                                 arena_printf(&job->arena, "<h2>Round %u</h2>", round)));
    static const char *const suffixes[] = { "svg", "graph.json", "dot", "plot.json", "py", "txt" };
    for (size_t i = 0; i < ARRAY_LENGTH(suffixes); i++) {
        const char *name = arena_printf(&job->arena, "round_%u.%s", round, suffixes[i]);
        const char *shown = arena_printf(&job->arena, "figure.%s", suffixes[i]);
        const char *a = fake_artifacts_text(files, FOLDER, name);
        const char *b = fake_artifacts_text(files, FOLDER, shown);
        assert_true(text_equal(a, b));
    }
    problems.n = 0;
    for (size_t i = 0; i < job->result.n_stages; i++)
        stage_contract_check(job->result.stages[i].stage, job->result.stages[i].input,
                             job->result.stages[i].output, &problems);
    assert_int_equal(problems.n, 0);
}

static void draw_two_rounds(struct figure_job *job)
{
    SAYS(job, PLAN, STYLED, GRAPH("Blockchain"), WISH("and no chain"), GRAPH("Server"), APPROVAL);
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    assert_int_equal(job->result.end, FIGURE_END_APPROVED);
    assert_shows(job, 1);
}

static void shows_the_round_that_a_person_chose_and_then_another(void **state)
{
    struct figure_job *job = *state;
    draw_two_rounds(job);
    size_t n_runs = fake_services_count(&job->services, EVENT_RUN_STARTED);
    change(job, NULL, 0, 0);
    job->services.model_port = NULL;
    job->services.renderer_port = NULL;
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    assert_shows(job, 0);
    assert_string_equal(json_get_string(log_of(job), "chosen_by"), "person");
    assert_true(job->result.manual_review_required);
    change(job, NULL, 1, 0);
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    assert_shows(job, 1);
    assert_false(job->result.manual_review_required);
    assert_string_equal(job->folder, FOLDER);
    assert_int_equal(fake_services_count(&job->services, EVENT_RUN_STARTED), n_runs);
}

static void names_the_rounds_there_are_where_one_is_not(void **state)
{
    struct figure_job *job = *state;
    draw_two_rounds(job);
    static const int64_t none[] = { -1, 2, INT64_MAX };
    for (size_t i = 0; i < ARRAY_LENGTH(none); i++) {
        change(job, NULL, none[i], 0);
        assert_int_equal(figure_job_draw(job), ERR_NOT_FOUND);
        assert_non_null(strstr(job->err.message, "0 (drawn, 1 finding), 1 (drawn, approved, 0 "));
        assert_shows(job, 1);
    }
}

static void goes_on_by_the_feedback_of_a_person_even_after_an_approval(void **state)
{
    struct figure_job *job = *state;
    draw_two_rounds(job);
    change(job, FEEDBACK, -1, 2);
    SAYS(job, WISH("with the answer"), GRAPH("Server"), APPROVAL);
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    assert_int_equal(job->result.end, FIGURE_END_APPROVED);
    assert_shows(job, 2);
    const struct figure_round *rounds = job->result.log.rounds;
    assert_int_equal(job->result.log.n_rounds, 3);
    assert_int_equal(job->result.log.max_rounds, 4);
    assert_string_equal(rounds[1].critique.critic_suggestions, FEEDBACK);
    assert_false(rounds[1].critique.stop_flag);
    assert_true(rounds[1].critique.faithfulness_ok);
    assert_true(json_get_bool(rounds[1].before_feedback, "stop_flag", false));
    assert_non_null(strstr(rounds[2].description_t, "with the answer"));
    assert_non_null(strstr(question(job, 6), FEEDBACK));
    assert_non_null(strstr(question(job, 6), "clients are programs"));
    assert_string_equal(job->result.stages[0].note, "a person's feedback");
    assert_false(job->result.manual_review_required);
}

static void goes_on_once_more(void **state)
{
    struct figure_job *job = *state;
    draw_two_rounds(job);
    change(job, FEEDBACK, -1, 1);
    SAYS(job, WISH("with the answer"), GRAPH("Server"), APPROVAL);
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    change(job, "In blue.", -1, 1);
    SAYS(job, WISH("in blue"), GRAPH("Server"), WISH("in a light blue"));
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    assert_int_equal(job->result.end, FIGURE_END_MAX_ROUNDS);
    assert_shows(job, 3);
    assert_non_null(job->result.log.rounds[1].before_feedback);
    assert_non_null(job->result.log.rounds[2].before_feedback);
}

static void loses_no_feedback_that_the_model_does_not_write_down(void **state)
{
    struct figure_job *job = *state;
    draw_two_rounds(job);
    change(job, FEEDBACK, -1, 1);
    SAYS(job, GARBAGE, GARBAGE, GARBAGE, GRAPH("Server"), APPROVAL);
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    assert_shows(job, 2);
    assert_non_null(strstr(job->result.log.rounds[2].description_t, "no chain.\n" FEEDBACK));
}

static void shows_a_round_drawn_since_the_feedback_however_good_the_one_before_was(void **state)
{
    struct figure_job *job = *state;
    draw_two_rounds(job);
    change(job, FEEDBACK, -1, 2);
    SAYS(job, WISH("one"), GRAPH("Blockchain"), WISH("two"), GRAPH("Server"), WISH("three"));
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    assert_int_equal(job->result.end, FIGURE_END_MAX_ROUNDS);
    assert_shows(job, 3);
}

static void leaves_the_round_that_was_shown_where_none_is_drawn_since(void **state)
{
    struct figure_job *job = *state;
    draw_two_rounds(job);
    change(job, FEEDBACK, -1, 2);
    job->renderer.fails = ERR_FAILED;
    job->renderer.fails_from = job->renderer.n_calls;
    SAYS(job, WISH("one"), GRAPH("Server"));
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    assert_int_equal(job->result.end, FIGURE_END_RENDER_LOST);
    assert_shows(job, 1);
    assert_non_null(strstr(job->result.unresolved, "a person asked for a change: " FEEDBACK));
}

static void changes_the_description_of_the_round_that_a_person_chose(void **state)
{
    struct figure_job *job = *state;
    draw_two_rounds(job);
    change(job, NULL, 0, 0);
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    change(job, FEEDBACK, -1, 1);
    SAYS(job, WISH("one"), GRAPH("Server"), APPROVAL);
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    assert_shows(job, 2);
    assert_non_null(strstr(question(job, 6), job->result.log.rounds[0].description_t));
    assert_null(strstr(question(job, 6), job->result.log.rounds[1].description_t));
    assert_null(job->result.log.rounds[0].before_feedback);
    assert_non_null(job->result.log.rounds[1].before_feedback);
}

static void is_as_it_was_where_nothing_is_added(void **state)
{
    struct figure_job *job = *state;
    draw_two_rounds(job);
    auto_str was = json_print(job->services.artifacts.folders);
    change(job, FEEDBACK, -1, 1);
    SAYS(job, WISH("one")); /* and then the endpoint is gone */
    assert_int_not_equal(figure_job_draw(job), ERR_NONE);
    change(job, " ", -1, 1);
    assert_int_equal(figure_job_draw(job), ERR_INVALID);
    change(job, FEEDBACK, -1, 1);
    job->services.model_port = NULL;
    assert_int_equal(figure_job_draw(job), ERR_INVALID);
    assert_string_equal(job->err.message, "rules cannot follow feedback");
    auto_str is = json_print(job->services.artifacts.folders);
    assert_string_equal(is, was);
}

static void cannot_be_resumed_and_says_so(void **state)
{
    struct figure_job *job = *state;
    struct made_figure made;
    draw_two_rounds(job);
    change(job, FEEDBACK, -1, 1);
    SAYS(job, WISH("one"));
    assert_int_not_equal(
        make_figure(&job->services.base, &job->scope, &job->arena, &job->request, &made, &job->err),
        ERR_NONE);
    assert_false(made.end.is_resumable);
}

static void keeps_the_data_of_a_plot(void **state)
{
    struct figure_job *job = *state;
    figure_job_plots(job);
    SAYS(job, PLAN, STYLED, "{\"mark\":\"bar\",\"x\":\"city\",\"y\":\"rain\"}", WISH("sorted"),
         "{\"mark\":\"bar\",\"x\":\"city\",\"y\":\"rain\",\"sorted\":true}", APPROVAL);
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    assert_shows(job, 1);
    change(job, NULL, 0, 0);
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    assert_shows(job, 0);
    change(job, FEEDBACK, -1, 1);
    SAYS(job, WISH("as points"), "{\"mark\":\"point\",\"x\":\"city\",\"y\":\"rain\"}", APPROVAL);
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    assert_shows(job, 2);
    assert_non_null(
        strstr(fake_artifacts_text(&job->services.artifacts, FOLDER, "figure.py"), "Oslo"));
}

static void has_a_bound_of_rounds(void **state)
{
    struct figure_job *job = *state;
    draw_two_rounds(job);
    for (unsigned i = 0; i < FIGURE_MAX_LOGGED_ROUNDS - FIGURE_MAX_ROUNDS - 1; i++) {
        change(job, FEEDBACK, -1, 1);
        job->services.model.n_replies = job->services.model.n_requests = 0;
        SAYS(job, WISH("one"), GRAPH("Server"), APPROVAL);
        assert_int_equal(figure_job_draw(job), ERR_NONE);
    }
    change(job, FEEDBACK, -1, 1);
    assert_int_equal(figure_job_draw(job), ERR_INVALID);
    assert_non_null(strstr(job->err.message, "too many rounds to add more: 41"));
    change(job, NULL, 7, 0);
    assert_int_equal(figure_job_draw(job), ERR_NONE);
    assert_shows(job, 7);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, figure_job_tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(shows_the_round_that_a_person_chose_and_then_another),
        TEST(names_the_rounds_there_are_where_one_is_not),
        TEST(goes_on_by_the_feedback_of_a_person_even_after_an_approval),
        TEST(goes_on_once_more),
        TEST(loses_no_feedback_that_the_model_does_not_write_down),
        TEST(shows_a_round_drawn_since_the_feedback_however_good_the_one_before_was),
        TEST(leaves_the_round_that_was_shown_where_none_is_drawn_since),
        TEST(changes_the_description_of_the_round_that_a_person_chose),
        TEST(is_as_it_was_where_nothing_is_added),
        TEST(cannot_be_resumed_and_says_so),
        TEST(keeps_the_data_of_a_plot),
        TEST(has_a_bound_of_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
