#include "application/use_cases/mistral_chat.h"
#include "application/use_cases/resume_run.h"
#include "application/use_cases/runs/runs.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_run_states.h"
#include "tests/support/service_bench.h"
#include <string.h>

#define DAY_MS INT64_C(86400000)
#define TOOLS                                                                                      \
    "[{\"name\":\"charge\",\"description\":\"Charges the card\",\"inputSchema\":{\"type\":"        \
    "\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}},"             \
    "{\"name\":\"look\",\"description\":\"Looks at a day\",\"inputSchema\":{\"type\":\"object\","  \
    "\"properties\":{\"day\":{\"type\":\"string\",\"format\":\"date\"}},\"required\":[\"day\"]},"  \
    "\"annotations\":{\"readOnlyHint\":true}}]"
#define INTENT                                                                                     \
    "\"primary_goal\":\"charge\",\"tools_needed\":[\"shop__charge\"],\"parameters\":{\"n\":1},"    \
    "\"unclear_aspects\":[],\"needs_clarification\":false,\"confidence\":1"
#define STEP(id, n)                                                                                \
    "{\"id\":\"" id "\",\"tool\":\"shop__charge\",\"args\":{\"n\":" n "},\"needs\":[]}"
#define PLAN "{" INTENT ",\"steps\":[" STEP("s1", "1") "," STEP("s2", "2") "]}"
#define OTHER_PLAN "{" INTENT ",\"steps\":[" STEP("s1", "2") "]}"
#define REQUEST "charge 1 and 2"

static struct fake_run_states states;

static int set_up(void **state)
{
    struct service_bench *bench = service_bench_create("shop", TOOLS);
    fake_run_states_init(&states);
    bench->services.base.run_states = &states.base;
    bench->services.base.approve_all = true;
    bench->services.settings.tools_max_parallel = 1;
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    fake_run_states_finish(&states);
    return service_bench_tear_down(state);
}

static enum err_code ask(struct service_bench *bench, const char *message, struct turn_result *out)
{
    struct mistral_chat *chat = mistral_chat_create(&bench->services.base);
    const struct turn_request request = { .message = message, .session_id = "s" };
    enum err_code r =
        mistral_chat_turn(chat, &bench->scope, &bench->arena, &request, out, &bench->err);
    mistral_chat_destroy(chat);
    return r;
}

static const json_t *parsed(struct service_bench *bench, const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return arena_keep_json(&bench->arena, value);
}

static enum err_code resume(struct service_bench *bench, struct resume_request request,
                            struct turn_result *out)
{
    request.run_id = bench->services.runs.runs[0].id;
    return resume_run(&bench->services.base, &bench->scope, &bench->arena, &request, out,
                      &bench->err);
}

static struct turn_result resumed(struct service_bench *bench, struct resume_request request)
{
    struct turn_result result;
    assert_int_equal(resume(bench, request, &result), ERR_NONE);
    return result;
}

static void lose_a_call(struct service_bench *bench)
{
    fake_tool_server_reply(
        bench->server,
        (struct fake_tool_reply){ .tool = "charge", .fails = ERR_UNAVAILABLE, .is_lost = true });
}

/* The first call is done, the second took effect, and its answer is lost. */
static struct turn_result ask_with_loss(struct service_bench *bench)
{
    struct turn_result result;
    fake_model_reply(&bench->services.model, PLAN);
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "charge", .text = "one" });
    lose_a_call(bench);
    assert_int_equal(ask(bench, REQUEST, &result), ERR_NONE);
    assert_int_equal(result.status, RUN_FAILED);
    assert_true(result.is_resumable);
    assert_int_equal(bench->server->n_calls, 2);
    return result;
}

static struct conversation *stored(struct service_bench *bench)
{
    struct conversation *conversation = NULL;
    assert_int_equal(conversation_repository_get_by_id(&bench->services.conversations.base,
                                                       &bench->scope, "s", &bench->arena,
                                                       &conversation, NULL),
                     ERR_NONE);
    return conversation;
}

