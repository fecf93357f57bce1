/* The adapters of real endpoints against a scripted server on a loopback port. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "domain/base/json.h"
#include "infrastructure/models/models.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/full/mock_endpoint.h"
#include <stdio.h>
#include <string.h>

#define TAGS "{\"models\":[{\"name\":\"mistral:7b\"},{\"name\":\"other:latest\"}]}"
#define LIST                                                                                       \
    "{\"object\":\"list\",\"data\":[{\"id\":\"mistral:7b\",\"owned_by\":\"llamacpp\",\"meta\":{"   \
    "\"n_ctx\":4096}}]}"
#define NDJSON_END                                                                                 \
    "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\","                      \
    "\"prompt_eval_count\":26,\"eval_count\":3}\n"
#define NDJSON                                                                                     \
    "{\"message\":{\"role\":\"assistant\",\"content\":\"H\xc3\xa9l\"},\"done\":false}\n"           \
    "{\"message\":{\"role\":\"assistant\",\"content\":\"lo\"},\"done\":false}\n" NDJSON_END
#define SSE_TEXT                                                                                   \
    ": ping\n\ndata: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\n\n"    \
    "data: {\"choices\":[{\"delta\":{\"content\":\"H\xc3\xa9l\"}}]}\r\n\r\n"                       \
    "data: {\"choices\":[{\"delta\":{\"content\":\"lo\"}}]}\n\n"
#define SSE                                                                                        \
    SSE_TEXT "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"                 \
             "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":26,\"completion_tokens\":3,"      \
             "\"prompt_tokens_details\":{\"cached_tokens\":20}}}\n\n"                              \
             "data: [DONE]\n\n"

enum action { CHAT, CHECK, FIND, CHAT_TWICE };

struct fixture {
    struct uv_runtime *runtime;
    struct mock_endpoint *endpoint;
    struct settings settings;
    struct model *model;
    struct scope scope;
    struct arena arena;
    struct err err;
    enum action action;
    const json_t *schema;
    bool (*on_token)(void *context, const char *text, size_t length);
    struct model_reply reply, second;
    struct model_status status;
    struct endpoint found;
    size_t tokens;
    char shown[64];
};

static bool count_token(void *context, const char *text, size_t length)
{
    struct fixture *f = context;
    f->tokens++;
    if (strlen(f->shown) + length < sizeof f->shown)
        strncat(f->shown, text, length);
    return true;
}

static bool stop_at_once(void *context, const char *text, size_t length)
{
    return count_token(context, text, length) && false;
}

static bool cancel_at_once(void *context, const char *text, size_t length)
{
    struct fixture *f = context;
    runtime_cancel(uv_runtime_port(f->runtime), &f->scope);
    return count_token(context, text, length);
}

static enum err_code chat(struct fixture *f, struct scope *scope, struct model_reply *out)
{
    const struct model_part system = { MODEL_TEXT, "Be brief.", NULL };
    const struct model_part user = { MODEL_TEXT, "Say hello.", NULL };
    const struct model_message messages[] = { { MODEL_SYSTEM, &system, 1 },
                                              { MODEL_USER, &user, 1 } };
    const struct model_request request = { .purpose = "answer",
                                           .messages = messages,
                                           .n_messages = 2,
                                           .schema = f->schema,
                                           .temperature = 0.5,
                                           .max_tokens = 100,
                                           .seed = 7,
                                           .first_token_ms = 300,
                                           .silence_ms = 200,
                                           .on_token = f->on_token,
                                           .context = f };
    return model_chat(f->model, scope, &request, &f->arena, out, &f->err);
}

static enum err_code second_chat(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    (void)runtime;
    return chat(f, scope, &f->second);
}

static enum err_code act(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    if (f->action == FIND)
        return model_endpoint_find(f->runtime, scope, &f->settings, &f->arena, &f->found, &f->err);
    if (f->action == CHECK)
        return model_check(f->model, scope, &f->arena, &f->status, &f->err);
    if (f->action == CHAT)
        return chat(f, scope, &f->reply);
    struct task *second = runtime_spawn(runtime, scope, second_chat, f);
    enum err_code r = chat(f, scope, &f->reply), other = runtime_wait(runtime, second);
    return r ? r : other;
}

static void fixture_init(struct fixture *f)
{
    *f = (struct fixture){ .scope = scope_child(NULL, SCOPE_NO_DEADLINE), .on_token = count_token };
    f->runtime = uv_runtime_create();
    f->endpoint = mock_endpoint_create(f->runtime);
    settings_init(&f->settings);
}

static void use_ollama(struct fixture *f)
{
    fixture_init(f);
    mock_endpoint_add(f->endpoint, (struct mock_answer){ .path = "/api/tags", .body = TAGS });
    f->model = ollama_model_create(f->runtime, mock_endpoint_url(f->endpoint), &f->settings);
}

static void use_openai(struct fixture *f)
{
    fixture_init(f);
    mock_endpoint_add(f->endpoint, (struct mock_answer){ .path = "/v1/models", .body = LIST });
    f->model = openai_model_create(f->runtime, mock_endpoint_url(f->endpoint), &f->settings);
}

static void fixture_finish(struct fixture *f)
{
    model_destroy(f->model);
    mock_endpoint_destroy(f->endpoint);
    uv_runtime_destroy(f->runtime);
    arena_finish(&f->arena);
}

static enum err_code run(struct fixture *f, enum action action)
{
    f->action = action;
    return uv_runtime_run(f->runtime, &f->scope, act, f);
}

static void add_chat(struct fixture *f, struct mock_answer answer)
{
    answer.path = answer.path ? answer.path : "/";
    mock_endpoint_add(f->endpoint, answer);
}

static json_t *body_of(const struct fixture *f, size_t request)
{
    const struct mock_request *requests;
    size_t n = mock_endpoint_requests(f->endpoint, &requests);
    json_t *body = NULL;
    assert_true(request < n);
    assert_int_equal(
        json_parse(requests[request].body, strlen(requests[request].body), JSON_OURS, &body, NULL),
        ERR_NONE);
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
        AUTO(fixture) f;
        use_ollama(&f);
        add_chat(&f, (struct mock_answer){ .body = NDJSON, .piece = pieces[i] });
        assert_int_equal(run(&f, CHAT), ERR_NONE);
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
        AUTO(fixture) f;
        use_openai(&f);
        add_chat(&f, (struct mock_answer){ .body = SSE, .piece = pieces[i] });
        assert_int_equal(run(&f, CHAT), ERR_NONE);
        assert_string_equal(f.reply.text, "H\xc3\xa9llo");
        assert_int_equal(f.tokens, 2);
        assert_int_equal(f.reply.stop, MODEL_STOP_END);
        assert_int_equal(f.reply.cached_tokens, 20);
    }
}

static void asks_ollama_with_everything_said(void **state)
{
    (void)state;
    AUTO(fixture) f;
    use_ollama(&f);
    json_auto_t *schema = json_pack("{s:s, s:s}", "type", "object", "title", "x");
    f.schema = schema;
    add_chat(&f, (struct mock_answer){ .body = NDJSON });
    assert_int_equal(run(&f, CHAT), ERR_NONE);
    json_auto_t *body = body_of(&f, 1);
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
    AUTO(fixture) f;
    use_openai(&f);
    json_auto_t *schema = json_pack("{s:s}", "type", "object");
    f.schema = schema;
    add_chat(&f, (struct mock_answer){ .body = SSE });
    assert_int_equal(run(&f, CHAT), ERR_NONE);
    json_auto_t *body = body_of(&f, 1);
    assert_json(json_object_get(body, "response_format"),
                "{\"json_schema\":{\"name\":\"answer\",\"schema\":{\"type\":\"object\"},"
                "\"strict\":true},\"type\":\"json_schema\"}");
    assert_int_equal(json_get_int(body, "max_tokens", 0), 100);
}

static void asks_again_without_a_schema_that_is_refused(void **state)
{
    (void)state;
    AUTO(fixture) f;
    use_openai(&f);
    json_auto_t *schema = json_pack("{s:s}", "type", "object");
    f.schema = schema;
    add_chat(&f,
             (struct mock_answer){
                 .status = 400, .body = "{\"error\":{\"message\":\"JSON schema error at #/a\"}}" });
    add_chat(&f, (struct mock_answer){ .body = SSE });
    assert_int_equal(run(&f, CHAT), ERR_NONE);
    json_auto_t *body = body_of(&f, 2);
    assert_null(json_object_get(body, "response_format"));
}

static void says_length_when_the_budget_ended(void **state)
{
    (void)state;
    AUTO(fixture) f;
    use_ollama(&f);
    add_chat(&f, (struct mock_answer){ .body = "{\"message\":{\"content\":\"He\"},\"done\":true,"
                                               "\"done_reason\":\"length\"}\n" });
    assert_int_equal(run(&f, CHAT), ERR_NONE);
    assert_int_equal(f.reply.stop, MODEL_STOP_LENGTH);
}

static void assert_fails(void (*use)(struct fixture *f), struct mock_answer answer,
                         enum err_code code, const char *message)
{
    AUTO(fixture) f;
    use(&f);
    add_chat(&f, answer);
    assert_int_equal(run(&f, CHAT), code);
    if (!strstr(f.err.message, message))
        fail_msg("\"%s\" is not in \"%s\"", message, f.err.message);
    assert_non_null(strstr(f.err.message, "model endpoint http://127.0.0.1:"));
}

static void takes_a_stream_without_its_end_for_a_failure(void **state)
{
    (void)state;
    assert_fails(use_ollama, (struct mock_answer){ .body = "{\"message\":{\"content\":\"He\"}}\n" },
                 ERR_UNAVAILABLE, "ended without its end marker");
    assert_fails(use_openai, (struct mock_answer){ .body = SSE_TEXT }, ERR_UNAVAILABLE,
                 "ended without its end marker");
}

static void hands_on_an_error_in_the_middle_of_a_stream(void **state)
{
    (void)state;
    assert_fails(use_ollama,
                 (struct mock_answer){ .body = "{\"message\":{\"content\":\"He\"}}\n"
                                               "{\"error\":\"out of memory\"}\n" },
                 ERR_UNAVAILABLE, "it gave up: out of memory");
    assert_fails(use_openai,
                 (struct mock_answer){
                     .body = SSE_TEXT "data: {\"error\":{\"message\":\"boom\",\"code\":500}}\n\n" },
                 ERR_UNAVAILABLE, "it gave up: boom");
}

static void reads_every_shape_of_error_body(void **state)
{
    (void)state;
    assert_fails(use_ollama, (struct mock_answer){ .status = 400, .body = "{\"error\":\"bad\"}" },
                 ERR_INVALID, "status 400: bad");
    assert_fails(
        use_openai,
        (struct mock_answer){ .status = 401, .body = "{\"error\":{\"message\":\"no key\"}}" },
        ERR_AUTH, "status 401: no key");
    assert_fails(use_openai,
                 (struct mock_answer){ .status = 422, .body = "{\"message\":\"roles\"}" },
                 ERR_INVALID, "status 422: roles");
    assert_fails(use_openai, (struct mock_answer){ .status = 500, .body = "<html>\nno" },
                 ERR_PROTOCOL, "status 500: <html>\\nno");
    assert_fails(use_ollama,
                 (struct mock_answer){ .status = 503, .body = "{\"error\":\"server busy\"}" },
                 ERR_UNAVAILABLE, "server busy");
    assert_fails(use_openai, (struct mock_answer){ .body = "data: {\n\n" }, ERR_PROTOCOL,
                 "its stream is no JSON");
}

static void tells_a_full_context_from_a_bad_request(void **state)
{
    (void)state;
    assert_fails(use_openai,
                 (struct mock_answer){ .status = 400,
                                       .body = "{\"error\":{\"type\":\"exceed_context_size_error\","
                                               "\"message\":\"too many tokens\"}}" },
                 ERR_LIMIT, "too many tokens");
}

static void says_how_to_get_a_model_that_vanished(void **state)
{
    (void)state;
    AUTO(fixture) f;
    use_ollama(&f);
    add_chat(&f, (struct mock_answer){ .status = 404,
                                       .body = "{\"error\":\"model 'mistral:7b' not found\"}" });
    assert_int_equal(run(&f, CHAT), ERR_NOT_FOUND);
    assert_string_equal(f.err.hint, "get it with: ollama pull mistral:7b");
}

static void bounds_the_silence_before_and_after_the_first_token(void **state)
{
    (void)state;
    assert_fails(use_ollama, (struct mock_answer){ .body = "\n", .silent = true }, ERR_TIMEOUT,
                 "no answer for 0.3 s");
    assert_fails(
        use_ollama,
        (struct mock_answer){ .body = "{\"message\":{\"content\":\"He\"}}\n", .silent = true },
        ERR_TIMEOUT, "it fell silent in the middle of its answer: no answer for 0.2 s");
}

static void takes_a_reset_connection_for_unavailable(void **state)
{
    (void)state;
    assert_fails(use_openai, (struct mock_answer){ .body = "", .reset = true }, ERR_UNAVAILABLE,
                 "the connection was lost");
}

static void bounds_an_answer(void **state)
{
    (void)state;
    AUTO(fixture) f;
    use_ollama(&f);
    f.settings.model_max_response_bytes = 6;
    add_chat(&f, (struct mock_answer){ .body = NDJSON });
    assert_int_equal(run(&f, CHAT), ERR_NONE);
    f.settings.model_max_response_bytes = 5;
    assert_int_equal(run(&f, CHAT), ERR_LIMIT);
}

static void waits_while_the_model_is_being_loaded(void **state)
{
    (void)state;
    AUTO(fixture) f;
    use_openai(&f);
    add_chat(&f, (struct mock_answer){
                     .status = 503,
                     .body = "{\"error\":{\"message\":\"Loading model\",\"code\":503}}" });
    assert_int_equal(run(&f, CHAT), ERR_UNAVAILABLE); /* 300 ms are no time to load */
}

