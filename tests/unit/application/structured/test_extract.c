
#include "application/structured/extract.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
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

static struct extraction extract(struct arena *arena, const char *text)
{
    return extract_value(arena, text, strlen(text));
}

static void assert_value(const char *text, enum extract_kind kind, bool repaired, const char *value)
{
    AUTO(arena) arena = { 0 };
    struct extraction found = extract(&arena, text);
    assert_int_equal(found.kind, kind);
    assert_int_equal(found.is_repaired, repaired);
    if (value)
        assert_string_equal(json_print_in(&arena, found.value), value);
    else
        assert_null(found.value);
}

static void mends_only_what_does_not_parse(void **state)
{
    (void)state;
    assert_value("{\"a\":1}", EXTRACT_WHOLE, false, "{\"a\":1}");
    assert_value("{\"a\":1,}", EXTRACT_WHOLE, true, "{\"a\":1}");
    assert_value("It's this: {'a': True}, ok?", EXTRACT_BALANCED, true, "{\"a\":true}");
    assert_value("```json\n{\"a\":\"x\ny\"}\n```", EXTRACT_FENCED, true, "{\"a\":\"x\\ny\"}");
    assert_value("{\"a\":1,} or {\"b\":2}", EXTRACT_BALANCED, false, "{\"b\":2}");
}

static void a_comment_hides_its_brackets_and_quotes(void **state)
{
    (void)state;
    assert_value("Here:\n{ // it's \"this\n \"a\": 1, # }\n}\nok", EXTRACT_BALANCED, true,
                 "{\"a\":1}");
    assert_value("{\"a\":\"http://b\"} x", EXTRACT_BALANCED, false, "{\"a\":\"http://b\"}");
    assert_value("{'a': 'http://b'} x", EXTRACT_BALANCED, true, "{\"a\":\"http://b\"}");
}

static void finds_the_outermost_slice_when_strings_hide_their_brackets(void **state)
{
    (void)state;
    assert_value("So: {'a': 'say \"x }'} ok", EXTRACT_BALANCED, true, "{\"a\":\"say \\\"x }\"}");
}

static void never_mends_a_value_that_was_cut(void **state)
{
    (void)state;
    assert_value("{'a': {'b': 1}, 'c': 'd", EXTRACT_CUT, false, NULL);
    assert_value("[{\"a\":1},{\"b\":", EXTRACT_CUT, false, NULL);
}

static void passes_over_thinking_and_a_byte_order_mark(void **state)
{
    (void)state;
    assert_value("<think>{\"a\":1}</think>{\"b\":2}", EXTRACT_BALANCED, false, "{\"b\":2}");
    assert_value(" [THINK]{\"a\":1}[/THINK] {\"b\":2}", EXTRACT_BALANCED, false, "{\"b\":2}");
    assert_value("<think>{\"a\":1}", EXTRACT_CUT, false, NULL);
    assert_value("\xef\xbb\xbf{\"a\":1}", EXTRACT_WHOLE, false, "{\"a\":1}");
}

static void prefers_an_object_to_an_array_of_words(void **state)
{
    (void)state;
    assert_value("As [1] and [\"a\"] say: {\"b\":2}", EXTRACT_BALANCED, false, "{\"b\":2}");
    assert_value("The numbers are [1, 2].", EXTRACT_BALANCED, false, "[1,2]");
    assert_value("The tools: [{\"a\":1}] {\"b\":2}", EXTRACT_BALANCED, false, "[{\"a\":1}]");
}

static void says_where_the_value_stood_and_what_follows_it(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct extraction found = extract(&arena, "Hi {\"a\":1} and {\"b\":2}");
    assert_int_equal(found.at, 3);
    assert_int_equal(found.length, 7);
    assert_true(found.has_trailing);
    assert_false(extract(&arena, "```\n{\"a\":1}\n```\n").has_trailing);
    assert_false(extract(&arena, "{\"a\":1}\n").has_trailing);
    assert_true(extract(&arena, "```\n{\"a\":1}\n```\nok").has_trailing);
}

static void assert_kept(const char *text, const char *member, const char *kept)
{
    AUTO(arena) arena = { 0 };
    assert_string_equal(extract_without_thinking(&arena, text, member), kept);
}

static void leaves_out_what_the_model_thought(void **state)
{
    (void)state;
    assert_kept("hello", NULL, "hello");
    assert_kept("<think>a</think>hello {\"w\":1}", NULL, "hello {\"w\":1}");
    assert_kept("[THINK]a[/THINK]{\"w\":\"a\",\"b\":2}", "w", "{\"w\":\"\",\"b\":2}");
    assert_kept("one {\"w\":\"a\"} two {\"b\":{\"w\":1}} three {\"w\":{\"x\":[1]}} four", "w",
                "one {\"w\":\"\"} two {\"b\":{\"w\":1}} three {\"w\":\"\"} four");
    assert_kept("<think>it never ends", "w", "");
    assert_kept("{\"w\":\"cut", "w", "{");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_out_what_the_model_thought),
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
        cmocka_unit_test(mends_only_what_does_not_parse),
        cmocka_unit_test(a_comment_hides_its_brackets_and_quotes),
        cmocka_unit_test(finds_the_outermost_slice_when_strings_hide_their_brackets),
        cmocka_unit_test(never_mends_a_value_that_was_cut),
        cmocka_unit_test(passes_over_thinking_and_a_byte_order_mark),
        cmocka_unit_test(prefers_an_object_to_an_array_of_words),
        cmocka_unit_test(says_where_the_value_stood_and_what_follows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
