#include "application/structured/contracts.h"
#include "domain/base/text.h"
#include "presentation/cli/events/model_wait.h"
#include "tests/support/cmocka.h"
#include <string.h>

/* A new contract without words of its own would be told as "working". */
static void what_each_contract_decides_is_said_in_plain_words(void **state)
{
#define X(name) #name,
    static const char *const purposes[] = { CONTRACTS(X) "sampling" };
#undef X
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(purposes); i++) {
        struct model_wait wait = { 0 };
        model_wait_begin(&wait, purposes[i], 0);
        if (strcmp(wait.words, "working") == 0 || strchr(wait.words, '_'))
            fail_msg("%s is told as \"%s\"", purposes[i], wait.words);
    }
}

static void the_numbers_stay_where_the_words_are_cut(void **state)
{
    AUTO(arena) arena = { 0 };
    struct model_wait wait = { 0 };
    (void)state;
    model_wait_begin(&wait, "intent", 1000);
    assert_string_equal(model_wait_text(&arena, &wait, 1000, 79),
                        "  … understanding the request (0 s)");
    wait.tokens = 1;
    assert_string_equal(model_wait_text(&arena, &wait, 3999, 79),
                        "  … understanding the request (2 s, 1 token)");
    wait.tokens = 48;
    const char *narrow = model_wait_text(&arena, &wait, 13000, 39);
    assert_string_equal(narrow, "  … understanding th… (12 s, 48 tokens)");
    assert_int_equal(text_columns(narrow), 39);
    assert_non_null(strstr(model_wait_text(&arena, &wait, 13000, 3), "(12 s, 48 tokens)"));
}

static void a_wait_lasts_from_the_first_request_to_the_last_answer(void **state)
{
    struct model_wait wait = { 0 };
    (void)state;
    assert_false(model_wait_end(&wait));
    model_wait_begin(&wait, "envelope", 1000);
    model_wait_begin(&wait, "envelope", 2000);
    assert_int_equal(wait.began_ms, 1000);
    assert_false(model_wait_end(&wait));
    assert_true(model_wait_is_on(&wait));
    assert_true(model_wait_end(&wait));
    assert_false(model_wait_is_on(&wait));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_each_contract_decides_is_said_in_plain_words),
        cmocka_unit_test(the_numbers_stay_where_the_words_are_cut),
        cmocka_unit_test(a_wait_lasts_from_the_first_request_to_the_last_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