static enum err_code pause(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)argument;
    return runtime_sleep(runtime, scope, 20, NULL);
}

/* Lets the server see what the client did. */
static void settle(struct fixture *f)
{
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    assert_int_equal(uv_runtime_run(f->runtime, &scope, pause, NULL), ERR_NONE);
}

static void closes_the_connection_when_the_watcher_has_enough(void **state)
{
    (void)state;
    AUTO(fixture) f;
    use_openai(&f);
    f.on_token = stop_at_once;
    add_chat(&f, (struct mock_answer){ .body = SSE_TEXT, .silent = true });
    assert_int_equal(run(&f, CHAT), ERR_NONE);
    assert_int_equal(f.reply.stop, MODEL_STOP_EARLY);
    assert_string_equal(f.reply.text, "H\xc3\xa9l");
    settle(&f);
    assert_int_equal(mock_endpoint_hung_up(f.endpoint), 1);
}

static void closes_the_connection_when_it_is_cancelled(void **state)
{
    (void)state;
    AUTO(fixture) f;
    use_ollama(&f);
    f.on_token = cancel_at_once;
    add_chat(
        &f, (struct mock_answer){ .body = "{\"message\":{\"content\":\"He\"}}\n", .silent = true });
    assert_int_equal(run(&f, CHAT), ERR_CANCELLED);
    settle(&f);
    assert_int_equal(mock_endpoint_hung_up(f.endpoint), 1);
}

