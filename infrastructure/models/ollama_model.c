/* The model port on Ollama's own interface: only there can the size of the context be set, the
 * model be kept loaded, and an error in the middle of a stream be seen. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/models/chat_messages.h"
#include "infrastructure/models/chat_stream.h"
#include "infrastructure/models/model_names.h"
#include "infrastructure/models/models.h"
#include "infrastructure/models/request_queue.h"
#include "infrastructure/models/schema_lowering.h"
#include <stdlib.h>
#include <string.h>

struct ollama_model {
    struct model base;
    struct endpoint_client client;
    struct request_queue queue;
    bool known; /* name and reason are */
    const char *name, *reason;
    struct arena arena;
};

static struct ollama_model *ollama_of(struct model *model)
{
    return (struct ollama_model *)model;
}

awaits static enum err_code ollama_list(struct model *base, struct scope *scope,
                                        struct arena *arena, const char ***out_names, size_t *out_n,
                                        struct err *err)
{
    struct endpoint_client *client = &ollama_of(base)->client;
    int status;
    const json_t *tags;
    enum err_code r = endpoint_client_get(client, scope, "/api/tags", arena, &status, &tags, err);
    if (r)
        return r;
    const json_t *models = json_object_get(tags, "models");
    if (!json_is_array(models)) {
        err_set(err, ERR_PROTOCOL, status, "it has no list of models at /api/tags");
        return endpoint_client_explain(client, ERR_PROTOCOL, err);
    }
    const char **names = arena_array(arena, const char *, json_array_size(models) + 1);
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(models); i++) {
        const char *name = json_get_string(json_array_get(models, i), "name");
        if (name)
            names[n++] = name;
    }
    *out_names = names;
    *out_n = n;
    return ERR_NONE;
}

static enum err_code not_pulled(const struct ollama_model *model, const char *wanted,
                                const char *has, struct err *err)
{
    err_set(err, ERR_NOT_FOUND, 0, "model endpoint %s has no model \"%s\"; it has: %s",
            model->client.shown_url, wanted, has);
    err_about(err, ERR_NOT_FOUND, "model");
    return err_hint(err, ERR_NOT_FOUND, "get it with: ollama pull %s", wanted);
}

awaits static enum err_code resolve(struct ollama_model *model, struct scope *scope,
                                    struct arena *arena, struct err *err)
{
    if (model->known)
        return ERR_NONE;
    const char **names;
    size_t n;
    enum err_code r = ollama_list(&model->base, scope, arena, &names, &n, err);
    if (r)
        return r;
    struct model_name found;
    if (!model_name_resolve(model->client.settings, names, n, arena, &found))
        return not_pulled(model, found.name, model_names_print(names, n, arena), err);
    model->name = arena_strdup(&model->arena, found.name);
    model->reason = arena_strdup(&model->arena, found.reason);
    model->known = true;
    return ERR_NONE;
}

awaits static enum err_code ollama_check(struct model *base, struct scope *scope,
                                         struct arena *arena, struct model_status *out,
                                         struct err *err)
{
    struct ollama_model *model = ollama_of(base);
    enum err_code r = resolve(model, scope, arena, err);
    if (r)
        return r;
    const struct settings *settings = model->client.settings;
    *out = (struct model_status){ .kind = "ollama",
                                  .base_url = arena_strdup(arena, model->client.shown_url),
                                  .model = arena_strdup(arena, model->name),
                                  .requested = settings->model_name,
                                  .reason = arena_strdup(arena, model->reason),
                                  .context_tokens = settings->model_context_tokens };
    return ERR_NONE;
}

/* Ollama loads the model anew whenever the options of its runner differ from those it was loaded
 * with: what is not of this request is the same on every call. */
static json_t *options_of(const struct settings *settings, const struct model_request *request)
{
    json_t *options = json_pack(
        "{s:I, s:i, s:f, s:f}", "num_ctx", (json_int_t)settings->model_context_tokens,
        "num_predict", request->max_tokens, "temperature", request->temperature, "top_p", 1.0);
    if (request->seed >= 0)
        json_object_set_new(options, "seed", json_integer(request->seed));
    return options;
}

/* "30m" is a duration, "-1" a number of seconds. */
static json_t *keep_alive_of(const struct settings *settings)
{
    int64_t seconds;
    return text_to_int64(settings->model_keep_alive, &seconds)
               ? json_integer(seconds)
               : json_string(settings->model_keep_alive);
}

