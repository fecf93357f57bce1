/* What a consensus and a studio turn keep when they end early, and how they go on. Kills are in
 * tests/scenario/test_durable_jobs.c. */
#include "application/use_cases/job_state.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/consensus_bench.h"
#include "tests/support/fakes/fake_run_states.h"
#include "tests/support/studio_bench.h"
#include <string.h>

#define CAT STUDIO_REPLY("Here it is.", "a red cat", "true")
#define DOG STUDIO_REPLY("Here it is.", "a dog", "true")

static struct fake_run_states states;

static int set_up_consensus(void **state)
{
    int r = consensus_bench_set_up(state);
    struct consensus_bench *bench = *state;
    fake_run_states_init(&states);
    bench->services.base.run_states = &states.base;
    bench->services.settings.model_attempts = 1;
    return r;
}

static int tear_down_consensus(void **state)
{
    fake_run_states_finish(&states);
    return consensus_bench_tear_down(state);
}

static int set_up_studio(void **state)
{
    int r = studio_bench_set_up(state);
    struct studio_bench *bench = *state;
    fake_run_states_init(&states);
    bench->services.base.run_states = &states.base;
    bench->services.settings.studio_image_tool = "art/draw";
    return r;
}

static int tear_down_studio(void **state)
{
    fake_run_states_finish(&states);
    return studio_bench_tear_down(state);
}

static enum err_code resume_consensus(struct consensus_bench *bench, struct resumed_job *job,
                                      struct turn_result *out)
{
    const struct resume_request request = { .run_id = bench->services.runs.runs[0].id,
                                            .uncertain = UNCERTAIN_ASK,
                                            .job = job };
    return resume_run(&bench->services.base, &bench->scope, &bench->arena, &request, out,
                      &bench->err);
}

static enum err_code resume_studio(struct studio_bench *bench, struct resume_request request,
                                   struct turn_result *out)
{
    request.run_id = bench->services.runs.runs[0].id;
    return resume_run(&bench->services.base, &bench->scope, &bench->arena, &request, out,
                      &bench->err);
}

static void an_agent_that_was_lost_is_asked_again_and_the_other_is_not(void **state)
{
    struct consensus_bench *bench = *state;
    struct resumed_job job = { 0 };
    struct turn_result result;
    const char *four = consensus_bench_envelope(bench, "SOLVED", "4", "");
    fake_model_reply(&bench->services.model, four);
    fake_model_push(&bench->services.model, (struct fake_reply){ .fails = ERR_UNAVAILABLE });
    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);
    assert_int_equal(bench->reached.result.end, CONSENSUS_AGENTS_LOST);
    assert_true(bench->reached.end.is_resumable);

    fake_model_reply(&bench->services.model, four);
    assert_int_equal(resume_consensus(bench, &job, &result), ERR_NONE);

    assert_int_equal(result.status, RUN_COMPLETED);
    assert_string_equal(result.answer, "4");
    assert_string_equal(job.consensus->result.text, "4");
    assert_int_equal(bench->services.model.n_requests, 3);
    assert_int_equal(fake_run_states_kept(&states), 0);
}

static void two_who_do_not_agree_leave_no_state(void **state)
{
    struct consensus_bench *bench = *state;
    bench->request.max_rounds = 1;
    fake_model_reply(&bench->services.model, consensus_bench_envelope(bench, "SOLVED", "4", ""));
    fake_model_reply(&bench->services.model, consensus_bench_envelope(bench, "SOLVED", "5", ""));

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->reached.result.end, CONSENSUS_MAX_ROUNDS);
    assert_false(bench->reached.end.is_resumable);
    assert_int_equal(fake_run_states_kept(&states), 0);
}

static void what_cannot_begin_again_keeps_its_state_and_no_owner(void **state)
{
    struct consensus_bench *bench = *state;
    struct turn_result result;
    bool is_owned = true;
    fake_model_reply(&bench->services.model, consensus_bench_envelope(bench, "SOLVED", "4", ""));
    fake_model_push(&bench->services.model, (struct fake_reply){ .fails = ERR_UNAVAILABLE });
    bench->request.out = "left/it";
    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    bench->services.artifacts.fail_at = bench->services.artifacts.n_calls + 1;
    assert_int_equal(resume_consensus(bench, NULL, &result), ERR_FAILED);

    assert_int_equal(fake_run_states_kept(&states), 1);
    assert_int_equal(run_states_is_owned(&states.base, &bench->scope,
                                         bench->services.runs.runs[0].id, &is_owned, NULL),
                     ERR_NONE);
    assert_false(is_owned);
}

