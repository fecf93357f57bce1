/* The adapters of real endpoints against a scripted server on a loopback port: requests, streams,
 * errors, silence, cancellation. */

#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/model_fixture.h"
#include <stdio.h>
#include <string.h>

#define LOADING "{\"error\":{\"message\":\"Loading model\",\"code\":503}}"

static bool stop_at_once(void *context, const char *text, size_t length)
{
    return model_fixture_count(context, text, length) && false;
}

static bool cancel_at_once(void *context, const char *text, size_t length)
{
    struct model_fixture *f = context;
    runtime_cancel(uv_runtime_port(f->runtime), &f->scope);
    return model_fixture_count(context, text, length);
}

/* The body of the n-th request for an answer, from 0. */
static json_t *body_of(const struct model_fixture *f, size_t nth)
{
    const struct mock_request *requests;
    size_t n = mock_endpoint_requests(f->endpoint, &requests);
    json_t *body = NULL;
    for (size_t i = 0; i < n && !body; i++)
        if (strstr(requests[i].path, "/chat") && nth-- == 0)
            assert_int_equal(
                json_parse(requests[i].body, strlen(requests[i].body), JSON_OURS, &body, NULL),
                ERR_NONE);
    assert_non_null(body);
    return body;
}

static void assert_json(const json_t *value, const char *expected)
{
    auto_str printed = json_print_sorted(value);
    assert_string_equal(printed, expected);
}

static void streams_an_answer_of_ollama_in_any_pieces(void **state)
{
    (void)state;
    const size_t pieces[] = { 0, 1, 2, 7, 64 };
    for (size_t i = 0; i < ARRAY_LENGTH(pieces); i++) {
        AUTO(model_fixture) f;
        model_fixture_use_ollama(&f);
        model_fixture_answer(&f, (struct mock_answer){ .body = NDJSON, .piece = pieces[i] });
        assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NONE);
        assert_string_equal(f.reply.text, "H\xc3\xa9llo");
        assert_string_equal(f.shown, "H\xc3\xa9llo");
        assert_string_equal(f.reply.model, "mistral:7b");
        assert_int_equal(f.reply.prompt_tokens, 26);
        assert_int_equal(f.reply.completion_tokens, 3);
    }
}

static void streams_an_answer_of_a_chat_completions_server_in_any_pieces(void **state)
{
    (void)state;
    const size_t pieces[] = { 0, 1, 2, 7, 64 };
    for (size_t i = 0; i < ARRAY_LENGTH(pieces); i++) {
        AUTO(model_fixture) f;
        model_fixture_use_openai(&f);
        model_fixture_answer(&f, (struct mock_answer){ .body = SSE, .piece = pieces[i] });
        assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NONE);
        assert_string_equal(f.reply.text, "H\xc3\xa9llo");
        assert_int_equal(f.tokens, 2);
        assert_int_equal(f.reply.stop, MODEL_STOP_END);
        assert_int_equal(f.reply.cached_tokens, 20);
    }
}

static void knows_whose_counts_have_what_was_cached(void **state)
{
    (void)state;
    static const char *const owners[] = { "vllm", "llamacpp", "somebody" };
    for (size_t i = 0; i < ARRAY_LENGTH(owners); i++) {
        AUTO(model_fixture) f;
        model_fixture_init(&f);
        const char *list = arena_printf(
            &f.arena, "{\"data\":[{\"id\":\"mistral:7b\",\"owned_by\":\"%s\"}]}", owners[i]);
        model_fixture_answer(&f, (struct mock_answer){ .path = "/v1/models", .body = list });
        model_fixture_answer(&f, (struct mock_answer){ .path = "/v1/chat", .body = SSE });
        f.model = openai_model_create(f.runtime, mock_endpoint_url(f.endpoint), &f.settings);
        assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NONE);
        assert_int_equal(f.reply.counts_cached, i < 2);
    }
}

