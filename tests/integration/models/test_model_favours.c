/* What an endpoint does besides answering, and what it is spared: counting, warming up, templates
 * without a system role. */

#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/model_fixture.h"
#include <string.h>

#define SSE_CACHED                                                                                 \
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"                          \
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":26,\"completion_tokens\":0},"              \
    "\"timings\":{\"cache_n\":21,\"prompt_n\":5}}\n\n"                                             \
    "data: [DONE]\n\n"
#define NO_SYSTEM "{\"error\":{\"code\":400,\"message\":\"System role not supported\"}}"
#define MUST_ALTERNATE                                                                             \
    "{\"error\":{\"message\":\"After the optional system message, conversation roles must "        \
    "alternate user/assistant\"}}"

/* One thing that is asked of a model, as a task. */
struct favour {
    struct model_fixture f;
    bool warms;     /* else counts */
    bool chats_too; /* a request comes while it is being warmed */
    bool checks_too;
    int64_t tokens;
    enum err_code result, chatted, checked;
};

static enum err_code chat_beside(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct favour *favour = argument;
    const struct model_part text = { MODEL_TEXT, "Hello", NULL };
    const struct model_message message = { MODEL_USER, &text, 1 };
    const struct model_request request = { .purpose = "answer",
                                           .messages = &message,
                                           .n_messages = 1,
                                           .max_tokens = 10,
                                           .seed = -1,
                                           .first_token_ms = 2000,
                                           .silence_ms = 2000 };
    enum err_code r = runtime_sleep(runtime, scope, 30, NULL); /* the warm-up is on its way */
    favour->chatted =
        r ? r
          : model_chat(favour->f.model, scope, &request, &favour->f.arena, &favour->f.reply, NULL);
    return ERR_NONE;
}

static enum err_code check_beside(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct favour *favour = argument;
    struct model_status status;
    enum err_code r = runtime_sleep(runtime, scope, 30, NULL);
    favour->checked =
        r ? r : model_check(favour->f.model, scope, &favour->f.arena, &status, &favour->f.err);
    return ERR_NONE;
}

static enum err_code do_it(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct favour *favour = argument;
    struct model *model = favour->f.model;
    task_fn *beside = favour->chats_too ? chat_beside : favour->checks_too ? check_beside : NULL;
    struct task *task = beside ? runtime_spawn(runtime, scope, beside, favour) : NULL;
    favour->result = favour->warms ? model_warm(model, scope, "You plan.", &favour->f.err)
                                   : model_count_tokens(model, scope, "Hello world",
                                                        &favour->tokens, &favour->f.err);
    if (task)
        (void)runtime_wait(runtime, task);
    return ERR_NONE;
}

static void run(struct favour *favour)
{
    (void)uv_runtime_run(favour->f.runtime, &favour->f.scope, do_it, favour);
}

static void favour_finish(struct favour *favour)
{
    model_fixture_finish(&favour->f);
}

/* The body of the last request to a path that contains the word. */
static json_t *last_body(const struct favour *favour, const char *word)
{
    const struct mock_request *requests;
    size_t n = mock_endpoint_requests(favour->f.endpoint, &requests);
    json_t *body = NULL;
    while (n-- > 0 && !body)
        if (strstr(requests[n].path, word))
            assert_int_equal(
                json_parse(requests[n].body, strlen(requests[n].body), JSON_OURS, &body, NULL), 0);
    return body;
}

static void a_llama_server_counts(void **state)
{
    (void)state;
    AUTO(favour) favour = { 0 };
    model_fixture_use_openai(&favour.f);
    model_fixture_answer(&favour.f, (struct mock_answer){ .path = "/tokenize",
                                                          .body = "{\"tokens\":[1,22557,1526]}" });
    run(&favour);
    assert_int_equal(favour.result, ERR_NONE);
    assert_int_equal(favour.tokens, 3);
    json_auto_t *body = last_body(&favour, "/tokenize");
    assert_string_equal(json_get_string(body, "content"), "Hello world");
}

