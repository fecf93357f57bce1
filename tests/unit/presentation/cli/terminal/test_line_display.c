/* What is drawn, byte for byte, on terminals of different widths. A terminal that wraps it anew is
 * played by tests/e2e/test_chat_line.sh. */
#include "presentation/cli/terminal/line_display.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_console.h"
#include <stdlib.h>
#include <string.h>

#define CLEAR "\0337\033[2K\033[B\033[J\0338" /* this row and those below */

struct bench {
    struct fake_console console;
    struct line_display display;
};

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    fake_console_init(&bench->console, "");
    bench->console.columns = 10;
    bench->console.rows = 3;
    line_display_init(&bench->display, &bench->console.base);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    line_display_finish(&bench->display);
    fake_console_finish(&bench->console);
    free(bench);
    return 0;
}

/* What drawing the text writes, with the cursor at so many bytes. */
static const char *drawn(struct bench *bench, const char *text, size_t cursor)
{
    buf_clear(&bench->console.out);
    line_display_draw(&bench->display, "> ", text, strlen(text), cursor);
    return buf_string(&bench->console.out);
}

static void draws_prompt_text_and_a_blank_for_the_cursor(void **state)
{
    assert_string_equal(drawn(*state, "abc", 3), "\r" CLEAR "> abc \r\033[5C");
}

static void moves_the_cursor_where_nothing_else_changed(void **state)
{
    (void)drawn(*state, "abc", 1);

    assert_string_equal(drawn(*state, "abc", 1), "");
    assert_string_equal(drawn(*state, "abc", 2), "\r\033[4C");
}

static void lets_the_terminal_wrap(void **state)
{
    assert_string_equal(drawn(*state, "abcdefghijk", 11), "\r" CLEAR "> abcdefghijk \r\033[3C");

    assert_string_equal(drawn(*state, "abcdefghijk", 0), "\r\033[1A\033[2C");
}

static void writes_the_row_with_the_change_and_the_character_before_it(void **state)
{
    (void)drawn(*state, "abcdefghijk", 11);

    assert_string_equal(drawn(*state, "abcdefghij.", 11),
                        "\r" CLEAR "\r\033[1A\033[9Chij. \r\033[3C");
}

static void the_blank_behind_a_full_row_is_in_the_next(void **state)
{
    assert_string_equal(drawn(*state, "abcdefgh", 8), "\r" CLEAR "> abcdefgh \r");

    assert_string_equal(drawn(*state, "abcdefg", 7), "\r\033[1A" CLEAR "> abcdefg \r\033[9C");
}

static void a_wide_character_that_does_not_fit_begins_the_next_row(void **state)
{
    assert_string_equal(drawn(*state, "abcdefg日", 7), "\r" CLEAR "> abcdefg日 \r");
}

static void counts_rows_by_the_width_of_now(void **state)
{
    struct bench *bench = *state;
    static const char text[] = "abcdefghijklmnopqr"; /* with prompt and blank 21 columns */
    (void)drawn(bench, text, 18);

    bench->console.columns = 7;
    assert_string_equal(drawn(bench, text, 18), "");
    assert_string_equal(drawn(bench, text, 0), "\r\033[2A\033[2C");
    bench->console.columns = 40;
    assert_string_equal(drawn(bench, text, 18), "\r\033[20C");
}

static void a_line_end_begins_a_row_and_takes_a_column(void **state)
{
    assert_string_equal(drawn(*state, "a" LINE_DISPLAY_LINE_END "b", 1),
                        "\r" CLEAR "> a \r\nb \r\033[1A\033[3C");
    assert_string_equal(drawn(*state, "a" LINE_DISPLAY_LINE_END "c", 5),
                        "\r" CLEAR "> a \r\nc \r\033[1C");
}

static void shows_the_rows_around_the_cursor_of_what_is_taller_than_the_screen(void **state)
{
    static const char text[] = "abcdefgh0123456789ABCDEFGHIJabcdefghij";

    assert_string_equal(drawn(*state, text, strlen(text)), "\r" CLEAR "ABCDEFGHIJabcdefghij \r");
    assert_string_equal(drawn(*state, text, 0),
                        "\r\033[2A" CLEAR "> abcdefgh0123456789ABCDEFGHIJ\r\033[2A\033[2C");
}

static void colours_of_a_prompt_take_no_column(void **state)
{
    struct bench *bench = *state;

    line_display_draw(&bench->display, "\1\033[1m\1>\1\033[0m\1 ", "ab", 2, 0);

    assert_string_equal(buf_string(&bench->console.out), "\r" CLEAR "\033[1m>\033[0m ab \r\033[2C");
}

static void what_a_terminal_would_obey_is_shown(void **state)
{
    assert_string_equal(drawn(*state, "\033[J", 0), "\r" CLEAR "> \\x1b[J \r\033[2C");
}

static void what_is_erased_or_left_is_drawn_from_the_cursor_on(void **state)
{
    struct bench *bench = *state;
    (void)drawn(bench, "abcdefghijk", 0);
    buf_clear(&bench->console.out);

    line_display_leave(&bench->display);
    assert_string_equal(buf_string(&bench->console.out), "\r\033[1B\033[4C\r\n");
    assert_string_equal(drawn(bench, "abcdefghijk", 11), "\r" CLEAR "> abcdefghijk \r\033[3C");

    buf_clear(&bench->console.out);
    line_display_erase(&bench->display);
    assert_string_equal(buf_string(&bench->console.out), "\r\033[1A" CLEAR);
    line_display_erase(&bench->display);
    line_display_leave(&bench->display);
    assert_string_equal(buf_string(&bench->console.out), "\r\033[1A" CLEAR);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(draws_prompt_text_and_a_blank_for_the_cursor),
        TEST(moves_the_cursor_where_nothing_else_changed),
        TEST(lets_the_terminal_wrap),
        TEST(writes_the_row_with_the_change_and_the_character_before_it),
        TEST(the_blank_behind_a_full_row_is_in_the_next),
        TEST(a_wide_character_that_does_not_fit_begins_the_next_row),
        TEST(counts_rows_by_the_width_of_now),
        TEST(a_line_end_begins_a_row_and_takes_a_column),
        TEST(shows_the_rows_around_the_cursor_of_what_is_taller_than_the_screen),
        TEST(colours_of_a_prompt_take_no_column),
        TEST(what_a_terminal_would_obey_is_shown),
        TEST(what_is_erased_or_left_is_drawn_from_the_cursor_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
