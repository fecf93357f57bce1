#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "presentation/cli/output.h"
#include "presentation/cli/style.h"
#include "tests/support/fake_console.h"
#include <string.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_obeyed_by_no_terminal_and_passed_on_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
