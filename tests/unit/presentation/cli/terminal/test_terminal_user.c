
#include "domain/base/json.h"
#include "presentation/cli/terminal/terminal_user.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_console.h"
#include <string.h>

struct bench {
    struct fake_console console;
    struct terminal_user user;
    struct scope scope;
    struct err err;
    const char *prompt;
};

static void bench_init(struct bench *bench, const char *input)
{
    *bench = (struct bench){ .scope = scope_child(NULL, SCOPE_NO_DEADLINE), .prompt = "a cat" };
    fake_console_init(&bench->console, input);
    bench->console.chunk = 1; /* as keys come that are pressed */
    bench->console.terminals[CONSOLE_IN] = bench->console.terminals[CONSOLE_ERR] = true;
    terminal_user_init(&bench->user, &bench->console.base, style_make(false, NULL, NULL, NULL));
}

static void bench_finish(struct bench *bench)
{
    terminal_user_finish(&bench->user);
    fake_console_finish(&bench->console);
}

static enum err_code approve(struct bench *bench, enum approval_answer *out)
{
    const struct tool tool = { .name = "draw", .full_name = "art/draw" };
    json_auto_t *arguments = json_pack("{s:s}", "prompt", bench->prompt);
    const struct approval_request request = { .tool = &tool,
                                              .arguments = arguments,
                                              .always = "more" };
    return user_approve(&bench->user.base, &bench->scope, &request, out, &bench->err);
}

static const char *shown(struct bench *bench)
{
    return buf_string(&bench->console.err);
}

static void an_approval_takes_one_key_that_it_offers(void **state)
{
    (void)state;
    AUTO(bench) bench;
    enum approval_answer answer;
    bench_init(&bench, "x\nvYno");
    assert_int_equal(approve(&bench, &answer), ERR_NONE);
    assert_int_equal(answer, APPROVAL_ONCE);
    assert_string_equal(bench.console.input, "no");
    assert_false(bench.console.keys);
    assert_int_equal(bench.console.n_drops, 1);
    assert_string_equal(shown(&bench), "art/draw wants to run with\n  {\"prompt\":\"a cat\"}\n"
                                       "  (more)\n"
                                       "Allow? [y]es once, this [s]ession, [a]lways, [n]o: y\n");
}

static void an_approval_offers_to_view_what_it_did_not_show(void **state)
{
    (void)state;
    AUTO(bench) bench;
    enum approval_answer answer;
    bench_init(&bench, "va");
    bench.prompt = "a cat\nin a hat";
    assert_int_equal(approve(&bench, &answer), ERR_NONE);
    assert_int_equal(answer, APPROVAL_ALWAYS);
    assert_non_null(strstr(shown(&bench), "[n]o, [v]iew all of it: v\n"
                                          "  prompt:\n  | a cat\n  | in a hat\n"
                                          "Allow?"));
}

static void the_end_of_input_answers_no_approval(void **state)
{
    static const char *const inputs[] = { "", "\4y" };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(inputs); i++) {
        AUTO(bench) bench;
        enum approval_answer answer;
        bench_init(&bench, inputs[i]);
        assert_int_equal(approve(&bench, &answer), ERR_CANCELLED);
        assert_false(bench.console.keys);
    }
}

static void a_question_that_is_not_answered_ends_its_line(void **state)
{
    (void)state;
    AUTO(bench) bench;
    enum approval_answer answer;
    bench_init(&bench, "");
    bench.scope.cancelled = true;
    assert_int_equal(approve(&bench, &answer), ERR_CANCELLED);
    assert_non_null(strstr(shown(&bench), "[n]o: \n"));
}

static void a_form_that_is_not_answered_ends_its_line(void **state)
{
    (void)state;
    AUTO(bench) bench;
    AUTO(arena) arena = { 0 };
    const struct form_field field = { .key = "size", .label = "Size?", .required = true };
    const struct form form = { .fields = &field, .n_fields = 1 };
    json_t *answers = NULL;
    bench_init(&bench, "");
    assert_int_equal(user_ask(&bench.user.base, &bench.scope, &form, &arena, &answers, &bench.err),
                     ERR_CANCELLED);
    assert_string_equal(shown(&bench), "Size?\n> \n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_approval_takes_one_key_that_it_offers),
        cmocka_unit_test(an_approval_offers_to_view_what_it_did_not_show),
        cmocka_unit_test(the_end_of_input_answers_no_approval),
        cmocka_unit_test(a_question_that_is_not_answered_ends_its_line),
        cmocka_unit_test(a_form_that_is_not_answered_ends_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