static void sends_one_request_at_a_time(void **state)
{
    (void)state;
    AUTO(fixture) f;
    use_ollama(&f);
    add_chat(&f, (struct mock_answer){ .body = NDJSON, .piece = 8, .times = 2 });
    assert_int_equal(run(&f, CHAT_TWICE), ERR_NONE);
    assert_string_equal(f.second.text, "H\xc3\xa9llo");
    assert_int_equal(mock_endpoint_most_at_once(f.endpoint), 1);
}

static void names_the_model_it_found_and_why(void **state)
{
    (void)state;
    AUTO(fixture) f;
    use_ollama(&f);
    assert_int_equal(run(&f, CHECK), ERR_NONE);
    assert_string_equal(f.status.model, "mistral:7b");
    assert_string_equal(f.status.requested, "mistral");
    assert_string_equal(f.status.reason, "alias mistral");
    assert_int_equal(f.status.context_tokens, 8192);
}

static void knows_a_llama_server_and_its_context(void **state)
{
    (void)state;
    AUTO(fixture) f;
    use_openai(&f);
    assert_int_equal(run(&f, CHECK), ERR_NONE);
    assert_string_equal(f.status.kind, "llama-server");
    assert_int_equal(f.status.context_tokens, 4096);
}

static void names_what_the_endpoint_has_instead(void **state)
{
    (void)state;
    AUTO(fixture) f;
    use_ollama(&f);
    f.settings.model_name = "mixtral";
    assert_int_equal(run(&f, CHECK), ERR_NOT_FOUND);
    assert_non_null(strstr(f.err.message, "has no model \"mixtral\"; it has: mistral:7b, other"));
    assert_string_equal(f.err.hint, "get it with: ollama pull mixtral");
}

