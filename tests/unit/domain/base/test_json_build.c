
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <string.h>

static json_t *build(const char *text, enum json_source source)
{
    return json_build(text, strlen(text), source, SIZE_MAX);
}

static void makes_what_jansson_makes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}",
        "[]",
        "null",
        " true ",
        "false\n",
        "\"\"",
        "\"a\\u0000b\"",
        "\"\\ud83d\\ude00 \\\"x\\\" \xC3\xA4\"",
        "0",
        "-0",
        "1e2",
        "-0.25E-3",
        "1e-400",
        "0.1",
        "123456789012345678901234567890.5",
        "9223372036854775807",
        "-9223372036854775808",
        "{\"b\":[1,[2.5,{}],null],\"a\":{\"\":\"\\n\"},\"\\u0061b\":true}",
        "{\"twice\":1,\"other\":2,\"twice\":3}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_auto_t *built = build(texts[i], JSON_FOREIGN), *parsed = NULL;
        bool repaired = true;
        assert_int_equal(json_parse_by_jansson(texts[i], strlen(texts[i]), JSON_FOREIGN, SIZE_MAX,
                                               &parsed, &repaired, NULL),
                         ERR_NONE);
        assert_false(repaired);
        assert_true(json_equal(built, parsed));
        auto_str of_built = json_print(built);
        auto_str of_parsed = json_print(parsed);
        assert_string_equal(of_built, of_parsed);
    }
}

static void leaves_the_rare_and_the_broken_to_jansson(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "x",
        "{\"a\":1",
        "[1,]",
        "{\"a\" 1}",
        "1 2",
        "01",
        "\"\xFF\"",
        "\"\\ud800\"",
        "{\"a\":x}",
        "[1,2",
        "9223372036854775808",
        "-9223372036854775809",
        "0.1234567890123456789012345678901234567890123456789012345678901234567890",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(build(texts[i], JSON_FOREIGN));
}

static void ours_have_neither_a_bom_nor_duplicate_keys(void **state)
{
    (void)state;
    static const char *const texts[] = { "\xEF\xBB\xBF{}", "{\"a\":1,\"\\u0061\":2}" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_auto_t *foreign = build(texts[i], JSON_FOREIGN);
        assert_non_null(foreign);
        assert_null(build(texts[i], JSON_OURS));
    }
}

static void goes_as_deep_as_the_bound_and_no_deeper(void **state)
{
    (void)state;
    char text[2 * (JSON_MAX_DEPTH + 1) + 1] = "";
    memset(text, '[', JSON_MAX_DEPTH);
    memset(text + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
    json_auto_t *deepest = build(text, JSON_FOREIGN);
    memset(text, '[', JSON_MAX_DEPTH + 1);
    memset(text + JSON_MAX_DEPTH + 1, ']', JSON_MAX_DEPTH + 1);
    assert_non_null(deepest);
    assert_null(build(text, JSON_FOREIGN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_what_jansson_makes),
        cmocka_unit_test(leaves_the_rare_and_the_broken_to_jansson),
        cmocka_unit_test(ours_have_neither_a_bom_nor_duplicate_keys),
        cmocka_unit_test(goes_as_deep_as_the_bound_and_no_deeper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
