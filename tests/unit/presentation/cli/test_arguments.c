
#include "presentation/cli/arguments.h"
#include "presentation/cli/flags.h"
#include "tests/support/cmocka.h"
#include <string.h>

static enum err_code parse(struct arena *arena, struct arguments *out, struct err *err, int argc,
                           const char **argv)
{
    return arguments_parse(arena, argc, argv, out, err);
}

static void takes_the_first_word_as_the_command_and_the_rest_as_operands(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct arguments args;
    struct err err = { 0 };
    const char *argv[] = { "mistro", "call", "files/read_file", "path=a", "-" };
    assert_int_equal(parse(&arena, &args, &err, 5, argv), ERR_NONE);
    assert_string_equal(args.command, "call");
    assert_int_equal(args.n_operands, 3);
    assert_string_equal(args.operands[2], "-");
}

static void accepts_flags_before_and_after_the_command(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct arguments args;
    struct err err = { 0 };
    const char *argv[] = { "mistro", "--json",   "-vv", "ask",      "hello", "--model=none",
                           "-q",     "--answer", "a=1", "--answer", "b=2" };
    assert_int_equal(parse(&arena, &args, &err, 11, argv), ERR_NONE);
    assert_true(args.json && args.quiet);
    assert_int_equal(args.verbose, 2);
    assert_string_equal(args.model, "none");
    assert_int_equal(args.answers.n, 2);
    assert_string_equal(args.answers.values[1], "b=2");
}

static void two_dashes_end_the_flags(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct arguments args;
    struct err err = { 0 };
    const char *argv[] = { "mistro", "servers", "add", "fs", "--", "npx", "-y", "--json" };
    assert_int_equal(parse(&arena, &args, &err, 8, argv), ERR_NONE);
    assert_false(args.json);
    assert_int_equal(args.n_operands, 5);
    assert_int_equal(args.n_before_dashes, 2);
    assert_string_equal(args.operands[3], "-y");
}

static void takes_the_value_of_a_short_flag_attached_or_as_the_next_word(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct arguments args;
    struct err err = { 0 };
    const char *argv[] = { "mistro", "call", "a/b", "--batch", "-j16", "-o", "out.png" };
    assert_int_equal(parse(&arena, &args, &err, 7, argv), ERR_NONE);
    assert_string_equal(args.parallel, "16");
    assert_string_equal(args.output, "out.png");
}

static void names_the_nearest_flag_for_an_unknown_one(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct arguments args;
    struct err err = { 0 };
    const char *argv[] = { "mistro", "ask", "--jsno" };
    assert_int_equal(parse(&arena, &args, &err, 3, argv), ERR_INVALID);
    assert_string_equal(err.message, "unknown flag --jsno");
    assert_string_equal(err.hint, "did you mean --json?");
}

static void refuses_a_flag_without_its_value_and_a_value_without_need(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct arguments args;
    struct err err = { 0 };
    const char *missing[] = { "mistro", "ask", "--model" };
    const char *needless[] = { "mistro", "ask", "--json=yes" };
    assert_int_equal(parse(&arena, &args, &err, 3, missing), ERR_INVALID);
    assert_string_equal(err.message, "--model needs a value (NAME)");
    assert_int_equal(parse(&arena, &args, &err, 3, needless), ERR_INVALID);
    assert_string_equal(err.message, "--json takes no value");
}

static void refuses_a_flag_that_belongs_to_another_command(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct arguments args;
    struct err err = { 0 };
    const char *argv[] = { "mistro", "ask", "--batch", "x" };
    assert_int_equal(parse(&arena, &args, &err, 4, argv), ERR_INVALID);
    assert_string_equal(err.message, "ask does not understand --batch");
}

static void help_lists_general_flags_apart_from_those_of_a_command(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *own = flags_help(&arena, "call", false), *common = flags_help(&arena, "call", true);
    assert_non_null(strstr(own, "      --batch "));
    assert_null(strstr(own, "--json"));
    assert_non_null(strstr(common, "      --json "));
    assert_null(strstr(common, "--batch"));
    assert_null(strstr(common, "--max-rounds"));
    assert_null(strstr(common, "--session"));
    assert_non_null(strstr(flags_help(&arena, "help", true), "  -m, --model NAME "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_first_word_as_the_command_and_the_rest_as_operands),
        cmocka_unit_test(accepts_flags_before_and_after_the_command),
        cmocka_unit_test(two_dashes_end_the_flags),
        cmocka_unit_test(takes_the_value_of_a_short_flag_attached_or_as_the_next_word),
        cmocka_unit_test(names_the_nearest_flag_for_an_unknown_one),
        cmocka_unit_test(refuses_a_flag_without_its_value_and_a_value_without_need),
        cmocka_unit_test(refuses_a_flag_that_belongs_to_another_command),
        cmocka_unit_test(help_lists_general_flags_apart_from_those_of_a_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
