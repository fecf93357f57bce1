
#include "domain/base/json.h"
#include "presentation/cli/commands/call_arguments.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/call_output.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_console.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fixture {
    struct fake_console console;
    struct arguments args;
    struct arena arena;
    struct scope scope;
    struct cli cli;
};

static void set_up(struct fixture *f, const char *input)
{
    *f = (struct fixture){ .scope = { .deadline_ms = SCOPE_NO_DEADLINE } };
    fake_console_init(&f->console, input);
    f->cli = (struct cli){ .args = &f->args,
                           .console = &f->console.base,
                           .scope = &f->scope,
                           .arena = &f->arena,
                           .style = style_make(false, NULL, NULL, NULL),
                           .answer_style = style_make(false, NULL, NULL, NULL) };
}

static void tear_down(struct fixture *f)
{
    arena_finish(&f->arena);
    fake_console_finish(&f->console);
}

static const char *parsed(struct fixture *f, const char *schema_text, const char *word)
{
    json_auto_t *schema = json_loads(schema_text, 0, NULL);
    json_t *out = NULL;
    struct err err = { 0 };
    if (call_arguments_parse(&f->cli, &word, 1, schema, &out, &err))
        return arena_strdup(&f->arena, err.message);
    return json_print_in(&f->arena, out);
}

static void reads_words_in_the_light_of_the_schema(void **state)
{
    static const char schema[] =
        "{\"properties\":{\"n\":{\"type\":\"integer\"},\"x\":{\"type\":\"number\"},"
        "\"b\":{\"type\":\"boolean\"},\"s\":{\"type\":\"string\"},\"a\":{\"type\":\"array\"},"
        "\"u\":{\"type\":[\"integer\",\"null\"]}}}";
    static const char *const cases[][2] = {
        { "n=5", "{\"n\":5}" },
        { "n=five", "{\"n\":\"five\"}" },
        { "x=1.5", "{\"x\":1.5}" },
        { "b=true", "{\"b\":true}" },
        { "s=5", "{\"s\":\"5\"}" },
        { "a=[1,2]", "{\"a\":[1,2]}" },
        { "a=one", "{\"a\":[\"one\"]}" },
        { "u=7", "{\"u\":7}" },
        { "other=5", "{\"other\":\"5\"}" },
        { "s:={\"k\":[1]}", "{\"s\":{\"k\":[1]}}" },
        { "s=a=b", "{\"s\":\"a=b\"}" },
        { "{\"s\":\"x\"}", "{\"s\":\"x\"}" },
    };
    struct fixture f;
    (void)state;
    set_up(&f, "");
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        assert_string_equal(parsed(&f, schema, cases[i][0]), cases[i][1]);
    tear_down(&f);
}

static void reads_an_object_from_standard_input(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f, "{\"a\":\n1}");
    f.console.chunk = 3;
    assert_string_equal(parsed(&f, "{}", "-"), "{\"a\":1}");
    tear_down(&f);
}

static void names_the_word_that_is_no_argument(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f, "");
    assert_string_equal(parsed(&f, "{}", "path"), "\"path\" is not an argument");
    assert_string_equal(parsed(&f, "{}", "=x"), "\"=x\" is not an argument");
    assert_string_equal(parsed(&f, "{}", "[1]"), "\"[1]\" is not an argument");
    assert_non_null(strstr(parsed(&f, "{}", "a:={"), "argument a: not JSON: line 1"));
    tear_down(&f);
}

static void bounds_an_argument_that_is_read_from_a_file(void **state)
{
    struct fixture f;
    struct err err = { 0 };
    json_t *out = NULL;
    char file[] = "/tmp/mistro-test-XXXXXX";
    (void)state;
    set_up(&f, "");
    int fd = mkstemp(file);
    const char *word = arena_printf(&f.arena, "text@%s", file);
    assert_int_equal(ftruncate(fd, CALL_ARGUMENTS_MAX_BYTES), 0);
    assert_int_equal(call_arguments_parse(&f.cli, &word, 1, NULL, &out, &err), ERR_NONE);
    assert_int_equal(json_string_length(json_object_get(out, "text")), CALL_ARGUMENTS_MAX_BYTES);
    assert_int_equal(ftruncate(fd, CALL_ARGUMENTS_MAX_BYTES + 1), 0);
    assert_int_equal(call_arguments_parse(&f.cli, &word, 1, NULL, &out, &err), ERR_LIMIT);
    assert_non_null(strstr(err.message, "larger than 16777216 bytes"));
    close(fd);
    unlink(file);
    tear_down(&f);
}

static void shows_text_as_text_and_other_blocks_by_kind_and_size(void **state)
{
    static const char text[] =
        "{\"content\":[{\"type\":\"text\",\"text\":\"hello\"},"
        "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"aGVsbG8=\"},"
        "{\"type\":\"resource_link\",\"uri\":\"file:///a\",\"name\":\"a\"}]}";
    struct fixture f;
    struct step_result result;
    struct err err;
    (void)state;
    set_up(&f, "");
    assert_int_equal(step_result_init(&f.arena, text, strlen(text), &result, &err), 0);
    assert_int_equal(call_output(&f.cli, &result), 0);
    assert_string_equal(buf_string(&f.console.out), "hello\n[image/png 5 bytes]\n[file:///a]\n");
    tear_down(&f);
}

static void json_prints_the_result_byte_for_byte(void **state)
{
    static const char text[] = "{ \"content\" : [],\"isError\":true }";
    struct fixture f;
    struct step_result result;
    struct err err;
    (void)state;
    set_up(&f, "");
    f.args.json = true;
    assert_int_equal(step_result_init(&f.arena, text, strlen(text), &result, &err), 0);
    assert_int_equal(call_output(&f.cli, &result), 1);
    assert_string_equal(buf_string(&f.console.out), "{ \"content\" : [],\"isError\":true }\n");
    tear_down(&f);
}

static void a_tools_own_error_is_exit_1_and_goes_to_stderr(void **state)
{
    struct fixture f;
    struct step_result result;
    (void)state;
    set_up(&f, "");
    step_result_from_text(&f.arena, "no such file\033[2J", NULL, true, &result);
    assert_int_equal(call_output(&f.cli, &result), 1);
    assert_string_equal(buf_string(&f.console.out), "");
    assert_string_equal(buf_string(&f.console.err),
                        "mistro: the tool says: no such file\\x1b[2J\n");
    tear_down(&f);
}

static void a_tools_error_is_shown_whole(void **state)
{
    struct fixture f;
    struct step_result result;
    char long_text[3000];
    (void)state;
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    set_up(&f, "");
    step_result_from_text(&f.arena, long_text, NULL, true, &result);
    assert_int_equal(call_output(&f.cli, &result), 1);
    assert_non_null(strstr(buf_string(&f.console.err), long_text));
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_words_in_the_light_of_the_schema),
        cmocka_unit_test(reads_an_object_from_standard_input),
        cmocka_unit_test(names_the_word_that_is_no_argument),
        cmocka_unit_test(bounds_an_argument_that_is_read_from_a_file),
        cmocka_unit_test(shows_text_as_text_and_other_blocks_by_kind_and_size),
        cmocka_unit_test(json_prints_the_result_byte_for_byte),
        cmocka_unit_test(a_tools_own_error_is_exit_1_and_goes_to_stderr),
        cmocka_unit_test(a_tools_error_is_shown_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