static void a_vllm_counts_in_its_own_words(void **state)
{
    (void)state;
    AUTO(favour) favour = { 0 };
    model_fixture_init(&favour.f);
    model_fixture_answer(
        &favour.f, (struct mock_answer){ .path = "/v1/models",
                                         .body = "{\"data\":[{\"id\":\"mistral:7b\",\"owned_by\":"
                                                 "\"vllm\",\"max_model_len\":4096}]}" });
    model_fixture_answer(
        &favour.f,
        (struct mock_answer){ .path = "/tokenize", .body = "{\"count\":7,\"tokens\":[1,2]}" });
    favour.f.model = openai_model_create(favour.f.runtime, mock_endpoint_url(favour.f.endpoint),
                                         &favour.f.settings);
    run(&favour);
    assert_int_equal(favour.tokens, 7);
    json_auto_t *body = last_body(&favour, "/tokenize");
    assert_string_equal(json_get_string(body, "prompt"), "Hello world");
    assert_string_equal(json_get_string(body, "model"), "mistral:7b");
}

static void others_cannot_count_and_are_not_asked(void **state)
{
    (void)state;
    AUTO(favour) favour = { 0 };
    model_fixture_use_ollama(&favour.f);
    run(&favour);
    assert_int_equal(favour.result, ERR_FAILED);
    assert_null(last_body(&favour, "/tokenize"));
}

static void an_answer_without_a_count_is_none(void **state)
{
    (void)state;
    const struct mock_answer answers[] = { { .path = "/tokenize", .body = "{\"tokens\":7}" },
                                           { .path = "/tokenize", .body = "<html>" },
                                           { .path = "/tokenize", .status = 404, .body = "{}" } };
    for (size_t i = 0; i < ARRAY_LENGTH(answers); i++) {
        AUTO(favour) favour = { 0 };
        model_fixture_use_openai(&favour.f);
        model_fixture_answer(&favour.f, answers[i]);
        run(&favour);
        assert_int_equal(favour.result, ERR_FAILED);
    }
}

static void warming_up_evaluates_the_system_text_and_makes_no_answer(void **state)
{
    (void)state;
    AUTO(favour) favour = { .warms = true };
    model_fixture_use_openai(&favour.f);
    model_fixture_answer(&favour.f, (struct mock_answer){ .body = SSE_CACHED });
    run(&favour);
    assert_int_equal(favour.result, ERR_NONE);
    json_auto_t *body = last_body(&favour, "/chat");
    assert_int_equal(json_get_int(body, "max_tokens", -1), 0);
    const json_t *first = json_array_get(json_object_get(body, "messages"), 0);
    assert_string_equal(json_get_string(first, "content"), "You plan.");
}

static void warming_up_ollama_keeps_the_model_with_the_options_of_every_request(void **state)
{
    (void)state;
    AUTO(favour) favour = { .warms = true };
    model_fixture_use_ollama(&favour.f);
    model_fixture_answer(&favour.f, (struct mock_answer){ .body = NDJSON });
    run(&favour);
    assert_int_equal(favour.result, ERR_NONE);
    json_auto_t *body = last_body(&favour, "/chat");
    const json_t *options = json_object_get(body, "options");
    assert_int_equal(json_get_int(options, "num_predict", -1), 1);
    assert_int_equal(json_get_int(options, "num_ctx", -1), favour.f.settings.model_context_tokens);
    assert_string_equal(json_get_string(body, "keep_alive"), "30m");
}

static void an_endpoint_of_unknown_kind_is_not_warmed(void **state)
{
    (void)state;
    AUTO(favour) favour = { .warms = true };
    model_fixture_init(&favour.f);
    model_fixture_answer(&favour.f,
                         (struct mock_answer){ .path = "/v1/models",
                                               .body = "{\"data\":[{\"id\":\"mistral:7b\"}]}" });
    favour.f.model = openai_model_create(favour.f.runtime, mock_endpoint_url(favour.f.endpoint),
                                         &favour.f.settings);
    run(&favour);
    assert_int_equal(favour.result, ERR_NONE);
    assert_null(last_body(&favour, "/chat"));
}

static void a_request_ends_the_warming_up_and_is_answered(void **state)
{
    (void)state;
    AUTO(favour) favour = { .warms = true, .chats_too = true };
    model_fixture_use_openai(&favour.f);
    model_fixture_answer(&favour.f, (struct mock_answer){ .body = ": ping\n\n", .silent = true });
    model_fixture_answer(&favour.f, (struct mock_answer){ .body = SSE });
    run(&favour);
    assert_int_equal(favour.result, ERR_CANCELLED);
    assert_int_equal(favour.chatted, ERR_NONE);
    assert_string_equal(favour.f.reply.text, "H\xc3\xa9llo");
    assert_int_equal(mock_endpoint_hung_up(favour.f.endpoint), 1);
}

