/* What a prompt begins with is the same bytes on every turn, and what a warm-up sends ahead. */
#include "application/use_cases/mistral_chat.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include <string.h>

#define TOOL(name)                                                                                 \
    "{\"name\":\"" name "\",\"description\":\"Looks at things\",\"inputSchema\":{\"type\":"        \
    "\"object\",\"properties\":{\"path\":{\"type\":\"string\"}}}}"
#define TWO_TOOLS "[" TOOL("zoom") "," TOOL("look") "]"
#define FIVE_TOOLS "[" TOOL("e") "," TOOL("d") "," TOOL("c") "," TOOL("b") "," TOOL("a") "]"
#define NO_TOOL                                                                                    \
    "{\"reason\":\"small talk\",\"primary_goal\":\"greet\",\"tools_needed\":[\"none\"],"           \
    "\"parameters\":{},\"unclear_aspects\":[],\"needs_clarification\":false,\"confidence\":0.9"

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct mistral_chat *chat;
    struct arena arena;
    struct scope scope;
};

static struct bench *bench_create(const char *tools)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->runtime = immediate_runtime();
    bench->scope.deadline_ms = SCOPE_NO_DEADLINE;
    fake_services_init(&bench->services, &bench->runtime.port, SOURCE_DIR);
    fake_services_add_server(&bench->services, "dev", tools);
    bench->chat = mistral_chat_create(&bench->services.base);
    return bench;
}

static void bench_destroy(struct bench *bench)
{
    mistral_chat_destroy(bench->chat);
    arena_finish(&bench->arena);
    fake_services_finish(&bench->services);
    free(bench);
}

static void turn(struct bench *bench, const char *message)
{
    const struct turn_request request = { .message = message, .session_id = "s" };
    struct turn_result result;
    struct err err = { 0 };
    assert_int_equal(
        mistral_chat_turn(bench->chat, &bench->scope, &bench->arena, &request, &result, &err),
        ERR_NONE);
}

static const char *system_of(const struct bench *bench, size_t request)
{
    assert_true(request < bench->services.model.n_requests);
    return bench->services.model.requests[request].system;
}

static void warm_up(struct bench *bench, const char *tools)
{
    json_t *list = NULL;
    struct warm_up_tool known[8];
    assert_int_equal(json_parse(tools, strlen(tools), JSON_OURS, &list, NULL), ERR_NONE);
    assert_true(json_array_size(list) <= ARRAY_LENGTH(known));
    for (size_t i = 0; i < json_array_size(list); i++)
        known[i] = (struct warm_up_tool){ "dev", json_array_get(list, i) };
    warm_up_chat(&bench->services.base, &bench->scope, known, json_array_size(list));
    json_decref(list);
}

static void warms_with_the_first_bytes_of_the_first_request(void **state)
{
    (void)state;
    struct bench *bench = bench_create(TWO_TOOLS);
    fake_model_reply(&bench->services.model, NO_TOOL ",\"steps\":[]}");
    fake_model_reply(&bench->services.model, "Hello.");

    warm_up(bench, TWO_TOOLS);
    turn(bench, "how are you?");

    assert_int_equal(bench->services.model.n_warmed, 1);
    assert_string_equal(bench->services.model.warmed, system_of(bench, 0));
    bench_destroy(bench);
}

static void warms_with_the_rules_alone_where_the_request_decides_which_tools_are_shown(void **state)
{
    (void)state;
    struct bench *bench = bench_create(FIVE_TOOLS);
    bench->services.settings.tools_shortlist = 4;
    fake_model_reply(&bench->services.model, NO_TOOL ",\"steps\":[]}");
    fake_model_reply(&bench->services.model, "Hello.");

    warm_up(bench, FIVE_TOOLS);
    turn(bench, "how are you?");

    const char *warmed = bench->services.model.warmed, *system = system_of(bench, 0);
    assert_null(strstr(warmed, "dev__"));
    assert_memory_equal(warmed, system, strlen(warmed) - 1); /* its last byte ends the list */
    bench_destroy(bench);
}

static void does_not_warm_where_it_is_switched_off_or_has_no_model(void **state)
{
    (void)state;
    struct bench *bench = bench_create(TWO_TOOLS);
    bench->services.settings.model_warm_up = false;
    warm_up(bench, TWO_TOOLS);
    bench->services.settings.model_warm_up = true;
    bench->services.model_fails = ERR_UNAVAILABLE;
    warm_up(bench, TWO_TOOLS);
    assert_int_equal(bench->services.model.n_warmed, 0);
    bench_destroy(bench);
}

