
#include "presentation/cli/terminal/line_input.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_console.h"
#include <string.h>

struct fixture {
    struct fake_console console;
    struct arena arena;
    struct scope scope;
    struct buf pending;
    const char *line;
    struct err err;
};

static void set_up(struct fixture *f, const char *input)
{
    *f = (struct fixture){ .scope = { .deadline_ms = SCOPE_NO_DEADLINE } };
    fake_console_init(&f->console, input);
    buf_init(&f->pending, LINE_INPUT_MAX_BYTES);
}

static void tear_down(struct fixture *f)
{
    buf_finish(&f->pending);
    arena_finish(&f->arena);
    fake_console_finish(&f->console);
}

static enum err_code read_line(struct fixture *f)
{
    return line_input_read(&f->console.base, &f->scope, &f->pending, &f->arena, &f->line, &f->err);
}

/* head, n times 'x', tail */
static const char *around(struct fixture *f, const char *head, size_t n, const char *tail)
{
    char *xs = arena_alloc(&f->arena, n + 1);
    memset(xs, 'x', n);
    xs[n] = '\0';
    return arena_printf(&f->arena, "%s%s%s", head, xs, tail);
}

static void reads_line_after_line_until_the_input_ends(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f, "one\n\nthree\nfou");
    assert_int_equal(read_line(&f), ERR_NONE);
    assert_string_equal(f.line, "one");
    assert_int_equal(read_line(&f), ERR_NONE);
    assert_string_equal(f.line, "");
    assert_int_equal(read_line(&f), ERR_NONE);
    assert_string_equal(f.line, "three");
    assert_int_equal(read_line(&f), ERR_CANCELLED);
    tear_down(&f);
}

static void bounds_a_line_with_its_newline(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f, "");
    f.console.input = around(&f, "", LINE_INPUT_MAX_BYTES - 1, "\n");
    assert_int_equal(read_line(&f), ERR_NONE);
    assert_int_equal(strlen(f.line), LINE_INPUT_MAX_BYTES - 1);
    f.console.input = around(&f, "", LINE_INPUT_MAX_BYTES, "\n");
    assert_int_equal(read_line(&f), ERR_LIMIT);
    assert_string_equal(f.err.message, "a line longer than 65536 bytes");
    tear_down(&f);
}

static void a_line_at_the_bound_may_stand_between_others(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f, "");
    f.console.input = around(&f, "first\n", LINE_INPUT_MAX_BYTES - 1, "\nlast\n");
    assert_int_equal(read_line(&f), ERR_NONE);
    assert_int_equal(read_line(&f), ERR_NONE);
    assert_int_equal(strlen(f.line), LINE_INPUT_MAX_BYTES - 1);
    assert_int_equal(read_line(&f), ERR_NONE);
    assert_string_equal(f.line, "last");
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_line_after_line_until_the_input_ends),
        cmocka_unit_test(bounds_a_line_with_its_newline),
        cmocka_unit_test(a_line_at_the_bound_may_stand_between_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
