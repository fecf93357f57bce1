/* What serve_tools owes an MCP client in both eras: methods, versions, lists and calls. */
#include "tests/contract/serve_conversation.h"

static void discovers_and_calls_in_the_modern_era(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    c.options.instructions = "be kind";
    say(&c, 0, MODERN(1, "server/discover", ""));
    say(&c, 0, MODERN(2, "tools/list", ""));
    say(&c, 0, MODERN(3, "tools/call", "\"name\":\"add\",\"arguments\":{},"));
    run(&c);
    const json_t *discover = at(fake_rpc_answer(&c.rpc, 1), "result");
    assert_string_equal(json_string_value(at(discover, "supportedVersions 0")), "2026-07-28");
    assert_string_equal(json_get_string(discover, "instructions"), "be kind");
    assert_string_equal(json_get_string(discover, "resultType"), "complete");
    assert_non_null(at(discover, "_meta io.modelcontextprotocol/serverInfo"));
    const json_t *list = at(fake_rpc_answer(&c.rpc, 2), "result");
    assert_int_equal(json_array_size(json_object_get(list, "tools")), 9);
    assert_non_null(json_object_get(list, "ttlMs"));
    assert_non_null(json_object_get(list, "cacheScope"));
    assert_null(json_object_get(list, "nextCursor"));
    assert_string_equal(json_get_string(fake_rpc_answer(&c.rpc, 3), "text"),
                        "{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":"
                        "\"{\\\"sum\\\":3}\"}],\"structuredContent\":{\"sum\":3}}");
    assert_int_equal(c.result, ERR_NONE);
    end(&c);
}

static void initializes_and_calls_in_the_legacy_era(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    say(&c, 0, PLAIN(9, "ping", "{}"));
    say(&c, 0, MODERN(1, "server/discover", ""));
    say(&c, 0, INITIALIZE(2, "2025-06-18"));
    say(&c, 0, "{\"method\":\"notifications/initialized\"}");
    say(&c, 0, PLAIN(3, "ping", "{}"));
    say(&c, 0, PLAIN(4, "tools/list", "{}"));
    say(&c, 0, PLAIN(5, "tools/call", "{\"name\":\"add\"}"));
    say(&c, 0, PLAIN(6, "logging/setLevel", "{\"level\":\"warning\"}"));
    say(&c, 0, PLAIN(7, "logging/setLevel", "{\"level\":\"loud\"}"));
    say(&c, 0, MODERN(8, "server/discover", ""));
    run(&c);
    assert_non_null(at(fake_rpc_answer(&c.rpc, 9), "result"));
    const json_t *result = at(fake_rpc_answer(&c.rpc, 2), "result");
    assert_string_equal(json_get_string(result, "protocolVersion"), "2025-06-18");
    assert_true(json_is_true(at(result, "capabilities tools listChanged")));
    assert_string_equal(json_string_value(at(result, "serverInfo name")), "m");
    assert_non_null(at(fake_rpc_answer(&c.rpc, 3), "result"));
    assert_null(at(fake_rpc_answer(&c.rpc, 4), "result ttlMs"));
    assert_null(at(fake_rpc_answer(&c.rpc, 5), "result resultType"));
    assert_int_equal(
        json_integer_value(at(fake_rpc_answer(&c.rpc, 5), "result structuredContent sum")), 3);
    assert_non_null(at(fake_rpc_answer(&c.rpc, 6), "result"));
    assert_int_equal(error_of(&c, 7), -32602);
    assert_int_equal(error_of(&c, 8), -32601);
    end(&c);
}

static void answers_an_unknown_legacy_version_with_the_newest_one(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    say(&c, 0, INITIALIZE(1, "1999-01-01"));
    run(&c);
    assert_string_equal(json_string_value(at(fake_rpc_answer(&c.rpc, 1), "result protocolVersion")),
                        "2025-11-25");
    end(&c);
}

static void refuses_what_breaks_the_rules(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    say(&c, 0, PLAIN(1, "tools/list", "{}"));
    say(&c, 0,
        PLAIN(2, "tools/list",
              "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2099-01-01\"}}"));
    say(&c, 0,
        PLAIN(3, "tools/list",
              "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}"));
    say(&c, 0, MODERN(4, "tools/call", "\"name\":\"zzz\","));
    say(&c, 0, MODERN(5, "tools/call", "\"name\":7,"));
    say(&c, 0, MODERN(6, "tools/call", "\"name\":\"add\",\"arguments\":[],"));
    say(&c, 0, MODERN(7, "tools/list", "\"cursor\":\"nonsense\","));
    say(&c, 0, MODERN(8, "resources/list", ""));
    say(&c, 0, MODERN(9, "ping", ""));
    say(&c, 0, INITIALIZE(10, "2025-11-25"));
    say(&c, 0, MODERN(11, "tools/call", "\"name\":\"refuse\","));
    run(&c);
    assert_int_equal(error_of(&c, 1), -32602);
    assert_int_equal(error_of(&c, 2), -32022);
    const json_t *data = at(fake_rpc_answer(&c.rpc, 2), "error data");
    assert_string_equal(json_string_value(at(data, "supported 0")), "2026-07-28");
    assert_string_equal(json_get_string(data, "requested"), "2099-01-01");
    assert_int_equal(error_of(&c, 3), -32602);
    assert_int_equal(error_of(&c, 4), -32602);
    assert_int_equal(error_of(&c, 5), -32602);
    assert_int_equal(error_of(&c, 6), -32602);
    assert_int_equal(error_of(&c, 7), -32602);
    assert_int_equal(error_of(&c, 8), -32601);
    assert_int_equal(error_of(&c, 9), -32601);
    assert_int_equal(error_of(&c, 10), -32022);
    assert_int_equal(error_of(&c, 11), -32050);
    end(&c);
}