static void everything_a_turn_asks_begins_with_the_rules_and_the_tools(void **state)
{
    (void)state;
    struct bench *bench = bench_create(TWO_TOOLS);
    bench->services.settings.tools_plan_at_once = 0;
    fake_model_reply(&bench->services.model,
                     "{\"reason\":\"look\",\"primary_goal\":\"look twice\",\"tools_needed\":["
                     "\"dev__look\",\"dev__zoom\"],\"parameters\":{},\"unclear_aspects\":[],"
                     "\"needs_clarification\":false,\"confidence\":0.9}");
    fake_model_reply(
        &bench->services.model,
        "{\"reason\":\"look\",\"steps\":[{\"id\":\"s1\",\"tool\":\"dev__look\",\"args\""
        ":{}},{\"id\":\"s2\",\"tool\":\"dev__zoom\",\"args\":{}}]}");
    fake_model_reply(&bench->services.model, "Done.");
    bench->services.base.approve_all = true;

    turn(bench, "look and zoom");

    assert_int_equal(bench->services.model.n_requests, 3);
    assert_string_equal(bench->services.model.requests[2].purpose, "answer");
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(system_of(bench, i), system_of(bench, 0));
        assert_non_null(
            strstr(system_of(bench, i), "\n- dev__look(path?: string): Looks at things"));
        assert_null(strstr(system_of(bench, i), "look and zoom"));
    }
    bench_destroy(bench);
}

/* The task stands in front of what was said, so that it is part of what turns share. */
static void what_a_turn_is_about_stands_behind_everything_that_turns_share(void **state)
{
    (void)state;
    struct bench *bench = bench_create(TWO_TOOLS);
    fake_model_reply(&bench->services.model, NO_TOOL ",\"steps\":[]}");
    fake_model_reply(&bench->services.model, "Hello.");

    turn(bench, "how are you?");

    const char *user = bench->services.model.requests[0].user;
    const char *task = strstr(user, "\"primary_goal\""), *history = strstr(user, "History:");
    const char *request = strstr(user, "User request: \"how are you?\"");
    assert_true(task && task < history && history < request);
    assert_true(strlen(history) < 300);
    bench_destroy(bench);
}

static void two_turns_begin_with_the_same_bytes_whatever_was_said_and_when(void **state)
{
    (void)state;
    struct bench *bench = bench_create(TWO_TOOLS);
    for (int i = 0; i < 2; i++) {
        fake_model_reply(&bench->services.model, NO_TOOL ",\"steps\":[]}");
        fake_model_reply(&bench->services.model, "Hello.");
    }

    turn(bench, "how are you?");
    bench->runtime.now_ms += INT64_C(86400000);
    turn(bench, "what is the weather in {message} on [INST] Mars?");

    assert_string_equal(system_of(bench, 0), system_of(bench, 2));
    assert_string_equal(system_of(bench, 1), system_of(bench, 3));
    bench_destroy(bench);
}

static void other_tools_change_nothing_at_the_beginning_and_stand_sorted_behind_it(void **state)
{
    (void)state;
    struct bench *few = bench_create(TWO_TOOLS);
    struct bench *other = bench_create("[" TOOL("read") "," TOOL("list") "," TOOL("beep") "]");
    fake_model_reply(&few->services.model, NO_TOOL ",\"steps\":[]}");
    fake_model_reply(&few->services.model, "Hello.");
    fake_model_reply(&other->services.model, NO_TOOL ",\"steps\":[]}");
    fake_model_reply(&other->services.model, "Hello.");

    turn(few, "hello");
    turn(other, "hello");

    const char *system = system_of(other, 0);
    const char *beep = strstr(system, "dev__beep"), *list = strstr(system, "dev__list"),
               *read = strstr(system, "dev__read");
    assert_memory_equal(system_of(few, 0), system, (size_t)(beep - system));
    assert_true(beep && beep < list && list < read);
    bench_destroy(few);
    bench_destroy(other);
}

/* 2026 is the year of the clock of the fakes. */
static void no_prompt_tells_the_time_or_an_id(void **state)
{
    (void)state;
    struct bench *bench = bench_create(TWO_TOOLS);
    fake_model_reply(&bench->services.model, NO_TOOL ",\"steps\":[]}");
    fake_model_reply(&bench->services.model, "Hello.");

    turn(bench, "hello");

    for (size_t i = 0; i < bench->services.model.n_requests; i++) {
        const struct fake_request *request = &bench->services.model.requests[i];
        assert_null(strstr(request->system, "2026"));
        assert_null(strstr(request->user, "2026"));
        assert_null(strstr(request->user, bench->services.runs.runs[0].id));
    }
    bench_destroy(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warms_with_the_first_bytes_of_the_first_request),
        cmocka_unit_test(
            warms_with_the_rules_alone_where_the_request_decides_which_tools_are_shown),
        cmocka_unit_test(does_not_warm_where_it_is_switched_off_or_has_no_model),
        cmocka_unit_test(everything_a_turn_asks_begins_with_the_rules_and_the_tools),
        cmocka_unit_test(what_a_turn_is_about_stands_behind_everything_that_turns_share),
        cmocka_unit_test(two_turns_begin_with_the_same_bytes_whatever_was_said_and_when),
        cmocka_unit_test(other_tools_change_nothing_at_the_beginning_and_stand_sorted_behind_it),
        cmocka_unit_test(no_prompt_tells_the_time_or_an_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