static void says_how_to_start_what_refuses_connections(void **state)
{
    (void)state;
    AUTO(fixture) f;
    use_ollama(&f);
    model_destroy(f.model);
    f.model = ollama_model_create(f.runtime, "http://127.0.0.1:1", &f.settings);
    assert_int_equal(run(&f, CHECK), ERR_UNAVAILABLE);
    assert_string_equal(f.err.hint, "start it with: ollama serve");
}

static void sends_a_key_only_where_it_belongs(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    const struct mock_request *requests;
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/v1/models", .body = LIST });
    f.settings.model_api_key = "secret";
    f.model = openai_model_create(f.runtime, mock_endpoint_url(f.endpoint), &f.settings);
    assert_int_equal(run(&f, CHECK), ERR_NONE);
    model_destroy(f.model);
    char url[128];
    snprintf(url, sizeof url, "%s/v1/", mock_endpoint_url(f.endpoint));
    f.settings.model_base_url = url;
    f.model = openai_model_create(f.runtime, url, &f.settings);
    assert_int_equal(run(&f, CHECK), ERR_NONE);
    assert_int_equal(mock_endpoint_requests(f.endpoint, &requests), 2);
    assert_string_equal(requests[0].authorization, "");
    assert_string_equal(requests[1].authorization, "Bearer secret");
    assert_string_equal(requests[1].path, "/v1/models");
}