static void a_folder_that_could_not_be_written_is_written_without_asking_again(void **state)
{
    struct consensus_bench *bench = *state;
    struct turn_result result;
    const char *four = consensus_bench_envelope(bench, "SOLVED", "4", "");
    fake_model_reply(&bench->services.model, four);
    fake_model_reply(&bench->services.model, four);
    bench->request.out = "left/it";
    bench->services.artifacts.fail_at = 2;
    assert_int_equal(consensus_bench_reach(bench), ERR_FAILED);
    assert_true(bench->reached.end.is_resumable);

    assert_int_equal(resume_consensus(bench, NULL, &result), ERR_NONE);

    assert_int_equal(result.status, RUN_COMPLETED);
    assert_int_equal(bench->services.model.n_requests, 2);
    assert_non_null(fake_artifacts_text(&bench->services.artifacts, "left/it", "final.json"));
}

/* The first event of the kind did not reach the log before the process was killed. */
static void lose_event(struct consensus_bench *bench, enum event_kind kind)
{
    struct fake_run_repository *log = &bench->services.runs;
    size_t at = 0;
    while (log->events[at].kind != kind)
        at++;
    memmove(&log->events[at], &log->events[at + 1], (--log->n_events - at) * sizeof *log->events);
}

static void the_log_gets_the_reply_that_it_lacks_and_not_the_other(void **state)
{
    struct consensus_bench *bench = *state;
    struct turn_result result;
    fake_model_reply(&bench->services.model, consensus_bench_envelope(bench, "SOLVED", "4", ""));
    fake_model_reply(&bench->services.model, consensus_bench_envelope(bench, "SOLVED", "4", " "));
    bench->request.out = "left/it";
    bench->services.artifacts.fail_at = 2;
    assert_int_equal(consensus_bench_reach(bench), ERR_FAILED);
    const json_t *first =
        json_object_get(consensus_bench_event(bench, EVENT_MODEL_REPLIED, 0), "reply");
    lose_event(bench, EVENT_MODEL_REPLIED);

    assert_int_equal(resume_consensus(bench, NULL, &result), ERR_NONE);

    assert_null(consensus_bench_event(bench, EVENT_MODEL_REPLIED, 2));
    const json_t *recovered = consensus_bench_event(bench, EVENT_MODEL_REPLIED, 1);
    assert_true(json_get_bool(recovered, "recovered", false));
    assert_true(json_equal(json_object_get(recovered, "reply"), first));
}

static void what_is_wrong_with_how_it_is_resumed_loses_nothing(void **state)
{
    struct studio_bench *bench = *state;
    struct turn_result result;
    fake_model_push(&bench->services.model, (struct fake_reply){ .text = "no object" });
    fake_model_push(&bench->services.model, (struct fake_reply){ .fails = ERR_UNAVAILABLE });
    bench->services.settings.model_attempts = 1;
    assert_int_equal(studio_bench_turn(bench, "a red cat"), ERR_NONE);
    assert_int_equal(bench->result.end, STUDIO_FAILED);

    bench->services.model_fails = ERR_INVALID;
    assert_int_equal(resume_studio(bench, (struct resume_request){ 0 }, &result), ERR_INVALID);
    assert_int_equal(fake_run_states_kept(&states), 1);
    bench->services.model_fails = ERR_NONE;
    fake_model_reply(&bench->services.model, CAT);
    assert_int_equal(resume_studio(bench, (struct resume_request){ 0 }, &result), ERR_NONE);

    assert_int_equal(result.status, RUN_COMPLETED);
    assert_int_equal(bench->services.model.n_requests, 3);
}

static void without_a_state_two_agents_go_on_and_say_so(void **state)
{
    struct consensus_bench *bench = *state;
    const char *four = consensus_bench_envelope(bench, "SOLVED", "4", "");
    states.create_fails = ERR_UNAVAILABLE;
    fake_model_reply(&bench->services.model, four);
    fake_model_reply(&bench->services.model, four);

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_string_equal(bench->reached.result.text, "4");
    const char *warning = json_get_string(consensus_bench_event(bench, EVENT_WARNING, 0), "text");
    assert_non_null(strstr(warning, "it cannot be resumed"));
}

static void without_a_state_no_image_is_made(void **state)
{
    struct studio_bench *bench = *state;
    states.create_fails = ERR_UNAVAILABLE;
    fake_model_reply(&bench->services.model, CAT);

    assert_int_equal(studio_bench_turn(bench, "a red cat"), ERR_NONE);

    assert_string_equal(bench->result.text, "Here it is.");
    assert_int_equal(bench->result.err.code, ERR_UNAVAILABLE);
    assert_int_equal(bench->server->n_calls, 0);
}