static void a_look_at_the_model_ends_the_warming_up_that_looks_at_it_too(void **state)
{
    (void)state;
    AUTO(favour) favour = { .warms = true, .checks_too = true };
    model_fixture_init(&favour.f);
    model_fixture_answer(&favour.f,
                         (struct mock_answer){ .path = "/v1/models", .body = " ", .silent = true });
    model_fixture_answer(&favour.f,
                         (struct mock_answer){ .path = "/v1/models",
                                               .body = "{\"data\":[{\"id\":\"mistral:7b\"}]}" });
    favour.f.model = openai_model_create(favour.f.runtime, mock_endpoint_url(favour.f.endpoint),
                                         &favour.f.settings);
    run(&favour);
    assert_int_equal(favour.result, ERR_CANCELLED);
    assert_int_equal(favour.checked, ERR_NONE);
    assert_null(last_body(&favour, "/chat"));
    assert_int_equal(mock_endpoint_hung_up(favour.f.endpoint), 1);
}

static void the_timings_of_a_llama_server_tell_what_was_cached(void **state)
{
    (void)state;
    AUTO(favour) favour = { 0 };
    model_fixture_use_openai(&favour.f);
    model_fixture_answer(&favour.f, (struct mock_answer){ .body = SSE_CACHED });
    assert_int_equal(model_fixture_run(&favour.f, MODEL_CHAT), ERR_NONE);
    assert_int_equal(favour.f.reply.cached_tokens, 21);
}

static void a_template_without_a_system_role_gets_its_text_from_the_user(void **state)
{
    (void)state;
    AUTO(favour) favour = { 0 };
    model_fixture_use_openai(&favour.f);
    model_fixture_answer(&favour.f, (struct mock_answer){ .status = 400, .body = NO_SYSTEM });
    model_fixture_answer(&favour.f, (struct mock_answer){ .body = SSE, .times = 2 });
    assert_int_equal(model_fixture_run(&favour.f, MODEL_CHAT), ERR_NONE);
    assert_int_equal(model_fixture_run(&favour.f, MODEL_CHAT), ERR_NONE);
    json_auto_t *body = last_body(&favour, "/chat");
    const json_t *messages = json_object_get(body, "messages");
    assert_int_equal(json_array_size(messages), 1);
    assert_string_equal(json_get_string(json_array_get(messages, 0), "content"),
                        "Be brief.\n\nSay hello.");
    const struct mock_request *requests;
    assert_int_equal(mock_endpoint_requests(favour.f.endpoint, &requests), 4); /* a list, three */
}

static void a_template_that_refuses_both_is_an_error(void **state)
{
    (void)state;
    AUTO(favour) favour = { 0 };
    model_fixture_use_openai(&favour.f);
    model_fixture_answer(&favour.f,
                         (struct mock_answer){ .status = 400, .body = MUST_ALTERNATE, .times = 2 });
    assert_int_equal(model_fixture_run(&favour.f, MODEL_CHAT), ERR_INVALID);
    assert_non_null(strstr(favour.f.err.message, "must alternate"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_llama_server_counts),
        cmocka_unit_test(a_vllm_counts_in_its_own_words),
        cmocka_unit_test(others_cannot_count_and_are_not_asked),
        cmocka_unit_test(an_answer_without_a_count_is_none),
        cmocka_unit_test(warming_up_evaluates_the_system_text_and_makes_no_answer),
        cmocka_unit_test(warming_up_ollama_keeps_the_model_with_the_options_of_every_request),
        cmocka_unit_test(an_endpoint_of_unknown_kind_is_not_warmed),
        cmocka_unit_test(a_request_ends_the_warming_up_and_is_answered),
        cmocka_unit_test(a_look_at_the_model_ends_the_warming_up_that_looks_at_it_too),
        cmocka_unit_test(the_timings_of_a_llama_server_tell_what_was_cached),
        cmocka_unit_test(a_template_without_a_system_role_gets_its_text_from_the_user),
        cmocka_unit_test(a_template_that_refuses_both_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