static void asks_ollama_with_everything_said(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_ollama(&f);
    f.settings.model_schema = "on";
    json_auto_t *schema = json_pack("{s:s, s:s}", "type", "object", "title", "x");
    f.schema = schema;
    model_fixture_answer(&f, (struct mock_answer){ .body = NDJSON });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NONE);
    json_auto_t *body = body_of(&f, 0);
    assert_json(body, "{\"format\":{\"type\":\"object\"},\"keep_alive\":\"30m\",\"messages\":["
                      "{\"content\":\"Be brief.\",\"role\":\"system\"},"
                      "{\"content\":\"Say hello.\",\"role\":\"user\"}],\"model\":\"mistral:7b\","
                      "\"options\":{\"num_ctx\":8192,\"num_predict\":100,\"seed\":7,"
                      "\"temperature\":0.5,\"top_p\":1.0},\"shift\":false,\"stream\":true,"
                      "\"truncate\":false}");
}

static void nests_the_schema_for_chat_completions(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_openai(&f);
    f.settings.model_schema = "on";
    json_auto_t *schema = json_pack("{s:s}", "type", "object");
    f.schema = schema;
    model_fixture_answer(&f, (struct mock_answer){ .body = SSE });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NONE);
    json_auto_t *body = body_of(&f, 0);
    assert_json(json_object_get(body, "response_format"),
                "{\"json_schema\":{\"name\":\"answer\",\"schema\":{\"type\":\"object\"},"
                "\"strict\":true},\"type\":\"json_schema\"}");
    assert_int_equal(json_get_int(body, "max_tokens", 0), 100);
}

static void says_length_when_the_budget_ended(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_ollama(&f);
    model_fixture_answer(
        &f, (struct mock_answer){ .body = "{\"message\":{\"content\":\"He\"},\"done\":true,"
                                          "\"done_reason\":\"length\"}\n" });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NONE);
    assert_int_equal(f.reply.stop, MODEL_STOP_LENGTH);
}

static void assert_fails(void (*use)(struct model_fixture *f), struct mock_answer answer,
                         enum err_code code, const char *message)
{
    AUTO(model_fixture) f;
    use(&f);
    model_fixture_answer(&f, answer);
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), code);
    if (!strstr(f.err.message, message))
        fail_msg("\"%s\" is not in \"%s\"", message, f.err.message);
    assert_non_null(strstr(f.err.message, "model endpoint http://127.0.0.1:"));
}

static void takes_a_stream_without_its_end_for_a_failure(void **state)
{
    (void)state;
    assert_fails(model_fixture_use_ollama,
                 (struct mock_answer){ .body = "{\"message\":{\"content\":\"He\"}}\n" },
                 ERR_UNAVAILABLE, "ended without its end marker");
    assert_fails(model_fixture_use_openai, (struct mock_answer){ .body = SSE_TEXT },
                 ERR_UNAVAILABLE, "ended without its end marker");
}

static void hands_on_an_error_in_the_middle_of_a_stream(void **state)
{
    (void)state;
    assert_fails(model_fixture_use_ollama,
                 (struct mock_answer){ .body = "{\"message\":{\"content\":\"He\"}}\n"
                                               "{\"error\":\"out of memory\"}\n" },
                 ERR_UNAVAILABLE, "it gave up: out of memory");
    assert_fails(model_fixture_use_openai,
                 (struct mock_answer){
                     .body = SSE_TEXT "data: {\"error\":{\"message\":\"boom\",\"code\":500}}\n\n" },
                 ERR_UNAVAILABLE, "it gave up: boom");
}

