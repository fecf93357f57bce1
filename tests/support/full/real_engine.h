/* A real llama.cpp behind the model port, for tests that a scripted model would only flatter: the
 * npm server of tests/engine/serve.mjs (MISTRO_ENGINE names the folder it is installed in), or a
 * llama-server (MISTRO_LLAMA_SERVER names the program), on the tiny model with random weights and
 * the real vocabulary. It is started as model.launch starts it. What it says is arbitrary. */
#ifndef TESTS_SUPPORT_FULL_REAL_ENGINE_H
#define TESTS_SUPPORT_FULL_REAL_ENGINE_H

#include "application/structured/engine.h"
#include "infrastructure/models/endpoint/model_create.h"
#include "infrastructure/models/launch/launched_server.h"
#include "infrastructure/runtime/uv_runtime.h"

struct real_engine {
    struct uv_runtime *runtime;
    struct settings settings; /* of every model that is opened after a change */
    struct launched_server *server;
    struct model *model; /* as the settings say; NULL until real_engine_open */
    struct engine engine;
    struct journal journal;
    struct observer events; /* counts them by kind */
    size_t n_events[EVENT_WARNING + 1];
    struct scope scope;
    struct arena arena;
    struct err err;
    bool is_llama_server;
    const char *words[24];
    task_fn *script;
    void *test;
};

/* False when neither variable is set: then the test is skipped (exit status 77). */
bool real_engine_init(struct real_engine *engine);
/* Runs script(runtime, scope, test) as a task with the server running, and ends the server. */
enum err_code real_engine_run(struct real_engine *engine, task_fn *script, void *test);
/* (Re)opens model and engine by the settings; on a task. */
awaits MUST_CHECK enum err_code real_engine_open(struct real_engine *engine, struct err *err);
/* GET of any route of the server; *out_json in the arena, NULL where the answer is no JSON. */
awaits MUST_CHECK enum err_code real_engine_get(struct real_engine *engine, const char *path,
                                                const json_t **out_json, struct err *err);
int64_t real_engine_now_ms(struct real_engine *engine);
void real_engine_finish(struct real_engine *engine);

/* For cmocka: real_engine_init and real_engine_finish. */
int real_engine_set_up(void **state);
int real_engine_tear_down(void **state);

#endif
