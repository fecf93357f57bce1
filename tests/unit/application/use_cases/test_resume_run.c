#include "application/use_cases/runs/runs.h"
#include "tests/support/resume_bench.h"

static void a_complete_run_leaves_nothing_and_is_not_resumed(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result = run(bench, NULL);
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_false(result.is_resumable);
    assert_int_equal(fake_run_states_kept(&states), 0);
    assert_int_equal(resume(bench, (struct resume_request){ ASK }, &result), ERR_INVALID);
    assert_non_null(strstr(bench->err.message, "is complete"));
}

static void an_uncertain_call_is_asked_about_before_anything_is_called(void **state)
{
    struct service_bench *bench = *state;
    (void)run_with_loss(bench);
    struct turn_result result = resumed(bench, (struct resume_request){ ASK });
    assert_int_equal(result.status, RUN_NEEDS_ANSWER);
    assert_int_equal(result.intent->n_questions, 1);
    assert_string_equal(result.intent->questions[0].key, "uncertain.b");
    assert_int_equal(bench->server->n_calls, 2);
    assert_int_equal(fake_services_count(&bench->services, EVENT_QUESTIONS), 1);
}

static void a_repeated_call_goes_on_behind_what_was_done(void **state)
{
    struct service_bench *bench = *state;
    const struct turn_result lost = run_with_loss(bench);
    struct turn_result result = resumed(
        bench,
        (struct resume_request){ ASK, .answers = parsed(bench, "{\"uncertain.b\":\"repeat\"}") });
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_string_equal(result.run_id, lost.run_id);
    assert_int_equal(bench->server->n_calls, 4);
    assert_string_equal(bench->server->calls[0].arguments, "{\"text\":7}");
    assert_string_equal(bench->server->calls[2].tool, "charge");
    assert_string_equal(bench->server->calls[3].arguments, "{\"text\":\"ok\"}");
    assert_true(result.steps[0].is_kept);
    assert_false(result.steps[1].is_kept);
    assert_int_equal(fake_services_count(&bench->services, EVENT_STEPS_KEPT), 1);
    json_auto_t *kept = step_outcome_to_json(&result.steps[0]);
    assert_int_equal(json_get_int(json_object_get(kept, "args"), "text", 0), 7);
    assert_int_equal(fake_run_states_kept(&states), 0);
}

/* The log ends behind this event, as if the process had been killed, which came to nothing more. */
static void forget_behind(struct service_bench *bench, enum event_kind kind)
{
    struct fake_run_repository *log = &bench->services.runs;
    size_t n = 0;
    while (log->events[n].kind != kind)
        n++;
    log->n_events = n + 1;
    states.states[0].puts[states.states[0].n - 1].fact.text = "running";
}

static void the_log_gets_the_calls_that_died_with_the_process(void **state)
{
    struct service_bench *bench = *state;
    (void)run_with_loss(bench);
    forget_behind(bench, EVENT_TOOL_CALL);
    struct turn_result result = resumed(bench, (struct resume_request){ ASK });
    assert_int_equal(result.status, RUN_NEEDS_ANSWER);
    assert_int_equal(fake_services_count(&bench->services, EVENT_TOOL_CALL), 2);
    assert_int_equal(fake_services_count(&bench->services, EVENT_TOOL_RESULT), 2);
    const struct fake_run_repository *log = &bench->services.runs;
    const struct event *call = fake_run_repository_event(log, EVENT_TOOL_CALL, 1);
    assert_string_equal(json_get_string(call->data, "step"), "b");
    assert_true(json_get_bool(call->data, "recovered", false));
    const struct event *end = fake_run_repository_event(log, EVENT_TOOL_RESULT, 1);
    assert_string_equal(json_get_string(json_object_get(end->data, "error"), "outcome"), "unknown");
    (void)resumed(bench, (struct resume_request){ .uncertain = UNCERTAIN_REPEAT });
    assert_int_equal(fake_services_count(&bench->services, EVENT_TOOL_CALL), 4);
    call = fake_run_repository_event(log, EVENT_TOOL_CALL, 2);
    assert_int_equal(json_get_int(call->data, "attempt", 0), 2);
}

