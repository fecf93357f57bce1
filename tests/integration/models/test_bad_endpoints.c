/* Servers that misbehave. Each ends in the right class of error, within its time, with a hint where
 * one helps; and the next request on the same model works. */

#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/models/endpoint/chat_stream.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/model_fixture.h"
#include <stdlib.h>
#include <string.h>

#define PLAIN "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n"
#define HTML "<!doctype html><html><body>It works!</body></html>"
#define MAX_MS 4000

typedef void use_fn(struct model_fixture *f);

static const char *good_of(use_fn *use)
{
    return use == model_fixture_use_ollama ? NDJSON : SSE;
}

static int64_t now_ms(struct model_fixture *f)
{
    return runtime_now_ms(uv_runtime_port(f->runtime));
}

static void assert_next_works(struct model_fixture *f, use_fn *use)
{
    model_fixture_answer(f, (struct mock_answer){ .body = good_of(use) });
    f->shown[0] = '\0';
    assert_int_equal(model_fixture_run(f, MODEL_CHAT), ERR_NONE);
    assert_string_equal(f->reply.text, "H\xc3\xa9llo");
}

/* hint: in the error's; "" when there is none. */
static void assert_ends(use_fn *use, struct mock_answer answer, enum err_code code,
                        const char *message, const char *hint)
{
    AUTO(model_fixture) f;
    use(&f);
    model_fixture_answer(&f, answer);
    int64_t start_ms = now_ms(&f);
    enum err_code r = model_fixture_run(&f, MODEL_CHAT);
    int64_t took_ms = now_ms(&f) - start_ms;
    if (r != code || !strstr(f.err.message, message) || !strstr(f.err.hint, hint))
        fail_msg("%s: \"%s\", hint \"%s\"", err_name(r), f.err.message, f.err.hint);
    assert_in_range(took_ms, 0, MAX_MS);
    assert_true(text_is_utf8(f.err.message, strlen(f.err.message)));
    assert_null(strpbrk(f.err.message, "\n\r\t\x1b"));
    assert_next_works(&f, use);
}

static void assert_both_end(struct mock_answer answer, enum err_code code, const char *message,
                            const char *hint)
{
    assert_ends(model_fixture_use_ollama, answer, code, message, hint);
    assert_ends(model_fixture_use_openai, answer, code, message, hint);
}

static void a_page_of_html_is_no_answer(void **state)
{
    (void)state;
    assert_both_end((struct mock_answer){ .body = HTML }, ERR_PROTOCOL, "not JSON: <!doctype html>",
                    "model.base_url");
    assert_both_end((struct mock_answer){ .body = "\n\n  " HTML, .piece = 1 }, ERR_PROTOCOL,
                    "not JSON: ", "model.base_url");
    assert_both_end((struct mock_answer){ .status = 404, .body = HTML }, ERR_PROTOCOL, "status 404",
                    "model.base_url");
}

static void plain_words_are_no_answer(void **state)
{
    (void)state;
    assert_ends(model_fixture_use_ollama, (struct mock_answer){ .body = "hello\n" }, ERR_PROTOCOL,
                "its stream is not JSON: hello", "model.base_url");
    assert_ends(model_fixture_use_openai, (struct mock_answer){ .body = "hello\n" },
                ERR_UNAVAILABLE, "without its end marker", "its log may say why");
    assert_both_end((struct mock_answer){ .body = "" }, ERR_UNAVAILABLE, "without its end marker",
                    "");
}

static void half_a_chunk_is_a_lost_connection(void **state)
{
    (void)state;
    assert_ends(model_fixture_use_ollama,
                (struct mock_answer){ .raw = true,
                                      .body = PLAIN "Transfer-Encoding: chunked\r\n\r\n"
                                                    "40\r\n{\"message\":{\"content\":\"He" },
                ERR_UNAVAILABLE, "connection was lost", "its log may say why");
    assert_ends(
        model_fixture_use_openai,
        (struct mock_answer){ .raw = true, .body = PLAIN "Content-Length: 500\r\n\r\n" SSE_TEXT },
        ERR_UNAVAILABLE, "connection was lost", "its log may say why");
    assert_both_end((struct mock_answer){ .raw = true, .body = "HTTP/1.1 200 OK\r\nX: " },
                    ERR_UNAVAILABLE, "", "");
    assert_both_end((struct mock_answer){ .raw = true, .body = "SSH-2.0-OpenSSH_9.2\r\n" },
                    ERR_PROTOCOL, "it does not speak HTTP", "");
    assert_both_end((struct mock_answer){ .reset = true }, ERR_UNAVAILABLE, "", "");
}

