#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "application/structured/extract.h"
#include "domain/base/json.h"
#include <string.h>

static void assert_extracts(const char *text, enum extract_kind kind, const char *value)
{
    json_t *found = NULL;
    enum extract_kind got = extract_json(text, strlen(text), &found);
    char *printed = found ? json_print(found) : NULL;
    assert_int_equal(got, kind);
    if (value)
        assert_string_equal(printed, value);
    else
        assert_null(printed);
    free(printed);
    json_decref(found);
}

static void takes_the_whole_text_when_it_is_one_value(void **state)
{
    (void)state;
    assert_extracts("{\"a\":1}", EXTRACT_WHOLE, "{\"a\":1}");
    assert_extracts(" \n[1,2]\n", EXTRACT_WHOLE, "[1,2]");
    assert_extracts("42", EXTRACT_WHOLE, "42");
}

static void takes_what_is_inside_a_fence(void **state)
{
    (void)state;
    assert_extracts("Sure:\n```json\n{\"a\":1}\n```\nDone.", EXTRACT_FENCED, "{\"a\":1}");
    assert_extracts("```\n[1]\n```", EXTRACT_FENCED, "[1]");
    assert_extracts("see [1]\n  ```JSON\r\n{\"a\":2}```", EXTRACT_FENCED, "{\"a\":2}");
}

static void passes_over_fences_that_hold_no_json(void **state)
{
    (void)state;
    assert_extracts("```sh\nls\n```\n```json\n{\"a\":1}\n```", EXTRACT_FENCED, "{\"a\":1}");
    assert_extracts("```\n{\"a\" 1}\n```\nso {\"b\":2}", EXTRACT_BALANCED, "{\"b\":2}");
}

static void keeps_a_fence_that_stands_inside_a_string(void **state)
{
    (void)state;
    assert_extracts("Here: {\"code\":\"```\\n{}\\n```\"} ok", EXTRACT_BALANCED,
                    "{\"code\":\"```\\n{}\\n```\"}");
}

static void takes_the_first_balanced_value_out_of_chatter(void **state)
{
    (void)state;
    assert_extracts("The plan is {\"a\":{\"b\":[1]}} and {\"c\":2}.", EXTRACT_BALANCED,
                    "{\"a\":{\"b\":[1]}}");
}

static void respects_strings_and_escapes(void **state)
{
    (void)state;
    assert_extracts("ok {\"a\":\"}\\\"}]{\"} ok", EXTRACT_BALANCED, "{\"a\":\"}\\\"}]{\"}");
    assert_extracts("ok {\"a\":\"c:\\\\\"} ok", EXTRACT_BALANCED, "{\"a\":\"c:\\\\\"}");
}

static void passes_over_brackets_of_prose(void **state)
{
    (void)state;
    assert_extracts("a [sic] { brace, then {\"a\":1} end", EXTRACT_BALANCED, "{\"a\":1}");
}

static void says_cut_when_a_value_does_not_end(void **state)
{
    (void)state;
    assert_extracts("{\"a\":{\"b\":1},\"c\":[", EXTRACT_CUT, NULL);
    assert_extracts("{\"a\":\"b", EXTRACT_CUT, NULL);
    assert_extracts("{\"a\":\"b\\", EXTRACT_CUT, NULL);
    assert_extracts("{", EXTRACT_CUT, NULL);
    assert_extracts("see [1]:\n```json\n{\"a\":1", EXTRACT_CUT, NULL);
}

static void never_takes_a_part_of_a_broken_value(void **state)
{
    (void)state;
    assert_extracts("{\"a\":1, 'b':{\"x\":1}}", EXTRACT_NOTHING, NULL);
    assert_extracts("{\"a\":{\"b\":1},\"c\":tru", EXTRACT_CUT, NULL);
}

static void finds_nothing_in_text_without_json(void **state)
{
    (void)state;
    assert_extracts("", EXTRACT_NOTHING, NULL);
    assert_extracts("  \n", EXTRACT_NOTHING, NULL);
    assert_extracts("I cannot do that.", EXTRACT_NOTHING, NULL);
    assert_extracts("```\n```", EXTRACT_NOTHING, NULL);
    assert_extracts("text ] } ", EXTRACT_NOTHING, NULL);
}

static void takes_a_long_run_of_brackets_in_linear_time(void **state)
{
    (void)state;
    static char text[200001];
    memset(text, '{', sizeof text - 1);
    assert_extracts(text, EXTRACT_CUT, NULL);
    memset(text, '[', sizeof text - 1);
    assert_extracts(text, EXTRACT_CUT, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_whole_text_when_it_is_one_value),
        cmocka_unit_test(takes_what_is_inside_a_fence),
        cmocka_unit_test(passes_over_fences_that_hold_no_json),
        cmocka_unit_test(keeps_a_fence_that_stands_inside_a_string),
        cmocka_unit_test(takes_the_first_balanced_value_out_of_chatter),
        cmocka_unit_test(respects_strings_and_escapes),
        cmocka_unit_test(passes_over_brackets_of_prose),
        cmocka_unit_test(says_cut_when_a_value_does_not_end),
        cmocka_unit_test(never_takes_a_part_of_a_broken_value),
        cmocka_unit_test(finds_nothing_in_text_without_json),
        cmocka_unit_test(takes_a_long_run_of_brackets_in_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