static void goes_on_behind_what_was_answered(void **state)
{
    struct service_bench *bench = *state;
    (void)ask_with_loss(bench);
    assert_int_equal(stored(bench)->n_messages, 1);
    fake_model_reply(&bench->services.model, "All is charged.");
    struct turn_result result =
        resumed(bench, (struct resume_request){ .uncertain = UNCERTAIN_REPEAT });
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_true(result.steps[0].is_kept);
    assert_int_equal(bench->server->n_calls, 3);
    assert_string_equal(bench->server->calls[2].arguments, "{\"n\":2}");
    assert_int_equal(bench->services.model.n_requests, 2);
    assert_int_equal(result.usage.model_calls, 2);
    assert_int_equal(fake_run_states_kept(&states), 0);
    const struct conversation *conversation = stored(bench);
    assert_int_equal(conversation->n_messages, 2);
    assert_string_equal(conversation->messages[0].content, REQUEST);
    assert_string_equal(conversation->messages[1].content, "All is charged.");
}

static void the_log_gets_what_died_with_the_process(void **state)
{
    struct service_bench *bench = *state;
    (void)ask_with_loss(bench);
    struct fake_run_repository *log = &bench->services.runs;
    log->n_events = 1;
    states.states[0].puts[states.states[0].n - 1].fact.text = "running";
    assert_int_equal(resumed(bench, (struct resume_request){ .uncertain = UNCERTAIN_ASK }).status,
                     RUN_NEEDS_ANSWER);
    fake_model_reply(&bench->services.model, "All is charged.");
    (void)resumed(bench, (struct resume_request){ .uncertain = UNCERTAIN_REPEAT });
    assert_int_equal(fake_services_count(&bench->services, EVENT_MODEL_REPLIED), 2);
    assert_int_equal(fake_services_count(&bench->services, EVENT_TOOL_CALL), 3);
    assert_int_equal(fake_services_count(&bench->services, EVENT_TOOL_RESULT), 3);
    const struct event *reply = fake_run_repository_event(log, EVENT_MODEL_REPLIED, 0);
    assert_true(json_get_bool(reply->data, "recovered", false));
    const struct event *call = fake_run_repository_event(log, EVENT_TOOL_CALL, 1);
    assert_string_equal(json_get_string(call->data, "step"), "s2");
    assert_true(json_get_bool(call->data, "recovered", false));
}

static void the_answer_comes_behind_what_was_said_meanwhile(void **state)
{
    struct service_bench *bench = *state;
    (void)ask_with_loss(bench);
    struct conversation *meanwhile = stored(bench);
    int64_t version_ms = meanwhile->updated_at_ms;
    conversation_add(&bench->arena, meanwhile, MESSAGE_USER, "hello", NULL, version_ms + 1);
    assert_int_equal(conversation_repository_append(&bench->services.conversations.base,
                                                    &bench->scope, meanwhile, 1, version_ms, NULL),
                     ERR_NONE);
    fake_model_reply(&bench->services.model, "All is charged.");
    (void)resumed(bench, (struct resume_request){ .uncertain = UNCERTAIN_REPEAT });
    const struct conversation *conversation = stored(bench);
    assert_int_equal(conversation->n_messages, 3);
    assert_string_equal(conversation->messages[1].content, "hello");
    assert_string_equal(conversation->messages[2].content, "All is charged.");
}

static void an_uncertain_call_is_asked_about_before_anything_is_done(void **state)
{
    struct service_bench *bench = *state;
    (void)ask_with_loss(bench);
    struct turn_result result =
        resumed(bench, (struct resume_request){ .uncertain = UNCERTAIN_ASK });
    assert_int_equal(result.status, RUN_NEEDS_ANSWER);
    assert_true(result.is_resumable);
    assert_string_equal(result.intent->questions[0].key, "uncertain.s2");
    assert_int_equal(bench->services.model.n_requests, 1);
    assert_int_equal(stored(bench)->n_messages, 1);
    assert_int_equal(
        resume(bench,
               (struct resume_request){ .uncertain = UNCERTAIN_ASK,
                                        .answers = parsed(bench, "{\"uncertain.s1\":\"done\"}") },
               &result),
        ERR_INVALID);
    assert_int_equal(fake_run_states_kept(&states), 1);
}

