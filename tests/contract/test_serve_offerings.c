/* What serve_tools owes an MCP client whose server has resources and prompts. */
#include "tests/contract/serve_conversation.h"

static const char fixture[] =
    "{\"resources\":[{\"uri\":\"a:1\",\"text\":\"one\"},{\"uri\":\"a:2\",\"blob\":\"aGk=\"},"
    "{\"uri\":\"a:3\"}],\"resource_templates\":[{\"uriTemplate\":\"b:{x}/{y}\",\"text\":"
    "\"{args.y} {args.x}\"}],\"prompts\":[{\"name\":\"p\",\"arguments\":[{\"name\":\"who\","
    "\"required\":true}],\"messages\":[{\"text\":\"hello {args.who}\"}]}]}";

static void begin_with_offerings(struct conversation *c)
{
    json_t *value = NULL;
    begin(c);
    tool_server_destroy(c->mock);
    assert_int_equal(json_parse(fixture, strlen(fixture), JSON_OURS, &value, NULL), 0);
    struct runtime *runtime = virtual_runtime_port(c->runtime);
    assert_int_equal(mock_server_create(runtime, "m", value, &c->mock, &c->err), 0);
    json_decref(value);
}

static const char *text_at(struct conversation *c, int id, const char *path)
{
    const char *text = json_string_value(at(fake_rpc_answer(&c->rpc, id), path));
    return text ? text : "";
}

static void lists_and_reads_in_the_modern_era_and_says_how_long_it_keeps(void **state)
{
    struct conversation c;
    (void)state;
    begin_with_offerings(&c);
    say(&c, 0, MODERN(1, "server/discover", ""));
    say(&c, 0, MODERN(2, "resources/list", ""));
    say(&c, 0, MODERN(3, "resources/templates/list", ""));
    say(&c, 0, MODERN(4, "prompts/list", ""));
    say(&c, 0, MODERN(5, "resources/read", "\"uri\":\"b:1/2\","));
    say(&c, 0, MODERN(6, "prompts/get", "\"name\":\"p\",\"arguments\":{\"who\":\"Ada\"},"));
    run(&c);
    assert_non_null(at(fake_rpc_answer(&c.rpc, 1), "result capabilities resources"));
    assert_non_null(at(fake_rpc_answer(&c.rpc, 1), "result capabilities prompts"));
    assert_int_equal(json_array_size(at(fake_rpc_answer(&c.rpc, 2), "result resources")), 3);
    assert_non_null(at(fake_rpc_answer(&c.rpc, 2), "result ttlMs"));
    assert_string_equal(text_at(&c, 2, "result resources 0 name"), "a:1");
    assert_null(at(fake_rpc_answer(&c.rpc, 2), "result resources 0 text"));
    assert_string_equal(text_at(&c, 3, "result resourceTemplates 0 uriTemplate"), "b:{x}/{y}");
    assert_string_equal(text_at(&c, 4, "result prompts 0 arguments 0 name"), "who");
    assert_string_equal(text_at(&c, 5, "result contents 0 text"), "2 1");
    assert_string_equal(text_at(&c, 5, "result resultType"), "complete");
    assert_non_null(at(fake_rpc_answer(&c.rpc, 5), "result ttlMs"));
    assert_string_equal(text_at(&c, 6, "result messages 0 content text"), "hello Ada");
    assert_string_equal(text_at(&c, 6, "result resultType"), "complete");
    assert_null(at(fake_rpc_answer(&c.rpc, 6), "result ttlMs"));
    end(&c);
}

static void lists_and_reads_in_the_legacy_era_without_modern_members(void **state)
{
    struct conversation c;
    (void)state;
    begin_with_offerings(&c);
    say(&c, 0, INITIALIZE(1, "2024-11-05"));
    say(&c, 0, PLAIN(2, "resources/list", "{}"));
    say(&c, 0, PLAIN(3, "resources/read", "{\"uri\":\"a:2\"}"));
    say(&c, 0, PLAIN(4, "prompts/get", "{\"name\":\"p\",\"arguments\":{\"who\":\"Ada\"}}"));
    run(&c);
    assert_non_null(at(fake_rpc_answer(&c.rpc, 1), "result capabilities prompts"));
    assert_null(at(fake_rpc_answer(&c.rpc, 2), "result resultType"));
    assert_string_equal(text_at(&c, 3, "result contents 0 blob"), "aGk=");
    assert_null(at(fake_rpc_answer(&c.rpc, 3), "result ttlMs"));
    assert_string_equal(text_at(&c, 4, "result messages 0 role"), "user");
    end(&c);
}

