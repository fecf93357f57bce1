#include "application/orchestrators/pending_questions.h"
#include "application/runs/run_session.h"
#include "application/use_cases/make_plan.h"
#include "application/use_cases/run_plan.h"
#include "application/use_cases/runs/runs.h"
#include "application/use_cases/sessions.h"
#include "application/use_cases/tools/list_servers.h"
#include "application/use_cases/tools/list_tools.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/service_bench.h"
#include <string.h>

#define TOOLS                                                                                      \
    "[{\"name\":\"look\",\"description\":\"Looks at a path\",\"inputSchema\":{\"type\":"           \
    "\"object\",\"properties\":{\"path\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\"}},"     \
    "\"required\":[\"path\"]},\"annotations\":{\"readOnlyHint\":true}},"                           \
    "{\"name\":\"send\",\"inputSchema\":{\"type\":\"object\"}}]"

static int set_up(void **state)
{
    *state = service_bench_create("dev", TOOLS);
    return 0;
}

static void lists_tools_and_says_which_servers_are_dead(void **state)
{
    struct service_bench *bench = *state;
    struct tool_listing listing = { 0 };
    fake_services_add_server(&bench->services, "dead", "[]")->list_fails = ERR_UNAVAILABLE;

    assert_int_equal(list_tools(&bench->services.base, &bench->scope, &bench->arena, NULL, &listing,
                                &bench->err),
                     ERR_NONE);

    assert_int_equal(listing.n_tools, 2);
    assert_string_equal(listing.tools[0].signature, "dev/look(path: string, n?: integer)");
    assert_int_equal(listing.n_failures, 1);
    assert_string_equal(listing.failures[0].server, "dead");
}

static void shows_a_tool_with_what_the_policy_says(void **state)
{
    struct service_bench *bench = *state;
    struct shown_tool tool = { 0 };

    assert_int_equal(
        show_tool(&bench->services.base, &bench->scope, &bench->arena, "look", &tool, &bench->err),
        ERR_NONE);

    json_auto_t *value = shown_tool_to_json(&tool);
    assert_string_equal(tool.read_only, "yes");
    assert_string_equal(tool.policy, "ask");
    assert_false(tool.approved);
    assert_string_equal(json_get_string(value, "name"), "dev/look");
}

static void lists_servers_dead_ones_too(void **state)
{
    struct service_bench *bench = *state;
    struct server_listing listing = { 0 };
    fake_services_add_server(&bench->services, "dead", "[]")->list_fails = ERR_UNAVAILABLE;

    assert_int_equal(
        list_servers(&bench->services.base, &bench->scope, &bench->arena, &listing, &bench->err),
        ERR_NONE);

    json_auto_t *value = server_listing_to_json(&listing);
    assert_int_equal(listing.n_servers, 2);
    assert_int_equal(listing.n_failed, 1);
    assert_string_equal(
        json_get_string(json_array_get(json_object_get(value, "servers"), 1), "state"), "failed");
}

static json_t *parsed(struct service_bench *bench, const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), 0);
    return arena_keep_json(&bench->arena, value);
}

static struct turn_result run(struct service_bench *bench, const char *plan, const char *vars,
                              bool dry)
{
    struct turn_result result = { 0 };
    const struct run_plan_request request = { .plan = parsed(bench, plan),
                                              .vars = vars ? parsed(bench, vars) : NULL,
                                              .dry_run = dry };
    assert_int_equal(run_plan(&bench->services.base, &bench->scope, &bench->arena, &request,
                              &result, &bench->err),
                     ERR_NONE);
    return result;
}

static void variables_take_the_type_of_their_defaults(void **state)
{
    struct service_bench *bench = *state;

    struct turn_result result =
        run(bench,
            "{\"vars\":{\"n\":1,\"path\":\"a\"},\"steps\":[{\"tool\":\"look\",\"args\":{\"path\":"
            "\"{vars.path}\",\"n\":\"{vars.n}\"}}]}",
            "{\"n\":\"5\"}", false);

    assert_int_equal(result.status, RUN_COMPLETED);
    assert_string_equal(bench->server->calls[0].arguments, "{\"path\":\"a\",\"n\":5}");
}

