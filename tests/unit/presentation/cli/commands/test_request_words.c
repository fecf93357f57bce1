
#include "presentation/cli/commands/request_words.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_console.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bench {
    struct arena arena;
    struct fake_console console;
    struct scope scope;
    struct request_words found;
    struct err err;
    char folder[64];
};

static void write_file(const char *name, const char *bytes, size_t length)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    snprintf(b->folder, sizeof b->folder, "/tmp/mistro-attach-XXXXXX");
    if (!mkdtemp(b->folder) || chdir(b->folder) != 0)
        return -1;
    fake_console_init(&b->console, "");
    b->scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    write_file("notes.md", "plums\n", 6);
    write_file("two words", "pears", 5);
    write_file("picture", "a\0b", 3);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    int gone = unlink("notes.md") | unlink("two words") | unlink("picture") | chdir("/") |
               rmdir(b->folder);
    arena_finish(&b->arena);
    fake_console_finish(&b->console);
    free(b);
    return gone;
}

static enum err_code read_from(struct bench *b, const char *message, size_t max_bytes)
{
    const struct attachment_sources from = { .console = &b->console.base };
    return request_words_attach(&from, &b->scope, &b->arena, message, max_bytes, &b->found,
                                &b->err);
}

static void a_word_with_an_at_attaches_the_file(void **state)
{
    struct bench *b = *state;
    assert_int_equal(read_from(b, "what is in @notes.md, and in @\"two words\"?", 100), ERR_NONE);
    assert_string_equal(b->found.message, "what is in notes.md, and in \"two words\"?");
    assert_string_equal(b->found.attached, "notes.md:\nplums\n\ntwo words:\npears");
}

static void other_at_signs_are_text(void **state)
{
    struct bench *b = *state;
    assert_int_equal(read_from(b, "mail a@b.de @ @@noon", 100), ERR_NONE);
    assert_string_equal(b->found.message, "mail a@b.de @ @noon");
    assert_null(b->found.attached);
}

static void a_file_that_is_missing_or_no_text_is_an_error(void **state)
{
    struct bench *b = *state;
    assert_int_equal(read_from(b, "read @nothing.md", 100), ERR_INVALID);
    assert_string_equal(b->err.message, "attach: nothing.md: No such file or directory");
    assert_int_equal(read_from(b, "see @picture", 100), ERR_INVALID);
    assert_string_equal(b->err.message, "attach: picture: not a text file");
}

static void what_is_attached_is_bounded(void **state)
{
    struct bench *b = *state;
    assert_int_equal(read_from(b, "@notes.md", strlen("notes.md:\nplums\n")), ERR_NONE);
    assert_int_equal(read_from(b, "@notes.md", strlen("notes.md:\nplums\n") - 1), ERR_LIMIT);
}

static void the_number_of_files_is_bounded(void **state)
{
    struct bench *b = *state;
    const char *most = "@notes.md @notes.md @notes.md @notes.md @notes.md @notes.md @notes.md "
                       "@notes.md @notes.md @notes.md @notes.md @notes.md @notes.md @notes.md "
                       "@notes.md @notes.md";
    assert_int_equal(read_from(b, most, 10000), ERR_NONE);
    assert_int_equal(read_from(b, arena_printf(&b->arena, "%s @notes.md", most), 10000), ERR_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_word_with_an_at_attaches_the_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_at_signs_are_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_is_missing_or_no_text_is_an_error, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_attached_is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_number_of_files_is_bounded, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
