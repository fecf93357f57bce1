/* Consensus as a tool: what it gives, what it tells meanwhile, and how it fails. */
#include "application/agent_tools/agent_tools.h"
#include "domain/base/json.h"
#include "domain/policy/policy.h"
#include "tests/support/cmocka.h"
#include "tests/support/consensus_bench.h"
#include <string.h>

struct job_bench {
    struct consensus_bench *consensus;
    struct tool_server *jobs;
    struct step_result result;
    const char *told[16];
    size_t n_told;
};

static int set_up(void **state)
{
    static struct job_bench bench;
    void *consensus = NULL;
    bench = (struct job_bench){ 0 };
    consensus_bench_set_up(&consensus);
    bench.consensus = consensus;
    bench.jobs = job_tools_create(&bench.consensus->services.base);
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    struct job_bench *bench = *state;
    void *consensus = bench->consensus;
    tool_server_close(bench->jobs, &bench->consensus->scope);
    tool_server_destroy(bench->jobs);
    return consensus_bench_tear_down(&consensus);
}

static void on_progress(void *context, double progress, double total, const char *message)
{
    struct job_bench *bench = context;
    (void)progress;
    (void)total;
    if (bench->n_told < ARRAY_LENGTH(bench->told))
        bench->told[bench->n_told++] = arena_strdup(&bench->consensus->arena, message);
}

static enum err_code call(struct job_bench *bench, const char *arguments)
{
    struct consensus_bench *consensus = bench->consensus;
    json_t *value = json_loads(arguments, 0, NULL);
    const struct tool_call request = { .name = "consensus",
                                       .arguments = arena_keep_json(&consensus->arena, value),
                                       .on_progress = on_progress,
                                       .context = bench };
    return tool_server_call(bench->jobs, &consensus->scope, &request, &consensus->arena,
                            &bench->result, &consensus->err);
}

static const char *text(struct job_bench *bench)
{
    return step_result_text(&bench->consensus->arena, &bench->result);
}

static void both_agree(struct job_bench *bench)
{
    struct consensus_bench *consensus = bench->consensus;
    for (int i = 0; i < 2; i++)
        fake_model_push(
            &consensus->services.model,
            (struct fake_reply){ .text = consensus_bench_envelope(consensus, "SOLVED", "4", ""),
                                 .prompt_tokens = 1000 });
}

static void gives_the_agreed_text_and_the_result_object(void **state)
{
    struct job_bench *bench = *state;
    both_agree(bench);

    assert_int_equal(call(bench, "{\"task\":\"2+2\",\"role_set\":\"math\"}"), ERR_NONE);

    const json_t *value = step_result_structured(&bench->result);
    assert_false(bench->result.is_error);
    assert_string_equal(text(bench), "4");
    assert_string_equal(json_get_string(value, "status"), "CONSENSUS");
    assert_string_equal(json_get_string(value, "run_id"), "id000001");
}

static void is_a_run_of_its_own_that_tells_its_turns_as_progress(void **state)
{
    struct job_bench *bench = *state;
    both_agree(bench);

    assert_int_equal(call(bench, "{\"task\":\"2+2\",\"role_set\":\"math\"}"), ERR_NONE);

    assert_int_equal(bench->consensus->services.runs.n_runs, 1);
    assert_string_equal(bench->consensus->services.runs.runs[0].kind, "consensus");
    assert_int_equal(bench->n_told, 2);
    assert_string_equal(bench->told[0], "round 1, agent a: SOLVED");
    assert_string_equal(bench->told[1], "round 1, agent b: SOLVED");
}

static void without_a_model_it_says_so_as_its_own_failure(void **state)
{
    struct job_bench *bench = *state;
    bench->consensus->services.choice = MODEL_CHOICE_LEXICAL;

    assert_int_equal(call(bench, "{\"task\":\"2+2\"}"), ERR_NONE);

    assert_true(bench->result.is_error);
    assert_non_null(strstr(text(bench), "model"));
}

