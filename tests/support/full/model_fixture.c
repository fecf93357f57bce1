#include "tests/support/full/model_fixture.h"
#include <string.h>

bool model_fixture_count(void *context, const char *text, size_t length)
{
    struct model_fixture *f = context;
    f->tokens++;
    if (strlen(f->shown) + length < sizeof f->shown)
        strncat(f->shown, text, length);
    return true;
}

static enum err_code chat(struct model_fixture *f, struct scope *scope, struct model_reply *out)
{
    const struct model_part system = { MODEL_TEXT, "Be brief.", NULL };
    const struct model_part user[] = { { MODEL_TEXT, "Say hello.", NULL },
                                       f->image ? *f->image : (struct model_part){ 0 } };
    const struct model_message messages[] = { { MODEL_SYSTEM, &system, 1 },
                                              { MODEL_USER, user, f->image ? 2 : 1 } };
    const struct model_request request = { .purpose = "answer",
                                           .messages = messages,
                                           .n_messages = 2,
                                           .schema = f->schema,
                                           .temperature = f->temperature,
                                           .max_tokens = 100,
                                           .seed = 7,
                                           .first_token_ms = f->first_token_ms,
                                           .silence_ms = 200,
                                           .on_token = f->on_token,
                                           .is_complete = f->is_complete,
                                           .context = f };
    return model_chat(f->model, scope, &request, &f->arena, out, &f->err);
}

static enum err_code second_chat(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct model_fixture *f = argument;
    (void)runtime;
    return chat(f, scope, &f->second);
}

static enum err_code act(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct model_fixture *f = argument;
    if (f->action == MODEL_FIND)
        return model_endpoint_find(f->runtime, scope, &f->settings, &f->arena, &f->found,
                                   f->is_unheard ? NULL : &f->err);
    const char **names;
    size_t n;
    if (f->action == MODEL_LISTS)
        return model_list(f->model, scope, &f->arena, &names, &n, &f->err);
    if (f->action == MODEL_CHECK)
        return model_check(f->model, scope, &f->arena, &f->status, &f->err);
    if (f->action == MODEL_CHAT)
        return chat(f, scope, &f->reply);
    struct task *second = runtime_spawn(runtime, scope, second_chat, f);
    enum err_code r = chat(f, scope, &f->reply), other = runtime_wait(runtime, second);
    return r ? r : other;
}

void model_fixture_init(struct model_fixture *f)
{
    *f = (struct model_fixture){ .scope = scope_child(NULL, SCOPE_NO_DEADLINE),

                                 .first_token_ms = 300,
                                 .temperature = 0.5,
                                 .on_token = model_fixture_count };
    f->runtime = uv_runtime_create();
    f->endpoint = mock_endpoint_create(f->runtime);
    settings_init(&f->settings);
}

static struct model *open_kind(struct uv_runtime *runtime, const char *kind, const char *base_url,
                               const struct settings *settings)
{
    const struct endpoint endpoint = {
        .base_url = base_url, .kind = kind, .version = "", .context_tokens = -1
    };
    return endpoint_model_open(runtime, &endpoint, settings, /* memory= */ NULL);
}

struct model *ollama_model_create(struct uv_runtime *runtime, const char *base_url,
                                  const struct settings *settings)
{
    return open_kind(runtime, "ollama", base_url, settings);
}

struct model *openai_model_create(struct uv_runtime *runtime, const char *base_url,
                                  const struct settings *settings)
{
    return open_kind(runtime, "openai", base_url, settings);
}

void model_fixture_use_ollama(struct model_fixture *f)
{
    model_fixture_init(f);
    mock_endpoint_add(
        f->endpoint,
        (struct mock_answer){ .path = "/api/tags", .body = TAGS, .times = MOCK_ENDPOINT_MAX });
    mock_endpoint_add(
        f->endpoint,
        (struct mock_answer){ .path = "/api/show", .body = SHOW, .times = MOCK_ENDPOINT_MAX });
    f->model = ollama_model_create(f->runtime, mock_endpoint_url(f->endpoint), &f->settings);
}

void model_fixture_use_openai(struct model_fixture *f)
{
    model_fixture_init(f);
    mock_endpoint_add(
        f->endpoint,
        (struct mock_answer){ .path = "/v1/models", .body = LIST, .times = MOCK_ENDPOINT_MAX });
    f->model = openai_model_create(f->runtime, mock_endpoint_url(f->endpoint), &f->settings);
}

void model_fixture_finish(struct model_fixture *f)
{
    model_destroy(f->model);
    mock_endpoint_destroy(f->endpoint);
    uv_runtime_destroy(f->runtime);
    arena_finish(&f->arena);
}

enum err_code model_fixture_run(struct model_fixture *f, enum model_action action)
{
    f->action = action;
    return uv_runtime_run(f->runtime, &f->scope, act, f);
}

void model_fixture_answer(struct model_fixture *f, struct mock_answer answer)
{
    answer.path = answer.path ? answer.path : "/";
    mock_endpoint_add(f->endpoint, answer);
}
