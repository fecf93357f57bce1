
#include "application/structured/extract.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define CALL(name, arguments) "{\"name\":\"" name "\",\"arguments\":" arguments "}"

static void assert_calls(const char *text, const char *expected)
{
    AUTO(arena) arena = { 0 };
    const json_t *calls = native_calls_find(&arena, text, strlen(text));
    if (expected)
        assert_string_equal(json_print_in(&arena, calls), expected);
    else
        assert_null(calls);
}

static void reads_the_array_behind_mistrals_mark(void **state)
{
    (void)state;
    assert_calls("[TOOL_CALLS] [" CALL("f", "{\"a\":1}") "]", "[" CALL("f", "{\"a\":1}") "]");
    assert_calls("Let me see. [TOOL_CALLS][" CALL("f", "{}") "," CALL("g", "{}") "]</s>",
                 "[" CALL("f", "{}") "," CALL("g", "{}") "]");
}

static void reads_names_with_arguments_of_newer_templates(void **state)
{
    (void)state;
    assert_calls("[TOOL_CALLS]f[ARGS]{\"a\":\"}\"}", "[" CALL("f", "{\"a\":\"}\"}") "]");
    assert_calls("[TOOL_CALLS]f [CALL_ID]abc123def[ARGS] {}[TOOL_CALLS]g[ARGS]{\"b\":2}",
                 "[" CALL("f", "{}") "," CALL("g", "{\"b\":2}") "]");
}

static void reads_tagged_calls(void **state)
{
    (void)state;
    assert_calls("<tool_call>\n" CALL("f", "{}") "\n</tool_call>\n<tool_call>{\"name\":\"g\"}",
                 "[" CALL("f", "{}") "," CALL("g", "{}") "]");
}

static void reads_a_fenced_or_bare_call(void **state)
{
    (void)state;
    assert_calls("```json\n" CALL("f", "{\"a\":1}") "\n```", "[" CALL("f", "{\"a\":1}") "]");
    assert_calls(CALL("f", "{}"), "[" CALL("f", "{}") "]");
    assert_calls("[" CALL("f", "{}") "]", "[" CALL("f", "{}") "]");
    assert_calls("{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{}}}",
                 "[" CALL("f", "{}") "]");
}

static void reads_arguments_that_are_a_string_of_json(void **state)
{
    (void)state;
    assert_calls(CALL("f", "\"{\\\"a\\\":1}\""), "[" CALL("f", "{\"a\":1}") "]");
    assert_calls(CALL("f", "\"no json\""), NULL);
}

static void mends_what_loses_nothing(void **state)
{
    (void)state;
    assert_calls("[TOOL_CALLS][{'name':'f','arguments':{'a':True,}}]",
                 "[" CALL("f", "{\"a\":true}") "]");
}

static void is_no_call_without_name_or_arguments(void **state)
{
    (void)state;
    assert_calls("", NULL);
    assert_calls("I would call f.", NULL);
    assert_calls("{\"name\":\"f\"}", NULL);
    assert_calls("{\"name\":5,\"arguments\":{}}", NULL);
    assert_calls("{\"name\":\"\",\"arguments\":{}}", NULL);
    assert_calls("[]", NULL);
    assert_calls("[TOOL_CALLS]", NULL);
    assert_calls("[TOOL_CALLS]f", NULL);
    assert_calls("[TOOL_CALLS][ARGS]{}", NULL);
    assert_calls("<tool_call>f</tool_call>", NULL);
}

static void takes_all_calls_or_none(void **state)
{
    (void)state;
    assert_calls("[TOOL_CALLS][" CALL("f", "{}") ",{\"name\":\"g\",\"argu", NULL);
    assert_calls("[" CALL("f", "{}") ",5]", NULL);
}

static size_t calls_found(unsigned n)
{
    AUTO(arena) arena = { 0 };
    AUTO(buf) text = { 0 };
    buf_init(&text, 1u << 16u);
    for (unsigned i = 0; i < n; i++)
        assert_true(buf_printf(&text, "[TOOL_CALLS]f%u[ARGS]{}", i));
    return json_array_size(native_calls_find(&arena, text.bytes, text.length));
}

static void keeps_the_first_calls_up_to_its_bound(void **state)
{
    (void)state;
    assert_int_equal(calls_found(NATIVE_CALLS_MAX), NATIVE_CALLS_MAX);
    assert_int_equal(calls_found(NATIVE_CALLS_MAX + 1), NATIVE_CALLS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_array_behind_mistrals_mark),
        cmocka_unit_test(reads_names_with_arguments_of_newer_templates),
        cmocka_unit_test(reads_tagged_calls),
        cmocka_unit_test(reads_a_fenced_or_bare_call),
        cmocka_unit_test(reads_arguments_that_are_a_string_of_json),
        cmocka_unit_test(mends_what_loses_nothing),
        cmocka_unit_test(is_no_call_without_name_or_arguments),
        cmocka_unit_test(takes_all_calls_or_none),
        cmocka_unit_test(keeps_the_first_calls_up_to_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
