
#include "domain/figure/figure_findings.h"
#include "domain/figure/figure_words.h"
#include "tests/support/cmocka.h"
#include <string.h>

static const char *names_of(struct arena *arena, const char *text)
{
    size_t n = 0;
    const char **entities = figure_entities(arena, text, &n);
    const char *line = "";
    for (size_t i = 0; i < n; i++)
        line = arena_printf(arena, "%s%s%s", line, i ? "|" : "", entities[i]);
    return line;
}

#define assert_names(text, expected)                                                               \
    do {                                                                                           \
        AUTO(arena) arena = { 0 };                                                                 \
        assert_string_equal(names_of(&arena, (text)), (expected));                                 \
    } while (0)

static void finds_quoted_words_phrases_acronyms_and_words_with_digits(void **state)
{
    (void)state;
    assert_names("The \"user tower\" feeds Approximate Nearest Neighbour search over HTTP with v2.",
                 "user tower|Approximate Nearest Neighbour|HTTP|v2");
    assert_names("call tools/call of clientInfo and a_b", "tools/call|clientInfo|a_b");
    assert_names("mark “this” and «that» and `these`", "this|that|these");
}

static void takes_the_capital_of_a_sentence_for_the_sentences(void **state)
{
    (void)state;
    assert_names("Light falls on TiO2. Water is split.", "TiO2");
    assert_names("The Calvin Cycle makes sugar in the Stroma.", "Calvin Cycle|Stroma");
}

static void names_each_once_in_the_order_of_their_first_appearance(void **state)
{
    (void)state;
    assert_names("send SYN, then ACK, then SYN and syn", "SYN|ACK");
}

static void falls_back_to_the_most_frequent_words(void **state)
{
    (void)state;
    assert_names("water rises and water falls", "water|rises|falls");
    assert_names("הלקוח שולח בקשה אל השרת", "הלקוח|שולח|בקשה|השרת");
    assert_names("", "");
}

static void names_no_more_than_it_may(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *text = "";
    for (int i = 0; i <= FIGURE_MAX_ENTITIES; i++)
        text = arena_printf(&arena, "%s, A%d", text, i);
    size_t n = 0;
    figure_entities(&arena, text, &n);
    assert_int_equal(n, FIGURE_MAX_ENTITIES);
}

static void knows_a_word_by_another_ending(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *text = "The parser generates two-tower embeddings";
    struct figure_vocabulary words = figure_vocabulary_of(&arena, &text, 1);
    assert_true(figure_vocabulary_knows(&words, "Parsing"));
    assert_true(figure_vocabulary_knows(&words, "generation"));
    assert_true(figure_vocabulary_knows(&words, "tower"));
    assert_true(figure_vocabulary_knows(&words, "two"));
    assert_false(figure_vocabulary_knows(&words, "par"));
    assert_false(figure_vocabulary_knows(&words, "blockchain"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_quoted_words_phrases_acronyms_and_words_with_digits),
        cmocka_unit_test(takes_the_capital_of_a_sentence_for_the_sentences),
        cmocka_unit_test(names_each_once_in_the_order_of_their_first_appearance),
        cmocka_unit_test(falls_back_to_the_most_frequent_words),
        cmocka_unit_test(names_no_more_than_it_may),
        cmocka_unit_test(knows_a_word_by_another_ending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
