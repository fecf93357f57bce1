#include "application/use_cases/resume_run.h"
#include "application/use_cases/run_plan.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_run_states.h"
#include "tests/support/service_bench.h"
#include <string.h>

#define TOOLS                                                                                      \
    "[{\"name\":\"charge\",\"inputSchema\":{\"type\":\"object\"}},"                                \
    "{\"name\":\"note\",\"inputSchema\":{\"type\":\"object\"}}]"
#define NOTE "{\"id\":\"a\",\"tool\":\"shop/note\",\"args\":{\"text\":\"hi\",\"to\":[1]}}"
#define CHARGE(id)                                                                                 \
    "{\"id\":\"" id "\",\"tool\":\"shop/charge\",\"args\":{\"n\":1},\"needs\":[\"a\"]}"
#define TELL(text) "{\"id\":\"t\",\"tool\":\"shop/note\",\"args\":{\"text\":\"" text "\"}}"
#define ORIGINAL "[" NOTE "," CHARGE("b") "," TELL("{b.text}") "]"

static struct fake_run_states states;

static int set_up(void **state)
{
    struct service_bench *bench = service_bench_create("shop", TOOLS);
    fake_run_states_init(&states);
    bench->services.base.run_states = &states.base;
    bench->services.settings.runs_keep_state = "always";
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    fake_run_states_finish(&states);
    return service_bench_tear_down(state);
}

static const json_t *parsed(struct service_bench *bench, const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return arena_keep_json(&bench->arena, value);
}

/* The run id000001. */
static void run_original(struct service_bench *bench)
{
    struct turn_result result;
    const struct run_plan_request request = { .plan = parsed(bench, ORIGINAL) };
    assert_int_equal(run_plan(&bench->services.base, &bench->scope, &bench->arena, &request,
                              &result, &bench->err),
                     ERR_NONE);
}

static void lose_a_charge(struct service_bench *bench)
{
    fake_tool_server_reply(
        bench->server,
        (struct fake_tool_reply){ .tool = "charge", .fails = ERR_UNAVAILABLE, .is_lost = true });
}

static enum err_code fork_to(struct service_bench *bench, const char *plan_text,
                             struct turn_result *out)
{
    const struct run_plan_request request = { .plan = parsed(bench, plan_text) };
    return fork_plan(&bench->services.base, &bench->scope, &bench->arena, "id000001", &request, out,
                     &bench->err);
}

static void takes_over_what_is_equal_and_calls_the_rest(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    run_original(bench);
    assert_int_equal(bench->server->n_calls, 3);
    const char *edited = "[{\"id\":\"x\",\"tool\":\"note\",\"args\":{\"to\":[1],\"text\":\"hi\"}},"
                         "{\"id\":\"a\",\"tool\":\"shop/charge\",\"args\":{\"n\":1}},"
                         "{\"id\":\"b\",\"tool\":\"shop/note\",\"args\":{\"text\":\"{a.text}!\"}}]";
    assert_int_equal(fork_to(bench, edited, &result), ERR_NONE);
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, 4);
    assert_string_equal(bench->server->calls[3].arguments, "{\"text\":\"ok!\"}");
    assert_int_equal(result.steps[0].state, STEP_CACHED);
    assert_int_equal(result.steps[2].state, STEP_OK);
    assert_int_equal(fake_services_count(&bench->services, EVENT_STEPS_KEPT), 1);
}

static void takes_each_call_once(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    run_original(bench);
    assert_int_equal(fork_to(bench, "[" NOTE "," CHARGE("b") "," CHARGE("c") "]", &result),
                     ERR_NONE);
    assert_int_equal(bench->server->n_calls, 4);
    assert_string_equal(bench->server->calls[3].tool, "charge");
}

static void does_not_send_again_what_may_have_taken_effect(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    const struct policy_rule repeat = { .effect = POLICY_UNSAID,
                                        .repeat = HINT_YES,
                                        .tool = "charge" };
    lose_a_charge(bench);
    run_original(bench);
    assert_int_equal(bench->server->n_calls, 2);
    assert_int_equal(fork_to(bench, ORIGINAL, &result), ERR_NONE);
    assert_int_equal(result.status, RUN_FAILED);
    assert_non_null(strstr(result.err.message, "may have taken effect"));
    assert_int_equal(bench->server->n_calls, 2);
    bench->services.settings.policy = &repeat;
    bench->services.settings.n_policy = 1;
    assert_int_equal(fork_to(bench, ORIGINAL, &result), ERR_NONE);
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, 4);
}

