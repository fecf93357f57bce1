#include "domain/base/err.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void says_the_outermost_context_first(void **state)
{
    (void)state;
    struct err err = { 0 };
    assert_int_equal(err_set(&err, ERR_TIMEOUT, 110, "no answer for %d s", 30), ERR_TIMEOUT);
    err_hint(&err, ERR_TIMEOUT, "is it running?");
    assert_int_equal(err_prefix(&err, ERR_TIMEOUT, "server %s", "files"), ERR_TIMEOUT);
    assert_string_equal(err.message, "server files: no answer for 30 s");
    assert_string_equal(err.hint, "is it running?");
    assert_int_equal(err.code, ERR_TIMEOUT);
    assert_int_equal(err.origin, 110);
}

static void keeps_the_hint_nearest_to_the_cause(void **state)
{
    (void)state;
    struct err err = { 0 };
    err_set(&err, ERR_AUTH, 0, "x");
    err_hint(&err, ERR_AUTH, "first");
    err_hint(&err, ERR_AUTH, "second");
    assert_string_equal(err.hint, "first");
    err_set(&err, ERR_AUTH, 0, "again");
    assert_string_equal(err.hint, "");
}

static void names_the_kind_of_thing(void **state)
{
    (void)state;
    struct err err = { 0 };
    err_set(&err, ERR_NOT_FOUND, 0, "x");
    assert_int_equal(err_about(&err, ERR_NOT_FOUND, "tool"), ERR_NOT_FOUND);
    assert_string_equal(err.what, "tool");
}

static void says_once_that_a_request_may_have_taken_effect(void **state)
{
    (void)state;
    struct err err = { 0 };
    err_set(&err, ERR_TIMEOUT, 0, "no answer for 2 s");
    assert_int_equal(err_outcome_unknown(&err, ERR_TIMEOUT), ERR_TIMEOUT);
    err_outcome_unknown(&err, ERR_TIMEOUT);
    err_prefix(&err, ERR_TIMEOUT, "shop/charge");
    assert_string_equal(
        err.message, "shop/charge: sent, no answer: it may have taken effect (no answer for 2 s)");
    json_auto_t *value = err_to_json(&err);
    assert_string_equal(json_get_string(value, "outcome"), "unknown");

    err_set(&err, ERR_INVALID, 0, "another");
    assert_false(err.is_outcome_unknown);
    json_auto_t *other = err_to_json(&err);
    assert_null(json_object_get(other, "outcome"));
}

static void a_long_reason_for_an_unknown_outcome_is_cut(void **state)
{
    (void)state;
    char text[1001];
    for (size_t i = 0; i < 500; i++)
        memcpy(text + 2 * i, "\xC3\xA4", 2);
    text[1000] = '\0';
    struct err err = { 0 };
    err_set(&err, ERR_UNAVAILABLE, 0, "%s", text);
    err_outcome_unknown(&err, ERR_UNAVAILABLE);
    assert_true(text_is_utf8(err.message, strlen(err.message)));
    assert_true(text_ends_with(err.message, ")"));
}

static void the_code_is_enough_without_a_place_for_the_rest(void **state)
{
    (void)state;
    assert_int_equal(err_set(NULL, ERR_LIMIT, 0, "x"), ERR_LIMIT);
    assert_int_equal(err_prefix(NULL, ERR_LIMIT, "x"), ERR_LIMIT);
    assert_int_equal(err_hint(NULL, ERR_LIMIT, "x"), ERR_LIMIT);
    assert_int_equal(err_about(NULL, ERR_LIMIT, "x"), ERR_LIMIT);
    assert_int_equal(err_outcome_unknown(NULL, ERR_LIMIT), ERR_LIMIT);
}

static void cuts_long_text_between_characters(void **state)
{
    (void)state;
    char text[1001];
    for (size_t i = 0; i < 500; i++)
        memcpy(text + 2 * i, "\xC3\xA4", 2);
    text[1000] = '\0';
    struct err err = { 0 };
    err_set(&err, ERR_INVALID, 0, "%s", text);
    assert_true(text_is_utf8(err.message, strlen(err.message)));
    err_prefix(&err, ERR_INVALID, "x%s", text);
    assert_true(text_is_utf8(err.message, strlen(err.message)));
    err_hint(&err, ERR_INVALID, "%s", text);
    assert_true(text_is_utf8(err.hint, strlen(err.hint)));
}

static void every_code_has_a_name_and_an_exit_status(void **state)
{
    (void)state;
    assert_string_equal(err_name(ERR_NONE), "none");
    assert_string_equal(err_name(ERR_INTERNAL), "internal");
    assert_int_equal(err_exit_status(ERR_NONE), 0);
    assert_int_equal(err_exit_status(ERR_BAD_PLAN), 7);
    assert_int_equal(err_exit_status(ERR_CANCELLED), 130);
    assert_true(err_worth_retrying(ERR_UNAVAILABLE));
    assert_false(err_worth_retrying(ERR_PROTOCOL));
}

static void becomes_json_whatever_it_quotes(void **state)
{
    (void)state;
    struct err err;
    (void)err_set(&err, ERR_NOT_FOUND, 0, "no tool is named \"a\"");
    (void)err_hint(&err, ERR_NOT_FOUND, "did you mean b?");
    (void)err_about(&err, ERR_NOT_FOUND, "tool");
    json_auto_t *whole = err_to_json(&err);
    auto_str text = json_print(whole);
    assert_string_equal(text, "{\"code\":\"not_found\",\"message\":\"no tool is named \\\"a\\\"\","
                              "\"hint\":\"did you mean b?\",\"details\":{\"what\":\"tool\"}}");

    (void)err_set(&err, ERR_FAILED, 0, "bad \xff byte");
    json_auto_t *broken = err_to_json(&err);
    assert_string_equal(json_get_string(broken, "message"), "(not UTF-8)");
}

static void names_what_a_beginning_could_be(void **state)
{
    (void)state;
    struct err err;
    char eighty[81] = { 0 };
    memset(eighty, 'a', sizeof eighty - 1);
    const char *const few[] = { "ab1", "ab2" }, *const many[] = { eighty, eighty, eighty };

    assert_int_equal(err_ambiguous(&err, "runs", "ab", few, 2), ERR_INVALID);
    assert_string_equal(err.message, "several runs begin with \"ab\"");
    assert_string_equal(err.hint, "give more of it: ab1, ab2");

    (void)err_ambiguous(&err, "runs", "a", many, 3);
    assert_string_equal(err.hint + strlen(err.hint) - strlen("aa and others"), "aa and others");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_the_outermost_context_first),
        cmocka_unit_test(keeps_the_hint_nearest_to_the_cause),
        cmocka_unit_test(names_the_kind_of_thing),
        cmocka_unit_test(says_once_that_a_request_may_have_taken_effect),
        cmocka_unit_test(a_long_reason_for_an_unknown_outcome_is_cut),
        cmocka_unit_test(the_code_is_enough_without_a_place_for_the_rest),
        cmocka_unit_test(cuts_long_text_between_characters),
        cmocka_unit_test(every_code_has_a_name_and_an_exit_status),
        cmocka_unit_test(becomes_json_whatever_it_quotes),
        cmocka_unit_test(names_what_a_beginning_could_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
