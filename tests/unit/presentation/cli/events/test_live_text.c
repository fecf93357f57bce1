
#include "presentation/cli/events/live_text.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_console.h"
#include <string.h>

struct bench {
    struct fake_console console;
    struct live_text live;
};

static int begin(void **state, bool is_terminal, const char *term)
{
    struct bench *bench = calloc(1, sizeof *bench);
    fake_console_init(&bench->console, "");
    bench->console.columns = 10;
    bench->console.rows = 5;
    live_text_init(&bench->live, &bench->console.base, style_make(is_terminal, NULL, "1", term));
    *state = bench;
    return 0;
}

static int on_terminal(void **state)
{
    return begin(state, true, "xterm");
}

static int on_dumb_terminal(void **state)
{
    return begin(state, true, "dumb");
}

static int in_pipe(void **state)
{
    return begin(state, false, NULL);
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    live_text_finish(&bench->live);
    fake_console_finish(&bench->console);
    free(bench);
    return 0;
}

static const char *out(struct bench *bench)
{
    return buf_string(&bench->console.out);
}

/* What taking the text back writes: the way up to where it began. */
static const char *erasure_of(struct bench *bench, const char *text)
{
    live_text_add(&bench->live, text);
    buf_clear(&bench->console.out);
    live_text_discard(&bench->live);
    return out(bench);
}

static void a_terminal_shows_each_piece_at_once(void **state)
{
    struct bench *bench = *state;
    live_text_add(&bench->live, "A c");
    assert_string_equal(out(bench), "A c");
    live_text_add(&bench->live, "at");
    assert_string_equal(out(bench), "A cat");
    assert_true(live_text_is_open(&bench->live));
    assert_true(live_text_accept(&bench->live));
    assert_string_equal(out(bench), "A cat\n");
    assert_false(live_text_is_open(&bench->live));
}

static void what_failed_is_taken_back_from_the_row_where_it_began(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(erasure_of(bench, "one"), "\r\033[J");
    assert_string_equal(erasure_of(bench, "one\ntwo"), "\r\033[1A\033[J");
    assert_string_equal(erasure_of(bench, "one\n\ntwo"), "\r\033[2A\033[J");
}

static void a_full_line_wraps_with_its_next_character_only(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(erasure_of(bench, "0123456789"), "\r\033[J");
    assert_string_equal(erasure_of(bench, "01234567890"), "\r\033[1A\033[J");
    assert_string_equal(erasure_of(bench, "0123456789\nx"), "\r\033[1A\033[J");
}

static void wide_characters_take_two_columns_and_do_not_straddle_lines(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(erasure_of(bench, "猫猫猫猫猫"), "\r\033[J");
    assert_string_equal(erasure_of(bench, "x猫猫猫猫猫"), "\r\033[1A\033[J");
    assert_string_equal(erasure_of(bench, "x猫猫猫猫猫猫猫猫猫猫"), "\r\033[2A\033[J");
    assert_string_equal(erasure_of(bench, "e\xCC\x81"
                                          "23456789x"),
                        "\r\033[J");
}

static void a_tab_is_a_blank_wherever_the_terminal_has_its_stops(void **state)
{
    struct bench *bench = *state;
    live_text_add(&bench->live, "a\tb");
    assert_string_equal(out(bench), "a b");
}

static void a_resized_terminal_wraps_anew(void **state)
{
    struct bench *bench = *state;
    live_text_add(&bench->live, "0123456789");
    bench->console.columns = 5;
    buf_clear(&bench->console.out);
    live_text_discard(&bench->live);
    assert_string_equal(out(bench), "\r\033[1A\033[J");
}

static void what_could_not_be_taken_back_waits_for_its_acceptance(void **state)
{
    struct bench *bench = *state;
    live_text_add(&bench->live, "1\n2\n3\n4");
    live_text_add(&bench->live, "\n5\n6");
    assert_string_equal(out(bench), "1\n2\n3\n4");
    assert_true(live_text_accept(&bench->live));
    assert_string_equal(out(bench), "1\n2\n3\n4\n5\n6\n");
}

static void what_waited_of_a_failed_attempt_is_never_seen(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(erasure_of(bench, "1\n2\n3\n4\n5\n6"), "\r\033[3A\033[J");
    live_text_add(&bench->live, "good");
    assert_true(live_text_accept(&bench->live));
    assert_string_equal(out(bench), "\r\033[3A\033[Jgood\n");
}

static void nothing_is_erased_where_nothing_was_shown(void **state)
{
    struct bench *bench = *state;
    live_text_discard(&bench->live);
    live_text_add(&bench->live, " \n");
    live_text_discard(&bench->live);
    assert_string_equal(out(bench), "");
    assert_false(live_text_accept(&bench->live));
    assert_string_equal(out(bench), "");
}

static void blank_lines_around_the_text_are_not_shown(void **state)
{
    struct bench *bench = *state;
    live_text_add(&bench->live, "\n ");
    live_text_add(&bench->live, " A\n");
    live_text_add(&bench->live, "\nB \n\n");
    live_text_accept(&bench->live);
    assert_string_equal(out(bench), "A\n\nB\n");
}

static void a_terminal_obeys_nothing_in_the_text(void **state)
{
    struct bench *bench = *state;
    live_text_add(&bench->live, "a\033[2J\r\nb");
    live_text_accept(&bench->live);
    assert_string_equal(out(bench), "a\\x1b[2J\nb\n");
}

static void a_cancelled_answer_stays_with_its_line_ended(void **state)
{
    struct bench *bench = *state;
    live_text_add(&bench->live, "half");
    live_text_leave(&bench->live);
    live_text_leave(&bench->live);
    assert_string_equal(out(bench), "half\n");
}

static void a_pipe_gets_only_what_was_accepted(void **state)
{
    struct bench *bench = *state;
    live_text_add(&bench->live, "bad");
    live_text_discard(&bench->live);
    live_text_add(&bench->live, "go");
    live_text_add(&bench->live, "od\033");
    assert_string_equal(out(bench), "");
    live_text_accept(&bench->live);
    live_text_add(&bench->live, "cancelled");
    live_text_leave(&bench->live);
    assert_string_equal(out(bench), "good\033\n");
}

static void a_dumb_terminal_is_a_pipe_that_obeys_nothing(void **state)
{
    struct bench *bench = *state;
    live_text_add(&bench->live, "a\033");
    assert_string_equal(out(bench), "");
    live_text_accept(&bench->live);
    assert_string_equal(out(bench), "a\\x1b\n");
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, on_terminal, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_terminal_shows_each_piece_at_once),
        TEST(what_failed_is_taken_back_from_the_row_where_it_began),
        TEST(a_full_line_wraps_with_its_next_character_only),
        TEST(wide_characters_take_two_columns_and_do_not_straddle_lines),
        TEST(a_tab_is_a_blank_wherever_the_terminal_has_its_stops),
        TEST(a_resized_terminal_wraps_anew),
        TEST(what_could_not_be_taken_back_waits_for_its_acceptance),
        TEST(what_waited_of_a_failed_attempt_is_never_seen),
        TEST(nothing_is_erased_where_nothing_was_shown),
        TEST(blank_lines_around_the_text_are_not_shown),
        TEST(a_terminal_obeys_nothing_in_the_text),
        TEST(a_cancelled_answer_stays_with_its_line_ended),
        cmocka_unit_test_setup_teardown(a_pipe_gets_only_what_was_accepted, in_pipe, tear_down),
        cmocka_unit_test_setup_teardown(a_dumb_terminal_is_a_pipe_that_obeys_nothing,
                                        on_dumb_terminal, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
