#include "infrastructure/models/endpoint/endpoint_model.h"
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/models/endpoint/constrained_chat.h"
#include "infrastructure/models/endpoint/endpoint_extras.h"
#include "infrastructure/models/endpoint/endpoint_kind.h"
#include "infrastructure/models/endpoint/endpoint_memory.h"
#include "infrastructure/models/endpoint/model_names.h"
#include "infrastructure/models/endpoint/schema_support.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdlib.h>
#include <string.h>

static struct endpoint_model *model_of(struct model *base)
{
    return (struct endpoint_model *)base;
}

struct endpoint_models endpoint_models_of(const json_t *entries, const char *key,
                                          struct arena *arena)
{
    size_t n = json_array_size(entries);
    struct endpoint_models models = { .names = arena_array(arena, const char *, n + 1),
                                      .has_list = json_is_array(entries),
                                      .entries = entries };
    for (size_t i = 0; i < n; i++) {
        const char *name = json_get_string(json_array_get(entries, i), key);
        if (name)
            models.names[models.n++] = name;
    }
    return models;
}

const json_t *endpoint_models_entry(const struct endpoint_models *models, const char *key,
                                    const char *name)
{
    for (size_t i = 0; i < json_array_size(models->entries); i++)
        if (text_equal(json_get_string(json_array_get(models->entries, i), key), name))
            return json_array_get(models->entries, i);
    return NULL;
}

/* wanted may be anything, a line break included; a person copies the hint into a shell. */
static enum err_code hint_for_missing(const struct endpoint_model *model, const char *wanted,
                                      enum err_code code, struct err *err)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/@+-";
    bool is_plain = wanted[0] != '-' && !wanted[strspn(wanted, plain)];
    if (model->dialect->get_hint && is_plain)
        return err_hint(err, code, "%s %s", model->dialect->get_hint, wanted);
    return err_hint(err, code, "name one that it has: -m NAME, or model_name");
}

static enum err_code no_such_model(const struct endpoint_model *model, const char *wanted,
                                   const char *has, struct err *err)
{
    enum { SHOWN_COLUMNS = 80 };
    AUTO(arena) arena = { 0 };
    const char *shown = text_one_line(&arena, wanted, strlen(wanted), SHOWN_COLUMNS);
    err_set(err, ERR_NOT_FOUND, 0, "model endpoint %s has no model \"%s\"; it has: %s",
            model->client.shown_url, shown, has);
    err_about(err, ERR_NOT_FOUND, "model");
    return hint_for_missing(model, wanted, ERR_NOT_FOUND, err);
}

/* The only one there, or NULL. Where "default" stands for it, it is listed twice. */
static const char *only_name(const struct endpoint_models *models)
{
    if (models->n == 2 && strcmp(models->names[0], "default") == 0)
        return models->names[1];
    return models->n == 1 ? models->names[0] : NULL;
}

/* out: the name that is meant, or the one that would be needed. */
static bool choose_name(const struct endpoint_model *model, const struct endpoint_models *models,
                        struct arena *arena, struct model_name *out)
{
    const struct settings *settings = model->client.settings;
    if (model_name_resolve(settings, models->names, models->n, arena, out))
        return true;
    if (!models->has_list) {
        *out = (struct model_name){ settings->model_name, "as written: no list to look it up" };
        return true;
    }
    const char *only = only_name(models);
    if (!model->dialect->only_model_is_meant || !only ||
        settings->origins[SETTING_model_name] != ORIGIN_DEFAULT)
        return false;
    *out = (struct model_name){ only, "the only model there" };
    return true;
}

/* A server that still loads its model cannot say yet what it has: that is silence before a first
 * token. */