static void reads_every_shape_of_error_body(void **state)
{
    (void)state;
    assert_fails(model_fixture_use_ollama,
                 (struct mock_answer){ .status = 400, .body = "{\"error\":\"bad\"}" }, ERR_INVALID,
                 "status 400: bad");
    assert_fails(
        model_fixture_use_openai,
        (struct mock_answer){ .status = 401, .body = "{\"error\":{\"message\":\"no key\"}}" },
        ERR_AUTH, "status 401: no key");
    assert_fails(model_fixture_use_openai,
                 (struct mock_answer){ .status = 422, .body = "{\"message\":\"roles\"}" },
                 ERR_INVALID, "status 422: roles");
    assert_fails(model_fixture_use_openai,
                 (struct mock_answer){ .status = 500, .body = "<html>\nno" }, ERR_PROTOCOL,
                 "status 500: <html>\\nno");
    assert_fails(model_fixture_use_ollama,
                 (struct mock_answer){ .status = 503, .body = "{\"error\":\"server busy\"}" },
                 ERR_UNAVAILABLE, "server busy");
    assert_fails(model_fixture_use_openai, (struct mock_answer){ .body = "data: {\n\n" },
                 ERR_PROTOCOL, "its stream is not JSON");
}

static void tells_a_full_context_from_a_bad_request(void **state)
{
    (void)state;
    assert_fails(model_fixture_use_openai,
                 (struct mock_answer){ .status = 400,
                                       .body = "{\"error\":{\"type\":\"exceed_context_size_error\","
                                               "\"message\":\"too many tokens\"}}" },
                 ERR_LIMIT, "too many tokens");
}

static void says_how_to_get_a_model_that_vanished(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_ollama(&f);
    model_fixture_answer(
        &f, (struct mock_answer){ .status = 404,
                                  .body = "{\"error\":\"model 'mistral:7b' not found\"}" });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NOT_FOUND);
    assert_string_equal(f.err.hint, "get it with: ollama pull mistral:7b");
}

static void bounds_the_silence_before_and_after_the_first_token(void **state)
{
    (void)state;
    assert_fails(model_fixture_use_ollama, (struct mock_answer){ .body = "\n", .silent = true },
                 ERR_TIMEOUT, "no answer for 0.3 s");
    assert_fails(
        model_fixture_use_ollama,
        (struct mock_answer){ .body = "{\"message\":{\"content\":\"He\"}}\n", .silent = true },
        ERR_TIMEOUT, "it fell silent in the middle of its answer: no answer for 0.2 s");
}

static void takes_a_reset_connection_for_unavailable(void **state)
{
    (void)state;
    assert_fails(model_fixture_use_openai, (struct mock_answer){ .body = "", .reset = true },
                 ERR_UNAVAILABLE, "the connection was lost");
}

static void bounds_an_answer(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_ollama(&f);
    f.settings.model_max_response_bytes = 6;
    model_fixture_answer(&f, (struct mock_answer){ .body = NDJSON });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NONE);
    f.settings.model_max_response_bytes = 5;
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_LIMIT);
}

static void waits_while_the_model_is_being_loaded(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_openai(&f);
    model_fixture_answer(&f, (struct mock_answer){ .status = 503, .body = LOADING });
    model_fixture_answer(&f, (struct mock_answer){ .body = SSE });
    f.first_token_ms = 5000;
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NONE);
    assert_string_equal(f.reply.text, "H\xc3\xa9llo");
}

static void waits_for_loading_no_longer_than_for_a_first_token(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_openai(&f);
    model_fixture_answer(&f, (struct mock_answer){ .status = 503, .body = LOADING });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_UNAVAILABLE);
    assert_non_null(strstr(f.err.message, "status 503: Loading model"));
}

