
#include "domain/base/buf.h"
#include "infrastructure/models/endpoint/model_create.h"
#include "tests/support/cmocka.h"
#include "tests/support/immediate_runtime.h"
#include <string.h>

struct fixture {
    struct immediate_runtime runtime;
    struct model *model;
    struct scope scope;
    struct arena arena;
    struct err err;
    struct model_reply reply;
};

static enum err_code load(struct fixture *fixture, const char *script)
{
    *fixture = (struct fixture){ .runtime = immediate_runtime(),
                                 .scope = scope_child(NULL, SCOPE_NO_DEADLINE) };
    return scripted_model_create(&fixture->runtime.port, "answers.jsonl", script, strlen(script),
                                 &fixture->model, &fixture->err);
}

static void fixture_finish(struct fixture *fixture)
{
    model_destroy(fixture->model);
    arena_finish(&fixture->arena);
}

static enum err_code ask_watched(struct fixture *fixture, const char *purpose, const char *user,
                                 bool (*on_token)(void *, const char *, size_t), void *context)
{
    const struct model_part part = { MODEL_TEXT, user, NULL };
    const struct model_message message = { MODEL_USER, &part, 1 };
    const struct model_request request = { .purpose = purpose,
                                           .messages = &message,
                                           .n_messages = 1,
                                           .max_tokens = 10,
                                           .first_token_ms = 1000,
                                           .on_token = on_token,
                                           .context = context };
    return model_chat(fixture->model, &fixture->scope, &request, &fixture->arena, &fixture->reply,
                      &fixture->err);
}

static enum err_code ask(struct fixture *fixture, const char *purpose, const char *user)
{
    return ask_watched(fixture, purpose, user, NULL, NULL);
}

static void answers_by_purpose_and_pattern(void **state)
{
    (void)state;
    AUTO(fixture) f;
    assert_int_equal(load(&f, "# comment\n\n"
                              "{\"purpose\":\"plan\",\"match\":\"*cats*\",\"reply\":{\"a\":[1]}}\n"
                              "{\"purpose\":\"plan\",\"reply\":\"dogs\"}\r\n"
                              "{\"reply\":\"anything\"}"),
                     ERR_NONE);
    assert_int_equal(ask(&f, "plan", "dogs"), ERR_NONE);
    assert_string_equal(f.reply.text, "dogs");
    assert_int_equal(ask(&f, "plan", "two\ncats sit"), ERR_NONE);
    assert_string_equal(f.reply.text, "{\"a\":[1]}");
    assert_int_equal(ask(&f, "answer", "cats"), ERR_NONE);
    assert_string_equal(f.reply.text, "anything");
}

static void uses_an_answer_as_often_as_it_says(void **state)
{
    (void)state;
    AUTO(fixture) f;
    assert_int_equal(load(&f, "{\"reply\":\"1\"}\n{\"times\":2,\"reply\":\"2\"}\n"
                              "{\"times\":0,\"reply\":\"3\"}"),
                     ERR_NONE);
    const char *expected[] = { "1", "2", "2", "3", "3" };
    for (size_t i = 0; i < ARRAY_LENGTH(expected); i++) {
        assert_int_equal(ask(&f, "plan", ""), ERR_NONE);
        assert_string_equal(f.reply.text, expected[i]);
    }
}

static void names_what_it_has_no_answer_for(void **state)
{
    (void)state;
    AUTO(fixture) f;
    assert_int_equal(load(&f, "{\"purpose\":\"plan\",\"reply\":\"1\"}"), ERR_NONE);
    assert_int_equal(ask(&f, "intent", "Show me\nthe files"), ERR_NOT_FOUND);
    assert_string_equal(f.err.message, "answers.jsonl has no answer left for a \"intent\" request "
                                       "that begins \"Show me\\nthe files\"");
}

static void fails_as_the_script_says(void **state)
{
    (void)state;
    AUTO(fixture) f;
    assert_int_equal(load(&f, "{\"error\":\"unavailable\"}\n{\"error\":\"timeout\"}"), ERR_NONE);
    assert_int_equal(ask(&f, "plan", ""), ERR_UNAVAILABLE);
    assert_int_equal(ask(&f, "plan", ""), ERR_TIMEOUT);
}

static bool count(void *context, const char *text, size_t length)
{
    (void)text;
    *(size_t *)context += length;
    return *(size_t *)context < 30;
}