static void serves_only_the_eras_it_was_told_to(void **state)
{
    (void)state;
    struct conversation modern, legacy;
    begin(&modern);
    modern.options.eras = SERVE_MODERN;
    say(&modern, 0, INITIALIZE(1, "2025-11-25"));
    say(&modern, 0, PLAIN(2, "ping", "{}"));
    run(&modern);
    begin(&legacy);
    legacy.options.eras = SERVE_LEGACY;
    say(&legacy, 0, MODERN(1, "server/discover", ""));
    say(&legacy, 0, PLAIN(2, "tools/list", "{}"));
    run(&legacy);
    assert_int_equal(error_of(&modern, 1), -32022);
    assert_int_equal(error_of(&modern, 2), -32601);
    assert_int_equal(error_of(&legacy, 1), -32601);
    assert_int_equal(error_of(&legacy, 2), -32600);
    end(&modern);
    end(&legacy);
}

static void lists_tools_page_by_page(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    c.options.page_size = 5;
    say(&c, 0, MODERN(1, "tools/list", ""));
    say(&c, 0, MODERN(2, "tools/list", "\"cursor\":\"from-5\","));
    say(&c, 0, MODERN(3, "tools/list", "\"cursor\":\"from-8\","));
    say(&c, 0, MODERN(4, "tools/list", "\"cursor\":\"from-9\","));
    run(&c);
    assert_int_equal(json_array_size(at(fake_rpc_answer(&c.rpc, 1), "result tools")), 5);
    assert_string_equal(json_string_value(at(fake_rpc_answer(&c.rpc, 1), "result nextCursor")),
                        "from-5");
    assert_int_equal(json_array_size(at(fake_rpc_answer(&c.rpc, 2), "result tools")), 4);
    assert_null(at(fake_rpc_answer(&c.rpc, 2), "result nextCursor"));
    assert_int_equal(json_array_size(at(fake_rpc_answer(&c.rpc, 3), "result tools")), 1);
    assert_int_equal(error_of(&c, 4), -32602);
    end(&c);
}

static void runs_calls_side_by_side_up_to_the_bound(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    c.options.max_in_flight = 2;
    c.rpc.gone_at_ms = 2000;
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"slow\","));
    say(&c, 0, MODERN(2, "tools/call", "\"name\":\"slow\","));
    say(&c, 0, MODERN(3, "tools/call", "\"name\":\"add\","));
    say(&c, 0, MODERN(4, "server/discover", ""));
    run(&c);
    const json_t *third = fake_rpc_answer(&c.rpc, 3), *fourth = fake_rpc_answer(&c.rpc, 4);
    assert_non_null(fake_rpc_answer(&c.rpc, 1));
    assert_non_null(fake_rpc_answer(&c.rpc, 2));
    assert_non_null(third);
    assert_int_equal(fake_rpc_position(&c.rpc, fourth), 0);
    assert_true(fake_rpc_position(&c.rpc, third) > 1);
    end(&c);
}

static void runs_no_more_calls_side_by_side_than_it_can(void **state)
{
    (void)state;
    enum { N = SERVE_MAX_IN_FLIGHT + 1 };
    static char lines[N][300];
    struct conversation c;
    size_t n_answered = 0;
    begin(&c);
    c.options.max_in_flight = N;
    c.rpc.gone_at_ms = 6000; /* a call lasts 5000: the last one is cut off when grace ends */
    for (int i = 0; i < N; i++) {
        snprintf(lines[i], sizeof lines[i],
                 "{\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"long\"," META "}}",
                 i + 1);
        say(&c, 0, lines[i]);
    }
    run(&c);
    for (int i = 1; i < N; i++)
        n_answered += at(fake_rpc_answer(&c.rpc, i), "result") != NULL;
    assert_int_equal(n_answered, SERVE_MAX_IN_FLIGHT);
    assert_int_equal(error_of(&c, N), -32603);
    end(&c);
}

