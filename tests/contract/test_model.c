/* What every model owes whoever asks it, whichever it is: the fake of unit tests, a script, Ollama,
 * a chat completions server. */

#include "infrastructure/models/endpoint/model_create.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_model.h"
#include "tests/support/full/mock_endpoint.h"
#include "tests/support/full/model_fixture.h"
#include "tests/support/immediate_runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NDJSON_TOKEN "{\"message\":{\"content\":\"%s\"},\"done\":false}\n"
#define SSE_TOKEN "data: {\"choices\":[{\"delta\":{\"content\":\"%s\"}}]}\n\n"

enum kind { FAKE, SCRIPT, OLLAMA, OPENAI, KINDS };
enum behaviour { ANSWERS, IS_CUT_OFF, FAILS };
enum action { DO_CHAT, DO_CHECK, DO_LIST };

static const char first[] = "The first half and ", second[] = "the second.";
static const char whole[] = "The first half and the second.";

struct subject {
    enum kind kind;
    struct uv_runtime *uv; /* of the adapters that wait for sockets */
    struct mock_endpoint *endpoint;
    struct immediate_runtime immediate;
    struct fake_model *fake; /* too large for a frame */
    struct settings settings;
    struct model *model;
    char body[2048];
    /* What is asked, and what came. */
    enum action action;
    struct scope scope;
    struct arena arena;
    struct err err;
    char shown[256];
    bool enough;
    struct model_reply reply;
    struct model_status status;
    const char **names;
    size_t n_names;
};

static void open_fake(struct subject *s, enum behaviour behaviour)
{
    s->fake = calloc(1, sizeof *s->fake);
    fake_model_init(s->fake, &s->immediate.port);
    fake_model_push(
        s->fake,
        (struct fake_reply){ .text = whole,
                             .stop = behaviour == IS_CUT_OFF ? MODEL_STOP_LENGTH : MODEL_STOP_END,
                             .fails = behaviour == FAILS ? ERR_UNAVAILABLE : ERR_NONE,
                             .after_bytes = behaviour == FAILS ? 5 : 0 });
    s->model = &s->fake->base;
}

static void open_script(struct subject *s, enum behaviour behaviour)
{
    snprintf(s->body, sizeof s->body, "{\"reply\":\"%s\",\"stop\":\"%s\"%s}\n", whole,
             behaviour == IS_CUT_OFF ? "length" : "end",
             behaviour == FAILS ? ",\"error\":\"unavailable\"" : "");
    assert_int_equal(scripted_model_create(&s->immediate.port, "script", s->body, strlen(s->body),
                                           &s->model, &s->err),
                     ERR_NONE);
}

static void add(struct subject *s, const char *path, const char *body)
{
    mock_endpoint_add(s->endpoint, (struct mock_answer){ .path = path, .body = body, .piece = 11 });
}

static void open_ollama(struct subject *s, enum behaviour behaviour)
{
    int n = snprintf(s->body, sizeof s->body, NDJSON_TOKEN, first);
    if (behaviour != FAILS) {
        n += snprintf(s->body + n, sizeof s->body - (size_t)n, NDJSON_TOKEN, second);
        snprintf(s->body + n, sizeof s->body - (size_t)n,
                 "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"%s\"}\n",
                 behaviour == IS_CUT_OFF ? "length" : "stop");
    }
    add(s, "/api/tags", "{\"models\":[{\"name\":\"mistral:7b\"}]}");
    add(s, "/api/chat", s->body);
    s->model = ollama_model_create(s->uv, mock_endpoint_url(s->endpoint), &s->settings);
}

static void open_openai(struct subject *s, enum behaviour behaviour)
{
    int n = snprintf(s->body, sizeof s->body, SSE_TOKEN, first);
    if (behaviour != FAILS) {
        n += snprintf(s->body + n, sizeof s->body - (size_t)n, SSE_TOKEN, second);
        snprintf(s->body + n, sizeof s->body - (size_t)n,
                 "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"%s\"}]}\n\n"
                 "data: [DONE]\n\n",
                 behaviour == IS_CUT_OFF ? "length" : "stop");
    }
    add(s, "/v1/models", "{\"data\":[{\"id\":\"mistral:7b\"}]}");
    add(s, "/v1/chat/completions", s->body);
    s->model = openai_model_create(s->uv, mock_endpoint_url(s->endpoint), &s->settings);
}

static void subject_open(struct subject *s, enum kind kind, enum behaviour behaviour)
{
    *s = (struct subject){ .kind = kind,
                           .immediate = immediate_runtime(),
                           .scope = scope_child(NULL, SCOPE_NO_DEADLINE) };
    settings_init(&s->settings);
    if (kind == OLLAMA || kind == OPENAI) {
        s->uv = uv_runtime_create();
        s->endpoint = mock_endpoint_create(s->uv);
    }
    void (*const opens[KINDS])(struct subject *, enum behaviour) = {
        [FAKE] = open_fake, [SCRIPT] = open_script, [OLLAMA] = open_ollama, [OPENAI] = open_openai
    };
    opens[kind](s, behaviour);
}

