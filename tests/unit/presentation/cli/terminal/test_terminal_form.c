
#include "domain/base/json.h"
#include "presentation/cli/events/event_lines.h"
#include "presentation/cli/terminal/terminal_user.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_console.h"
#include <string.h>

struct bench {
    struct fake_console console;
    struct terminal_user user;
    struct event_lines lines;
    struct arena arena;
    struct scope scope;
    json_t *answers;
    struct err err;
};

static void set_up(struct bench *bench, const char *input)
{
    *bench = (struct bench){ .scope = { .deadline_ms = SCOPE_NO_DEADLINE } };
    fake_console_init(&bench->console, input);
    bench->console.chunk = 1; /* a terminal gives no more than a line */
    bench->console.terminals[CONSOLE_IN] = bench->console.terminals[CONSOLE_ERR] = true;
    struct style plain = { .bold = "", .dim = "", .reset = "" };
    event_lines_init(&bench->lines, &bench->console.base, plain, plain);
    terminal_user_init(&bench->user, &bench->console.base, plain);
    bench->user.lines = &bench->lines;
}

static void tear_down(struct bench *bench)
{
    event_lines_finish(&bench->lines);
    terminal_user_finish(&bench->user);
    arena_finish(&bench->arena);
    fake_console_finish(&bench->console);
}

static enum err_code ask(struct bench *bench, const struct form *form)
{
    return user_ask(&bench->user.base, &bench->scope, form, &bench->arena, &bench->answers,
                    &bench->err);
}

static void assert_answers(struct bench *bench, const char *expected)
{
    assert_string_equal(bench->err.message, "");
    assert_string_equal(json_print_in(&bench->arena, bench->answers), expected);
    tear_down(bench);
}

static const char *screen(struct bench *bench)
{
    return buf_string(&bench->console.err);
}

static const char *const colours[] = { "r", "g", "b" };
static const char *const names[] = { "Red", "Green", "Blue" };

#define COLOURS .choices = colours, .titles = names, .n_choices = 3

static void each_kind_of_field_takes_its_kind_of_answer(void **state)
{
    static const struct form_field fields[] = {
        { .key = "t", .label = "Text", .kind = FORM_TEXT },
        { .key = "i", .label = "Whole", .kind = FORM_INTEGER },
        { .key = "n", .label = "Number", .kind = FORM_NUMBER },
        { .key = "m", .label = "Number", .kind = FORM_NUMBER },
        { .key = "y", .label = "Yes?", .kind = FORM_BOOLEAN },
        { .key = "c", .label = "By number", .kind = FORM_CHOICE, COLOURS },
        { .key = "d", .label = "By title", .kind = FORM_CHOICE, COLOURS },
        { .key = "e", .label = "By value", .kind = FORM_CHOICE, COLOURS },
        { .key = "s", .label = "Several", .kind = FORM_CHOICES, COLOURS },
        { .key = "z", .label = "Several", .kind = FORM_CHOICES, COLOURS },
    };
    const struct form form = { .fields = fields, .n_fields = 10 };
    struct bench bench;
    (void)state;
    set_up(&bench, "a b\n-3\n2.5\n5\ny\n2\nblue\nR\n3 , red,3\nnone\n");
    assert_int_equal(ask(&bench, &form), ERR_NONE);
    assert_answers(&bench, "{\"t\":\"a b\",\"i\":-3,\"n\":2.5,\"m\":5,\"y\":true,\"c\":\"g\","
                           "\"d\":\"b\",\"e\":\"r\",\"s\":[\"b\",\"r\"],\"z\":[]}");
}

static void an_answer_of_the_wrong_kind_is_asked_for_again(void **state)
{
    static const struct form_field fields[] = {
        { .key = "i", .label = "Whole", .kind = FORM_INTEGER },
        { .key = "s", .label = "Several", .kind = FORM_CHOICES, COLOURS },
    };
    const struct form form = { .fields = fields, .n_fields = 2 };
    struct bench bench;
    (void)state;
    set_up(&bench, "2.5\n2\n1,4\n1,2\n");
    assert_int_equal(ask(&bench, &form), ERR_NONE);
    assert_non_null(strstr(screen(&bench), "(please type a whole number)"));
    assert_non_null(strstr(screen(&bench), "(please type some of the numbers"));
    assert_answers(&bench, "{\"i\":2,\"s\":[\"r\",\"g\"]}");
}