static void does_not_repeat_by_a_key_that_would_be_another_one(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    const struct policy_rule keyed = { .effect = POLICY_UNSAID,
                                       .tool = "charge",
                                       .idempotency_argument = "key" };
    bench->services.settings.policy = &keyed;
    bench->services.settings.n_policy = 1;
    bench->services.settings.tools_attempts = 1;
    fake_tool_server_redefine(
        bench->server, "[{\"name\":\"charge\",\"inputSchema\":{\"type\":\"object\",\"properties\":"
                       "{\"key\":{\"type\":\"string\"},\"n\":{}}}},"
                       "{\"name\":\"note\",\"inputSchema\":{\"type\":\"object\"}}]");
    lose_a_charge(bench);
    run_original(bench);
    assert_int_equal(bench->server->n_calls, 2);
    assert_int_equal(fork_to(bench, ORIGINAL, &result), ERR_NONE);
    assert_int_equal(result.status, RUN_FAILED);
    assert_int_equal(bench->server->n_calls, 2);
}

static void takes_over_a_result_that_cannot_be_used_as_what_it_was(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    bench->services.settings.tools_cli_result_bytes = 60;
    fake_tool_server_reply(
        bench->server, (struct fake_tool_reply){ .tool = "charge",
                                                 .text = "1234567890123456789012345678901234567" });
    run_original(bench);
    assert_int_equal(bench->server->n_calls, 2);
    assert_int_equal(fork_to(bench, ORIGINAL, &result), ERR_NONE);
    assert_int_equal(result.status, RUN_FAILED);
    assert_int_equal(result.steps[1].state, STEP_ERROR);
    assert_non_null(strstr(result.err.message, "tools.cli_result_bytes"));
    assert_int_equal(bench->server->n_calls, 2);
}

static void says_where_a_call_is_settled(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    lose_a_charge(bench);
    run_original(bench);
    assert_int_equal(fork_to(bench, ORIGINAL, &result), ERR_NONE);
    assert_non_null(strstr(result.err.hint, "mistro runs resume id000001 --answer uncertain.b=…"));
    const struct resume_request request = { .run_id = result.run_id, .uncertain = UNCERTAIN_ASK };
    assert_int_equal(resume_run(&bench->services.base, &bench->scope, &bench->arena, &request,
                                &result, &bench->err),
                     ERR_NONE);
    assert_non_null(strstr(result.err.hint, "mistro runs resume id000001 --answer uncertain.b=…"));
}

static void a_forked_run_that_is_gone_on_with_takes_over_the_rest(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    run_original(bench);
    const char *edited = "[" NOTE ",{\"id\":\"n\",\"tool\":\"shop/charge\",\"args\":{\"n\":2},"
                         "\"needs\":[\"a\"]},{\"id\":\"b\",\"tool\":\"shop/charge\",\"args\":"
                         "{\"n\":1},\"needs\":[\"n\"]}]";
    lose_a_charge(bench);
    assert_int_equal(fork_to(bench, edited, &result), ERR_NONE);
    assert_int_equal(result.status, RUN_FAILED);
    assert_int_equal(bench->server->n_calls, 4);
    const struct resume_request request = { .run_id = result.run_id,
                                            .uncertain = UNCERTAIN_REPEAT };
    assert_int_equal(resume_run(&bench->services.base, &bench->scope, &bench->arena, &request,
                                &result, &bench->err),
                     ERR_NONE);
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, 5);
    assert_string_equal(bench->server->calls[4].arguments, "{\"n\":2}");
}

static void the_log_of_a_killed_fork_gets_no_call_that_it_did_not_make(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    run_original(bench);
    lose_a_charge(bench);
    assert_int_equal(fork_to(bench,
                             "[" NOTE ",{\"id\":\"n\",\"tool\":\"shop/charge\",\"args\":"
                             "{\"n\":2},\"needs\":[\"a\"]}]",
                             &result),
                     ERR_NONE);
    size_t n_calls = fake_services_count(&bench->services, EVENT_TOOL_CALL);
    struct fake_run_state *kept = &states.states[1];
    kept->puts[kept->n - 1].fact.text = "running";
    const struct resume_request request = { .run_id = result.run_id, .uncertain = UNCERTAIN_ASK };
    assert_int_equal(resume_run(&bench->services.base, &bench->scope, &bench->arena, &request,
                                &result, &bench->err),
                     ERR_NONE);
    assert_int_equal(result.status, RUN_NEEDS_ANSWER);
    assert_int_equal(fake_services_count(&bench->services, EVENT_TOOL_CALL), n_calls);
    assert_int_equal(fake_services_count(&bench->services, EVENT_TOOL_RESULT), n_calls);
}