static void subject_finish(struct subject *s)
{
    model_destroy(s->model);
    free(s->fake);
    if (s->endpoint)
        mock_endpoint_destroy(s->endpoint);
    uv_runtime_destroy(s->uv);
    arena_finish(&s->arena);
}

static bool watch(void *context, const char *text, size_t length)
{
    struct subject *s = context;
    size_t used = strlen(s->shown);
    snprintf(s->shown + used, sizeof s->shown - used, "%.*s", (int)length, text);
    return !s->enough;
}

static enum err_code act(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct subject *s = argument;
    const struct model_part part = { MODEL_TEXT, "Speak.", NULL };
    const struct model_message message = { MODEL_USER, &part, 1 };
    const struct model_request request = { .purpose = "answer",
                                           .messages = &message,
                                           .n_messages = 1,
                                           .max_tokens = 10,
                                           .seed = -1,
                                           .first_token_ms = 5000,
                                           .silence_ms = 5000,
                                           .on_token = watch,
                                           .context = s };
    (void)runtime;
    if (s->action == DO_CHECK)
        return model_check(s->model, scope, &s->arena, &s->status, &s->err);
    if (s->action == DO_LIST)
        return model_list(s->model, scope, &s->arena, &s->names, &s->n_names, &s->err);
    return model_chat(s->model, scope, &request, &s->arena, &s->reply, &s->err);
}

static enum err_code run(struct subject *s, enum action action)
{
    s->action = action;
    return s->uv ? uv_runtime_run(s->uv, &s->scope, act, s) : act(&s->immediate.port, &s->scope, s);
}

#define FOR_EACH_KIND(kind) for (enum kind kind = FAKE; kind < KINDS; kind++)

static void streams_what_it_then_gives_as_a_whole(void **state)
{
    (void)state;
    FOR_EACH_KIND(kind)
    {
        AUTO(subject) s;
        subject_open(&s, kind, ANSWERS);
        assert_int_equal(run(&s, DO_CHAT), ERR_NONE);
        assert_string_equal(s.reply.text, whole);
        assert_string_equal(s.shown, whole);
        assert_int_equal(s.reply.stop, MODEL_STOP_END);
        assert_non_null(s.reply.model);
        assert_true(s.reply.duration_ms >= 0);
    }
}

static void says_that_the_budget_ended(void **state)
{
    (void)state;
    FOR_EACH_KIND(kind)
    {
        AUTO(subject) s;
        subject_open(&s, kind, IS_CUT_OFF);
        assert_int_equal(run(&s, DO_CHAT), ERR_NONE);
        assert_int_equal(s.reply.stop, MODEL_STOP_LENGTH);
    }
}

static void stops_when_the_watcher_has_enough(void **state)
{
    (void)state;
    FOR_EACH_KIND(kind)
    {
        AUTO(subject) s;
        subject_open(&s, kind, ANSWERS);
        s.enough = true;
        assert_int_equal(run(&s, DO_CHAT), ERR_NONE);
        assert_int_equal(s.reply.stop, MODEL_STOP_EARLY);
        assert_string_equal(s.reply.text, s.shown);
        assert_true(strlen(s.shown) < strlen(whole));
        assert_memory_equal(s.shown, whole, strlen(s.shown));
    }
}

static void makes_no_answer_out_of_a_failure(void **state)
{
    (void)state;
    FOR_EACH_KIND(kind)
    {
        AUTO(subject) s;
        subject_open(&s, kind, FAILS);
        assert_int_equal(run(&s, DO_CHAT), ERR_UNAVAILABLE);
        assert_null(s.reply.text);
        assert_true(s.err.message[0] != '\0');
    }
}

static void asks_nothing_once_the_scope_has_ended(void **state)
{
    (void)state;
    FOR_EACH_KIND(kind)
    {
        AUTO(subject) s;
        subject_open(&s, kind, ANSWERS);
        s.scope.cancelled = true;
        assert_int_equal(run(&s, DO_CHAT), ERR_CANCELLED);
        assert_null(s.reply.text);
        assert_string_equal(s.shown, "");
    }
}

static void lists_the_model_it_says_it_uses(void **state)
{
    (void)state;
    FOR_EACH_KIND(kind)
    {
        AUTO(subject) s;
        subject_open(&s, kind, ANSWERS);
        assert_int_equal(run(&s, DO_CHECK), ERR_NONE);
        assert_int_equal(run(&s, DO_LIST), ERR_NONE);
        assert_int_equal(s.n_names, 1);
        assert_string_equal(s.names[0], s.status.model);
        assert_true(s.status.kind && s.status.base_url && s.status.requested && s.status.reason);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_what_it_then_gives_as_a_whole),
        cmocka_unit_test(says_that_the_budget_ended),
        cmocka_unit_test(stops_when_the_watcher_has_enough),
        cmocka_unit_test(makes_no_answer_out_of_a_failure),
        cmocka_unit_test(asks_nothing_once_the_scope_has_ended),
        cmocka_unit_test(lists_the_model_it_says_it_uses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
