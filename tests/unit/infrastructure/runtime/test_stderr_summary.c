
#include "infrastructure/runtime/stderr_summary.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void assert_words(const char *text, const char *expected)
{
    AUTO(arena) arena = { 0 };
    const char *words = stderr_summary(&arena, text, strlen(text));
    if (!expected)
        assert_null(words);
    else
        assert_string_equal(words, expected);
}

static void the_line_that_names_the_error_says_most(void **state)
{
    (void)state;
    assert_words("node:internal/modules/cjs/loader:1386\n  throw err;\n  ^\n\n"
                 "Error: Cannot find module '/x.js'\n    at Function._load (node:1)\n"
                 "  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v22.1.0\n",
                 "Error: Cannot find module '/x.js'");
    assert_words("Traceback (most recent call last):\n  File \"a.py\", line 1\n"
                 "ModuleNotFoundError: No module named 'x'\n",
                 "ModuleNotFoundError: No module named 'x'");
    assert_words("Error: first\nTypeError [ERR_X]: second\n  at y\n", "TypeError [ERR_X]: second");
}

static void otherwise_it_is_the_last_lines(void **state)
{
    (void)state;
    assert_words("one\ntwo\nthree\nfour\n\n", "two\\nthree\\nfour");
    assert_words("the Error: is not the first word", "the Error: is not the first word");
    assert_words("Error", "Error");
    assert_words("", NULL);
    assert_words(" \r\n\n", NULL);
}

static void what_is_shown_is_escaped_and_bounded(void **state)
{
    char text[3000];
    AUTO(arena) arena = { 0 };
    (void)state;
    assert_words("Error: \x1b[2J", "Error: \\x1b[2J");
    memset(text, 'x', sizeof text);
    assert_in_range(strlen(stderr_summary(&arena, text, sizeof text)), 100, LAST_WORDS_COLUMNS + 3);
    memcpy(text, "Error: ", 7);
    assert_in_range(strlen(stderr_summary(&arena, text, sizeof text)), 100, LAST_WORDS_COLUMNS + 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_that_names_the_error_says_most),
        cmocka_unit_test(otherwise_it_is_the_last_lines),
        cmocka_unit_test(what_is_shown_is_escaped_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