static void streams_until_the_watcher_has_enough(void **state)
{
    (void)state;
    AUTO(fixture) f;
    size_t seen = 0;
    assert_int_equal(load(&f, "{\"reply\":\"0123456789012345678901234567890123456789\"}"),
                     ERR_NONE);
    assert_int_equal(ask_watched(&f, "answer", "", count, &seen), ERR_NONE);
    assert_int_equal(seen, 32);
    assert_int_equal(f.reply.stop, MODEL_STOP_EARLY);
    assert_string_equal(f.reply.text, "01234567890123456789012345678901");
}

static void waits_and_is_silent_for_too_long(void **state)
{
    (void)state;
    AUTO(fixture) f;
    assert_int_equal(load(&f, "{\"reply\":\"a\",\"delay_ms\":1000,\"stop\":\"length\"}\n"
                              "{\"reply\":\"b\",\"delay_ms\":1001}"),
                     ERR_NONE);
    assert_int_equal(ask(&f, "plan", ""), ERR_NONE);
    assert_int_equal(f.reply.duration_ms, 1000);
    assert_int_equal(f.reply.stop, MODEL_STOP_LENGTH);
    assert_int_equal(ask(&f, "plan", ""), ERR_TIMEOUT);
}

static void assert_refuses(const char *script, const char *message)
{
    AUTO(fixture) f;
    assert_int_equal(load(&f, script), ERR_INVALID);
    assert_string_equal(f.err.message, message);
}

static void refuses_a_script_and_names_the_line(void **state)
{
    (void)state;
    assert_refuses("{\"reply\":1}\n[]", "answers.jsonl: line 2: not an object");
    assert_refuses("{}", "answers.jsonl: line 1: neither \"reply\" nor \"error\"");
    assert_refuses("{\"reply\":1,\"foo\":1}", "answers.jsonl: line 1: unknown member \"foo\"");
    assert_refuses("{\"reply\":1,\"times\":\"x\"}",
                   "answers.jsonl: line 1: \"times\" must be a whole number");
    assert_refuses("{\"reply\":1,\"stop\":\"x\"}",
                   "answers.jsonl: line 1: \"stop\" is neither \"end\" nor \"length\"");
    assert_refuses("{\"error\":\"x\"}", "answers.jsonl: line 1: \"error\": no such error \"x\"");
}

static void bounds_the_numbers_of_an_answer(void **state)
{
    (void)state;
    AUTO(fixture) f;
    assert_int_equal(load(&f, "{\"reply\":1,\"delay_ms\":600000,\"times\":1000000,"
                              "\"piece_ms\":60000}"),
                     ERR_NONE);
    assert_refuses("{\"reply\":1,\"piece_ms\":60001}",
                   "answers.jsonl: line 1: \"piece_ms\" is outside 0 to 60000");
    assert_refuses("{\"reply\":1,\"delay_ms\":600001}",
                   "answers.jsonl: line 1: \"delay_ms\" is outside 0 to 600000");
    assert_refuses("{\"reply\":1,\"times\":1000001}",
                   "answers.jsonl: line 1: \"times\" is outside 0 to 1000000");
}

static enum err_code load_answers(struct fixture *fixture, size_t n)
{
    AUTO(buf) script;
    buf_init(&script, 1000000);
    for (size_t i = 0; i < n; i++)
        assert_true(buf_printf(&script, "{\"reply\":\"%zu\"}\n", i));
    return load(fixture, buf_string(&script));
}

static void bounds_the_answers_of_a_script(void **state)
{
    (void)state;
    AUTO(fixture) most, more;
    assert_int_equal(load_answers(&most, 10000), ERR_NONE);
    assert_int_equal(load_answers(&more, 10001), ERR_LIMIT);
    assert_string_equal(more.err.message, "answers.jsonl: line 10001: more than 10000 answers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_by_purpose_and_pattern),
        cmocka_unit_test(uses_an_answer_as_often_as_it_says),
        cmocka_unit_test(names_what_it_has_no_answer_for),
        cmocka_unit_test(fails_as_the_script_says),
        cmocka_unit_test(streams_until_the_watcher_has_enough),
        cmocka_unit_test(waits_and_is_silent_for_too_long),
        cmocka_unit_test(refuses_a_script_and_names_the_line),
        cmocka_unit_test(bounds_the_numbers_of_an_answer),
        cmocka_unit_test(bounds_the_answers_of_a_script),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
