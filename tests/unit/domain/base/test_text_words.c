
#include "domain/base/attributes.h"
#include "domain/base/cleanup.h"
#include "domain/base/text.h"
#include "domain/base/text_words.h"
#include "tests/support/cmocka.h"
#include <string.h>

static const char *single(struct arena *arena, const char *text)
{
    return text_with_single_blanks(arena, text, strlen(text));
}

static void makes_one_blank_of_a_run_and_none_at_the_start(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_string_equal(single(&arena, "  two \n\t words "), "two words ");
    assert_string_equal(single(&arena, " \r\n "), "");
    assert_string_equal(text_with_single_blanks(&arena, "a  b  c", 4), "a b");
}

static void counts_characters_beyond_ascii_as_parts_of_words(void **state)
{
    (void)state;
    assert_true(text_is_word_byte('a') && text_is_word_byte('7') && text_is_word_byte('\xc3'));
    assert_false(text_is_word_byte(' ') || text_is_word_byte('_') || text_is_word_byte('\0'));
}

static void knows_the_words_of_a_list_to_the_letter(void **state)
{
    (void)state;
    static const char *const words[] = { "steps", "vars" };
    assert_true(text_is_one_of("vars", words, 2));
    assert_false(text_is_one_of("vars", words, 1));
    assert_false(text_is_one_of("Steps", words, 2));
    assert_true(text_is_listed(" of to ", "To", 2));
    assert_false(text_is_listed(" of to ", "t", 1));
    assert_false(text_is_listed(" of to ", "", 0));
}

static void knows_small_numbers_in_five_languages(void **state)
{
    (void)state;
    assert_int_equal(text_number_word("Zero", 4), 0);
    assert_int_equal(text_number_word("fünf", 5), 5);
    assert_int_equal(text_number_word("douze", 5), 12);
    assert_int_equal(text_number_word("siete", 5), 7);
    assert_int_equal(text_number_word("otto", 4), 8);
    assert_int_equal(text_number_word("thirteen", 8), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_one_blank_of_a_run_and_none_at_the_start),
        cmocka_unit_test(counts_characters_beyond_ascii_as_parts_of_words),
        cmocka_unit_test(knows_small_numbers_in_five_languages),
        cmocka_unit_test(knows_the_words_of_a_list_to_the_letter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