static void what_looks_like_a_reference_in_a_plan_file_stays_with_one_warning(void **state)
{
    struct service_bench *bench = *state;

    struct turn_result result =
        run(bench,
            "{\"steps\":[{\"tool\":\"look\",\"args\":{\"path\":\"{{prev_result}}\"}},{\"tool\":"
            "\"look\",\"args\":{\"path\":\"{step1.text}\"}},{\"tool\":\"look\",\"args\":{\"path\":"
            "\"<weather>\"}}]}",
            NULL, false);

    assert_int_equal(result.status, RUN_COMPLETED);
    assert_string_equal(bench->server->calls[1].arguments, "{\"path\":\"{step1.text}\"}");
    assert_int_equal(fake_services_count(&bench->services, EVENT_WARNING), 1);
    const struct event *warning =
        fake_run_repository_event(&bench->services.runs, EVENT_WARNING, 0);
    assert_string_equal(json_get_string(warning->data, "text"),
                        "step s2, args.path: what looks like a reference there is none and goes to "
                        "the tool as it is written; a reference is {s1.field}");
}

static void a_bad_plan_is_refused_with_every_problem(void **state)
{
    struct service_bench *bench = *state;

    struct turn_result result =
        run(bench,
            "[{\"tool\":\"dev/nothing\",\"args\":{}},{\"tool\":\"dev/look\","
            "\"args\":{\"n\":\"x\"}}]",
            NULL, false);

    assert_int_equal(result.err.code, ERR_BAD_PLAN);
    assert_true(result.problems->n >= 2);
    assert_int_equal(bench->server->n_calls, 0);
}

static void a_plan_has_at_most_so_many_steps(void **state)
{
    struct service_bench *bench = *state;
    static const char plan[] = "[{\"tool\":\"send\",\"args\":{}},{\"tool\":\"send\",\"args\":{}}]";
    bench->services.settings.max_plan_steps = 2;
    assert_int_equal(run(bench, plan, NULL, false).status, RUN_COMPLETED);
    bench->services.settings.max_plan_steps = 1;

    struct turn_result refused = run(bench, plan, NULL, false);
    assert_int_equal(refused.status, RUN_FAILED);
    assert_int_equal(refused.err.code, ERR_BAD_PLAN);
}

static void a_dry_run_of_a_plan_shows_what_it_can(void **state)
{
    struct service_bench *bench = *state;

    struct turn_result result =
        run(bench,
            "[{\"tool\":\"dev/look\",\"args\":{\"path\":\"a\"}},{\"tool\":\"dev/look\",\"args\":{"
            "\"path\":\"{s1.text}\"}}]",
            NULL, true);

    assert_int_equal(result.status, RUN_COMPLETED);
    assert_string_equal(result.answer, "would call dev/look {\"path\":\"a\"}\n"
                                       "would call dev/look {\"path\":\"{s1.text}\"}");
    assert_int_equal(bench->server->n_calls, 0);
}

static void goes_on_after_a_step_that_may_fail(void **state)
{
    struct service_bench *bench = *state;
    fake_tool_server_reply(
        bench->server, (struct fake_tool_reply){ .tool = "send", .text = "no", .is_error = true });

    struct turn_result result =
        run(bench,
            "{\"steps\":[{\"id\":\"a\",\"tool\":\"send\",\"args\":{},\"on_error\":\"continue\"},"
            "{\"id\":\"b\",\"tool\":\"look\",\"args\":{\"path\":\"x\"},\"needs\":[\"a\"]}]}",
            NULL, false);

    assert_int_equal(result.status, RUN_COMPLETED);
    assert_int_equal(result.steps[1].state, STEP_OK);
}

static void a_plan_is_estimated_by_the_log(void **state)
{
    struct service_bench *bench = *state;
    struct turn_result result = { 0 };
    const json_t *plan = NULL;
    bench->server->delay_ms = 40;
    run(bench, "[{\"tool\":\"dev/look\",\"args\":{\"path\":\"a\"}}]", NULL, false);
    struct mistral_chat *chat = mistral_chat_create(&bench->services.base);
    fake_model_reply(
        &bench->services.model,
        "{\"steps\":[],\"primary_goal\":\"g\",\"tools_needed\":[\"dev__look\"],\"parameters\":{"
        "\"path\":\"a\"},\"unclear_aspects\":[],\"needs_clarification\":false,"
        "\"confidence\":1}");
    const struct turn_request request = { .message = "look at a", .no_session = true };

    assert_int_equal(
        make_plan(chat, &bench->scope, &bench->arena, &request, &result, &plan, &bench->err),
        ERR_NONE);

    assert_int_equal(json_get_int(plan, "estimated_ms", -1), 40);
    assert_int_equal(bench->services.conversations.n_saves, 0);
    mistral_chat_destroy(chat);
}

