/* Arguments by which a server knows that a call is repeated. */
#include "tests/support/resume_bench.h"

/* The tools of the shop, with an argument by which charge knows a repetition. */
static void take_keys(struct service_bench *bench, const char *argument)
{
    static struct policy_rule rule;
    rule = (struct policy_rule){ .effect = POLICY_UNSAID,
                                 .tool = "charge",
                                 .idempotency_argument = argument };
    bench->services.settings.policy = &rule;
    bench->services.settings.n_policy = 1;
    redefine_charge(bench, "{\"name\":\"charge\",\"inputSchema\":{\"type\":\"object\","
                           "\"properties\":{\"key\":{\"type\":\"string\"},\"n\":{},\"n2\":{}}}}");
}

static void a_call_that_its_server_knows_again_is_not_asked_about(void **state)
{
    struct service_bench *bench = *state;
    take_keys(bench, "key");
    bench->services.settings.tools_attempts = 1;
    (void)run_with_loss(bench);
    assert_int_equal(resumed(bench, (struct resume_request){ ASK }).status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, 4);
    const json_t *first = parsed(bench, bench->server->calls[1].arguments);
    assert_int_equal(strlen(json_get_string(first, "key")), CALL_EFFECT_ID_LENGTH);
    assert_string_equal(bench->server->calls[2].arguments, bench->server->calls[1].arguments);
    assert_null(strstr(bench->server->calls[0].arguments, "key"));
}

static void a_key_that_policy_asks_for_since_does_not_count_for_a_call_without_one(void **state)
{
    struct service_bench *bench = *state;
    take_keys(bench, "key");
    bench->services.settings.n_policy = 0;
    (void)run_with_loss(bench);
    bench->services.settings.n_policy = 1;
    assert_int_equal(resumed(bench, (struct resume_request){ ASK }).status, RUN_NEEDS_ANSWER);
    assert_int_equal(bench->server->n_calls, 2);
}

static void a_key_in_another_argument_than_it_was_sent_in_does_not_count(void **state)
{
    struct service_bench *bench = *state;
    take_keys(bench, "n2");
    bench->services.settings.tools_attempts = 1;
    (void)run_with_loss(bench);
    take_keys(bench, "key");
    assert_int_equal(resumed(bench, (struct resume_request){ ASK }).status, RUN_NEEDS_ANSWER);
    assert_int_equal(bench->server->n_calls, 2);
}

static void a_call_has_the_same_effect_id_however_its_server_is_configured_by_now(void **state)
{
    struct service_bench *bench = *state;
    const struct fake_run_repository *log = &bench->services.runs;
    (void)run_with_loss(bench);
    bench->server->identity = "somewhere else";
    const struct resume_request request = { .uncertain = UNCERTAIN_REPEAT,
                                            .accepts_changes = true };
    assert_int_equal(resumed(bench, request).status, RUN_COMPLETED);
    const struct event *first = fake_run_repository_event(log, EVENT_TOOL_CALL, 1);
    const struct event *again = fake_run_repository_event(log, EVENT_TOOL_CALL, 2);
    assert_string_equal(json_get_string(again->data, "step"), "b");
    assert_string_equal(json_get_string(again->data, "effect_id"),
                        json_get_string(first->data, "effect_id"));
}

static void the_plan_s_own_value_wins_and_that_is_said(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    const struct run_plan_request request = {
        .plan = parsed(bench, "[{\"tool\":\"shop/charge\",\"args\":{\"key\":\"mine\"}}]")
    };
    take_keys(bench, "key");
    assert_int_equal(run_plan(&bench->services.base, &bench->scope, &bench->arena, &request,
                              &result, &bench->err),
                     ERR_NONE);
    assert_string_equal(bench->server->calls[0].arguments, "{\"key\":\"mine\"}");
    assert_int_equal(fake_services_count(&bench->services, EVENT_WARNING), 1);
}

static void a_rule_that_names_no_argument_of_its_tool_stops_the_run_before_any_call(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    const struct run_plan_request request = { .plan = parsed(bench, plan_text) };
    take_keys(bench, "token");
    assert_int_equal(run_plan(&bench->services.base, &bench->scope, &bench->arena, &request,
                              &result, &bench->err),
                     ERR_INVALID);
    assert_non_null(strstr(bench->err.message, "shop/charge has no argument \"token\""));
    assert_int_equal(bench->server->n_calls, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_call_that_its_server_knows_again_is_not_asked_about),
        TEST(a_key_that_policy_asks_for_since_does_not_count_for_a_call_without_one),
        TEST(a_key_in_another_argument_than_it_was_sent_in_does_not_count),
        TEST(a_call_has_the_same_effect_id_however_its_server_is_configured_by_now),
        TEST(the_plan_s_own_value_wins_and_that_is_said),
        TEST(a_rule_that_names_no_argument_of_its_tool_stops_the_run_before_any_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