static void without_consensus_both_candidates_are_in_the_text_of_the_failure(void **state)
{
    struct job_bench *bench = *state;
    struct consensus_bench *consensus = bench->consensus;
    consensus->services.settings.consensus_max_rounds = 1;
    fake_model_reply(&consensus->services.model,
                     consensus_bench_envelope(consensus, "SOLVED", "4", ""));
    fake_model_reply(&consensus->services.model,
                     consensus_bench_envelope(consensus, "SOLVED", "5", ""));

    assert_int_equal(call(bench, "{\"task\":\"2+2\",\"role_set\":\"math\"}"), ERR_NONE);

    assert_true(bench->result.is_error);
    assert_string_equal(text(bench),
                        "no consensus after 1 round (max_rounds)\nagent a: 4\nagent b: 5");
}

static void arguments_that_do_not_fit_are_named(void **state)
{
    struct job_bench *bench = *state;
    assert_int_equal(call(bench, "{\"role_set\":\"math\"}"), ERR_NONE);
    assert_true(bench->result.is_error);
    assert_non_null(strstr(text(bench), "task"));
    assert_int_equal(call(bench, "{\"task\":\"a\\u0000b\"}"), ERR_NONE);
    assert_true(bench->result.is_error);
    assert_int_equal(call(bench, "{\"task\":\"x\",\"role_set\":\"nobody_here\"}"), ERR_NONE);
    assert_non_null(strstr(text(bench), "no role set is named \"nobody_here\""));
}

static void who_cancels_waits_for_no_result(void **state)
{
    struct job_bench *bench = *state;
    bench->consensus->scope.cancelled = true;

    assert_int_equal(call(bench, "{\"task\":\"2+2\"}"), ERR_CANCELLED);
}

static void an_unknown_tool_is_not_found(void **state)
{
    struct job_bench *bench = *state;
    const struct tool_call request = { .name = "poem" };
    assert_int_equal(tool_server_call(bench->jobs, &bench->consensus->scope, &request,
                                      &bench->consensus->arena, &bench->result, NULL),
                     ERR_NOT_FOUND);
}

static void definitions_that_are_none_are_told_when_they_are_wanted(void **state)
{
    struct job_bench *bench = *state;
    struct tool_catalogue *catalogue = NULL;
    struct consensus_bench *consensus = bench->consensus;
    consensus->services.assets.override_path = JOB_TOOLS_ASSET;
    consensus->services.assets.override_text = "{\"tools\":[{\"name\":\"poem\"}]}";

    assert_int_equal(tool_server_list(bench->jobs, &consensus->scope, &catalogue, &consensus->err),
                     ERR_INVALID);
    assert_non_null(strstr(consensus->err.message, "/tools/0/name: there is no such tool"));
}

static void is_allowed_without_asking(void **state)
{
    struct job_bench *bench = *state;
    struct tool_catalogue *catalogue = NULL;
    struct tool_server_status status = { 0 };
    assert_int_equal(tool_server_list(bench->jobs, &bench->consensus->scope, &catalogue, NULL),
                     ERR_NONE);
    tool_server_status(bench->jobs, &status);
    struct policy_input input = { .is_builtin = status.is_builtin };

    enum policy_effect effect =
        policy_decide(&input, tool_catalogue_find(catalogue, "consensus"), NULL);
    tool_catalogue_unref(catalogue);

    assert_int_equal(effect, POLICY_ALLOW);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(gives_the_agreed_text_and_the_result_object),
        TEST(is_a_run_of_its_own_that_tells_its_turns_as_progress),
        TEST(without_a_model_it_says_so_as_its_own_failure),
        TEST(without_consensus_both_candidates_are_in_the_text_of_the_failure),
        TEST(arguments_that_do_not_fit_are_named),
        TEST(who_cancels_waits_for_no_result),
        TEST(an_unknown_tool_is_not_found),
        TEST(definitions_that_are_none_are_told_when_they_are_wanted),
        TEST(is_allowed_without_asking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