static json_t *user_message(const struct chat_messages *messages)
{
    json_t *user = json_pack("{s:s, s:s}", "role", "user", "content", messages->user);
    json_t *images = json_array();
    for (size_t i = 0; i < messages->n_images; i++)
        json_array_append_new(images, json_string(messages->images[i]->text));
    if (messages->n_images)
        json_object_set(user, "images", images);
    json_decref(images);
    return user;
}

static const char *body_of(const struct ollama_model *model, const struct model_request *request,
                           const json_t *schema, struct arena *arena)
{
    const struct settings *settings = model->client.settings;
    struct chat_messages messages = chat_messages_fold(arena, request);
    json_auto_t *body =
        json_pack("{s:s, s:[{s:s, s:s}, o], s:b, s:b, s:b, s:o, s:o}", "model", model->name,
                  "messages", "role", "system", "content", messages.system, user_message(&messages),
                  "stream", 1, "truncate", 0, "shift", 0, "keep_alive", keep_alive_of(settings),
                  "options", options_of(settings, request));
    if (schema)
        json_object_set_new(body, "format", json_deep_copy(schema));
    return body ? json_print_in(arena, body) : NULL;
}

static void on_event(struct chat_stream *stream, const json_t *event)
{
    if (endpoint_error_text(event)) {
        chat_stream_fail(stream, event);
        return;
    }
    const char *content = json_get_string(json_object_get(event, "message"), "content");
    if (content)
        chat_stream_token(stream, content);
    if (!json_get_bool(event, "done", false))
        return;
    stream->ended = true;
    stream->stop = text_equal(json_get_string(event, "done_reason"), "length") ? MODEL_STOP_LENGTH
                                                                               : MODEL_STOP_END;
    stream->prompt_tokens = json_get_int(event, "prompt_eval_count", -1);
    stream->completion_tokens = json_get_int(event, "eval_count", -1);
}

awaits static enum err_code chat_with_schema(struct ollama_model *model, struct scope *scope,
                                             const struct model_request *request,
                                             const json_t *schema, struct arena *arena,
                                             struct model_reply *out, bool *out_refused,
                                             struct err *err)
{
    struct chat_stream stream = { .framing = CHAT_NDJSON, .on_event = on_event };
    const char *body = body_of(model, request, schema, arena);
    if (!body)
        return err_set(err, ERR_INVALID, 0, "the prompt is not UTF-8");
    return chat_stream_run(&stream, &model->client, scope, "/api/chat", body, request, arena, out,
                           out_refused, err);
}

awaits static enum err_code chat_alone(struct ollama_model *model, struct scope *scope,
                                       const struct model_request *request, struct arena *arena,
                                       struct model_reply *out, struct err *err)
{
    enum err_code r = resolve(model, scope, arena, err);
    if (r)
        return r;
    const json_t *schema = request->schema ? schema_lower(arena, request->schema) : NULL;
    bool refused = false;
    r = chat_with_schema(model, scope, request, schema, arena, out, &refused, err);
    if (r && refused) /* the prompt shows the schema as well, and the answer is checked */
        r = chat_with_schema(model, scope, request, NULL, arena, out, &refused, err);
    if (r == ERR_NOT_FOUND) {
        model->known = false; /* it was removed meanwhile */
        err_hint(err, r, "get it with: ollama pull %s", model->name);
    }
    if (r)
        return endpoint_client_explain(&model->client, r, err);
    out->model = arena_strdup(arena, model->name);
    return ERR_NONE;
}

awaits static enum err_code ollama_chat(struct model *base, struct scope *scope,
                                        const struct model_request *request, struct arena *arena,
                                        struct model_reply *out, struct err *err)
{
    struct ollama_model *model = ollama_of(base);
    enum err_code r = request_queue_enter(&model->queue, scope, err);
    if (r)
        return r;
    r = chat_alone(model, scope, request, arena, out, err);
    request_queue_leave(&model->queue);
    return r;
}

static void ollama_destroy(struct model *base)
{
    struct ollama_model *model = ollama_of(base);
    endpoint_client_finish(&model->client);
    arena_finish(&model->arena);
    free(model);
}

struct model *ollama_model_create(struct uv_runtime *runtime, const char *base_url,
                                  const struct settings *settings)
{
    static const struct model_ops ops = {
        .check = ollama_check, .list = ollama_list, .chat = ollama_chat, .destroy = ollama_destroy
    };
    struct ollama_model *model = calloc(1, sizeof *model);
    if (!model)
        abort();
    model->base.ops = &ops;
    endpoint_client_init(&model->client, runtime, base_url, settings);
    model->client.start_hint = "start it with: ollama serve";
    model->queue.runtime = runtime;
    return &model->base;
}