static void a_call_that_is_done_gets_the_result_that_is_given(void **state)
{
    struct service_bench *bench = *state;
    (void)run_with_loss(bench);
    struct turn_result result =
        resumed(bench, (struct resume_request){ .uncertain = UNCERTAIN_DONE });
    assert_int_equal(result.status, RUN_NEEDS_ANSWER);
    assert_non_null(strstr(result.intent->questions[0].text, "--set b="));
    result = resumed(bench,
                     (struct resume_request){ ASK, .results = parsed(bench, "{\"b\":\"paid\"}") });
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, 3);
    assert_string_equal(bench->server->calls[2].arguments, "{\"text\":\"paid\"}");
}

static void a_call_that_is_settled_as_failed_ends_the_run(void **state)
{
    struct service_bench *bench = *state;
    (void)run_with_loss(bench);
    struct turn_result result =
        resumed(bench, (struct resume_request){ .uncertain = UNCERTAIN_FAIL });
    assert_int_equal(result.status, RUN_FAILED);
    assert_int_equal(bench->server->n_calls, 2);
    assert_int_equal(resumed(bench, (struct resume_request){ ASK }).status, RUN_FAILED);
    assert_int_equal(bench->server->n_calls, 2);
}

static void what_was_settled_as_failed_is_asked_about_before_it_is_tried_again(void **state)
{
    struct service_bench *bench = *state;
    (void)run_with_loss(bench);
    (void)resumed(bench, (struct resume_request){ .uncertain = UNCERTAIN_FAIL });
    struct turn_result result =
        resumed(bench, (struct resume_request){ ASK, .retries_failed = true });
    assert_int_equal(result.status, RUN_NEEDS_ANSWER);
    assert_string_equal(result.intent->questions[0].key, "uncertain.b");
    assert_int_equal(bench->server->n_calls, 2);
    const json_t *answers = parsed(bench, "{\"uncertain.b\":\"repeat\"}");
    result = resumed(bench, (struct resume_request){ ASK, .answers = answers });
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, 4);
}

static void what_was_settled_as_failed_may_be_said_to_be_done(void **state)
{
    struct service_bench *bench = *state;
    (void)run_with_loss(bench);
    (void)resumed(bench, (struct resume_request){ .uncertain = UNCERTAIN_FAIL });
    const json_t *results = parsed(bench, "{\"b\":\"paid\"}");
    const struct turn_result result =
        resumed(bench, (struct resume_request){ ASK, .results = results });
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, 3);
    assert_string_equal(bench->server->calls[2].arguments, "{\"text\":\"paid\"}");
}

static enum err_code fill_the_disk_behind_the_charge(void *context, struct scope *scope,
                                                     struct err *err)
{
    struct service_bench *bench = context;
    (void)scope;
    (void)err;
    if (bench->server->n_calls == 2)
        states.commit_fails = ERR_UNAVAILABLE;
    return ERR_NONE;
}

static void nobody_is_told_of_a_result_that_cannot_be_kept(void **state)
{
    struct service_bench *bench = *state;
    states.on_use = fill_the_disk_behind_the_charge;
    states.context = bench;
    struct turn_result result = run(bench, NULL);
    assert_int_equal(result.status, RUN_FAILED);
    assert_int_equal(result.steps[1].state, STEP_ERROR);
    assert_false(result.steps[1].has_result);
    assert_non_null(
        strstr(result.steps[1].err.message, "it was answered, and its result cannot be kept"));
    assert_int_equal(bench->server->n_calls, 2);
}