static void tells_runs_with_their_events(void **state)
{
    struct service_bench *bench = *state;
    struct run *runs = NULL;
    struct recorded_run one = { 0 };
    const json_t *summary = NULL;
    size_t n = 0, removed = 0;
    run(bench, "[{\"tool\":\"dev/look\",\"args\":{\"path\":\"a\"}}]", NULL, false);
    struct services *services = &bench->services.base;

    assert_int_equal(list_runs(services, &bench->scope, &bench->arena, 0, &runs, &n, NULL), 0);
    assert_int_equal(n, 1);
    assert_int_equal(show_run(services, &bench->scope, &bench->arena, runs[0].id, &one, NULL), 0);
    assert_int_equal(one.events[0].kind, EVENT_RUN_STARTED);
    assert_int_equal(one.events[one.n_events - 1].kind, EVENT_RUN_FINISHED);
    assert_int_equal(summarise_runs(services, &bench->scope, &bench->arena, &summary, NULL), 0);
    const json_t *look = json_object_get(json_object_get(summary, "tools"), "dev/look");
    assert_int_equal(json_get_int(look, "calls", 0), 1);
    assert_int_equal(prune_runs(services, &bench->scope, 0, NULL, &removed, NULL), 0);
    json_auto_t *value = run_to_json(one.run);
    assert_string_equal(json_get_string(value, "kind"), "run");

    bench->services.settings.runs_enabled = false;
    assert_int_equal(list_runs(services, &bench->scope, &bench->arena, 0, &runs, &n, NULL),
                     ERR_UNAVAILABLE);
}

/* tool_call and tool_result events as a run that was cut off may leave them. */
static void log_call(struct journal *journal, enum event_kind kind, const char *data)
{
    journal_emit(journal, kind, json_loads(data, 0, NULL));
}

static bool count_unknown(void *context, const struct event *event)
{
    size_t *n = context;
    *n += json_object_get(event->data, "outcome") != NULL;
    return true;
}

static void a_call_without_a_result_says_that_its_outcome_is_unknown(void **state)
{
    struct service_bench *bench = *state;
    struct services *services = &bench->services.base;
    struct recorded_run one = { 0 };
    struct journal journal;
    size_t n_unknown = 0;
    journal_init(&journal, services->runtime, bench->services.runs_port, services->digest,
                 services->ids, true);
    journal_begin(&journal, "call", NULL, "test", NULL);
    log_call(&journal, EVENT_TOOL_CALL, "{\"tool\":\"a/b\",\"line\":1,\"attempt\":1}");
    log_call(&journal, EVENT_TOOL_CALL, "{\"tool\":\"a/b\",\"line\":2,\"attempt\":1}");
    log_call(&journal, EVENT_TOOL_CALL, "{\"tool\":\"a/b\",\"step\":\"s1\",\"attempt\":1}");
    log_call(&journal, EVENT_TOOL_RESULT, "{\"tool\":\"a/b\",\"line\":2}");
    log_call(&journal, EVENT_TOOL_CALL, "{\"tool\":\"a/b\",\"step\":\"s1\",\"attempt\":2}");

    assert_int_equal(show_run(services, &bench->scope, &bench->arena, journal.run_id, &one, NULL),
                     0);
    assert_int_equal(
        visit_run_events(services, &bench->scope, journal.run_id, count_unknown, &n_unknown, NULL),
        0);

    assert_int_equal(one.n_events, 6);
    for (size_t i = 0; i < one.n_events; i++) {
        bool is_open = i == 1 || i == 5; /* line 1, and the second attempt of the step */
        assert_int_equal(json_object_get(one.events[i].data, "outcome") != NULL, is_open);
    }
    assert_string_equal(json_get_string(one.events[1].data, "outcome"), "unknown");
    assert_int_equal(n_unknown, 2);
}

