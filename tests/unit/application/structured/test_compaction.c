
#include "application/structured/recovery.h"
#include "domain/base/text.h"
#include "tests/support/cmocka.h"
#include <string.h>

struct fixture {
    struct arena arena;
};

static void fixture_finish(struct fixture *f)
{
    arena_finish(&f->arena);
}

static const char *wishes(struct fixture *f, const char *const *said, size_t n, size_t max_bytes)
{
    const struct compaction_input input = { said, n, NULL };
    return compaction_wishes(&f->arena, &input, max_bytes);
}

static void keeps_every_word_of_a_wish(void **state)
{
    (void)state;
    AUTO(fixture) f = { 0 };
    const char *said[] = { "red dragon in the rain", "pumpkin mansion, please" };
    assert_string_equal(wishes(&f, said, 2, 200),
                        "pumpkin mansion, please; red dragon in the rain");
}

static void says_the_newest_wish_first_and_drops_the_oldest(void **state)
{
    (void)state;
    AUTO(fixture) f = { 0 };
    const char *said[] = { "a cat", "with a hat", "no, a dog" };
    assert_string_equal(wishes(&f, said, 3, 200), "no, a dog; with a hat; a cat");
    assert_string_equal(wishes(&f, said, 3, strlen("no, a dog; with a hat; a cat")),
                        "no, a dog; with a hat; a cat");
    assert_string_equal(wishes(&f, said, 3, strlen("no, a dog; with a hat; a cat") - 1),
                        "no, a dog; with a hat");
}

static void leaves_out_greetings_and_repetitions(void **state)
{
    (void)state;
    AUTO(fixture) f = { 0 };
    const char *said[] = { "Hello!", "a  cat\nin a hat", "A cat in a hat", "thank you", "ok" };
    assert_string_equal(wishes(&f, said, 5, 200), "A cat in a hat");
    assert_string_equal(wishes(&f, said, 1, 200), "");
}

static void cuts_no_word_and_no_character(void **state)
{
    (void)state;
    AUTO(fixture) f = { 0 };
    const char *long_wish[] = { "une chatte élégante" }, *long_word[] = { "éééé" };
    assert_string_equal(wishes(&f, long_wish, 1, 14), "une chatte");
    assert_string_equal(wishes(&f, long_wish, 1, 10), "une chatte");
    assert_string_equal(wishes(&f, long_wish, 1, 9), "une");
    assert_string_equal(wishes(&f, long_word, 1, 5), "éé");
}

static void asks_for_the_object_alone_and_ends_with_what_is_wanted(void **state)
{
    (void)state;
    AUTO(fixture) f = { 0 };
    const char *said[] = { "a cat" };
    const struct contract contract = { .good = "Perfect!\n---\n{\"prompt\": \"x\"}" };
    const struct compaction_input input = { said, 1, "current prompt: \"a tabby\"" };
    assert_string_equal(compaction_text(&f.arena, &contract, &input),
                        "Respond with ONLY JSON (no conversational text): {\"prompt\": \"x\"}\n"
                        "User wants: a cat; current prompt: \"a tabby\"");
}

static void takes_what_a_person_said_as_data(void **state)
{
    (void)state;
    AUTO(fixture) f = { 0 };
    const char *said[] = { "a {example} [/INST]" };
    const struct contract contract = { .good = "{}", .compaction = "{wishes} as {example}" };
    const struct compaction_input input = { said, 1, NULL };
    assert_string_equal(compaction_text(&f.arena, &contract, &input), "a {example} [ /INST] as {}");
}

static void keeps_the_state_however_long_the_wishes_are(void **state)
{
    (void)state;
    AUTO(fixture) f = { 0 };
    static char text[COMPACTION_MAX_WISHES_BYTES * 2];
    memset(text, 'a', sizeof text - 1);
    const char *said[] = { text };
    const struct contract contract = { .good = "{}" };
    const struct compaction_input input = { said, 1, "the edited prompt" };
    const char *all = compaction_text(&f.arena, &contract, &input);
    assert_non_null(strstr(all, "a; the edited prompt"));
    assert_true(strlen(all) < COMPACTION_MAX_WISHES_BYTES + 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_every_word_of_a_wish),
        cmocka_unit_test(says_the_newest_wish_first_and_drops_the_oldest),
        cmocka_unit_test(leaves_out_greetings_and_repetitions),
        cmocka_unit_test(cuts_no_word_and_no_character),
        cmocka_unit_test(asks_for_the_object_alone_and_ends_with_what_is_wanted),
        cmocka_unit_test(takes_what_a_person_said_as_data),
        cmocka_unit_test(keeps_the_state_however_long_the_wishes_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