static void a_200_may_be_an_error(void **state)
{
    (void)state;
    assert_both_end((struct mock_answer){ .body = "{\"error\":\"no memory\"}" }, ERR_UNAVAILABLE,
                    "it gave up: no memory", "its log may say why");
    assert_both_end(
        (struct mock_answer){ .body = "{\"error\":{\"message\":\"who are you\",\"code\":401}}" },
        ERR_AUTH, "status 401: who are you", "OPENAI_API_KEY");
    assert_ends(model_fixture_use_openai,
                (struct mock_answer){ .body = "{\"object\":\"error\",\"message\":\"bad roles\","
                                              "\"code\":400}" },
                ERR_INVALID, "status 400: bad roles", "");
    assert_ends(model_fixture_use_openai, (struct mock_answer){ .body = "{\"ok\":true}" },
                ERR_PROTOCOL, "there is no completion in its answer: {\"ok\":true}",
                "model.base_url");
}

static void an_error_may_come_in_the_middle(void **state)
{
    (void)state;
    const size_t pieces[] = { 0, 1, 5 };
    for (size_t i = 0; i < ARRAY_LENGTH(pieces); i++) {
        assert_ends(model_fixture_use_ollama,
                    (struct mock_answer){ .piece = pieces[i],
                                          .body = "{\"message\":{\"content\":\"He\"}}\n"
                                                  "{\"error\":\"out of memory\"}\n" },
                    ERR_UNAVAILABLE, "it gave up: out of memory", "");
        assert_ends(model_fixture_use_openai,
                    (struct mock_answer){ .piece = pieces[i],
                                          .body = SSE_TEXT
                                          "event: error\ndata: {\"error\":{\"message\":\"boom\","
                                          "\"code\":500}}\n\n" },
                    ERR_UNAVAILABLE, "it gave up: boom", "");
    }
}

static void content_may_be_null_or_anything(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_openai(&f);
    model_fixture_answer(
        &f, (struct mock_answer){
                .body = "data: {\"choices\":null}\n\ndata: {\"choices\":[]}\n\ndata: 7\n\n"
                        "data: {\"choices\":[{\"delta\":{\"content\":null}}]}\n\n"
                        "data: {\"choices\":[{\"delta\":{\"content\":[1]}}]}\n\n"
                        "data: {\"choices\":[{\"delta\":null,\"finish_reason\":\"\"}]}\n\n"
                        "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\","
                        "\"content\":\"yes\"},\"finish_reason\":\"stop\"}],\"usage\":null}\n\n"
                        "data: [DONE]\n\n" });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NONE);
    assert_string_equal(f.reply.text, "yes");
    assert_int_equal(f.reply.prompt_tokens, -1);

    AUTO(model_fixture) g;
    model_fixture_use_ollama(&g);
    model_fixture_answer(
        &g, (struct mock_answer){ .body = "{\"message\":null}\n[]\n{\"message\":{\"content\":null,"
                                          "\"thinking\":\"hm\"}}\n{\"message\":{\"content\":"
                                          "\"yes\"},\"done\":true}" });
    assert_int_equal(model_fixture_run(&g, MODEL_CHAT), ERR_NONE);
    assert_string_equal(g.reply.text, "yes");
}

static void invalid_utf8_is_mended(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_ollama(&f);
    model_fixture_answer(
        &f, (struct mock_answer){
                .body = "{\"message\":{\"content\":\"a\xff\xed\xa0\x80z\"},\"done\":true}\n",
                .piece = 1 });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NONE);
    assert_true(text_is_utf8(f.reply.text, strlen(f.reply.text)));
    assert_non_null(strstr(f.reply.text, "\xef\xbf\xbd"));
    assert_next_works(&f, model_fixture_use_ollama);
}

