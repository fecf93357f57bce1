/* model.stream: false. The same port, with the whole answer at once; and what cancelling does to
 * the connection, streamed or not. */

#include "tests/support/cmocka.h"
#include "tests/support/full/model_fixture.h"
#include <string.h>

#define OLLAMA_ANSWER                                                                              \
    "{\"message\":{\"role\":\"assistant\",\"content\":\"H\xc3\xa9llo\"},\"done\":true,"            \
    "\"done_reason\":\"length\",\"prompt_eval_count\":26,\"eval_count\":3}"
#define OPENAI_ANSWER                                                                              \
    "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"H\xc3\xa9llo\"},\"finish_reason\":"     \
    "\"length\"}],\"usage\":{\"prompt_tokens\":26,\"completion_tokens\":3}}"

typedef void use_fn(struct model_fixture *f);

static const struct {
    use_fn *use;
    const char *answer;
} dialects[] = { { model_fixture_use_ollama, OLLAMA_ANSWER },
                 { model_fixture_use_openai, OPENAI_ANSWER } };

static bool stop_at_once(void *context, const char *text, size_t length)
{
    return model_fixture_count(context, text, length) && false;
}

static void gives_the_whole_answer_at_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(dialects); i++) {
        const struct mock_request *requests;
        AUTO(model_fixture) f;
        dialects[i].use(&f);
        f.settings.model_stream = false;
        model_fixture_answer(&f, (struct mock_answer){ .body = dialects[i].answer, .piece = 3 });
        assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NONE);
        assert_string_equal(f.reply.text, "H\xc3\xa9llo");
        assert_string_equal(f.shown, "H\xc3\xa9llo");
        assert_int_equal(f.tokens, 1);
        assert_int_equal(f.reply.stop, MODEL_STOP_LENGTH);
        assert_int_equal(f.reply.prompt_tokens, 26);
        assert_int_equal(f.reply.completion_tokens, 3);
        size_t last = mock_endpoint_requests(f.endpoint, &requests) - 1;
        assert_non_null(strstr(requests[last].body, "\"stream\":false"));
        assert_null(strstr(requests[last].body, "stream_options"));
    }
}

static void may_be_told_that_it_is_enough(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_openai(&f);
    f.settings.model_stream = false;
    f.on_token = stop_at_once;
    model_fixture_answer(&f, (struct mock_answer){ .body = OPENAI_ANSWER });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NONE);
    assert_int_equal(f.reply.stop, MODEL_STOP_EARLY);
    assert_string_equal(f.reply.text, "H\xc3\xa9llo");
}

static void takes_no_half_of_an_answer(void **state)
{
    (void)state;
    static const char *const halves[] = { "", "{\"choices\":[{\"mess", "[]", "null",
                                          "{\"choices\":[]}" };
    for (size_t i = 0; i < ARRAY_LENGTH(halves); i++) {
        AUTO(model_fixture) f;
        model_fixture_use_openai(&f);
        f.settings.model_stream = false;
        model_fixture_answer(&f, (struct mock_answer){ .body = halves[i] });
        enum err_code r = model_fixture_run(&f, MODEL_CHAT);
        assert_int_equal(r, i == 0 ? ERR_UNAVAILABLE : ERR_PROTOCOL);
        assert_int_equal(f.tokens, 0);
    }
}

static void bounds_the_silence_of_the_whole_answer(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_ollama(&f);
    f.settings.model_stream = false;
    model_fixture_answer(&f, (struct mock_answer){ .body = "{", .silent = true });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_TIMEOUT);
    assert_non_null(strstr(f.err.message, "no answer for 0.5 s"));
}

struct cancelling {
    struct model_fixture *f;
    struct scope chat;
    int64_t took_ms;
    enum err_code r;
};