static void an_uncertain_call_of_the_other_run_is_no_call_of_the_fork(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    lose_a_charge(bench);
    run_original(bench);
    lose_a_charge(bench);
    assert_int_equal(fork_to(bench,
                             "[" NOTE ",{\"id\":\"c\",\"tool\":\"shop/charge\",\"args\":"
                             "{\"n\":2},\"needs\":[\"a\"]}]",
                             &result),
                     ERR_NONE);
    size_t n_calls = bench->server->n_calls;
    const struct resume_request request = {
        .run_id = result.run_id,
        .uncertain = UNCERTAIN_ASK,
        .answers = parsed(bench, "{\"uncertain.id000001/b\":\"done\"}"),
    };
    assert_int_equal(resume_run(&bench->services.base, &bench->scope, &bench->arena, &request,
                                &result, &bench->err),
                     ERR_INVALID);
    assert_non_null(strstr(bench->err.hint, "uncertain.c"));
    assert_null(strstr(bench->err.hint, "id000001/"));
    assert_int_equal(bench->server->n_calls, n_calls);
}

static void a_forked_run_is_resumed_by_its_id_only(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    lose_a_charge(bench);
    run_original(bench);
    assert_int_equal(fork_to(bench, "[" TELL("hello") "]", &result), ERR_NONE);
    size_t n_calls = bench->server->n_calls;
    struct resume_request request = { .run_id = "id000001",
                                      .uncertain = UNCERTAIN_REPEAT,
                                      .is_one_of_all = true };
    assert_int_equal(resume_run(&bench->services.base, &bench->scope, &bench->arena, &request,
                                &result, &bench->err),
                     ERR_INVALID);
    assert_string_equal(bench->err.what, RESUME_RUN_FORKED);
    assert_non_null(strstr(bench->err.message, "was forked as id"));
    assert_int_equal(bench->server->n_calls, n_calls);
    request.is_one_of_all = false;
    assert_int_equal(resume_run(&bench->services.base, &bench->scope, &bench->arena, &request,
                                &result, &bench->err),
                     ERR_NONE);
    assert_int_equal(result.status, RUN_COMPLETED);
}

static void a_second_fork_is_warned_of_the_first(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    run_original(bench);
    size_t n_before = fake_services_count(&bench->services, EVENT_WARNING);
    assert_int_equal(fork_to(bench, "[" TELL("hello") "]", &result), ERR_NONE);
    assert_int_equal(fake_services_count(&bench->services, EVENT_WARNING), n_before);
    assert_int_equal(fork_to(bench, "[" TELL("hello") "]", &result), ERR_NONE);
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_int_equal(fake_services_count(&bench->services, EVENT_WARNING), n_before + 1);
}

static void a_fork_is_noted_before_its_first_call_or_makes_none(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    run_original(bench);
    bench->services.settings.runs_keep_state = "never";
    states.commit_fails = ERR_UNAVAILABLE;
    assert_int_equal(fork_to(bench, "[" TELL("hello") "]", &result), ERR_UNAVAILABLE);
    assert_int_equal(bench->server->n_calls, 3);
}

static void a_fork_whose_plan_may_not_run_is_none(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    run_original(bench);
    assert_int_equal(fork_to(bench, "[{\"id\":\"t\",\"tool\":\"shop/gone\"}]", &result), ERR_NONE);
    assert_int_equal(result.status, RUN_FAILED);
    size_t n_before = fake_services_count(&bench->services, EVENT_WARNING);
    assert_int_equal(fork_to(bench, "[" TELL("hello") "]", &result), ERR_NONE);
    assert_int_equal(fake_services_count(&bench->services, EVENT_WARNING), n_before);
}

static void a_run_that_is_being_run_or_keeps_nothing_is_not_forked(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    struct run_claim *claim = NULL;
    run_original(bench);
    assert_int_equal(run_states_claim(&states.base, &bench->scope, "id000001", &claim, NULL),
                     ERR_NONE);
    assert_int_equal(fork_to(bench, ORIGINAL, &result), ERR_INVALID);
    run_states_release(&states.base, claim);
    states.states[0].is_kept = false;
    assert_int_equal(fork_to(bench, ORIGINAL, &result), ERR_NOT_FOUND);
    assert_int_equal(bench->server->n_calls, 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(takes_over_what_is_equal_and_calls_the_rest),
        TEST(takes_each_call_once),
        TEST(does_not_send_again_what_may_have_taken_effect),
        TEST(does_not_repeat_by_a_key_that_would_be_another_one),
        TEST(takes_over_a_result_that_cannot_be_used_as_what_it_was),
        TEST(says_where_a_call_is_settled),
        TEST(a_forked_run_that_is_gone_on_with_takes_over_the_rest),
        TEST(the_log_of_a_killed_fork_gets_no_call_that_it_did_not_make),
        TEST(an_uncertain_call_of_the_other_run_is_no_call_of_the_fork),
        TEST(a_forked_run_is_resumed_by_its_id_only),
        TEST(a_second_fork_is_warned_of_the_first),
        TEST(a_fork_is_noted_before_its_first_call_or_makes_none),
        TEST(a_fork_whose_plan_may_not_run_is_none),
        TEST(a_run_that_is_being_run_or_keeps_nothing_is_not_forked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
