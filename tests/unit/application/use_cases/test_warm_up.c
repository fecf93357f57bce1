/* What a prompt begins with is the same bytes on every turn, and what a warm-up sends ahead. */
#include "application/use_cases/mistral_chat.h"
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

static void warms_with_the_first_bytes_of_the_first_request(void **state)
{
    (void)state;
    struct bench *bench = bench_create(TWO_TOOLS);
    fake_model_reply(&bench->services.model, NO_TOOL ",\"steps\":[]}");
    fake_model_reply(&bench->services.model, "Hello.");

    warm_up_chat(&bench->services.base, &bench->scope, 2);
    turn(bench, "how are you?");

    assert_int_equal(bench->services.model.n_warmed, 1);
    assert_string_equal(bench->services.model.warmed, system_of(bench, 0));
    bench_destroy(bench);
}

static void warms_for_an_intent_alone_where_there_are_many_tools(void **state)
{
    (void)state;
    struct bench *bench = bench_create(FIVE_TOOLS);
    fake_model_reply(&bench->services.model, NO_TOOL "}");
    fake_model_reply(&bench->services.model, "Hello.");

    warm_up_chat(&bench->services.base, &bench->scope, 5);
    turn(bench, "how are you?");

    assert_string_equal(bench->services.model.warmed, system_of(bench, 0));
    bench_destroy(bench);
}

static void does_not_warm_where_it_is_switched_off_or_has_no_model(void **state)
{
    (void)state;
    struct bench *bench = bench_create(TWO_TOOLS);
    bench->services.settings.model_warm_up = false;
    warm_up_chat(&bench->services.base, &bench->scope, 2);
    bench->services.settings.model_warm_up = true;
    bench->services.model_fails = ERR_UNAVAILABLE;
    warm_up_chat(&bench->services.base, &bench->scope, 2);
    assert_int_equal(bench->services.model.n_warmed, 0);
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

    assert_string_equal(system_of(few, 0), system_of(other, 0));
    const char *user = other->services.model.requests[0].user;
    const char *beep = strstr(user, "dev__beep"), *list = strstr(user, "dev__list"),
               *read = strstr(user, "dev__read");
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
        cmocka_unit_test(warms_for_an_intent_alone_where_there_are_many_tools),
        cmocka_unit_test(does_not_warm_where_it_is_switched_off_or_has_no_model),
        cmocka_unit_test(two_turns_begin_with_the_same_bytes_whatever_was_said_and_when),
        cmocka_unit_test(other_tools_change_nothing_at_the_beginning_and_stand_sorted_behind_it),
        cmocka_unit_test(no_prompt_tells_the_time_or_an_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