static void a_result_that_cannot_be_used_is_kept_and_its_call_is_not_made_again(void **state)
{
    struct service_bench *bench = *state;
    static const char *const why[] = { "breaks the tool's own output schema",
                                       "more than tools.cli_result_bytes" };
    redefine_charge(bench, "{\"name\":\"charge\",\"inputSchema\":{\"type\":\"object\"},"
                           "\"outputSchema\":{\"type\":\"object\",\"required\":[\"id\"]}}");
    for (size_t i = 0; i < ARRAY_LENGTH(why); i++) {
        size_t n_before = bench->server->n_calls;
        bench->services.settings.tools_cli_result_bytes = i ? 60 : 1000;
        fake_tool_server_reply(
            bench->server, (struct fake_tool_reply){ .tool = "charge",
                                                     .structured = "{\"number\":\"0123456789\"}" });
        struct turn_result result = run(bench, NULL);
        assert_int_equal(result.status, RUN_FAILED);
        for (int life = 0; life < 2; life++) {
            assert_non_null(strstr(result.err.message, why[i]));
            result = resumed(bench, (struct resume_request){ .run_id = result.run_id,
                                                             .uncertain = UNCERTAIN_ASK,
                                                             .retries_failed = true });
        }
        assert_int_equal(result.status, RUN_FAILED);
        assert_int_equal(bench->server->n_calls, n_before + 2);
        const struct call_record *kept = run_contents_call(&states.states[i].contents, "b");
        assert_int_equal(kept->state, CALL_DONE);
        assert_int_equal(strstr(kept->result, "0123456789") == NULL, i);
    }
}

static void a_call_that_may_be_repeated_is_tried_again_for_a_result_that_can_be_used(void **state)
{
    struct service_bench *bench = *state;
    const struct policy_rule repeat = { .effect = POLICY_UNSAID, .repeat = HINT_YES };
    bench->services.settings.policy = &repeat;
    bench->services.settings.n_policy = 1;
    bench->services.settings.tools_cli_result_bytes = 10;
    assert_int_equal(run(bench, NULL).status, RUN_FAILED);
    assert_int_equal(bench->server->n_calls, 1);
    bench->services.settings.tools_cli_result_bytes = 1000;
    const struct resume_request request = { ASK, .retries_failed = true };
    assert_int_equal(resumed(bench, request).status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, 4);
}

static void a_call_that_policy_lets_be_repeated_is_not_asked_about(void **state)
{
    struct service_bench *bench = *state;
    const struct policy_rule repeat = { .effect = POLICY_UNSAID,
                                        .repeat = HINT_YES,
                                        .tool = "charge" };
    (void)run_with_loss(bench);
    bench->services.settings.policy = &repeat;
    bench->services.settings.n_policy = 1;
    assert_int_equal(resumed(bench, (struct resume_request){ ASK }).status, RUN_COMPLETED);
}

static void what_was_not_sent_for_want_of_room_is_sent_when_there_is_some(void **state)
{
    struct service_bench *bench = *state;
    bench->services.settings.runs_max_state_mb = 0;
    struct turn_result result = run(bench, NULL);
    assert_int_equal(result.err.code, ERR_LIMIT);
    assert_int_equal(bench->server->n_calls, 1);
    assert_int_equal(resumed(bench, (struct resume_request){ ASK }).err.code, ERR_LIMIT);
    assert_int_equal(bench->server->n_calls, 1);
    bench->services.settings.runs_max_state_mb = 1;
    assert_int_equal(resumed(bench, (struct resume_request){ ASK }).status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, 3);
}

/* While the intent of step b is forced to disk. */
static enum err_code cancel_before_b(void *context, struct scope *scope, struct err *err)
{
    struct service_bench *bench = context;
    if (bench->server->n_calls != 1 ||
        states.states[0].puts[states.states[0].n - 1].call.state != CALL_SENT)
        return ERR_NONE;
    states.on_use = NULL;
    bench->scope.cancelled = true;
    return scope_check(scope, 0, err);
}