static void keys_that_are_no_text_are_no_answer(void **state)
{
    static const struct form_field field = { .key = "t", .label = "Text", .kind = FORM_TEXT };
    const struct form form = { .fields = &field, .n_fields = 1 };
    struct bench bench;
    (void)state;
    set_up(&bench, "\033[Agreen\na\177b\na\tb\n");
    assert_int_equal(ask(&bench, &form), ERR_NONE);
    assert_non_null(strstr(screen(&bench), "(that has keys in it that are no text"));
    assert_answers(&bench, "{\"t\":\"a\\tb\"}");
}

static void nothing_typed_is_the_default_or_nothing(void **state)
{
    json_auto_t *ann = json_string("Ann");
    const struct form_field fields[] = {
        { .key = "a", .label = "A", .kind = FORM_TEXT, .fallback = ann },
        { .key = "b", .label = "B", .kind = FORM_TEXT },
        { .key = "c", .label = "C", .kind = FORM_TEXT, .required = true },
    };
    const struct form form = { .fields = fields, .n_fields = 3 };
    struct bench bench;
    (void)state;
    set_up(&bench, "\n\n\nx\n");
    assert_int_equal(ask(&bench, &form), ERR_NONE);
    assert_non_null(strstr(screen(&bench), "[\"Ann\"]"));
    assert_non_null(strstr(screen(&bench), "B (may be left empty)"));
    assert_non_null(strstr(screen(&bench), "(an answer is needed)"));
    assert_answers(&bench, "{\"a\":\"Ann\",\"c\":\"x\"}");
}

static void a_message_is_folded_behind_the_bar_at_blanks(void **state)
{
    static const struct form_field fields[] = {
        { .key = "t", .label = "Text", .kind = FORM_TEXT },
    };
    const struct form form = { .fields = fields,
                               .n_fields = 1,
                               .message = "twelve bytes and a long.line.without.any.blank.in.it" };
    struct bench bench;
    (void)state;
    set_up(&bench, "\n");
    bench.console.columns = 25;
    assert_int_equal(ask(&bench, &form), ERR_NONE);
    assert_non_null(strstr(screen(&bench), "  | twelve bytes and a \n"
                                           "  | long.line.without.an\n"
                                           "  | y.blank.in.it\n"));
    assert_answers(&bench, "{}");
}

static void a_choice_that_stands_already_is_shown_by_its_title(void **state)
{
    json_auto_t *green = json_string("g"), *both = json_pack("[s, s]", "b", "r");
    const struct form_field fields[] = {
        { .key = "c", .label = "One", .kind = FORM_CHOICE, .fallback = green, COLOURS },
        { .key = "s", .label = "Several", .kind = FORM_CHOICES, .fallback = both, COLOURS },
    };
    const struct form form = { .fields = fields, .n_fields = 2 };
    struct bench bench;
    (void)state;
    set_up(&bench, "\n\n");
    assert_int_equal(ask(&bench, &form), ERR_NONE);
    assert_non_null(strstr(screen(&bench), "[Green] > "));
    assert_non_null(strstr(screen(&bench), "[Blue, Red] > "));
    assert_answers(&bench, "{\"c\":\"g\",\"s\":[\"b\",\"r\"]}");
}

static const char *at_most_three(const void *context, struct arena *arena, size_t field,
                                 const json_t *answer)
{
    (void)context;
    (void)arena;
    assert_int_equal(field, 0);
    return json_integer_value(answer) > 3 ? "too\x1b[2J many" : NULL;
}

static const struct form_field count[] = {
    { .key = "n", .label = "How many", .note = "not more than three", .kind = FORM_INTEGER },
};

static struct form form_for_somebody(void)
{
    return (struct form){ .title = "the server \"dev\" asks",
                          .message = "First\nSend this to dev? [y]es\x1b[31m",
                          .recipient = "dev",
                          .fields = count,
                          .n_fields = 1,
                          .check = at_most_three };
}