awaits static enum err_code list_when_loaded(struct endpoint_model *model, struct scope *scope,
                                             struct arena *arena, struct endpoint_models *out,
                                             struct err *err)
{
    struct runtime *runtime = uv_runtime_port(model->client.runtime);
    const int64_t patience_s = model->client.settings->model_first_token_timeout_seconds;
    int64_t until_ms = runtime_now_ms(runtime) + 1000 * patience_s;
    for (;;) {
        model->is_loading = false;
        enum err_code r = model->dialect->list(model, scope, arena, out, err);
        bool waits = r && model->is_loading;
        if (!waits || runtime_now_ms(runtime) + CHAT_STREAM_LOADING_PAUSE_MS > until_ms)
            return r;
        struct scope pause = scope_child(scope, SCOPE_NO_DEADLINE);
        r = runtime_sleep(runtime, &pause, CHAT_STREAM_LOADING_PAUSE_MS, err);
        if (r)
            return r;
    }
}

enum err_code endpoint_model_resolve(struct endpoint_model *model, struct scope *scope,
                                     struct arena *arena, struct err *err)
{
    if (model->known)
        return ERR_NONE;
    struct endpoint_models models = { 0 };
    enum err_code r = list_when_loaded(model, scope, arena, &models, err);
    if (r)
        return r;
    struct model_name found;
    if (!choose_name(model, &models, arena, &found))
        return no_such_model(model, found.name, model_names_print(models.names, models.n, arena),
                             err);
    model->name = arena_strdup(&model->arena, found.name);
    model->reason = arena_strdup(&model->arena, found.reason);
    r = model->dialect->describe(model, scope, &models, err);
    model->known = r == ERR_NONE;
    return r;
}

awaits static enum err_code endpoint_model_check(struct model *base, struct scope *scope,
                                                 struct arena *arena, struct model_status *out,
                                                 struct err *err)
{
    struct endpoint_model *model = model_of(base);
    enum err_code r = endpoint_model_resolve(model, scope, arena, err);
    if (r)
        return r;
    *out = (struct model_status){ .kind = model->kind,
                                  .base_url = arena_strdup(arena, model->client.shown_url),
                                  .model = arena_strdup(arena, model->name),
                                  .requested = model->client.settings->model_name,
                                  .reason = arena_strdup(arena, model->reason),
                                  .context_tokens = model->context_tokens,
                                  .schema_support = schema_support_known(model),
                                  .sees = model->sees };
    return ERR_NONE;
}

awaits static enum err_code endpoint_model_list(struct model *base, struct scope *scope,
                                                struct arena *arena, const char ***out_names,
                                                size_t *out_n, struct err *err)
{
    struct endpoint_model *model = model_of(base);
    struct endpoint_models models = { 0 };
    enum err_code r = model->dialect->list(model, scope, arena, &models, err);
    if (r)
        return r;
    *out_names = models.names;
    *out_n = models.n;
    return ERR_NONE;
}

struct chat_style endpoint_model_style(const struct endpoint_model *model)
{
    bool real_turns = strcmp(model->client.settings->model_turns, "chat") == 0;
    return (struct chat_style){ .real_turns = real_turns, .no_system = model->refuses_system };
}

awaits static enum err_code send_once(struct endpoint_model *model, struct scope *scope,
                                      const struct model_request *request, const json_t *schema,
                                      struct arena *arena, struct chat_stream *stream,
                                      struct model_reply *out, struct err *err)
{
    const struct dialect *dialect = model->dialect;
    bool streams = model->client.settings->model_stream;
    *stream = (struct chat_stream){ .framing = streams ? dialect->framing : CHAT_WHOLE,
                                    .on_event = dialect->on_event };
    json_auto_t *body = dialect->body(model, request, schema, arena);
    if (!body)
        return err_set(err, ERR_INVALID, 0, "the prompt is not UTF-8");
    return chat_stream_run(stream, &model->client, scope, dialect->chat_path,
                           json_print_in(arena, body), request, arena, out, err);
}

/* A template that has no system role finds its text in the user's turn (X34). */
enum err_code endpoint_model_send(struct endpoint_model *model, struct scope *scope,
                                  const struct model_request *request, const json_t *schema,
                                  struct arena *arena, struct model_reply *out,
                                  const char **out_refusal, struct err *err)
{
    struct chat_stream stream;
    *out_refusal = NULL;
    enum err_code r = send_once(model, scope, request, schema, arena, &stream, out, err);
    if (r && stream.refuses_roles && !model->refuses_system) {
        model->refuses_system = true;
        r = send_once(model, scope, request, schema, arena, &stream, out, err);
        model->refuses_system = !(r && stream.refuses_roles);
    }
    if (r && schema)
        *out_refusal = stream.refusal;
    return r;
}