static void lose_the_image(struct studio_bench *bench)
{
    fake_model_reply(&bench->services.model, CAT);
    fake_tool_server_reply(
        bench->server,
        (struct fake_tool_reply){ .tool = "draw", .fails = ERR_UNAVAILABLE, .is_lost = true });
    assert_int_equal(studio_bench_turn(bench, "a red cat"), ERR_NONE);
    assert_int_equal(bench->result.err.code, ERR_UNAVAILABLE);
    assert_int_equal(fake_run_states_kept(&states), 1);
}

static void an_image_that_may_have_been_made_is_asked_about(void **state)
{
    struct studio_bench *bench = *state;
    struct turn_result result;
    lose_the_image(bench);

    assert_int_equal(
        resume_studio(bench, (struct resume_request){ .uncertain = UNCERTAIN_ASK }, &result),
        ERR_NONE);
    assert_int_equal(result.status, RUN_NEEDS_ANSWER);
    assert_string_equal(result.intent->questions[0].key, UNCERTAIN_KEY "image");
    assert_int_equal(bench->server->n_calls, 1);

    assert_int_equal(
        resume_studio(bench, (struct resume_request){ .uncertain = UNCERTAIN_REPEAT }, &result),
        ERR_NONE);
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_string_equal(result.answer, "Here it is.\nok");
    assert_int_equal(bench->server->n_calls, 2);
    assert_int_equal(bench->services.model.n_requests, 1);
    assert_int_equal(studio_bench_stored(bench)->n_messages, 2);
    assert_int_equal(fake_run_states_kept(&states), 0);
}

static void an_image_that_failed_is_made_again_where_that_is_wished(void **state)
{
    struct studio_bench *bench = *state;
    struct turn_result result;
    fake_model_reply(&bench->services.model, CAT);
    fake_tool_server_reply(
        bench->server, (struct fake_tool_reply){ .tool = "draw", .text = "no", .is_error = true });
    assert_int_equal(studio_bench_turn(bench, "a red cat"), ERR_NONE);

    assert_int_equal(resume_studio(bench, (struct resume_request){ 0 }, &result), ERR_NONE);
    assert_int_equal(result.status, RUN_FAILED);
    assert_int_equal(bench->server->n_calls, 1);

    assert_int_equal(
        resume_studio(bench, (struct resume_request){ .retries_failed = true }, &result), ERR_NONE);
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, 2);
}

/* Its reply is lost with the prompt that it was to: another one leads to another image. */
static void another_image_than_before_is_another_call(void **state)
{
    struct studio_bench *bench = *state;
    struct turn_result result;
    lose_the_image(bench);
    bench->services.assets.override_path = "config/prompts/studio_system.txt";
    bench->services.assets.override_text = "You write prompts.";
    fake_model_reply(&bench->services.model, DOG);

    assert_int_equal(
        resume_studio(bench, (struct resume_request){ .uncertain = UNCERTAIN_DONE }, &result),
        ERR_NONE);

    assert_int_equal(result.status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, 2);
    assert_non_null(strstr(bench->server->calls[1].arguments, "a dog"));
    const json_t *call = studio_bench_event(bench, EVENT_TOOL_CALL, 1);
    assert_string_equal(json_get_string(call, "step"), "image-2");
}

#define CONSENSUS(test) cmocka_unit_test_setup_teardown(test, set_up_consensus, tear_down_consensus)
#define STUDIO(test) cmocka_unit_test_setup_teardown(test, set_up_studio, tear_down_studio)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONSENSUS(an_agent_that_was_lost_is_asked_again_and_the_other_is_not),
        CONSENSUS(two_who_do_not_agree_leave_no_state),
        CONSENSUS(what_cannot_begin_again_keeps_its_state_and_no_owner),
        CONSENSUS(a_folder_that_could_not_be_written_is_written_without_asking_again),
        CONSENSUS(the_log_gets_the_reply_that_it_lacks_and_not_the_other),
        STUDIO(what_is_wrong_with_how_it_is_resumed_loses_nothing),
        CONSENSUS(without_a_state_two_agents_go_on_and_say_so),
        STUDIO(without_a_state_no_image_is_made),
        STUDIO(an_image_that_may_have_been_made_is_asked_about),
        STUDIO(an_image_that_failed_is_made_again_where_that_is_wished),
        STUDIO(another_image_than_before_is_another_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
