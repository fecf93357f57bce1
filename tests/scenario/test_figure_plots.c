/* A plot whose columns a model chooses: it sees their names and three values of each, answers a
 * spec over them and nothing else, and what does not fit the data is asked for again or done by
 * rules. */
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/figure_job.h"
#include <string.h>

#define PLAN "{\"initial_description\":\"Rain of each city.\",\"assumption_block\":\"by year\"}"
#define STYLED "{\"optimized_description\":\"Rain of each city.\",\"style_actions\":[]}"
#define LINE "{\"mark\":\"line\",\"x\":\"year\",\"y\":\"rain\"}"
#define UNKNOWN "{\"mark\":\"line\",\"x\":\"town\",\"y\":\"rain\"}"
#define FREE_CODE "plt.plot([1, 2, 3])"
#define APPROVAL                                                                                   \
    "{\"critic_suggestions\":\"Fine.\",\"revised_description\":\"Rain of each city.\","            \
    "\"stop_flag\":true,\"quality_gate\":{\"faithfulness_ok\":true,\"readability_ok\":true}}"

/* Four rows, of which the last is nobody's but the script's. */
static const struct figure_round *plot(struct figure_job *job, const char *const *replies, size_t n)
{
    static const char *const refs[] = { "tcp_connection" };
    static struct plot_column columns[] = { { "year", true }, { "rain", true } };
    job->data = (struct plot_data){
        .columns = columns,
        .n_columns = 2,
        .n_rows = 4,
        .rows = arena_keep_json(&job->arena, json_pack("[[i,i],[i,i],[i,i],[i,i]]", 2001, 11, 2002,
                                                       12, 2003, 13, 2004, 98765)),
        .origin = "rain.csv",
    };
    job->request.mode = FIGURE_MODE_PLOT_CODE;
    job->request.data = &job->data;
    job->request.refs = refs;
    job->request.n_refs = 1;
    job->services.model_port = &job->services.model.base;
    fake_model_reply(&job->services.model, PLAN);
    fake_model_reply(&job->services.model, STYLED);
    for (size_t i = 0; i < n; i++)
        fake_model_reply(&job->services.model, replies[i]);
    enum err_code r = figure_job_draw(job);
    assert_int_equal(r, ERR_NONE);
    const char *broken = figure_job_broken_rule(job, r);
    if (broken)
        fail_msg("%s", broken);
    return &job->result.log.rounds[0];
}
#define PLOTS(job, ...)                                                                            \
    plot((job), (const char *const[]){ __VA_ARGS__ },                                              \
         ARRAY_LENGTH(((const char *const[]){ __VA_ARGS__ })))

static const struct figure_stage_record *visualizer(const struct figure_job *job)
{
    for (size_t i = 0; i < job->result.n_stages; i++)
        if (job->result.stages[i].stage == STAGE_VISUALIZER)
            return &job->result.stages[i];
    return NULL;
}

static void a_model_chooses_the_columns(void **state)
{
    struct figure_job *job = *state;
    const struct figure_round *round = PLOTS(job, LINE, APPROVAL);
    assert_int_equal(job->result.end, FIGURE_END_APPROVED);
    assert_string_equal(json_get_string(round->drawn, "mark"), "line");
    assert_false(visualizer(job)->by_rules);
    const char *text = fake_artifacts_text(&job->services.artifacts, "runs/x", "figure.vl.json");
    assert_non_null(text);
    assert_non_null(strstr(text, "98765"));
    assert_non_null(strstr(round->artifact.value, "98765"));
}

static void a_model_sees_three_values_of_a_column_and_no_more(void **state)
{
    struct figure_job *job = *state;
    PLOTS(job, LINE, APPROVAL);
    const struct fake_request *asked = &job->services.model.requests[2];
    assert_string_equal(asked->purpose, "figure_plot");
    assert_non_null(strstr(asked->user, "\"rain\": number"));
    assert_non_null(strstr(asked->user, "2003"));
    for (size_t i = 0; i < job->services.model.n_requests; i++)
        assert_null(strstr(job->services.model.requests[i].user, "98765"));
}

static void the_planner_knows_the_columns_and_a_caption_may_name_one(void **state)
{
    struct figure_job *job = *state;
    job->request.caption = "Rain";
    PLOTS(job, LINE, APPROVAL);
    const struct fake_request *asked = &job->services.model.requests[0];
    assert_string_equal(asked->purpose, "figure_planner");
    assert_non_null(strstr(asked->user, "\"rain\": number, such as 11, 12, 13\n```"));
    assert_non_null(strstr(asked->user, "Doubt: none"));
}

static void a_column_that_is_not_there_is_asked_for_again(void **state)
{
    struct figure_job *job = *state;
    const struct figure_round *round = PLOTS(job, UNKNOWN, LINE, APPROVAL);
    assert_int_equal(job->result.end, FIGURE_END_APPROVED);
    assert_string_equal(json_get_string(round->drawn, "x"), "year");
    assert_non_null(strstr(job->services.model.requests[3].user, "town"));
}

static void code_in_place_of_a_spec_leaves_the_columns_to_the_rules(void **state)
{
    struct figure_job *job = *state;
    const struct figure_round *round = PLOTS(job, FREE_CODE, FREE_CODE, FREE_CODE, APPROVAL);
    assert_true(visualizer(job)->by_rules);
    assert_non_null(strstr(visualizer(job)->note, "the columns were chosen by rules"));
    assert_null(strstr(round->artifact.value, FREE_CODE));
    assert_true(round->rendered);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, figure_job_set_up, figure_job_tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_model_chooses_the_columns),
        TEST(a_model_sees_three_values_of_a_column_and_no_more),
        TEST(the_planner_knows_the_columns_and_a_caption_may_name_one),
        TEST(a_column_that_is_not_there_is_asked_for_again),
        TEST(code_in_place_of_a_spec_leaves_the_columns_to_the_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
