
#include "application/structured/stream_watch.h"
#include "tests/support/cmocka.h"

static const char *const list[] = { "END", "\n\n" };
static const struct stop_words words = { list, 2 };

static void the_first_in_the_text_counts(void **state)
{
    (void)state;
    assert_int_equal(stop_words_find(&words, "a END b\n\nc", 0), 2);
    assert_int_equal(stop_words_find(&words, "a\n\nb END", 0), 1);
    assert_int_equal(stop_words_find(&words, "a EN D", 0), STOP_WORDS_NONE);
    assert_int_equal(stop_words_find(&(struct stop_words){ NULL, 0 }, "END", 0), STOP_WORDS_NONE);
}

static void a_word_may_come_in_two_pieces(void **state)
{
    (void)state;
    assert_int_equal(stop_words_find(&words, "abcEND", 5), 3);
    assert_int_equal(stop_words_find(&words, "abcEND", 4), 3);
    assert_int_equal(stop_words_find(&words, "ENDabcd", 6), STOP_WORDS_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_in_the_text_counts),
        cmocka_unit_test(a_word_may_come_in_two_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
