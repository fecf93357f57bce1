
#include "domain/base/json.h"
#include "infrastructure/mcp/wire/jsonrpc.h"
#include "tests/support/cmocka.h"
#include <string.h>

static enum jsonrpc_kind kind_of(const char *text)
{
    json_auto_t *value = NULL;
    struct err err;
    assert_int_equal(json_parse(text, strlen(text), JSON_FOREIGN, &value, &err), ERR_NONE);
    return jsonrpc_classify(value).kind;
}

static void tells_messages_apart(void **state)
{
    (void)state;
    assert_int_equal(kind_of("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}"),
                     JSONRPC_REQUEST);
    assert_int_equal(kind_of("{\"jsonrpc\":\"2.0\",\"method\":\"n\"}"), JSONRPC_NOTIFICATION);
    assert_int_equal(kind_of("{\"result\":{},\"jsonrpc\":\"2.0\",\"id\":3}"), JSONRPC_RESULT);
    assert_int_equal(kind_of("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":null}"), JSONRPC_RESULT);
    assert_int_equal(kind_of("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1}}"),
                     JSONRPC_ERROR);
    assert_int_equal(kind_of("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{},\"error\":null}"),
                     JSONRPC_RESULT);
}

static void takes_everything_else_for_junk(void **state)
{
    (void)state;
    assert_int_equal(kind_of("{\"id\":1,\"method\":\"ping\"}"), JSONRPC_JUNK);
    assert_int_equal(kind_of("{\"jsonrpc\":\"2.0\"}"), JSONRPC_JUNK);
    assert_int_equal(kind_of("{\"jsonrpc\":\"2.0\",\"result\":{}}"), JSONRPC_JUNK);
    assert_int_equal(kind_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}"), JSONRPC_JUNK);
    assert_int_equal(kind_of("{\"jsonrpc\":\"2.0\",\"method\":\"a\\u0000b\"}"), JSONRPC_JUNK);
    assert_int_equal(kind_of("[1]"), JSONRPC_JUNK);
    assert_int_equal(kind_of("7"), JSONRPC_JUNK);
}

static bool reads(const char *text, int64_t number, bool is_text)
{
    json_auto_t *value = NULL;
    struct jsonrpc_id id;
    if (json_parse(text, strlen(text), JSON_FOREIGN, &value, NULL))
        return false;
    return jsonrpc_read_id(value, &id) && id.number == number && id.is_text == is_text;
}

static void does_not_mix_numbers_and_strings_as_ids(void **state)
{
    struct jsonrpc_id id;
    json_auto_t *string = json_string("7"), *real = json_real(7.5);
    (void)state;
    assert_true(reads("0", 0, false));
    assert_true(reads("7", 7, false));
    assert_true(reads("\"era-7\"", 7, true));
    assert_false(jsonrpc_read_id(string, &id));
    assert_false(jsonrpc_read_id(real, &id));
    assert_false(jsonrpc_read_id(NULL, &id));
}

static bool salvages(const char *text, int64_t number)
{
    struct jsonrpc_id id;
    return jsonrpc_salvage_id(text, strlen(text), &id) && id.number == number;
}

static void finds_the_id_of_an_answer_that_cannot_be_parsed(void **state)
{
    (void)state;
    assert_true(salvages("{\"jsonrpc\":\"2.0\",\"id\":12,\"result\":{\"a\":nope}}", 12));
    assert_true(salvages("{\"result\":{\"a\":\"x\"y\"},\"jsonrpc\":\"2.0\",\"id\":13}", 13));
    assert_true(salvages("{\"jsonrpc\":\"2.0\",\"id\":\"era-2\",\"result\":{", 2));
    assert_false(salvages("{\"jsonrpc\":\"2.0\",\"id\":12,\"method\":\"m\",", 12));
    assert_false(salvages("listening on id 12", 12));
    assert_false(salvages("{\"jsonrpc\":\"2.0\",\"id\":,\"result\":{", 0));
}

static void writes_whole_lines(void **state)
{
    AUTO(buf) out;
    json_auto_t *id = json_string("a\"b"), *params = json_pack("{s:i}", "n", 1);
    (void)state;
    buf_init(&out, 1000);
    assert_true(jsonrpc_append_head(&out, (struct jsonrpc_id){ .number = 7 }, "tools/call"));
    assert_string_equal(buf_string(&out),
                        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\"");
    buf_clear(&out);
    assert_true(
        jsonrpc_append_head(&out, (struct jsonrpc_id){ .number = 1, .is_text = true }, "m"));
    assert_string_equal(buf_string(&out), "{\"jsonrpc\":\"2.0\",\"id\":\"era-1\",\"method\":\"m\"");
    buf_clear(&out);
    assert_true(jsonrpc_append_notification(&out, "n/x", params));
    assert_string_equal(buf_string(&out),
                        "{\"jsonrpc\":\"2.0\",\"method\":\"n/x\",\"params\":{\"n\":1}}\n");
    buf_clear(&out);
    assert_true(jsonrpc_append_result(&out, id, "{}", 2));
    assert_string_equal(buf_string(&out),
                        "{\"jsonrpc\":\"2.0\",\"id\":\"a\\\"b\",\"result\":{}}\n");
    buf_clear(&out);
    assert_true(jsonrpc_append_error(&out, NULL, -32700, "bad\n\"x\"", NULL));
    assert_string_equal(buf_string(&out), "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":"
                                          "-32700,\"message\":\"bad\\n\\\"x\\\"\"}}\n");
}

static void writes_strings_that_read_back_the_same(void **state)
{
    static const char text[] = "a\"b\\c\n\t\x01\x7f \xC3\xA9 \xE2\x82\xAC";
    AUTO(buf) out;
    json_auto_t *value = NULL;
    (void)state;
    buf_init(&out, 1000);
    assert_true(jsonrpc_append_string(&out, text));
    assert_int_equal(json_parse(out.bytes, out.length, JSON_OURS, &value, NULL), ERR_NONE);
    assert_string_equal(json_string_value(value), text);
}

static void does_not_write_past_the_bound(void **state)
{
    AUTO(buf) out;
    (void)state;
    buf_init(&out, 7);
    assert_true(jsonrpc_append_string(&out, "12345"));
    buf_clear(&out);
    assert_false(jsonrpc_append_string(&out, "123456"));
}

static void quotes_what_a_server_says_and_escapes_it(void **state)
{
    json_auto_t *error =
        json_pack("{s:i, s:s}", "code", -32602, "message", "no\x1b[31m\nsuch tool");
    struct err err;
    (void)state;
    assert_int_equal(jsonrpc_explain_error(error, &err), ERR_INVALID);
    assert_int_equal(err.origin, -32602);
    assert_string_equal(err.message, "error -32602: \"no\\x1b[31m\\nsuch tool\"");
}

static void says_that_a_missing_capability_is_ours(void **state)
{
    json_auto_t *error = json_pack("{s:i, s:s}", "code", -32021, "message", "no elicitation");
    struct err err;
    (void)state;
    assert_int_equal(jsonrpc_explain_error(error, &err), ERR_FAILED);
    assert_non_null(strstr(err.hint, "does not offer"));
}

static void says_where_a_person_is_missing(void **state)
{
    json_auto_t *error = json_pack("{s:i, s:{s:{s:{}}}}", "code", -32021, "data",
                                   "requiredCapabilities", "elicitation");
    struct err err;
    (void)state;
    assert_int_equal(jsonrpc_explain_error(error, &err), ERR_FAILED);
    assert_non_null(strstr(err.hint, "on a terminal"));
}

static void survives_an_error_object_without_members(void **state)
{
    json_auto_t *error = json_object();
    struct err err;
    (void)state;
    assert_int_equal(jsonrpc_explain_error(error, &err), ERR_FAILED);
    assert_int_equal(err.origin, 0);
}

/* The number of the request that the text is a result for, or -1. */
static int64_t answers(const char *text, const char **out_result)
{
    static char result[256];
    struct jsonrpc_outline outline;
    struct jsonrpc_id id;
    *out_result = result;
    if (jsonrpc_scan(text, strlen(text), &outline) != JSON_SOUND || !jsonrpc_is_result(&outline) ||
        !jsonrpc_scan_id(outline.id, &id) || id.is_text)
        return -1;
    memcpy(result, outline.result.text.text, outline.result.text.length);
    result[outline.result.text.length] = '\0';
    return id.number;
}

static void finds_the_result_in_an_answer_wherever_it_stands(void **state)
{
    static const struct {
        const char *text;
        int64_t id;
        const char *result;
    } rows[] = {
        { "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":[]}}", 7, "{\"a\":[]}" },
        { "{\"result\":{\"a\":1},\"jsonrpc\":\"2.0\",\"id\":12}", 12, "{\"a\":1}" },
        { " { \"id\" : 0 , \"result\" : null , \"jsonrpc\" : 2 } ", 0, "null" },
        { "\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":[]}", 7, "[]" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"result\":1,\"result\":\"b\"}", 2, "\"b\"" },
        { "{\"jsonrpc\":\"2.0\",\"id\":7.0,\"re\\u0073ult\":{},\"error\":null}", 7, "{}" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *result;
        assert_int_equal(answers(rows[i].text, &result), rows[i].id);
        assert_string_equal(result, rows[i].result);
    }
}

