
#include "domain/base/text.h"
#include "presentation/cli/events/event_lines.h"
#include "presentation/cli/terminal/terminal_user.h"
#include "presentation/cli/terminal_quote.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_console.h"
#include <string.h>

struct bench {
    struct fake_console console;
    struct terminal_user user;
    struct event_lines lines;
    struct scope scope;
    struct err err;
};

static void set_up(struct bench *bench, const char *input)
{
    *bench = (struct bench){ .scope = { .deadline_ms = SCOPE_NO_DEADLINE } };
    fake_console_init(&bench->console, input);
    bench->console.chunk = 1; /* as keys come that are pressed */
    bench->console.terminals[CONSOLE_IN] = bench->console.terminals[CONSOLE_ERR] = true;
    struct style plain = { .bold = "<", .dim = "", .yellow = "!", .reset = ">" };
    event_lines_init(&bench->lines, &bench->console.base, plain, plain);
    terminal_user_init(&bench->user, &bench->console.base, plain);
    bench->user.lines = &bench->lines;
}

static void tear_down(struct bench *bench)
{
    event_lines_finish(&bench->lines);
    terminal_user_finish(&bench->user);
    fake_console_finish(&bench->console);
}

static enum err_code confirm(struct bench *bench, const struct confirmation *confirmation)
{
    return user_confirm(&bench->user.base, &bench->scope, confirmation, &bench->err);
}

static const char *screen(struct bench *bench)
{
    return buf_string(&bench->console.err);
}

static void the_whole_url_is_shown_and_its_host_stands_out(void **state)
{
    static const char *const warnings[] = { "careful" };
    static const struct confirmation page = { .title = "the server \"s\"\x1b[2J wants",
                                              .message = "go\nthere",
                                              .url = "https://u@h.example/x?y#z",
                                              .host_at = 10,
                                              .host_length = 9,
                                              .warnings = warnings,
                                              .n_warnings = 1,
                                              .question = "Open it?" };
    struct bench bench;
    (void)state;
    set_up(&bench, "y\n");
    assert_int_equal(confirm(&bench, &page), ERR_NONE);
    assert_string_equal(screen(&bench), "the server \"s\"\\x1b[2J wants\n"
                                        "  | go\n  | there\n"
                                        "  https://u@<h.example>/x?y#z\n"
                                        "  (the page is at <h.example>)\n"
                                        "  !careful>\n"
                                        "Open it? [y]es, [n]o, [c]ancel: y\n");
    tear_down(&bench);
}

static void a_no_is_no_and_leaving_is_neither(void **state)
{
    static const struct confirmation question = { .question = "Go on?" };
    static const struct {
        const char *input;
        enum err_code code;
    } cases[] = { { "y", ERR_NONE },          { "Y", ERR_NONE },        { "mab\n\nn", ERR_DENIED },
                  { "n", ERR_DENIED },        { "c", ERR_UNAVAILABLE }, { "", ERR_UNAVAILABLE },
                  { "e\nc", ERR_UNAVAILABLE } };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct bench bench;
        set_up(&bench, cases[i].input);
        assert_int_equal(confirm(&bench, &question), cases[i].code);
        tear_down(&bench);
    }
}

static void words_of_others_fill_no_line_but_behind_the_bar(void **state)
{
    char message[400];
    struct bench bench;
    struct confirmation question = { .message = message, .question = "Send?" };
    (void)state;
    memset(message, 'a', sizeof message - 1);
    memset(message + 50, '\x1b', 50);
    message[399] = '\0';
    set_up(&bench, "n\n");
    assert_int_equal(confirm(&bench, &question), ERR_DENIED);
    const char *line = screen(&bench);
    for (; !text_starts_with(line, "Send?"); line = strchr(line, '\n') + 1) {
        assert_true(text_starts_with(line, "  | "));
        assert_true(strcspn(line, "\n") <= 4 + TERMINAL_QUOTE_LINE_BYTES);
    }
    tear_down(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_url_is_shown_and_its_host_stands_out),
        cmocka_unit_test(a_no_is_no_and_leaving_is_neither),
        cmocka_unit_test(words_of_others_fill_no_line_but_behind_the_bar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
