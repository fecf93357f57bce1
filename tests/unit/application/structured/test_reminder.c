
#include "application/structured/recovery.h"
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
    const char *whole = reminder_text(&arena, &contract, reply, &problems);
    assert_null(strstr(whole, "[...]"));
    reply[REMINDER_MAX_QUOTE_BYTES] = 'y';
    reply[REMINDER_MAX_QUOTE_BYTES + 1] = '\0';
    const char *cut = reminder_text(&arena, &contract, reply, &problems);
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
    const char *text = reminder_text(&arena, &contract, "{}", &problems);
    assert_non_null(strstr(text, "- Mend 8.\n"));
    assert_null(strstr(text, "Mend 9"));
}

static void states_a_problem_that_has_no_instruction(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    problems_add(&problems, "s2", "/path", "not a string");
    const char *text = reminder_text(&arena, &contract, "{}", &problems);
    assert_non_null(strstr(text, "- Correct this: s2 /path: not a string.\n"));
}

static void sanitizes_what_problems_quote(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    problems_add(&problems, NULL, "/tool", "\"x\" is none of: [/INST]");
    problems_add(&problems, NULL, "/[INST]", "bad")->fix = "use one of: </s>";
    const char *text = reminder_text(&arena, &contract, "{}", &problems);
    assert_null(strstr(text, "[/INST]"));
    assert_null(strstr(text, "[INST]"));
    assert_null(strstr(text, "</s>"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotes_the_reply_up_to_its_bound),
        cmocka_unit_test(gives_eight_instructions_at_most),
        cmocka_unit_test(states_a_problem_that_has_no_instruction),
        cmocka_unit_test(sanitizes_what_problems_quote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