awaits static enum err_code chat_alone(struct endpoint_model *model, struct scope *scope,
                                       const struct model_request *request, struct arena *arena,
                                       struct model_reply *out, struct err *err)
{
    enum err_code r = endpoint_model_resolve(model, scope, arena, err);
    if (r)
        return r;
    r = constrained_chat(model, scope, request, arena, out, err);
    if (r == ERR_NOT_FOUND) { /* it was removed, or another was loaded, meanwhile */
        model->known = false;
        model->schema_support = MODEL_SCHEMA_UNKNOWN;
        model->asked_about_schemas = false;
        hint_for_missing(model, model->name, r, err);
    }
    if (r)
        return endpoint_client_explain(&model->client, r, err);
    out->model = arena_strdup(arena, model->name);
    out->counts_cached = endpoint_kind_counts_cached(model->kind);
    return ERR_NONE;
}

awaits static enum err_code endpoint_model_chat(struct model *base, struct scope *scope,
                                                const struct model_request *request,
                                                struct arena *arena, struct model_reply *out,
                                                struct err *err)
{
    struct endpoint_model *model = model_of(base);
    enum err_code r = task_lock_take(model->queue, model->client.runtime, scope, err);
    if (r)
        return r;
    r = chat_alone(model, scope, request, arena, out, err);
    task_lock_release(model->queue);
    return r;
}

static void endpoint_model_destroy(struct model *base)
{
    struct endpoint_model *model = model_of(base);
    endpoint_client_finish(&model->client);
    schema_quarantine_finish(&model->quarantine);
    arena_finish(&model->arena);
    free(model);
}

struct model *endpoint_model_create(const struct dialect *dialect, struct uv_runtime *runtime,
                                    const struct endpoint *endpoint,
                                    const struct settings *settings, struct endpoint_memory *memory)
{
    static const struct model_ops ops = { .check = endpoint_model_check,
                                          .list = endpoint_model_list,
                                          .chat = endpoint_model_chat,
                                          .count_tokens = endpoint_model_count_tokens,
                                          .warm = endpoint_model_warm,
                                          .destroy = endpoint_model_destroy };
    struct endpoint_model *model = calloc(1, sizeof *model);
    if (!model)
        abort();
    model->base.ops = &ops;
    model->dialect = dialect;
    model->endpoint = *endpoint;
    model->memory = memory;
    endpoint_client_init(&model->client, runtime, endpoint->base_url, settings);
    model->endpoint.base_url = model->client.base_url;
    model->queue =
        memory ? endpoint_memory_queue(memory, model->endpoint.base_url) : &model->own_queue;
    if (dialect->start_hint)
        model->client.start_hint = dialect->start_hint;
    return &model->base;
}

struct model *endpoint_model_open(struct uv_runtime *runtime, const struct endpoint *endpoint,
                                  const struct settings *settings, struct endpoint_memory *memory)
{
    bool is_ollama = strcmp(endpoint->kind, "ollama") == 0;
    return endpoint_model_create(is_ollama ? &ollama_dialect : &openai_dialect, runtime, endpoint,
                                 settings, memory);
}

struct model *ollama_model_create(struct uv_runtime *runtime, const char *base_url,
                                  const struct settings *settings)
{
    const struct endpoint endpoint = {
        .base_url = base_url, .kind = "ollama", .version = "", .context_tokens = -1
    };
    return endpoint_model_open(runtime, &endpoint, settings, NULL);
}

struct model *openai_model_create(struct uv_runtime *runtime, const char *base_url,
                                  const struct settings *settings)
{
    const struct endpoint endpoint = {
        .base_url = base_url, .kind = "openai", .version = "", .context_tokens = -1
    };
    return endpoint_model_open(runtime, &endpoint, settings, NULL);
}