static void what_was_cancelled_before_it_was_sent_is_sent_without_a_question(void **state)
{
    struct service_bench *bench = *state;
    states.on_use = cancel_before_b;
    states.context = bench;
    assert_int_equal(run(bench, NULL).err.code, ERR_CANCELLED);
    assert_int_equal(bench->server->n_calls, 1);
    bench->scope.cancelled = false;
    assert_int_equal(resumed(bench, (struct resume_request){ ASK }).status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, 3);
}

static void an_attempt_that_reached_nobody_says_nothing_of_the_one_before(void **state)
{
    struct service_bench *bench = *state;
    struct policy_rule repeat = { .effect = POLICY_UNSAID, .repeat = HINT_YES, .tool = "charge" };
    bench->services.settings.policy = &repeat;
    bench->services.settings.n_policy = 1;
    bench->services.settings.tools_attempts = 2;
    fake_tool_server_reply(
        bench->server,
        (struct fake_tool_reply){ .tool = "charge", .fails = ERR_UNAVAILABLE, .is_lost = true });
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "charge", .fails = ERR_UNAVAILABLE });
    assert_int_equal(run(bench, NULL).status, RUN_FAILED);
    assert_int_equal(bench->server->n_calls, 3);
    bench->services.settings.n_policy = 0;
    assert_int_equal(resumed(bench, (struct resume_request){ ASK }).status, RUN_NEEDS_ANSWER);
}

static void what_a_request_says_of_other_calls_is_refused(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    (void)run_with_loss(bench);
    const char *const wrong[] = { "{\"uncertain.a\":\"done\"}", "{\"uncertain.z\":\"done\"}",
                                  "{\"b\":\"done\"}", "{\"uncertain.b\":\"perhaps\"}" };
    for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++)
        assert_int_equal(resume(bench,
                                (struct resume_request){ ASK, .answers = parsed(bench, wrong[i]) },
                                &result),
                         ERR_INVALID);
    (void)resume(bench, (struct resume_request){ ASK, .answers = parsed(bench, wrong[1]) },
                 &result);
    assert_non_null(strstr(bench->err.hint, "uncertain.b"));
    assert_int_equal(bench->server->n_calls, 2);
}

static void a_tool_that_is_another_one_stops_it_unless_that_is_accepted(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    (void)run_with_loss(bench);
    redefine_charge(bench, CHARGES_TWICE);
    struct resume_request request = { .uncertain = UNCERTAIN_REPEAT };
    assert_int_equal(resume(bench, request, &result), ERR_MISMATCH);
    assert_int_equal(bench->server->n_calls, 2);
    assert_true(result.is_resumable);
    request.accepts_changes = true;
    assert_int_equal(resumed(bench, request).status, RUN_COMPLETED);
}

static void a_tool_that_is_another_one_stops_what_failed_from_being_tried_again(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    fake_tool_server_reply(bench->server, (struct fake_tool_reply){
                                              .tool = "charge", .text = "no", .is_error = true });
    assert_int_equal(run(bench, NULL).status, RUN_FAILED);
    redefine_charge(bench, CHARGES_TWICE);
    assert_int_equal(resumed(bench, (struct resume_request){ ASK }).status, RUN_FAILED);
    struct resume_request request = { ASK, .retries_failed = true };
    assert_int_equal(resume(bench, request, &result), ERR_MISMATCH);
    assert_int_equal(bench->server->n_calls, 2);
    request.accepts_changes = true;
    assert_int_equal(resumed(bench, request).status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, 4);
}

static void a_tool_that_is_gone_stops_it(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    (void)run_with_loss(bench);
    redefine_charge(bench, "");
    assert_int_equal(
        resume(bench, (struct resume_request){ .uncertain = UNCERTAIN_REPEAT }, &result),
        ERR_NOT_FOUND);
    assert_int_equal(bench->server->n_calls, 2);
}

static void a_run_that_somebody_owns_is_left_alone(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    struct run_claim *claim = NULL;
    (void)run_with_loss(bench);
    assert_int_equal(run_states_claim(&states.base, &bench->scope, "id000001", &claim, NULL),
                     ERR_NONE);
    assert_int_equal(resume(bench, (struct resume_request){ ASK }, &result), ERR_INVALID);
    assert_non_null(strstr(bench->err.message, "is being run by process "));
    run_states_release(&states.base, claim);
}