static void takes_nothing_else_for_a_result(void **state)
{
    static const char *const others[] = {
        "",
        "{}",
        "[{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}]",
        "{\"jsonrpc\":\"2.0\",\"id\":7}",
        "{\"jsonrpc\":\"2.0\",\"result\":{}}",
        "{\"id\":7,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":}",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}}",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{},\"error\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{},\"method\":\"m\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"7\",\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"\\ud800\"}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *result;
        if (answers(others[i], &result) != -1)
            fail_msg("took %s", others[i]);
    }
}

static void an_id_that_is_longer_than_any_of_ours_is_not_read(void **state)
{
    static const char at[] = "7."
                             "00000000000000000000000000000000000000000000000000000000000000";
    static const char above[] = "7."
                                "000000000000000000000000000000000000000000000000000000000000000";
    struct jsonrpc_id id;
    (void)state;
    assert_true(jsonrpc_scan_id((struct json_slice){ at, strlen(at) }, &id));
    assert_int_equal(id.number, 7);
    assert_false(jsonrpc_scan_id((struct json_slice){ above, strlen(above) }, &id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_messages_apart),
        cmocka_unit_test(takes_everything_else_for_junk),
        cmocka_unit_test(does_not_mix_numbers_and_strings_as_ids),
        cmocka_unit_test(finds_the_id_of_an_answer_that_cannot_be_parsed),
        cmocka_unit_test(writes_whole_lines),
        cmocka_unit_test(writes_strings_that_read_back_the_same),
        cmocka_unit_test(does_not_write_past_the_bound),
        cmocka_unit_test(quotes_what_a_server_says_and_escapes_it),
        cmocka_unit_test(says_that_a_missing_capability_is_ours),
        cmocka_unit_test(finds_the_result_in_an_answer_wherever_it_stands),
        cmocka_unit_test(takes_nothing_else_for_a_result),
        cmocka_unit_test(an_id_that_is_longer_than_any_of_ours_is_not_read),
        cmocka_unit_test(says_where_a_person_is_missing),
        cmocka_unit_test(survives_an_error_object_without_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