static void only_loading_is_no_answer(void **state)
{
    (void)state;
    assert_ends(model_fixture_use_ollama,
                (struct mock_answer){ .body = "{\"message\":{\"content\":\"\"},\"done\":true,"
                                              "\"done_reason\":\"load\"}\n" },
                ERR_UNAVAILABLE, "without its end marker", "");
}

static void an_endless_answer_is_cut(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_ollama(&f);
    f.settings.model_max_response_bytes = 4096;
    f.first_token_ms = 2000;
    model_fixture_answer(
        &f,
        (struct mock_answer){ .body = "{\"message\":{\"content\":\"more \"}}\n", .endless = true });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_LIMIT);
    assert_non_null(strstr(f.err.message, "longer than 4096 bytes"));
    assert_next_works(&f, model_fixture_use_ollama);
}

static void an_endless_stream_without_a_token_is_cut(void **state)
{
    (void)state;
    static char nothing[65536];
    memset(nothing, ' ', sizeof nothing - 1);
    memcpy(nothing, ": ping\n\n", 8);
    AUTO(model_fixture) f;
    model_fixture_use_openai(&f);
    f.settings.model_max_response_bytes = 4096;
    f.first_token_ms = 2000;
    nothing[sizeof nothing - 2] = '\n';
    model_fixture_answer(&f, (struct mock_answer){ .body = nothing, .endless = true });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_LIMIT);
    assert_non_null(strstr(f.err.message, "bytes came without a token"));
    assert_next_works(&f, model_fixture_use_openai);
}

static void an_event_has_its_bound(void **state)
{
    (void)state;
    size_t length = CHAT_STREAM_MAX_EVENT_BYTES + 65536;
    char *line = malloc(length + 1);
    assert_non_null(line);
    memset(line, 'x', length);
    memcpy(line, "data: {\"a\":\"", 12);
    line[length] = '\0';
    for (int dialect = 0; dialect < 2; dialect++) {
        use_fn *use = dialect ? model_fixture_use_openai : model_fixture_use_ollama;
        AUTO(model_fixture) f;
        use(&f);
        f.settings.model_max_response_bytes = 1024;
        f.first_token_ms = 2000;
        model_fixture_answer(&f, (struct mock_answer){ .body = line });
        assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_LIMIT);
        assert_next_works(&f, use);
    }
    free(line);
}

static void time_that_the_caller_had_too_little_of_is_not_blamed_on_the_model(void **state)
{
    (void)state;
    const struct mock_answer silences[] = { { .silent = true, .body = "" },
                                            { .silent = true, .body = SSE_TEXT } };
    for (size_t i = 0; i < ARRAY_LENGTH(silences); i++) {
        AUTO(model_fixture) f;
        model_fixture_use_openai(&f);
        model_fixture_answer(&f, silences[i]);
        f.scope.deadline_ms = now_ms(&f) + 100;
        assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_TIMEOUT);
        assert_non_null(strstr(f.err.message, ": out of time"));
        assert_null(strstr(f.err.message, "silent"));
        assert_string_equal(f.err.hint, "");
    }
}

static bool is_all(void *context)
{
    (void)context;
    return true;
}

static void an_end_that_does_not_come_costs_no_answer_that_is_complete(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_openai(&f);
    f.is_complete = is_all;
    model_fixture_answer(&f, (struct mock_answer){ .silent = true, .body = SSE_TEXT });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NONE);
    assert_int_equal(f.reply.stop, MODEL_STOP_EARLY);
    assert_string_equal(f.reply.text, "H\xc3\xa9llo");
    assert_next_works(&f, model_fixture_use_openai);
}

static void headers_that_drip_are_silence(void **state)
{
    (void)state;
    assert_both_end((struct mock_answer){ .raw = true,
                                          .body = "HTTP/1.1 200 OK\r\nX-A: b\r\nX-A: b\r\nX-A: b"
                                                  "\r\nX-A: b\r\nX-A: b\r\nX-A: b\r\nX-A: b\r\n",
                                          .piece = 3,
                                          .every_ms = 20 },
                    ERR_TIMEOUT, "no answer for 0.3 s", "first_token_timeout");
}