/* A request that is no longer the same gets a reply of its own. */
static void never_makes_the_calls_of_another_plan(void **state)
{
    struct service_bench *bench = *state;
    (void)ask_with_loss(bench);
    bench->services.settings.model_seed = 99;
    fake_model_reply(&bench->services.model, OTHER_PLAN);
    struct turn_result result =
        resumed(bench, (struct resume_request){ .uncertain = UNCERTAIN_REPEAT });
    assert_int_equal(result.status, RUN_FAILED);
    assert_int_equal(result.err.code, ERR_MISMATCH);
    assert_int_equal(bench->server->n_calls, 2);
    assert_true(result.is_resumable);
    assert_int_equal(stored(bench)->n_messages, 1);
}

static void never_asks_instead_of_coming_to_the_plan_whose_calls_were_made(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    (void)ask_with_loss(bench);
    bench->services.settings.model_seed = 99;
    fake_model_reply(&bench->services.model,
                     "{\"primary_goal\":\"charge\",\"tools_needed\":[\"shop__charge\"],"
                     "\"parameters\":{},\"unclear_aspects\":[\"what to charge\"],"
                     "\"needs_clarification\":true,\"confidence\":0.1,\"steps\":[]}");
    assert_int_equal(
        resume(bench, (struct resume_request){ .uncertain = UNCERTAIN_REPEAT }, &result),
        ERR_MISMATCH);
    assert_int_equal(stored(bench)->n_messages, 1);
    assert_int_equal(fake_run_states_kept(&states), 1);
}

static void a_step_that_failed_is_tried_again_where_that_is_wanted(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    fake_model_reply(&bench->services.model, PLAN);
    fake_tool_server_reply(bench->server, (struct fake_tool_reply){
                                              .tool = "charge", .text = "no", .is_error = true });
    fake_model_reply(&bench->services.model, "{\"steps\":[]}");
    assert_int_equal(ask(bench, REQUEST, &result), ERR_NONE);
    assert_int_equal(result.status, RUN_FAILED);
    assert_true(result.is_resumable);
    size_t n_calls = bench->server->n_calls;
    result = resumed(bench, (struct resume_request){ .uncertain = UNCERTAIN_ASK });
    assert_int_equal(result.status, RUN_FAILED);
    assert_int_equal(bench->server->n_calls, n_calls);
    fake_model_reply(&bench->services.model, "All is charged.");
    result = resumed(bench,
                     (struct resume_request){ .uncertain = UNCERTAIN_ASK, .retries_failed = true });
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, n_calls + 1);
}

static void a_day_is_the_day_on_which_the_turn_began(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    bench->services.choice = MODEL_CHOICE_LEXICAL;
    bench->services.model_port = NULL;
    fake_tool_server_reply(
        bench->server,
        (struct fake_tool_reply){ .tool = "look", .fails = ERR_UNAVAILABLE, .is_lost = true });
    bench->services.settings.tools_attempts = 1;
    assert_int_equal(ask(bench, "look at tomorrow", &result), ERR_NONE);
    assert_int_equal(bench->server->n_calls, 1);
    bench->runtime.now_ms += 3 * DAY_MS;
    result = resumed(bench, (struct resume_request){ .uncertain = UNCERTAIN_REPEAT });
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, 2);
    assert_string_equal(bench->server->calls[1].arguments, bench->server->calls[0].arguments);
    assert_int_equal(stored(bench)->messages[0].timestamp_ms, IMMEDIATE_WALL_START_MS);
}

static void is_resumed_with_the_model_that_it_began_with(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    (void)ask_with_loss(bench);
    bench->services.settings.model_name = "other";
    assert_int_equal(
        resume(bench, (struct resume_request){ .uncertain = UNCERTAIN_REPEAT }, &result),
        ERR_MISMATCH);
    assert_non_null(strstr(bench->err.hint, "--accept-changes"));
    fake_model_reply(&bench->services.model, "All is charged.");
    result = resumed(
        bench, (struct resume_request){ .uncertain = UNCERTAIN_REPEAT, .accepts_changes = true });
    assert_int_equal(result.status, RUN_COMPLETED);
}

static void leaves_a_state_when_the_model_is_gone_before_the_answer(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    fake_model_reply(&bench->services.model, PLAN);
    assert_int_equal(ask(bench, REQUEST, &result), ERR_NONE);
    assert_int_equal(result.status, RUN_FAILED);
    assert_true(result.is_resumable);
    assert_int_equal(fake_run_states_kept(&states), 1);
}

