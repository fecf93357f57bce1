#include "domain/entities/queued_run.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void the_name_of_a_queue_is_a_word_of_at_most_64_bytes(void **state)
{
    (void)state;
    char name[QUEUE_NAME_MAX + 2] = { 0 };
    memset(name, 'q', QUEUE_NAME_MAX);
    assert_true(queue_name_is_valid(name));
    name[QUEUE_NAME_MAX] = 'q';
    assert_false(queue_name_is_valid(name));
    assert_true(queue_name_is_valid(QUEUE_DEFAULT));
    assert_true(queue_name_is_valid("Night_jobs-2.b"));
    assert_false(queue_name_is_valid(""));
    assert_false(queue_name_is_valid("two words"));
    assert_false(queue_name_is_valid("nächtlich"));
}

static void a_key_is_a_text_of_at_most_200_bytes(void **state)
{
    (void)state;
    char key[QUEUE_KEY_MAX + 2] = { 0 };
    memset(key, 'k', QUEUE_KEY_MAX);
    assert_true(queue_key_is_valid(key));
    key[QUEUE_KEY_MAX] = 'k';
    assert_false(queue_key_is_valid(key));
    assert_true(queue_key_is_valid("Bericht für März"));
    assert_false(queue_key_is_valid(""));
    assert_false(queue_key_is_valid("\xff"));
}

static void states_have_the_names_that_lists_show(void **state)
{
    (void)state;
    assert_string_equal(queue_state_name(QUEUE_QUEUED), "queued");
    assert_string_equal(queue_state_name(QUEUE_POISONED), "poisoned");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_name_of_a_queue_is_a_word_of_at_most_64_bytes),
        cmocka_unit_test(a_key_is_a_text_of_at_most_200_bytes),
        cmocka_unit_test(states_have_the_names_that_lists_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