static void a_body_that_drips_is_waited_for_but_not_for_ever(void **state)
{
    (void)state;
    static const struct {
        use_fn *use;
        const char *body;
    } drips[] = { { model_fixture_use_ollama, " " },
                  { model_fixture_use_openai, "x" },
                  { model_fixture_use_openai, ": ping\n\n" } };
    for (size_t i = 0; i < ARRAY_LENGTH(drips); i++) {
        AUTO(model_fixture) f;
        drips[i].use(&f);
        f.first_token_ms = 80;
        model_fixture_answer(
            &f, (struct mock_answer){ .body = drips[i].body, .endless = true, .every_ms = 20 });
        assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_TIMEOUT);
        assert_non_null(strstr(f.err.message, "no token for 0.8 s, though the connection lives"));
        assert_next_works(&f, drips[i].use);
    }
}

static void signs_of_life_make_a_silence_longer(void **state)
{
    (void)state;
#define LONG_PING ": still evaluating the prompt, which is a long one, as it seems\n\n"
    AUTO(model_fixture) f;
    model_fixture_use_openai(&f);
    f.first_token_ms = 200;
    model_fixture_answer(
        &f, (struct mock_answer){
                .body = LONG_PING LONG_PING LONG_PING LONG_PING LONG_PING LONG_PING SSE,
                .piece = 64,
                .every_ms = 50 });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NONE);
}

static void a_redirect_is_not_followed(void **state)
{
    (void)state;
    const struct mock_request *requests;
    AUTO(model_fixture) f;
    model_fixture_use_openai(&f);
    model_fixture_answer(&f, (struct mock_answer){ .status = 307,
                                                   .header = "Location: http://127.0.0.1:1/x\r\n",
                                                   .body = "moved" });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_PROTOCOL);
    assert_non_null(strstr(f.err.hint, "redirects are not followed"));
    assert_int_equal(mock_endpoint_requests(f.endpoint, &requests), 2);
    assert_next_works(&f, model_fixture_use_openai);
}

static void refusals_have_their_classes(void **state)
{
    (void)state;
    assert_both_end((struct mock_answer){ .status = 401, .body = "{\"error\":\"no key\"}" },
                    ERR_AUTH, "status 401: no key", "OPENAI_API_KEY");
    assert_ends(
        model_fixture_use_ollama,
        (struct mock_answer){ .status = 404, .body = "{\"error\":\"model 'm' not found\"}" },
        ERR_NOT_FOUND, "status 404", "ollama pull");
    assert_ends(model_fixture_use_openai,
                (struct mock_answer){ .status = 404,
                                      .body = "{\"error\":{\"message\":\"The model `m` does not "
                                              "exist.\",\"type\":\"NotFoundError\"}}" },
                ERR_NOT_FOUND, "status 404", "-m NAME");
    assert_both_end((struct mock_answer){ .status = 429, .body = "{\"error\":\"overloaded\"}" },
                    ERR_UNAVAILABLE, "status 429: overloaded", "try again");
    assert_both_end((struct mock_answer){ .status = 500, .body = "\x1b[31m\n\xff" }, ERR_PROTOCOL,
                    "status 500: \\x1b[31m\\n\\xff", "");
}

static void waits_as_long_as_a_busy_server_asks(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_openai(&f);
    f.first_token_ms = 1500;
    model_fixture_answer(
        &f, (struct mock_answer){ .status = 429, .header = "Retry-After: 1\r\n", .body = "" });
    model_fixture_answer(&f, (struct mock_answer){ .body = SSE });
    int64_t start_ms = now_ms(&f);
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NONE);
    assert_in_range(now_ms(&f) - start_ms, 1000, MAX_MS);
}

static void waits_for_a_busy_server_no_longer_than_for_a_first_token(void **state)
{
    (void)state;
    static const char *const headers[] = { "Retry-After: 2\r\n", "Retry-After: 99999999999999\r\n",
                                           "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n",
                                           "Retry-After: -1\r\n", "Retry-After:\r\n" };
    for (size_t i = 0; i < ARRAY_LENGTH(headers); i++)
        assert_both_end((struct mock_answer){ .status = 503, .header = headers[i], .body = "busy" },
                        ERR_UNAVAILABLE, "status 503: busy", "try again");
}