static void refuses_a_request_beyond_those_that_may_wait(void **state)
{
    (void)state;
    enum { N = 1 + SERVE_MAX_WAITING + 1 };
    static char lines[N][300];
    struct conversation c;
    begin(&c);
    c.options.max_in_flight = 1;
    for (int i = 0; i < N; i++) {
        snprintf(lines[i], sizeof lines[i],
                 "{\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"long\"," META "}}",
                 i + 1);
        say(&c, 0, lines[i]);
    }
    run(&c);
    assert_int_equal(error_of(&c, N - 1), -32603);
    assert_int_equal(error_of(&c, N), -32000);
    end(&c);
}

static void reports_growing_progress_to_who_gave_a_token(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    c.rpc.gone_at_ms = 1000;
    say(&c, 0,
        "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"slow\",\"_meta\":{"
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"progressToken\":\"p\","
        "\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
    say(&c, 0, MODERN(2, "tools/call", "\"name\":\"slow\","));
    run(&c);
    const json_t *first = fake_rpc_notification(&c.rpc, "notifications/progress", 0);
    const json_t *second = fake_rpc_notification(&c.rpc, "notifications/progress", 1);
    assert_string_equal(json_string_value(at(first, "params progressToken")), "p");
    assert_int_equal(json_integer_value(at(first, "params progress")), 1);
    assert_string_equal(json_string_value(at(second, "params message")), "half");
    assert_null(fake_rpc_notification(&c.rpc, "notifications/progress", 2));
    end(&c);
}

static void stays_silent_about_a_cancelled_call(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    c.options.max_in_flight = 1;
    c.rpc.gone_at_ms = 300;
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"long\","));
    say(&c, 0, MODERN(2, "tools/call", "\"name\":\"add\","));
    say(&c, 0, MODERN(3, "tools/call", "\"name\":\"add\","));
    say(&c, 100, CANCEL(3));
    say(&c, 200, CANCEL(1));
    say(&c, 200, CANCEL(77));
    run(&c);
    assert_null(fake_rpc_answer(&c.rpc, 1));
    assert_non_null(at(fake_rpc_answer(&c.rpc, 2), "result"));
    assert_null(fake_rpc_answer(&c.rpc, 3));
    assert_int_equal(c.ended_ms, 300);
    end(&c);
}

static void refuses_an_id_that_is_in_use(void **state)
{
    (void)state;
    struct conversation c;
    begin(&c);
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"slow\","));
    say(&c, 0, MODERN(1, "tools/call", "\"name\":\"add\","));
    run(&c);
    assert_int_equal(error_of(&c, 1), -32600);
    end(&c);
}

static const json_t *listed_with(int64_t ttl_ms, bool is_public, struct conversation *c)
{
    begin(c);
    c->options.ttl_ms = ttl_ms;
    c->options.is_public = is_public;
    say(c, 0, MODERN(1, "tools/list", ""));
    run(c);
    return at(fake_rpc_answer(&c->rpc, 1), "result");
}

static void says_how_long_a_list_keeps_and_for_whom(void **state)
{
    static const struct {
        int64_t ttl_ms, said;
        bool is_public;
    } cases[] = { { 0, SERVE_TTL_MS, false }, { 5, 5, true }, { -1, 0, false } };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct conversation c;
        const json_t *result = listed_with(cases[i].ttl_ms, cases[i].is_public, &c);
        assert_int_equal(json_get_int(result, "ttlMs", -1), cases[i].said);
        assert_string_equal(json_get_string(result, "cacheScope"),
                            cases[i].is_public ? "public" : "private");
        end(&c);
    }
}

static void methods_of_the_old_era_are_unknown_to_a_request_that_describes_itself(void **state)
{
    struct conversation c;
    (void)state;
    begin(&c);
    say(&c, 0, MODERN(1, "ping", ""));
    say(&c, 1, MODERN(2, "initialize", ""));
    say(&c, 2, MODERN(3, "logging/setLevel", ""));
    run(&c);
    for (int id = 1; id <= 3; id++)
        assert_int_equal(error_of(&c, id), -32601);
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(discovers_and_calls_in_the_modern_era),
        cmocka_unit_test(initializes_and_calls_in_the_legacy_era),
        cmocka_unit_test(methods_of_the_old_era_are_unknown_to_a_request_that_describes_itself),
        cmocka_unit_test(answers_an_unknown_legacy_version_with_the_newest_one),
        cmocka_unit_test(refuses_what_breaks_the_rules),
        cmocka_unit_test(serves_only_the_eras_it_was_told_to),
        cmocka_unit_test(lists_tools_page_by_page),
        cmocka_unit_test(runs_calls_side_by_side_up_to_the_bound),
        cmocka_unit_test(runs_no_more_calls_side_by_side_than_it_can),
        cmocka_unit_test(refuses_a_request_beyond_those_that_may_wait),
        cmocka_unit_test(reports_growing_progress_to_who_gave_a_token),
        cmocka_unit_test(stays_silent_about_a_cancelled_call),
        cmocka_unit_test(refuses_an_id_that_is_in_use),
        cmocka_unit_test(says_how_long_a_list_keeps_and_for_whom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