static void results_travel_from_step_to_step_as_they_are(void **state)
{
    struct service_bench *bench = *state;
    fake_tool_server_reply(
        bench->server,
        (struct fake_tool_reply){ .tool = "look",
                                  .structured = "{\"code\":\"say \\\"hi\\\"\\n\\t{vars.x} {{s1}}\","
                                                "\"n\":7,\"list\":[true,null]}" });

    struct turn_result result =
        run(bench,
            "[{\"tool\":\"look\",\"args\":{\"path\":\"a\"}},{\"tool\":\"send\",\"args\":{\"a\":"
            "\"{prev_result.code}\",\"b\":\"{prev_result.n}\",\"c\":\"{prev_result.list}\"}}]",
            NULL, false);

    assert_int_equal(result.status, RUN_COMPLETED);
    assert_string_equal(bench->server->calls[1].arguments,
                        "{\"a\":\"say \\\"hi\\\"\\n\\t{vars.x} {{s1}}\",\"b\":7,"
                        "\"c\":[true,null]}");
}

static void a_field_that_is_not_there_stops_the_chain_before_anything_is_done(void **state)
{
    struct service_bench *bench = *state;
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "look", .structured = "{\"n\":7}" });

    struct turn_result result =
        run(bench,
            "[{\"tool\":\"look\",\"args\":{\"path\":\"a\"}},{\"tool\":\"send\",\"args\":{\"a\":"
            "\"{prev_result.code}\"}},{\"tool\":\"send\",\"args\":{\"b\":\"{prev_result}\"}}]",
            NULL, false);

    assert_int_equal(result.status, RUN_FAILED);
    assert_int_equal(result.err.code, ERR_FAILED);
    assert_non_null(strstr(result.err.message, "code"));
    assert_int_equal(result.steps[2].state, STEP_SKIPPED);
    assert_int_equal(bench->server->n_calls, 1);
}

static void a_run_that_ends_removes_some_of_the_old_ones(void **state)
{
    struct service_bench *bench = *state;
    struct run *runs = NULL;
    size_t n = 0;
    struct removed_runs removed;
    const char *plan = "[{\"tool\":\"dev/look\",\"args\":{\"path\":\"a\"}}]";
    bench->services.settings.runs_keep_days = 1;
    for (int i = 0; i < 30; i++)
        run(bench, plan, NULL, false);
    bench->runtime.now_ms += INT64_C(2) * 24 * 60 * 60 * 1000;

    run(bench, plan, NULL, false);
    assert_int_equal(
        list_runs(&bench->services.base, &bench->scope, &bench->arena, 0, &runs, &n, NULL), 0);
    assert_int_equal(n, 31 - 20);

    assert_int_equal(remove_old_runs(&bench->services.base, &bench->scope, &removed, NULL), 0);
    assert_int_equal(removed.runs, 10);
    assert_int_equal(
        list_runs(&bench->services.base, &bench->scope, &bench->arena, 0, &runs, &n, NULL), 0);
    assert_int_equal(n, 1);
}

static void store(struct service_bench *bench, const char *id, const char *text, int64_t at_ms)
{
    struct conversation *conversation = conversation_create(&bench->arena, id, at_ms);
    conversation_add(&bench->arena, conversation, MESSAGE_USER, text, NULL, at_ms);
    assert_int_equal(conversation_repository_save(bench->services.conversations_port, &bench->scope,
                                                  conversation, 0, NULL),
                     0);
}

static void finds_names_clears_and_deletes_sessions(void **state)
{
    struct service_bench *bench = *state;
    struct services *services = &bench->services.base;
    struct conversation *conversation = NULL;
    struct conversation_summary *list = NULL;
    const char *latest = NULL;
    size_t n = 0;
    assert_int_equal(
        choose_session(services, &bench->scope, &bench->arena, NULL, true, &latest, NULL),
        ERR_NOT_FOUND);
    store(bench, "abc1", "about Milk", 1000);
    store(bench, "abd2", "about tea", 2000);

    assert_int_equal(
        choose_session(services, &bench->scope, &bench->arena, NULL, true, &latest, NULL), 0);
    assert_string_equal(latest, "abd2");
    assert_int_equal(
        search_sessions(services, &bench->scope, &bench->arena, "milk", &list, &n, NULL), 0);
    assert_int_equal(n, 1);
    assert_int_equal(rename_session(services, &bench->scope, "abc", "shopping", NULL), 0);
    assert_int_equal(clear_session(services, &bench->scope, "abc1", NULL), 0);
    assert_int_equal(
        show_session(services, &bench->scope, &bench->arena, "abc", &conversation, NULL), 0);
    assert_string_equal(conversation->title, "shopping");
    assert_int_equal(json_get_int(conversation->context, "cleared_before", 0), 1);
    assert_int_equal(delete_session(services, &bench->scope, "ab", &bench->err), ERR_INVALID);
    assert_int_equal(delete_session(services, &bench->scope, "abd2", &bench->err), 0);
    assert_int_equal(delete_session(services, &bench->scope, "abd2", &bench->err), ERR_NOT_FOUND);
    assert_int_equal(rename_session(services, &bench->scope, "abc1", "two\nlines", NULL),
                     ERR_INVALID);
}

