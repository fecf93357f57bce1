
#include "application/structured/repair.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define LDQ "\xe2\x80\x9c"
#define RDQ "\xe2\x80\x9d"
#define LSQ "\xe2\x80\x98"
#define RSQ "\xe2\x80\x99"

static void assert_mends(const char *text, const char *expected)
{
    AUTO(arena) arena = { 0 };
    const char *mended = NULL;
    size_t length = 0;
    bool done = repair_json(&arena, text, strlen(text), &mended, &length);
    assert_int_equal(done, expected != NULL);
    if (expected) {
        assert_string_equal(mended, expected);
        assert_int_equal(length, strlen(expected));
    }
}

static void assert_leaves(const char *text)
{
    assert_mends(text, NULL);
}

static void drops_a_comma_before_a_closing_bracket(void **state)
{
    (void)state;
    assert_mends("{\"a\":[1,2,],\"b\":{},}", "{\"a\":[1,2],\"b\":{}}");
    assert_mends("[1 ,\n ]", "[1 \n ]");
}

static void keeps_commas_that_stand_for_something_missing(void **state)
{
    (void)state;
    assert_leaves("[,]");
    assert_leaves("{,}");
    assert_leaves("[1,,]");
    assert_leaves("{\"a\":,}");
}

static void translates_the_words_of_python(void **state)
{
    (void)state;
    assert_mends("{\"a\":True,\"b\":[False,None]}", "{\"a\":true,\"b\":[false,null]}");
    assert_leaves("{\"True\":\"None\"}");
    assert_leaves("[Trueish,NONE]");
}

static void escapes_control_characters_in_strings(void **state)
{
    (void)state;
    assert_mends("{\"a\":\"x\ty\nz\r\"}", "{\"a\":\"x\\ty\\nz\\r\"}");
    assert_mends("\"\x01\x1f\b\f\"", "\"\\u0001\\u001f\\b\\f\"");
    assert_leaves("{\n\t\"a\": 1\r\n}");
}

static void replaces_typographic_quotes_around_names_and_texts(void **state)
{
    (void)state;
    assert_mends("{" LDQ "a" RDQ ": " LDQ "b" RDQ "}", "{\"a\": \"b\"}");
    assert_mends("[" LDQ "say \"hi\" now" RDQ "]", "[\"say \\\"hi\\\" now\"]");
    assert_mends("[" LSQ "a" RSQ "]", "[\"a\"]");
    assert_leaves("[\"say " LDQ "hi" RDQ "\"]");
}

static void takes_single_quotes_only_when_nothing_else_can_be_meant(void **state)
{
    (void)state;
    assert_mends("{'a': 'b \"c\"'}", "{\"a\": \"b \\\"c\\\"\"}");
    assert_mends("['it\\'s']", "[\"it's\"]");
    assert_leaves("{'a': 'it's', 'b': 1}");
    assert_leaves("[\"it's\"]");
    assert_leaves("[" LDQ "a\", \"b" RDQ "]");
}

static void drops_a_byte_order_mark(void **state)
{
    (void)state;
    assert_mends("\xef\xbb\xbf{}", "{}");
}

static void never_changes_the_text_of_a_string(void **state)
{
    (void)state;
    assert_mends("[\"True, None ,] 'x' \\\" }\",]", "[\"True, None ,] 'x' \\\" }\"]");
    assert_leaves("{\"path\":\"c:\\_x\"}");
}

static void drops_escapes_that_json_has_not(void **state)
{
    (void)state;
    assert_mends("{\"tools\\_needed\":[\"a\\_\\_b\",\"\\_c\"]}",
                 "{\"tools_needed\":[\"a__b\",\"_c\"]}");
    assert_mends("{\"a\":\"it\\'s\"}", "{\"a\":\"it's\"}");
    assert_leaves("{\"a\":\"\\d+\"}");
    assert_leaves("{\"a\":\"x \\_\"}");
}

static void drops_comments(void **state)
{
    (void)state;
    assert_mends("{\"a\":1, // it's } \"one\n\"b\":2 # two\n}", "{\"a\":1, \n\"b\":2 \n}");
    assert_mends("{\"a\":1, // last\n}", "{\"a\":1 \n}");
    assert_mends("{# first\n'a':'b' // end\n}", "{\n\"a\":\"b\" \n}");
    assert_leaves("{\"a\":\"http://x.org/#b\"}");
}

static void never_closes_what_was_cut(void **state)
{
    (void)state;
    assert_leaves("{\"a\":\"b\n");
    assert_leaves("{'a': 'b");
    assert_leaves("[" LDQ "a");
    assert_leaves("[\"a\n\\");
    assert_mends("{\"a\":[1,],", "{\"a\":[1],");
}

static void says_when_there_is_nothing_to_mend(void **state)
{
    (void)state;
    assert_leaves("");
    assert_leaves("{\"a\":[1,2.5e3,null,true]}");
    assert_leaves("plain words");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_a_comma_before_a_closing_bracket),
        cmocka_unit_test(keeps_commas_that_stand_for_something_missing),
        cmocka_unit_test(translates_the_words_of_python),
        cmocka_unit_test(escapes_control_characters_in_strings),
        cmocka_unit_test(replaces_typographic_quotes_around_names_and_texts),
        cmocka_unit_test(takes_single_quotes_only_when_nothing_else_can_be_meant),
        cmocka_unit_test(drops_a_byte_order_mark),
        cmocka_unit_test(never_changes_the_text_of_a_string),
        cmocka_unit_test(drops_escapes_that_json_has_not),
        cmocka_unit_test(drops_comments),
        cmocka_unit_test(never_closes_what_was_cut),
        cmocka_unit_test(says_when_there_is_nothing_to_mend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