static enum err_code chat_in_its_scope(struct runtime *runtime, struct scope *scope, void *argument)
{
    const struct cancelling *c = argument;
    const struct model_part text = { MODEL_TEXT, "Say hello.", NULL };
    const struct model_message message = { MODEL_USER, &text, 1 };
    const struct model_request request = { .purpose = "answer",
                                           .messages = &message,
                                           .n_messages = 1,
                                           .max_tokens = 100,
                                           .seed = -1,
                                           .first_token_ms = 5000,
                                           .silence_ms = 5000 };
    (void)runtime;
    return model_chat(c->f->model, scope, &request, &c->f->arena, &c->f->reply, &c->f->err);
}

/* The chat runs for a while, is cancelled, and the server gets a moment to notice. */
static enum err_code cancel_a_chat(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct cancelling *c = argument;
    c->chat = scope_child(scope, SCOPE_NO_DEADLINE);
    struct task *chat = runtime_spawn(runtime, &c->chat, chat_in_its_scope, c);
    enum err_code r = runtime_sleep(runtime, scope, 50, NULL);
    int64_t start_ms = runtime_now_ms(runtime);
    runtime_cancel(runtime, &c->chat);
    c->r = runtime_wait(runtime, chat);
    c->took_ms = runtime_now_ms(runtime) - start_ms;
    return r ? r : runtime_sleep(runtime, scope, 20, NULL);
}

static void assert_cancelling_closes(use_fn *use, bool streams, struct mock_answer answer)
{
    AUTO(model_fixture) f;
    use(&f);
    f.settings.model_stream = streams;
    model_fixture_answer(&f, answer);
    struct cancelling c = { .f = &f };
    assert_int_equal(uv_runtime_run(f.runtime, &f.scope, cancel_a_chat, &c), ERR_NONE);
    assert_int_equal(c.r, ERR_CANCELLED);
    assert_in_range(c.took_ms, 0, 100);
    assert_int_equal(mock_endpoint_hung_up(f.endpoint), 1);
}

static void closes_the_connection_at_once_when_it_is_cancelled(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(dialects); i++) {
        const struct mock_answer before_headers = { .raw = true, .body = "H", .silent = true };
        const struct mock_answer before_a_token = { .body = "\n", .silent = true };
        const struct mock_answer busy = { .body = " ", .endless = true, .every_ms = 1 };
        assert_cancelling_closes(dialects[i].use, true, before_headers);
        assert_cancelling_closes(dialects[i].use, true, before_a_token);
        assert_cancelling_closes(dialects[i].use, true, busy);
        assert_cancelling_closes(dialects[i].use, false, before_headers);
        assert_cancelling_closes(dialects[i].use, false, busy);
    }
}

static void stops_waiting_for_a_loading_server_when_it_is_cancelled(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_openai(&f);
    model_fixture_answer(&f, (struct mock_answer){ .status = 503,
                                                   .header = "Retry-After: 3\r\n",
                                                   .body = "{\"error\":\"loading\"}" });
    struct cancelling c = { .f = &f };
    assert_int_equal(uv_runtime_run(f.runtime, &f.scope, cancel_a_chat, &c), ERR_NONE);
    assert_int_equal(c.r, ERR_CANCELLED);
    assert_in_range(c.took_ms, 0, 100);
}

static void asks_with_the_models_own_temperature_when_none_is_given(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(dialects); i++) {
        const struct mock_request *requests;
        AUTO(model_fixture) f;
        dialects[i].use(&f);
        f.temperature = -1;
        f.settings.model_stream = false;
        model_fixture_answer(&f, (struct mock_answer){ .body = dialects[i].answer });
        assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NONE);
        size_t last = mock_endpoint_requests(f.endpoint, &requests) - 1;
        assert_null(strstr(requests[last].body, "temperature"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_whole_answer_at_once),
        cmocka_unit_test(may_be_told_that_it_is_enough),
        cmocka_unit_test(takes_no_half_of_an_answer),
        cmocka_unit_test(bounds_the_silence_of_the_whole_answer),
        cmocka_unit_test(closes_the_connection_at_once_when_it_is_cancelled),
        cmocka_unit_test(stops_waiting_for_a_loading_server_when_it_is_cancelled),
        cmocka_unit_test(asks_with_the_models_own_temperature_when_none_is_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
