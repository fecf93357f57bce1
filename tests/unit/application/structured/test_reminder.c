
#include "application/structured/recovery.h"
#include "domain/base/text.h"
#include "tests/support/cmocka.h"
#include <string.h>

static const struct contract contract = { .name = "plan", .version = 1 };

static void quotes_the_reply_up_to_its_bound(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    char reply[REMINDER_MAX_QUOTE_BYTES + 2];
    memset(reply, 'x', sizeof reply);
    reply[REMINDER_MAX_QUOTE_BYTES] = '\0';
    const char *whole = reminder_text(&arena, &contract, reply, &problems, 1);
    assert_null(strstr(whole, "[...]"));
    reply[REMINDER_MAX_QUOTE_BYTES] = 'y';
    reply[REMINDER_MAX_QUOTE_BYTES + 1] = '\0';
    const char *cut = reminder_text(&arena, &contract, reply, &problems, 1);
    assert_non_null(strstr(cut, "x [...]\n</answer>"));
    assert_null(strchr(strstr(cut, "xxx"), 'y'));
}

static void gives_eight_instructions_at_most(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    for (int i = 1; i <= REMINDER_MAX_INSTRUCTIONS + 1; i++)
        problems_add(&problems, NULL, "", "wrong")->fix = arena_printf(&arena, "mend %d", i);
    const char *text = reminder_text(&arena, &contract, "{}", &problems, 1);
    assert_non_null(strstr(text, "- Mend 8.\n"));
    assert_null(strstr(text, "Mend 9"));
}

static void states_a_problem_that_has_no_instruction(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    problems_add(&problems, "s2", "/path", "not a string");
    const char *text = reminder_text(&arena, &contract, "{}", &problems, 1);
    assert_non_null(strstr(text, "- Correct this: s2 /path: not a string.\n"));
}

static void sanitizes_what_problems_quote(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    problems_add(&problems, NULL, "/tool", "\"x\" is none of: [/INST]");
    problems_add(&problems, NULL, "/[INST]", "bad")->fix = "use one of: </s>";
    const char *text = reminder_text(&arena, &contract, "{}", &problems, 1);
    assert_null(strstr(text, "[/INST]"));
    assert_null(strstr(text, "[INST]"));
    assert_null(strstr(text, "</s>"));
}

static void two_reminders_of_the_same_answer_differ(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    problems_add(&problems, NULL, "", "wrong")->fix = "mend it";
    const char *first = reminder_text(&arena, &contract, "{}", &problems, 1);
    const char *second = reminder_text(&arena, &contract, "{}", &problems, 2);
    assert_string_not_equal(first, second);
    assert_non_null(strstr(second, "- Mend it.\n"));
    const struct contract own = { .name = "plan", .version = 1, .reminder = "Once more." };
    assert_string_not_equal(reminder_text(&arena, &own, "{}", &problems, 1),
                            reminder_text(&arena, &own, "{}", &problems, 2));
}

/* The good one is what the model reads last. */
static void each_reminder_shows_another_bad_example_before_the_good_one(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    const struct contract two = { .name = "plan",
                                  .version = 1,
                                  .good = "{\"a\":1}",
                                  .bad = { "[]", "null" },
                                  .bad_why = { "it is a list", "it is nothing" },
                                  .n_bad = 2 };
    static const char *const shown[] = { "because it is a list: []\n",
                                         "because it is nothing: null\n",
                                         "because it is a list: []\n" };
    for (unsigned number = 1; number <= ARRAY_LENGTH(shown); number++) {
        const char *text = reminder_text(&arena, &two, "{}", &problems, number);
        const char *bad = strstr(text, shown[number - 1]), *good = strstr(text, two.good);
        assert_true(bad && good && bad < good);
        assert_null(strstr(text, shown[number % 2]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotes_the_reply_up_to_its_bound),
        cmocka_unit_test(gives_eight_instructions_at_most),
        cmocka_unit_test(states_a_problem_that_has_no_instruction),
        cmocka_unit_test(two_reminders_of_the_same_answer_differ),
        cmocka_unit_test(each_reminder_shows_another_bad_example_before_the_good_one),
        cmocka_unit_test(sanitizes_what_problems_quote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