static void a_busy_server_that_says_at_once_is_not_stormed(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    const struct mock_request *requests;
    model_fixture_use_openai(&f);
    f.first_token_ms = 700;
    model_fixture_answer(
        &f, (struct mock_answer){ .status = 429, .header = "Retry-After: 0\r\n", .body = "busy" });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_UNAVAILABLE);
    assert_in_range(mock_endpoint_requests(f.endpoint, &requests), 3, 4); /* the list, and twice */
}

static void a_server_that_does_not_stream_is_understood(void **state)
{
    (void)state;
    AUTO(model_fixture) f;
    model_fixture_use_openai(&f);
    model_fixture_answer(
        &f, (struct mock_answer){ .body = "{\n \"choices\": [{\"message\":{\"content\":\"all at "
                                          "once\"},\n \"finish_reason\":\"length\"}]}",
                                  .piece = 1 });
    assert_int_equal(model_fixture_run(&f, MODEL_CHAT), ERR_NONE);
    assert_string_equal(f.reply.text, "all at once");
    assert_int_equal(f.reply.stop, MODEL_STOP_LENGTH);
    assert_int_equal(f.tokens, 1);
}

static void a_name_may_be_hostile(void **state)
{
    (void)state;
    static const char name[] = "a\nb\x1b[2J\"; rm -rf ~";
    AUTO(model_fixture) f;
    model_fixture_use_ollama(&f);
    f.settings.model_name = name;
    assert_int_equal(model_fixture_run(&f, MODEL_CHECK), ERR_NOT_FOUND);
    assert_non_null(strstr(f.err.message, "a\\nb\\x1b[2J"));
    assert_null(strpbrk(f.err.message, "\n\x1b"));
    assert_null(strpbrk(f.err.hint, "\n\x1b;"));

    AUTO(model_fixture) g;
    model_fixture_init(&g);
    g.settings.model_name = name;
    g.model = openai_model_create(g.runtime, mock_endpoint_url(g.endpoint), &g.settings);
    mock_endpoint_add(g.endpoint, (struct mock_answer){ .path = "/v1/chat", .body = SSE });
    assert_int_equal(model_fixture_run(&g, MODEL_CHAT), ERR_NONE);
    const struct mock_request *requests;
    assert_int_equal(mock_endpoint_requests(g.endpoint, &requests), 2);
    json_auto_t *body = NULL;
    assert_int_equal(json_parse(requests[1].body, strlen(requests[1].body), JSON_OURS, &body, NULL),
                     ERR_NONE);
    assert_string_equal(json_get_string(body, "model"), name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_of_html_is_no_answer),
        cmocka_unit_test(plain_words_are_no_answer),
        cmocka_unit_test(half_a_chunk_is_a_lost_connection),
        cmocka_unit_test(a_200_may_be_an_error),
        cmocka_unit_test(an_error_may_come_in_the_middle),
        cmocka_unit_test(content_may_be_null_or_anything),
        cmocka_unit_test(invalid_utf8_is_mended),
        cmocka_unit_test(only_loading_is_no_answer),
        cmocka_unit_test(an_endless_answer_is_cut),
        cmocka_unit_test(an_endless_stream_without_a_token_is_cut),
        cmocka_unit_test(an_event_has_its_bound),
        cmocka_unit_test(time_that_the_caller_had_too_little_of_is_not_blamed_on_the_model),
        cmocka_unit_test(an_end_that_does_not_come_costs_no_answer_that_is_complete),
        cmocka_unit_test(headers_that_drip_are_silence),
        cmocka_unit_test(a_body_that_drips_is_waited_for_but_not_for_ever),
        cmocka_unit_test(signs_of_life_make_a_silence_longer),
        cmocka_unit_test(a_redirect_is_not_followed),
        cmocka_unit_test(refusals_have_their_classes),
        cmocka_unit_test(waits_as_long_as_a_busy_server_asks),
        cmocka_unit_test(waits_for_a_busy_server_no_longer_than_for_a_first_token),
        cmocka_unit_test(a_busy_server_that_says_at_once_is_not_stormed),
        cmocka_unit_test(a_server_that_does_not_stream_is_understood),
        cmocka_unit_test(a_name_may_be_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