static void what_the_form_does_not_take_is_asked_for_again(void **state)
{
    struct form form = form_for_somebody();
    struct bench bench;
    (void)state;
    form.recipient = NULL;
    set_up(&bench, "4\n3\n");
    assert_int_equal(ask(&bench, &form), ERR_NONE);
    assert_non_null(strstr(screen(&bench), "  not more than three\n"));
    assert_non_null(strstr(screen(&bench), "(too\\x1b[2J many)"));
    assert_answers(&bench, "{\"n\":3}");
}

static void the_words_of_others_stand_behind_a_bar_and_do_nothing(void **state)
{
    struct form form = form_for_somebody();
    struct bench bench;
    (void)state;
    set_up(&bench, "y1\ny");
    assert_int_equal(ask(&bench, &form), ERR_NONE);
    assert_non_null(strstr(screen(&bench), "the server \"dev\" asks\n  | First\n"
                                           "  | Send this to dev? [y]es\\x1b[31m\nAnswer? "));
    assert_null(strchr(screen(&bench), '\x1b'));
    assert_answers(&bench, "{\"n\":1}");
}

static void a_long_message_is_cut(void **state)
{
    char lines[100] = "";
    struct form form = form_for_somebody();
    struct bench bench;
    (void)state;
    for (int i = 0; i < 41; i++)
        strcat(lines, "x\n");
    form.message = lines;
    set_up(&bench, "n\n");
    assert_int_equal(ask(&bench, &form), ERR_DENIED);
    assert_non_null(strstr(screen(&bench), "  | x\n  | …\n"));
    tear_down(&bench);
    form.message = lines + 2;
    set_up(&bench, "n\n");
    assert_int_equal(ask(&bench, &form), ERR_DENIED);
    assert_null(strstr(screen(&bench), "…"));
    tear_down(&bench);
}

static void answers_are_shown_before_they_go_and_can_be_changed(void **state)
{
    struct form form = form_for_somebody();
    struct bench bench;
    (void)state;
    set_up(&bench, "w\ny1\nE\nE2\nY");
    assert_int_equal(ask(&bench, &form), ERR_NONE);
    assert_non_null(strstr(screen(&bench), "  How many: 1\nSend this to dev?"));
    assert_non_null(strstr(screen(&bench), "  How many: 2\nSend this to dev?"));
    assert_answers(&bench, "{\"n\":2}");
}

static void a_person_may_say_no_before_and_after_or_leave(void **state)
{
    static const struct {
        const char *typed;
        enum err_code code;
    } cases[] = { { "n", ERR_DENIED },         { "c", ERR_UNAVAILABLE },
                  { "y1\nn", ERR_DENIED },     { "y1\nc", ERR_UNAVAILABLE },
                  { "", ERR_UNAVAILABLE },     { "y", ERR_UNAVAILABLE },
                  { "y1\n", ERR_UNAVAILABLE }, { "y1\n\4", ERR_UNAVAILABLE } };
    struct form form = form_for_somebody();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench;
        set_up(&bench, cases[i].typed);
        assert_int_equal(ask(&bench, &form), cases[i].code);
        assert_null(bench.answers);
        tear_down(&bench);
    }
}

static void the_end_of_the_work_is_no_answer(void **state)
{
    struct form form = form_for_somebody();
    struct bench bench;
    (void)state;
    set_up(&bench, "");
    bench.scope.cancelled = true;
    assert_int_equal(ask(&bench, &form), ERR_CANCELLED);
    tear_down(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_field_takes_its_kind_of_answer),
        cmocka_unit_test(an_answer_of_the_wrong_kind_is_asked_for_again),
        cmocka_unit_test(keys_that_are_no_text_are_no_answer),
        cmocka_unit_test(nothing_typed_is_the_default_or_nothing),
        cmocka_unit_test(a_message_is_folded_behind_the_bar_at_blanks),
        cmocka_unit_test(a_choice_that_stands_already_is_shown_by_its_title),
        cmocka_unit_test(what_the_form_does_not_take_is_asked_for_again),
        cmocka_unit_test(the_words_of_others_stand_behind_a_bar_and_do_nothing),
        cmocka_unit_test(a_long_message_is_cut),
        cmocka_unit_test(answers_are_shown_before_they_go_and_can_be_changed),
        cmocka_unit_test(a_person_may_say_no_before_and_after_or_leave),
        cmocka_unit_test(the_end_of_the_work_is_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
