
#include "presentation/cli/files.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_console.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fixture {
    struct fake_console console;
    struct arena arena;
    struct scope scope;
    const char *bytes;
    size_t length;
    struct err err;
};

static void set_up(struct fixture *f, const char *input)
{
    *f = (struct fixture){ .scope = { .deadline_ms = SCOPE_NO_DEADLINE } };
    fake_console_init(&f->console, input);
    f->console.chunk = 3;
}

static void tear_down(struct fixture *f)
{
    arena_finish(&f->arena);
    fake_console_finish(&f->console);
}

static enum err_code read_path(struct fixture *f, const char *path, size_t max_bytes)
{
    return files_read(&(struct file_reader){ &f->console.base, &f->scope, &f->arena, max_bytes },
                      path, &f->bytes, &f->length, &f->err);
}

static void reads_a_file_up_to_the_bound(void **state)
{
    struct fixture f;
    char file[] = "/tmp/mistro-test-XXXXXX";
    (void)state;
    set_up(&f, "");
    int fd = mkstemp(file);
    assert_int_equal(write(fd, "a\0c\n", 4), 4);
    assert_int_equal(read_path(&f, file, 4), ERR_NONE);
    assert_int_equal(f.length, 4);
    assert_memory_equal(f.bytes, "a\0c\n", 5);
    assert_int_equal(read_path(&f, file, 3), ERR_LIMIT);
    assert_non_null(strstr(f.err.message, ": larger than 3 bytes"));
    close(fd);
    unlink(file);
    tear_down(&f);
}

static void reads_standard_input_up_to_the_bound(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f, "plums\n");
    assert_int_equal(read_path(&f, "-", 6), ERR_NONE);
    assert_int_equal(f.length, 6);
    assert_string_equal(f.bytes, "plums\n");
    f.console.input = "plums\n";
    assert_int_equal(read_path(&f, "-", 5), ERR_LIMIT);
    assert_string_equal(f.err.message, "standard input: larger than 5 bytes");
    tear_down(&f);
}

static void names_the_file_that_cannot_be_read(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f, "");
    assert_int_equal(read_path(&f, "/nowhere/notes", 10), ERR_INVALID);
    assert_string_equal(f.err.message, "/nowhere/notes: No such file or directory");
    assert_int_equal(read_path(&f, "/", 10), ERR_INVALID);
    assert_string_equal(f.err.message, "/: Is a directory");
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_file_up_to_the_bound),
        cmocka_unit_test(reads_standard_input_up_to_the_bound),
        cmocka_unit_test(names_the_file_that_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
