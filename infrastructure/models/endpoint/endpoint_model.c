#include "infrastructure/models/endpoint/endpoint_model.h"
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/models/endpoint/endpoint_kind.h"
#include "infrastructure/models/endpoint/endpoint_memory.h"
#include "infrastructure/models/endpoint/model_names.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdlib.h>
#include <string.h>

static struct endpoint_model *model_of(struct model *base)
{
    return (struct endpoint_model *)base;
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
    if (!model_name_choose(model->client.settings, &models, model->dialect->only_model_is_meant,
                           arena, &found))
        return no_such_model(model, found.name, model_names_print(models.names, models.n, arena),
                             err);
    model->name = arena_strdup(&model->arena, found.name);
    model->reason = arena_strdup(&model->arena, found.reason);
    r = model->dialect->describe(model, scope, &models, err);
    model->known = r == ERR_NONE;
    return r;
}

/* Behind a request that the server is answering, a question for its model would wait for that
 * answer where a server takes one connection at a time. So the place is taken first, for which a
 * warm-up that looks at the same model makes room. */
awaits static enum err_code resolve_in_turn(struct endpoint_model *model, struct scope *scope,
                                            struct arena *arena, struct err *err)
{
    if (model->known)
        return ERR_NONE;
    enum err_code r = task_lock_take(model->queue, model->client.runtime, scope, err);
    if (r)
        return r;
    r = endpoint_model_resolve(model, scope, arena, err);
    task_lock_release(model->queue);
    return r;
}

awaits static enum err_code endpoint_model_check(struct model *base, struct scope *scope,
                                                 struct arena *arena, struct model_status *out,
                                                 struct err *err)
{
    struct endpoint_model *model = model_of(base);
    enum err_code r = resolve_in_turn(model, scope, arena, err);
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

json_t *endpoint_model_messages(const struct endpoint_model *model,
                                const struct model_request *request, chat_message_fn *message_of,
                                struct arena *arena)
{
    struct chat_style style = {
        .real_turns = strcmp(model->client.settings->model_turns, "chat") == 0,
        .no_system = model->refuses_system,
    };
    struct chat_messages messages = chat_messages_make(arena, request, style);
    json_t *array = json_array();
    for (size_t i = 0; i < messages.n; i++)
        if (json_array_append_new(array, message_of(&messages.turns[i], arena))) {
            json_decref(array);
            return NULL;
        }
    return array;
}

awaits static enum err_code send_once(struct endpoint_model *model, struct scope *scope,
                                      const struct chat_ask *ask, struct chat_stream *stream,
                                      struct model_reply *out, struct err *err)
{
    const struct dialect *dialect = model->dialect;
    json_auto_t *body = dialect->body(model, ask->request, ask->schema, ask->arena);
    *stream = (struct chat_stream){ 0 };
    if (!body)
        return err_set(err, ERR_INVALID, 0, "the prompt is not UTF-8");
    stream->framing = model->client.settings->model_stream ? dialect->framing : CHAT_WHOLE;
    stream->on_event = dialect->on_event;
    stream->request = ask->request;
    stream->path = dialect->chat_path;
    stream->body = json_print_in(ask->arena, body);
    return chat_stream_run(stream, &model->client, scope, ask->arena, out, err);
}

/* A chat template without a system role refuses such a message. Then the system text begins the
 * user's turn, for this request and from then on. */
enum err_code endpoint_model_send(struct endpoint_model *model, struct scope *scope,
                                  struct chat_ask *ask, struct model_reply *out, struct err *err)
{
    struct chat_stream stream;
    enum err_code r = send_once(model, scope, ask, &stream, out, err);
    if (r && stream.refuses_roles && !model->refuses_system) {
        model->refuses_system = true;
        r = send_once(model, scope, ask, &stream, out, err);
        model->refuses_system = !(r && stream.refuses_roles);
    }
    ask->refusal = r && ask->schema ? stream.refusal : NULL;
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

struct model *endpoint_model_open(struct uv_runtime *runtime, const struct endpoint *endpoint,
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
    model->dialect = strcmp(endpoint->kind, "ollama") == 0 ? &ollama_dialect : &openai_dialect;
    model->endpoint = *endpoint;
    model->memory = memory;
    endpoint_client_init(&model->client, runtime, endpoint->base_url, settings);
    model->endpoint.base_url = model->client.base_url;
    model->queue =
        memory ? endpoint_memory_queue(memory, model->endpoint.base_url) : &model->own_queue;
    if (model->dialect->start_hint)
        model->client.start_hint = model->dialect->start_hint;
    return &model->base;
}