static void leaves_none_when_nothing_was_answered(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    assert_int_equal(ask(bench, REQUEST, &result), ERR_UNAVAILABLE);
    assert_false(result.is_resumable);
    assert_int_equal(fake_run_states_kept(&states), 0);
}

static void leaves_none_of_a_turn_that_would_end_in_the_same_way_again(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    bench->services.choice = MODEL_CHOICE_LEXICAL;
    bench->services.model_port = NULL;
    assert_int_equal(ask(bench, "dance", &result), ERR_NONE);
    assert_int_equal(result.status, RUN_FAILED);
    assert_false(result.is_resumable);
    assert_int_equal(fake_run_states_kept(&states), 0);
}

static void leaves_none_of_a_question_which_its_session_has(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    bench->services.choice = MODEL_CHOICE_LEXICAL;
    bench->services.model_port = NULL;
    assert_int_equal(ask(bench, "charge", &result), ERR_NONE);
    assert_int_equal(result.status, RUN_NEEDS_ANSWER);
    assert_false(result.is_resumable);
    assert_int_equal(fake_run_states_kept(&states), 0);
}

static void without_a_state_calls_only_what_may_be_repeated(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    static const struct policy_rule repeat = { .effect = POLICY_UNSAID,
                                               .repeat = HINT_YES,
                                               .tool = "look" };
    bench->services.choice = MODEL_CHOICE_LEXICAL;
    bench->services.model_port = NULL;
    bench->services.settings.policy = &repeat;
    bench->services.settings.n_policy = 1;
    states.create_fails = ERR_UNAVAILABLE;
    assert_int_equal(ask(bench, "look at tomorrow", &result), ERR_NONE);
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_int_equal(ask(bench, "charge 1", &result), ERR_NONE);
    assert_int_equal(result.status, RUN_FAILED);
    assert_non_null(strstr(result.err.message, "not called"));
    assert_int_equal(bench->server->n_calls, 1);
}

/* A log of a newer mistro is not for this one to work beside. */
static void starts_no_server_before_the_log_takes_the_turn(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    bench->services.runs.next_sync = ERR_INVALID;
    assert_int_equal(ask(bench, REQUEST, &result), ERR_INVALID);
    assert_int_equal(bench->server->n_lists, 0);
}

/* The servers start beside the making of the state; whatever fails there ends the turn, and no task
 * is left behind. */
static void a_state_that_is_refused_ends_the_turn(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    states.create_fails = ERR_INVALID;
    assert_int_equal(ask(bench, REQUEST, &result), ERR_INVALID);
    assert_int_equal(bench->services.model.n_requests, 0);
}

static void servers_that_cannot_be_had_are_told_once_there_is_a_state(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result;
    bench->server->list_fails = ERR_UNAVAILABLE;
    assert_int_equal(ask(bench, REQUEST, &result), ERR_UNAVAILABLE);
    assert_int_equal(bench->server->n_lists, 1);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(goes_on_behind_what_was_answered),
        TEST(the_log_gets_what_died_with_the_process),
        TEST(the_answer_comes_behind_what_was_said_meanwhile),
        TEST(an_uncertain_call_is_asked_about_before_anything_is_done),
        TEST(never_makes_the_calls_of_another_plan),
        TEST(never_asks_instead_of_coming_to_the_plan_whose_calls_were_made),
        TEST(a_step_that_failed_is_tried_again_where_that_is_wanted),
        TEST(a_day_is_the_day_on_which_the_turn_began),
        TEST(is_resumed_with_the_model_that_it_began_with),
        TEST(leaves_a_state_when_the_model_is_gone_before_the_answer),
        TEST(leaves_none_when_nothing_was_answered),
        TEST(leaves_none_of_a_turn_that_would_end_in_the_same_way_again),
        TEST(leaves_none_of_a_question_which_its_session_has),
        TEST(without_a_state_calls_only_what_may_be_repeated),
        TEST(starts_no_server_before_the_log_takes_the_turn),
        TEST(a_state_that_is_refused_ends_the_turn),
        TEST(servers_that_cannot_be_had_are_told_once_there_is_a_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