static void without_a_state_nothing_is_called_or_nothing_is_kept(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    const struct run_plan_request request = { .plan = parsed(bench, plan_text) };
    states.create_fails = ERR_UNAVAILABLE;
    assert_int_equal(run_plan(&bench->services.base, &bench->scope, &bench->arena, &request,
                              &result, &bench->err),
                     ERR_UNAVAILABLE);
    assert_false(result.is_resumable);
    assert_int_equal(bench->server->n_lists, 0);
    bench->services.settings.runs_keep_state = "never";
    assert_int_equal(run(bench, NULL).status, RUN_COMPLETED);
    assert_int_equal(states.n_commits, 0);
    assert_true(bench->services.runs.n_syncs >= 3);
}

/* Once the plan is kept, nothing can be written any more. */
static enum err_code fill_the_disk(void *context, struct scope *scope, struct err *err)
{
    (void)context;
    (void)scope;
    (void)err;
    if (states.states[0].n_synced)
        states.commit_fails = ERR_UNAVAILABLE;
    return ERR_NONE;
}

static void a_plan_ends_where_its_state_does_also_where_calls_may_be_repeated(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    const struct policy_rule repeat = { .effect = POLICY_UNSAID, .repeat = HINT_YES };
    const struct run_plan_request request = {
        .plan = parsed(bench, "[{\"tool\":\"shop/note\",\"on_error\":\"continue\"},"
                              "{\"tool\":\"shop/note\",\"needs\":[\"s1\"],"
                              "\"on_error\":\"continue\"}]")
    };
    bench->services.settings.policy = &repeat;
    bench->services.settings.n_policy = 1;
    states.on_use = fill_the_disk;
    assert_int_equal(run_plan(&bench->services.base, &bench->scope, &bench->arena, &request,
                              &result, &bench->err),
                     ERR_NONE);
    assert_int_equal(result.err.code, ERR_UNAVAILABLE);
    assert_int_equal(result.status, RUN_FAILED);
    assert_int_equal(bench->server->n_calls, 1);
}

static void a_dry_run_and_a_plan_that_may_not_run_keep_nothing(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    struct run_plan_request request = { .plan = parsed(bench, plan_text), .dry_run = true };
    assert_int_equal(run_plan(&bench->services.base, &bench->scope, &bench->arena, &request,
                              &result, &bench->err),
                     ERR_NONE);
    assert_int_equal(states.n_commits, 0);
    request = (struct run_plan_request){ .plan = parsed(bench, "[{\"tool\":\"shop/none\"}]") };
    assert_int_equal(run_plan(&bench->services.base, &bench->scope, &bench->arena, &request,
                              &result, &bench->err),
                     ERR_NONE);
    assert_int_equal(result.err.code, ERR_BAD_PLAN);
    assert_false(result.is_resumable);
    assert_int_equal(fake_run_states_kept(&states), 0);
}

static void a_state_with_calls_stays_although_its_request_is_lost(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result = run_with_loss(bench);
    struct fake_run_state *kept = &states.states[0];
    for (size_t i = 0; i < kept->n; i++)
        if (kept->puts[i].fact.name && strcmp(kept->puts[i].fact.name, "plan") == 0)
            kept->puts[i].fact.name = "lost";
    assert_int_equal(resume(bench, (struct resume_request){ ASK }, &result), ERR_NOT_FOUND);
    assert_int_equal(fake_run_states_kept(&states), 1);
}

/* A loop, and behind it a call whose answer is lost and whose check looks at the loop; resumed by
 * somebody who says that the call is done. */