static void gives_a_list_page_by_page_and_refuses_a_cursor_of_others(void **state)
{
    struct conversation c;
    (void)state;
    begin_with_offerings(&c);
    c.options.page_size = 2;
    say(&c, 0, MODERN(1, "resources/list", ""));
    say(&c, 0, MODERN(2, "resources/list", "\"cursor\":\"from-2\","));
    say(&c, 0, MODERN(3, "resources/list", "\"cursor\":\"from-3\","));
    say(&c, 0, MODERN(4, "prompts/list", "\"cursor\":5,"));
    run(&c);
    assert_int_equal(json_array_size(at(fake_rpc_answer(&c.rpc, 1), "result resources")), 2);
    assert_string_equal(text_at(&c, 1, "result nextCursor"), "from-2");
    assert_string_equal(text_at(&c, 2, "result resources 0 uri"), "a:3");
    assert_null(at(fake_rpc_answer(&c.rpc, 2), "result nextCursor"));
    assert_int_equal(error_of(&c, 3), -32602);
    assert_int_equal(error_of(&c, 4), -32602);
    end(&c);
}

static void refuses_what_it_does_not_know_with_the_code_of_the_era(void **state)
{
    struct conversation c;
    (void)state;
    begin_with_offerings(&c);
    say(&c, 0, INITIALIZE(1, "2025-11-25"));
    say(&c, 0, PLAIN(2, "resources/read", "{\"uri\":\"b:1\"}"));
    say(&c, 0, PLAIN(3, "resources/read", "{}"));
    say(&c, 0, PLAIN(4, "prompts/get", "{\"name\":\"q\"}"));
    say(&c, 0, PLAIN(5, "prompts/get", "{\"name\":\"p\"}"));
    say(&c, 0, PLAIN(6, "prompts/get", "{\"name\":\"p\",\"arguments\":{\"who\":1}}"));
    say(&c, 0, PLAIN(7, "prompts/get", "{\"name\":\"p\",\"arguments\":[]}"));
    run(&c);
    assert_int_equal(error_of(&c, 2), -32002);
    assert_string_equal(text_at(&c, 2, "error data uri"), "b:1");
    for (int id = 3; id <= 7; id++)
        assert_int_equal(error_of(&c, id), -32602);
    end(&c);
    begin_with_offerings(&c);
    say(&c, 0, MODERN(2, "resources/read", "\"uri\":\"b:1\","));
    run(&c);
    assert_int_equal(error_of(&c, 2), -32602);
    end(&c);
}

static void knows_no_such_method_where_there_is_nothing_of_the_kind(void **state)
{
    struct conversation c;
    (void)state;
    begin(&c);
    say(&c, 0, MODERN(1, "server/discover", ""));
    say(&c, 0, MODERN(2, "resources/list", ""));
    say(&c, 0, MODERN(3, "prompts/get", "\"name\":\"p\","));
    run(&c);
    assert_null(at(fake_rpc_answer(&c.rpc, 1), "result capabilities resources"));
    assert_null(at(fake_rpc_answer(&c.rpc, 1), "result capabilities prompts"));
    assert_int_equal(error_of(&c, 2), -32601);
    assert_int_equal(error_of(&c, 3), -32601);
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_and_reads_in_the_modern_era_and_says_how_long_it_keeps),
        cmocka_unit_test(lists_and_reads_in_the_legacy_era_without_modern_members),
        cmocka_unit_test(gives_a_list_page_by_page_and_refuses_a_cursor_of_others),
        cmocka_unit_test(refuses_what_it_does_not_know_with_the_code_of_the_era),
        cmocka_unit_test(knows_no_such_method_where_there_is_nothing_of_the_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
