
#include "domain/base/buf.h"
#include "domain/contract/token_estimate.h"
#include "tests/support/cmocka.h"
#include <string.h>

/* Counts of llama-server's /tokenize with the Mistral v3 vocabulary. */
struct counted {
    const char *text;
    int64_t tokens;
};

static const struct counted latin[] = {
    { "The quick brown fox jumps over the lazy dog.", 12 },
    { "Reading a file is not the same as understanding it, but it is where understanding begins.",
      18 },
    { "{\"name\": \"read_file\", \"arguments\": {\"path\": \"notes/shopping.md\", \"max_bytes\": "
      "4096}}",
      33 },
    { "static int add(int a, int b)\n{\n    return a + b;\n}\n", 22 },
    { "def main():\n    for i in range(10):\n        print(i * 2)\n", 23 },
    { "550e8400-e29b-41d4-a716-446655440000", 37 },
    { "Die Stra\u00dfe ist heute f\u00fcr den Verkehr gesperrt.", 13 },
};

static const struct counted others[] = {
    { "\u8fd9\u662f\u4e00\u4e2a\u7528\u6765\u6d4b\u8bd5\u5206\u8bcd\u5668\u7684\u53e5\u5b50", 13 },
    { "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8\u3092\u6570\u3048\u308b\u3002", 14 },
    { "\uc548\ub155\ud558\uc138\uc694 \uc138\uacc4 \uc5ec\ub7ec\ubd84", 15 },
    { "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440! \u041a\u0430\u043a "
      "\u0434\u0435\u043b\u0430 \u0441\u0435\u0433\u043e\u0434\u043d\u044f?",
      15 },
    { "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645", 11 },
    { "\U0001f600\U0001f680\U0001f389\U0001f44d", 5 },
    { "VGhpcyBpcyBhIHRlc3Qgb2YgYmFzZTY0IGVuY29kaW5nIGluIHRoZSB0b2tlbml6ZXI=", 53 },
};

static int64_t estimate(const char *text)
{
    return token_estimate(text, strlen(text));
}

static void assert_within(const struct counted *counted, double below, double above)
{
    int64_t estimated = estimate(counted->text);
    bool ok = (double)estimated >= (1 - below) * (double)counted->tokens &&
              (double)estimated <= (1 + above) * (double)counted->tokens;
    if (!ok)
        print_error("%lld instead of %lld: %s\n", (long long)estimated, (long long)counted->tokens,
                    counted->text);
    assert_true(ok);
}

static void comes_near_the_count_of_short_english_json_and_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(latin); i++)
        assert_within(&latin[i], 0.2, 0.2);
}

static void is_not_far_below_for_other_scripts_and_random_letters(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++)
        assert_within(&others[i], 0.3, 0.5);
}

static void counts_every_digit_and_every_line_break(void **state)
{
    (void)state;
    assert_int_equal(estimate("1234567890"), 11); /* and the blank in front of a text */
    assert_int_equal(estimate("\n\n\n\n"), 4);
    assert_int_equal(estimate("x 7"), 3);
}

static void counts_blanks_in_a_row_as_few_tokens(void **state)
{
    (void)state;
    assert_int_equal(estimate("                "), 1);
    assert_int_equal(estimate("                 "), 2);
    assert_true(estimate("----------------------------------------------------------------") < 10);
}

static void splits_words_at_capitals(void **state)
{
    (void)state;
    assert_true(estimate("HTTPServer") > estimate("server"));
    assert_true(estimate("getUserNameById") >= 4);
}

static void grows_with_words_beyond_its_tables(void **state)
{
    (void)state;
    assert_true(estimate("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa") > estimate("aaaaaaaaaaaaaaa"));
    assert_true(estimate("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA") > estimate("AAAAAAAAAAAAAAA"));
    assert_true(estimate("(){}[]<>(){}") > estimate("(){}[]"));
}

static void takes_nothing_and_bytes_that_are_no_text(void **state)
{
    (void)state;
    assert_int_equal(token_estimate("", 0), 0);
    assert_int_equal(token_estimate(NULL, 0), 0);
    assert_true(token_estimate("\xf0", 1) >= 1);
    assert_true(token_estimate("\0\x01\xff\xfe\x80", 5) >= 1);
    assert_true(token_estimate("\x80\x80", 2) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_near_the_count_of_short_english_json_and_code),
        cmocka_unit_test(is_not_far_below_for_other_scripts_and_random_letters),
        cmocka_unit_test(counts_every_digit_and_every_line_break),
        cmocka_unit_test(counts_blanks_in_a_row_as_few_tokens),
        cmocka_unit_test(splits_words_at_capitals),
        cmocka_unit_test(grows_with_words_beyond_its_tables),
        cmocka_unit_test(takes_nothing_and_bytes_that_are_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