static struct turn_result resumed_with_a_check(struct service_bench *bench, const char *check)
{
    struct turn_result result;
    const char *text = arena_printf(
        &bench->arena,
        "{\"version\":2,\"steps\":["
        "{\"id\":\"all\",\"each\":[1,2],\"tool\":\"shop/charge\",\"args\":{\"n\":\"{item}\"}},"
        "{\"id\":\"b\",\"tool\":\"shop/charge\",\"needs\":[\"all\"],"
        "\"check\":[{\"that\":\"%s\",\"else\":\"not all\"}]},"
        "{\"id\":\"c\",\"tool\":\"shop/note\",\"args\":{\"text\":\"{b.text}\"}}]}",
        check);
    const struct run_plan_request request = { .plan = parsed(bench, text) };
    for (int i = 0; i < 3; i++)
        fake_tool_server_reply(
            bench->server, (struct fake_tool_reply){ .tool = "charge",
                                                     .text = "ok",
                                                     .fails = i < 2 ? ERR_NONE : ERR_UNAVAILABLE,
                                                     .is_lost = true });
    assert_int_equal(run_plan(&bench->services.base, &bench->scope, &bench->arena, &request,
                              &result, &bench->err),
                     ERR_NONE);
    assert_int_equal(bench->server->n_calls, 3);
    return resumed(bench,
                   (struct resume_request){ ASK, .results = parsed(bench, "{\"b\":\"mine\"}") });
}

static void what_is_done_is_checked_when_the_loop_that_the_check_looks_at_is_there(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result = resumed_with_a_check(bench, "{all.count} == 2");
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, 4);
    assert_string_equal(bench->server->calls[3].arguments, "{\"text\":\"mine\"}");
}

static void a_check_of_what_is_done_may_fail_and_nothing_is_called(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result = resumed_with_a_check(bench, "{all.count} == 3");
    assert_int_equal(result.status, RUN_FAILED);
    assert_non_null(strstr(result.err.message, "not all"));
    assert_int_equal(bench->server->n_calls, 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_complete_run_leaves_nothing_and_is_not_resumed),
        TEST(an_uncertain_call_is_asked_about_before_anything_is_called),
        TEST(a_repeated_call_goes_on_behind_what_was_done),
        TEST(the_log_gets_the_calls_that_died_with_the_process),
        TEST(a_call_that_is_done_gets_the_result_that_is_given),
        TEST(a_call_that_is_settled_as_failed_ends_the_run),
        TEST(what_was_settled_as_failed_is_asked_about_before_it_is_tried_again),
        TEST(what_was_settled_as_failed_may_be_said_to_be_done),
        TEST(nobody_is_told_of_a_result_that_cannot_be_kept),
        TEST(a_result_that_cannot_be_used_is_kept_and_its_call_is_not_made_again),
        TEST(a_call_that_may_be_repeated_is_tried_again_for_a_result_that_can_be_used),
        TEST(a_call_that_policy_lets_be_repeated_is_not_asked_about),
        TEST(what_was_not_sent_for_want_of_room_is_sent_when_there_is_some),
        TEST(what_was_cancelled_before_it_was_sent_is_sent_without_a_question),
        TEST(an_attempt_that_reached_nobody_says_nothing_of_the_one_before),
        TEST(what_a_request_says_of_other_calls_is_refused),
        TEST(a_tool_that_is_another_one_stops_it_unless_that_is_accepted),
        TEST(a_tool_that_is_another_one_stops_what_failed_from_being_tried_again),
        TEST(a_tool_that_is_gone_stops_it),
        TEST(a_run_that_somebody_owns_is_left_alone),
        TEST(without_a_state_nothing_is_called_or_nothing_is_kept),
        TEST(a_plan_ends_where_its_state_does_also_where_calls_may_be_repeated),
        TEST(a_dry_run_and_a_plan_that_may_not_run_keep_nothing),
        TEST(a_state_with_calls_stays_although_its_request_is_lost),
        TEST(what_is_done_is_checked_when_the_loop_that_the_check_looks_at_is_there),
        TEST(a_check_of_what_is_done_may_fail_and_nothing_is_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
