/* What a turn gave, a later one can mean. */
#include "application/orchestrators/earlier_results.h"
#include "domain/base/json.h"
#include "domain/text/redact.h"
#include "tests/support/chat_bench.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define CODE "def add(a, b):\n    return a + b\n"
#define WRITE(id, text)                                                                            \
    "{\"id\":\"" id                                                                                \
    "\",\"tool\":\"files__write_file\",\"args\":{\"path\":\"b.md\",\"text\":\"" text "\"}}"

static int set_up(void **state)
{
    struct chat_bench *bench = chat_bench_create("files", CHAT_BENCH_FILES);
    bench->services.base.approve_all = true;
    *state = bench;
    return 0;
}

/* A turn that reads a file with this text. */
static void read_file(struct chat_bench *bench, const char *text)
{
    chat_bench_propose(bench, "\"files__read_file\"", "{\"path\":\"a.md\"}", "");
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "read_file", .text = text });
    fake_model_reply(bench->model, "It is read.");
    assert_int_equal(chat_bench_say(bench, "read a.md"), ERR_NONE);
    assert_int_equal(bench->result.status, RUN_COMPLETED);
}

/* A further turn that does nothing; what its first prompt says. */
static const char *next_prompt(struct chat_bench *bench)
{
    size_t n = bench->model->n_requests;
    chat_bench_propose(bench, "\"none\"", "{}", "");
    fake_model_reply(bench->model, "Well.");
    assert_int_equal(chat_bench_say(bench, "and now?"), ERR_NONE);
    return bench->model->requests[n].user;
}

static const char *written(const struct chat_bench *bench, json_t **out_arguments)
{
    const struct fake_tool_call *call = &bench->server->calls[bench->server->n_calls - 1];
    *out_arguments = json_loads(call->arguments, 0, NULL);
    return json_get_string(*out_arguments, "text");
}

static void a_prompt_shows_its_name_and_first_lines(void **state)
{
    struct chat_bench *bench = *state;
    read_file(bench, CODE);
    const char *prompt = next_prompt(bench);
    assert_non_null(
        strstr(prompt, "r1 = files/read_file (2 lines): def add(a, b):\\n    return a + b"));
    assert_non_null(strstr(prompt, "\"{vars.r1.text}\""));
}

static void one_call_gets_all_of_it(void **state)
{
    struct chat_bench *bench = *state;
    read_file(bench, CODE);
    chat_bench_propose(bench, "\"files__write_file\"",
                       "{\"path\":\"b.md\",\"text\":\"{vars.r1.text}\"}", "");
    fake_model_reply(bench->model, "It is written.");
    assert_int_equal(chat_bench_say(bench, "now write the code that you made to b.md"), ERR_NONE);
    json_auto_t *arguments = NULL;
    assert_string_equal(written(bench, &arguments), CODE);
}

static void a_plan_of_several_steps_gets_all_of_it(void **state)
{
    struct chat_bench *bench = *state;
    read_file(bench, CODE);
    read_file(bench, "second");
    chat_bench_propose(bench, "\"files__write_file\"", "{\"path\":\"b.md\",\"text\":\"x\"}",
                       WRITE("s1", "first: {vars.r1}") "," WRITE("s2", "{vars.r2}"));
    fake_model_reply(bench->model, "They are written.");
    assert_int_equal(chat_bench_say(bench, "write both to b.md"), ERR_NONE);
    assert_non_null(strstr(bench->server->calls[2].arguments, "first: def add"));
    json_auto_t *arguments = NULL;
    assert_string_equal(written(bench, &arguments), "second");
}

static void what_looks_like_one_but_is_none_is_text(void **state)
{
    struct chat_bench *bench = *state;
    read_file(bench, CODE);
    chat_bench_propose(bench, "\"files__write_file\"",
                       "{\"path\":\"b.md\",\"text\":\"x {vars.r7}\"}", "");
    fake_model_reply(bench->model, "It is written.");
    assert_int_equal(chat_bench_say(bench, "write x {vars.r7} to b.md"), ERR_NONE);
    json_auto_t *arguments = NULL;
    assert_string_equal(written(bench, &arguments), "x {vars.r7}");
}

static void only_what_a_plan_refers_to_is_in_it(void **state)
{
    struct chat_bench *bench = *state;
    read_file(bench, CODE);
    read_file(bench, "second");
    assert_int_equal(json_object_size(bench->result.plan->vars), 0);
}

static void the_newest_that_fit_are_kept(void **state)
{
    (void)state;
    struct step step = { .id = "s1", .tool = "t" };
    for (size_t more = 0; more < 2; more++) {
        AUTO(arena) arena = { 0 };
        struct conversation *conversation = conversation_create(&arena, "c", 1);
        struct step_outcome outcome = { .step = &step, .state = STEP_OK, .has_result = true };
        const struct turn_result result = { .steps = &outcome, .n_steps = 1 };
        size_t max =
            strlen("[{\"tool\":\"t\",\"value\":\"12345\"},{\"tool\":\"t\",\"value\":\"1\"}]");
        step_result_from_text(&arena, "12345", NULL, false, &outcome.result);
        earlier_results_keep(&arena, conversation, &result, max);
        step_result_from_text(&arena, more ? "12" : "1", NULL, false, &outcome.result);
        earlier_results_keep(&arena, conversation, &result, max);
        const json_t *values = earlier_results(&arena, conversation);
        assert_int_equal(json_object_size(values), more ? 1 : 2);
        assert_string_equal(json_get_string(values, more ? "r1" : "r2"), more ? "12" : "1");
        for (size_t i = 0; i <= EARLIER_RESULTS_MAX; i++)
            earlier_results_keep(&arena, conversation, &result, 10000);
        assert_int_equal(json_object_size(earlier_results(&arena, conversation)),
                         EARLIER_RESULTS_MAX);
        conversation_start_fresh(conversation);
        assert_string_equal(earlier_results_print(&arena, conversation), "");
    }
}

static void secrets_are_not_kept(void **state)
{
    struct chat_bench *bench = *state;
    read_file(bench, "{\"user\":\"ann\",\"password\":\"plumplum\"}");
    const char *prompt = next_prompt(bench);
    assert_non_null(strstr(
        prompt,
        "(1 lines; members user, password): {\"user\":\"ann\",\"password\":\"[redacted]\"}"));
}

static void the_mark_of_a_secret_is_not_passed_on(void **state)
{
    AUTO(arena) arena = { 0 };
    struct conversation *conversation = conversation_create(&arena, "c", 1);
    (void)state;
    json_object_set_new(conversation->context, CONVERSATION_RESULTS_KEY,
                        json_pack("[{s:s, s:{s:s, s:s}, s:s}, {s:s, s:s}]", "tool", "t", "value",
                                  "user", "ann", "key", REDACTED, "text", "ann " REDACTED, "tool",
                                  "t", "value", REDACTED));
    assert_string_equal(json_print_in(&arena, earlier_results(&arena, conversation)),
                        "{\"r1\":{\"user\":\"ann\"}}");
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, chat_bench_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_prompt_shows_its_name_and_first_lines),
        TEST(one_call_gets_all_of_it),
        TEST(a_plan_of_several_steps_gets_all_of_it),
        TEST(what_looks_like_one_but_is_none_is_text),
        TEST(only_what_a_plan_refers_to_is_in_it),
        cmocka_unit_test(the_newest_that_fit_are_kept),
        TEST(secrets_are_not_kept),
        cmocka_unit_test(the_mark_of_a_secret_is_not_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