static void assert_finds(const char *path, const char *body, enum err_code code, const char *kind)
{
    AUTO(fixture) f;
    fixture_init(&f);
    f.settings.model_base_url = mock_endpoint_url(f.endpoint);
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = path, .body = body });
    assert_int_equal(run(&f, FIND), code);
    if (kind)
        assert_string_equal(f.found.kind, kind);
}

static void tells_the_dialect_by_the_shape_of_the_answers(void **state)
{
    (void)state;
    assert_finds("/api/version", "{\"version\":\"0.33.0\"}", ERR_NONE, "ollama");
    assert_finds("/v1/models", LIST, ERR_NONE, "openai");
    assert_finds("/", "{\"error\":\"Unexpected endpoint\"}", ERR_UNAVAILABLE, NULL);
    assert_finds("/", "<html>hello</html>", ERR_UNAVAILABLE, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_an_answer_of_ollama_in_any_pieces),
        cmocka_unit_test(streams_an_answer_of_a_chat_completions_server_in_any_pieces),
        cmocka_unit_test(asks_ollama_with_everything_said),
        cmocka_unit_test(nests_the_schema_for_chat_completions),
        cmocka_unit_test(asks_again_without_a_schema_that_is_refused),
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
        cmocka_unit_test(closes_the_connection_when_the_watcher_has_enough),
        cmocka_unit_test(closes_the_connection_when_it_is_cancelled),
        cmocka_unit_test(sends_one_request_at_a_time),
        cmocka_unit_test(names_the_model_it_found_and_why),
        cmocka_unit_test(knows_a_llama_server_and_its_context),
        cmocka_unit_test(names_what_the_endpoint_has_instead),
        cmocka_unit_test(says_how_to_start_what_refuses_connections),
        cmocka_unit_test(sends_a_key_only_where_it_belongs),
        cmocka_unit_test(tells_the_dialect_by_the_shape_of_the_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
