#include "infrastructure/config/clients/foreign_text.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

static void expect(const char *text, const char *json)
{
    struct text_flaw flaw;
    json_auto_t *value = jsonc_read(text, strlen(text), &flaw);
    if (!value)
        fail_msg("%s: %d:%d: %s", text, flaw.line, flaw.column, flaw.why);
    char *printed = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    assert_string_equal(printed, json);
    free(printed);
}

static void refuse(const char *text, int line, int column)
{
    struct text_flaw flaw;
    assert_null(jsonc_read(text, strlen(text), &flaw));
    if (flaw.line != line || flaw.column != column)
        fail_msg("%s: %d:%d: %s", text, flaw.line, flaw.column, flaw.why);
}

static void reads_what_editors_write(void **state)
{
    (void)state;
    expect("{\"a\": 1, // one\n /* two */ /* and */ // three\n \"b\": [1, 2, /* x */ ],}",
           "{\"a\":1,\"b\":[1,2]}");
    expect("\xEF\xBB\xBF{\"a\": \"// no comment, ]\"}\r\n", "{\"a\":\"// no comment, ]\"}");
    expect("{\"a\": 1, \"b\": 2, \"a\": 3}", "{\"a\":3,\"b\":2}");
    expect("", "null");
    expect(" // nothing\n", "null");
}

static void says_where_a_text_is_wrong(void **state)
{
    (void)state;
    refuse("{\n \"a\": \"C:\\Users\"\n}", 2, 10);
    refuse("{\n \"a\": \"cut", 2, 7);
    refuse("{\n \"a\": 1\n \"b\": 2}", 3, 2);
    refuse("{\"a\": [1", 1, 9);
    refuse("{\"a\": \xE9}", 1, 7);
    refuse("{\"a\": tru}", 1, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(reads_what_editors_write),
                                        cmocka_unit_test(says_where_a_text_is_wrong) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