static void tells_which_questions_wait_in_a_session(void **state)
{
    struct service_bench *bench = *state;
    struct services *services = &bench->services.base;
    struct question question = { .key = "path", .text = "Which path?" };
    const struct intent asked = { .primary_goal = "read",
                                  .parameters = arena_keep_json(&bench->arena, json_object()),
                                  .analyst = "lexical",
                                  .questions = &question,
                                  .n_questions = 1 };
    struct conversation *conversation = conversation_create(&bench->arena, "abc", 1);
    const struct intent *intent = &asked;
    const char *dropped = NULL;
    assert_int_equal(
        waiting_questions(services, &bench->scope, &bench->arena, "abc", &intent, NULL), 0);
    assert_null(intent);

    pending_store(conversation, "read the file", &asked);
    assert_int_equal(conversation_repository_save(bench->services.conversations_port, &bench->scope,
                                                  conversation, 0, NULL),
                     0);
    assert_int_equal(
        waiting_questions(services, &bench->scope, &bench->arena, "abc", &intent, NULL), 0);
    assert_string_equal(intent->questions[0].text, "Which path?");

    assert_int_equal(drop_questions(services, &bench->scope, &bench->arena, "abc", &dropped, NULL),
                     0);
    assert_int_equal(
        waiting_questions(services, &bench->scope, &bench->arena, "abc", &intent, NULL), 0);
    assert_null(intent);
}

static void a_session_is_chosen_by_its_name_and_begun_only_where_that_is_said(void **state)
{
    struct service_bench *bench = *state;
    struct services *services = &bench->services.base;
    struct arena *arena = &bench->arena;
    struct scope *scope = &bench->scope;
    const char *id = "";
    assert_int_equal(choose_session(services, scope, arena, NULL, false, &id, NULL), 0);
    assert_null(id);
    store(bench, "harvest", "about milk", 1000);

    assert_int_equal(choose_session(services, scope, arena, NULL, true, &id, NULL), 0);
    assert_string_equal(id, "harvest");
    assert_int_equal(choose_session(services, scope, arena, "harv", false, &id, NULL), 0);
    assert_string_equal(id, "harvest");
    assert_int_equal(choose_session(services, scope, arena, "new:summer", false, &id, NULL), 0);
    assert_string_equal(id, "summer");
    assert_int_equal(choose_session(services, scope, arena, "harvets", false, &id, &bench->err),
                     ERR_NOT_FOUND);
    assert_string_equal(bench->err.hint, "did you mean harvest? (new:NAME begins one)");
    assert_int_equal(choose_session(services, scope, arena, "new:harvest", false, &id, &bench->err),
                     ERR_INVALID);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, service_bench_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(lists_tools_and_says_which_servers_are_dead),
        TEST(shows_a_tool_with_what_the_policy_says),
        TEST(lists_servers_dead_ones_too),
        TEST(variables_take_the_type_of_their_defaults),
        TEST(a_bad_plan_is_refused_with_every_problem),
        TEST(what_looks_like_a_reference_in_a_plan_file_stays_with_one_warning),
        TEST(a_plan_has_at_most_so_many_steps),
        TEST(a_dry_run_of_a_plan_shows_what_it_can),
        TEST(goes_on_after_a_step_that_may_fail),
        TEST(a_plan_is_estimated_by_the_log),
        TEST(tells_runs_with_their_events),
        TEST(a_call_without_a_result_says_that_its_outcome_is_unknown),
        TEST(results_travel_from_step_to_step_as_they_are),
        TEST(a_field_that_is_not_there_stops_the_chain_before_anything_is_done),
        TEST(a_run_that_ends_removes_some_of_the_old_ones),
        TEST(finds_names_clears_and_deletes_sessions),
        TEST(tells_which_questions_wait_in_a_session),
        TEST(a_session_is_chosen_by_its_name_and_begun_only_where_that_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
