#include "domain/base/json.h"
#include "domain/text/known_secrets.h"
#include "domain/text/redact.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

static int forget(void **state)
{
    (void)state;
    known_secrets_forget();
    return 0;
}

static void assert_masked(const char *text, const char *clean)
{
    AUTO(arena) arena = { 0 };
    assert_string_equal(known_secrets_mask(&arena, text), clean);
    assert_string_equal(redact_text(&arena, text), clean);
}

static void a_secret_is_masked_wherever_it_stands(void **state)
{
    (void)state;
    assert_masked("plum tart", "plum tart");
    assert_true(known_secrets_add("plum tart"));
    assert_masked("plum tart", "[redacted]");
    assert_masked("a plum tart, plum tarts; plum pie", "a [redacted], [redacted]s; plum pie");
    assert_masked("plum plum tart", "plum [redacted]");
    assert_masked("", "");
}

static void of_two_that_begin_alike_the_longer_one_is_meant(void **state)
{
    (void)state;
    assert_true(known_secrets_add("plum tart"));
    assert_true(known_secrets_add("plum tart with cream"));
    assert_masked("plum tart with cream, plum tart with ice", "[redacted], [redacted] with ice");
}

static void what_a_cut_left_of_a_secret_is_masked(void **state)
{
    (void)state;
    assert_true(known_secrets_add("plum tart"));
    assert_masked("I like plum t", "I like [redacted]");
    assert_masked("I like plum t…", "I like [redacted]…");
    assert_masked("I like plum", "I like plum");
    assert_masked("I like plum t, too", "I like plum t, too");
}

static void a_secret_is_found_as_json_writes_it(void **state)
{
    (void)state;
    assert_true(known_secrets_add("say \"plum\"\n"));
    assert_masked("say \"plum\"\n", "[redacted]");
    assert_masked("{\"a\":\"say \\\"plum\\\"\\n\"}", "{\"a\":\"[redacted]\"}");
    assert_masked("\"{\\\"a\\\":\\\"say \\\\\\\"plum\\\\\\\"\\\\n\\\"}\"",
                  "\"{\\\"a\\\":\\\"[redacted]\\\"}\"");
}

static void digits_within_a_longer_number_are_no_secret(void **state)
{
    (void)state;
    assert_true(known_secrets_add("123456"));
    assert_masked("1234567 0123456 pin 123456.", "1234567 0123456 pin [redacted].");
}

static void values_lose_texts_numbers_and_names_of_members(void **state)
{
    (void)state;
    json_auto_t *value =
        json_pack("{s:[s, i, i], s:{s:n}}", "a", "x 123456", 123456, 1234567, "b", "123456");
    json_auto_t *same = known_secrets_mask_json(value);
    assert_ptr_equal(same, value);
    assert_true(known_secrets_add("123456"));
    json_auto_t *clean = redact_json(value);
    auto_str text = json_print(clean);
    assert_string_equal(
        text, "{\"a\":[\"x [redacted]\",\"[redacted]\",1234567],\"b\":{\"[redacted]\":null}}");
}

static void secrets_are_bounded(void **state)
{
    (void)state;
    char secret[16];
    assert_false(known_secrets_add("12345"));
    assert_true(known_secrets_add("number"));
    for (int i = 1; i < KNOWN_SECRETS_MAX; i++) {
        snprintf(secret, sizeof secret, "number%d", i);
        assert_true(known_secrets_add(secret));
    }
    assert_false(known_secrets_add("one more"));
    assert_true(known_secrets_add("number7"));
    assert_masked("number999 number12", "[redacted] [redacted]");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, forget, forget)
    const struct CMUnitTest tests[] = {
        T(a_secret_is_masked_wherever_it_stands),
        T(of_two_that_begin_alike_the_longer_one_is_meant),
        T(what_a_cut_left_of_a_secret_is_masked),
        T(a_secret_is_found_as_json_writes_it),
        T(digits_within_a_longer_number_are_no_secret),
        T(values_lose_texts_numbers_and_names_of_members),
        T(secrets_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