static void sends_images_beside_the_text(void **state)
{
    (void)state;
    const struct model_part image = { MODEL_IMAGE, "aGk=", "image/png" };
    AUTO(model_fixture) ollama;
    model_fixture_use_ollama(&ollama);
    ollama.image = &image;
    model_fixture_answer(&ollama, (struct mock_answer){ .body = NDJSON });
    assert_int_equal(model_fixture_run(&ollama, MODEL_CHAT), ERR_NONE);
    json_auto_t *body = body_of(&ollama, 0);
    assert_json(json_array_get(json_object_get(body, "messages"), 1),
                "{\"content\":\"Say hello.\",\"images\":[\"aGk=\"],\"role\":\"user\"}");

    AUTO(model_fixture) openai;
    model_fixture_use_openai(&openai);
    openai.image = &image;
    model_fixture_answer(&openai, (struct mock_answer){ .body = SSE });
    assert_int_equal(model_fixture_run(&openai, MODEL_CHAT), ERR_NONE);
    json_auto_t *other = body_of(&openai, 0);
    assert_json(json_array_get(json_object_get(other, "messages"), 1),
                "{\"content\":[{\"text\":\"Say hello.\",\"type\":\"text\"},{\"image_url\":"
                "{\"url\":\"data:image/png;base64,aGk=\"},\"type\":\"image_url\"}],"
                "\"role\":\"user\"}");
}

static enum err_code pause(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)argument;
    return runtime_sleep(runtime, scope, 20, NULL);
}

/* Lets the server see what the client did. */
static void settle(struct model_fixture *f)
{
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    assert_int_equal(uv_runtime_run(f->runtime, &scope, pause, NULL), ERR_NONE);
}

static void closes_the_connection_when_the_watcher_has_enough(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_openai(&f);
    f.on_token = stop_at_once;
    model_fixture_answer(&f, (struct mock_answer){ .body = SSE_TEXT, .silent = true });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NONE);
    assert_int_equal(f.reply.stop, MODEL_STOP_EARLY);
    assert_string_equal(f.reply.text, "H\xc3\xa9l");
    settle(&f);
    assert_int_equal(mock_endpoint_hung_up(f.endpoint), 1);
}

static void closes_the_connection_when_it_is_cancelled(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_ollama(&f);
    f.on_token = cancel_at_once;
    model_fixture_answer(
        &f, (struct mock_answer){ .body = "{\"message\":{\"content\":\"He\"}}\n", .silent = true });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_CANCELLED);
    settle(&f);
    assert_int_equal(mock_endpoint_hung_up(f.endpoint), 1);
}

static void sends_one_request_at_a_time(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_ollama(&f);
    model_fixture_answer(&f, (struct mock_answer){ .body = NDJSON, .piece = 8, .times = 2 });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT_TWICE), ERR_NONE);
    assert_string_equal(f.second.text, "H\xc3\xa9llo");
    assert_int_equal(mock_endpoint_most_at_once(f.endpoint), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_an_answer_of_ollama_in_any_pieces),
        cmocka_unit_test(streams_an_answer_of_a_chat_completions_server_in_any_pieces),
        cmocka_unit_test(knows_whose_counts_have_what_was_cached),
        cmocka_unit_test(asks_ollama_with_everything_said),
        cmocka_unit_test(nests_the_schema_for_chat_completions),
        cmocka_unit_test(says_length_when_the_budget_ended),
        cmocka_unit_test(takes_a_stream_without_its_end_for_a_failure),
        cmocka_unit_test(hands_on_an_error_in_the_middle_of_a_stream),
        cmocka_unit_test(reads_every_shape_of_error_body),
        cmocka_unit_test(tells_a_full_context_from_a_bad_request),
        cmocka_unit_test(says_how_to_get_a_model_that_vanished),
        cmocka_unit_test(bounds_the_silence_before_and_after_the_first_token),
        cmocka_unit_test(takes_a_reset_connection_for_unavailable),
        cmocka_unit_test(bounds_an_answer),
        cmocka_unit_test(waits_while_the_model_is_being_loaded),
        cmocka_unit_test(waits_for_loading_no_longer_than_for_a_first_token),
        cmocka_unit_test(sends_images_beside_the_text),
        cmocka_unit_test(closes_the_connection_when_the_watcher_has_enough),
        cmocka_unit_test(closes_the_connection_when_it_is_cancelled),
        cmocka_unit_test(sends_one_request_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
