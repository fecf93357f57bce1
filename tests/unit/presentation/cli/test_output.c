
#include "presentation/cli/output.h"
#include "presentation/cli/style.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_console.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CSI "\xc2\x9b" /* U+009B, which many terminals obey; JSON may contain it as it is */

static void prints_json(bool on_terminal, const char *expected)
{
    struct fake_console console;
    struct arguments args = { 0 };
    AUTO(arena) arena = { 0 };
    fake_console_init(&console, "");
    struct cli cli = { .args = &args,
                       .console = &console.base,
                       .arena = &arena,
                       .answer_style = style_make(on_terminal, "auto", NULL, NULL) };
    json_auto_t *value = json_pack("[s]", CSI "2J");
    assert_true(output_json(&cli, value));
    assert_string_equal(buf_string(&console.out), expected);
    fake_console_finish(&console);
}

static void json_is_obeyed_by_no_terminal_and_passed_on_as_it_is(void **state)
{
    (void)state;
    prints_json(true, "[\n  \"\\x9b2J\"\n]\n");
    prints_json(false, "[\"" CSI "2J\"]\n");
}

static void quotes(bool on_terminal, const char *text, const char *expected)
{
    struct fake_console console;
    struct arguments args = { 0 };
    fake_console_init(&console, "");
    console.columns = 25;
    struct cli cli = { .args = &args,
                       .console = &console.base,
                       .answer_style = style_make(on_terminal, "never", NULL, NULL) };
    assert_true(output_quote(&cli, text, 6));
    assert_string_equal(buf_string(&console.out), expected);
    fake_console_finish(&console);
}

static void a_definition_passes_for_no_word_of_mistro_on_a_terminal(void **state)
{
    (void)state;
    quotes(true, "Adds.\nserver dev: approved\n", "  | Adds.\n  | server dev: approved\n");
    quotes(true, "    + adds two numbers     - and more",
           "  |     + adds two \n  |       numbers     - \n  |       and more\n");
    quotes(true, "\x1b[2J", "  | \\x1b[2J\n");
    quotes(false, "Adds.\nserver dev: approved\n", "Adds.\nserver dev: approved\n");
}

/* The file of -o, after `print` wrote the result there. */
static void writes(void (*print)(struct cli *cli), const char *expected)
{
    char path[] = "/tmp/mistro-output-XXXXXX", text[64] = "";
    int file = mkstemp(path);
    struct fake_console console;
    struct arguments args = { .output = path };
    AUTO(arena) arena = { 0 };
    assert_true(file >= 0);
    fake_console_init(&console, "");
    struct cli cli = { .args = &args, .console = &console.base, .arena = &arena };

    print(&cli);

    close(file); /* another one took its place */
    file = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(read(file, text, sizeof text - 1) > 0);
    assert_string_equal(text, expected);
    assert_string_equal(buf_string(&console.out), "");
    close(file);
    unlink(path);
    fake_console_finish(&console);
}

static void print_object(struct cli *cli)
{
    assert_int_equal(output_result_json(cli, json_pack("{s:i}", "n", 1), 0), 0);
}

static void print_text(struct cli *cli)
{
    assert_int_equal(output_result_text(cli, "done", NULL), ERR_NONE);
}

static void a_file_gets_what_stdout_would_have_got(void **state)
{
    (void)state;
    writes(print_object, "{\"n\":1}\n");
    writes(print_text, "done\n");
}

static void a_file_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    struct fake_console console;
    struct arguments args = { .output = "/nowhere/at/all" };
    struct cli cli = { .args = &args,
                       .console = &console.base,
                       .style = style_make(false, NULL, NULL, NULL) };
    fake_console_init(&console, "");
    assert_int_equal(output_result_json(&cli, json_object(), 0), err_exit_status(ERR_INVALID));
    assert_non_null(strstr(buf_string(&console.err), "/nowhere/at/all"));
    fake_console_finish(&console);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_definition_passes_for_no_word_of_mistro_on_a_terminal),
        cmocka_unit_test(json_is_obeyed_by_no_terminal_and_passed_on_as_it_is),
        cmocka_unit_test(a_file_gets_what_stdout_would_have_got),
        cmocka_unit_test(a_file_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
