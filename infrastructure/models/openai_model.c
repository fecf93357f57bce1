/* The model port on the chat completions interface: llama-server, vLLM, LM Studio, TGI, mistral.rs
 * and whatever else speaks it. */
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

struct openai_model {
    struct model base;
    struct endpoint_client client;
    struct request_queue queue;
    bool known; /* what follows is */
    const char *name, *reason, *kind;
    int64_t context_tokens;
    struct arena arena;
};

static struct openai_model *openai_of(struct model *model)
{
    return (struct openai_model *)model;
}

/* *out_data: the array of models, or NULL where the endpoint has no list. */
awaits static enum err_code get_models(struct openai_model *model, struct scope *scope,
                                       struct arena *arena, const json_t **out_data,
                                       struct err *err)
{
    int status;
    const json_t *body;
    enum err_code r =
        endpoint_client_get(&model->client, scope, "/v1/models", arena, &status, &body, err);
    if (r)
        return r;
    const json_t *data = json_object_get(body, "data");
    *out_data = json_is_array(data) ? data : NULL;
    if (*out_data || status == 404)
        return ERR_NONE;
    char *text = body ? json_print(body) : NULL;
    r = endpoint_error(status, text ? text : "", text ? strlen(text) : 0, err);
    free(text);
    return endpoint_client_explain(&model->client, r, err);
}

static const char **names_of(const json_t *data, struct arena *arena, size_t *out_n)
{
    const char **names = arena_array(arena, const char *, json_array_size(data) + 1);
    *out_n = 0;
    for (size_t i = 0; i < json_array_size(data); i++) {
        const char *id = json_get_string(json_array_get(data, i), "id");
        if (id)
            names[(*out_n)++] = id;
    }
    return names;
}

awaits static enum err_code openai_list(struct model *base, struct scope *scope,
                                        struct arena *arena, const char ***out_names, size_t *out_n,
                                        struct err *err)
{
    const json_t *data;
    enum err_code r = get_models(openai_of(base), scope, arena, &data, err);
    if (!r)
        *out_names = names_of(data, arena, out_n);
    return r;
}

/* A server that was started with one model has only that one to offer; unless another was asked
 * for, it is meant. */
static bool resolve_name(const struct settings *settings, const char *const *names, size_t n,
                         bool has_list, struct arena *arena, struct model_name *out)
{
    if (model_name_resolve(settings, names, n, arena, out))
        return true;
    if (!has_list) {
        *out = (struct model_name){ settings->model_name, "as written: no list to look it up" };
        return true;
    }
    if (n != 1 || settings->origins[SETTING_model_name] != ORIGIN_DEFAULT)
        return false;
    *out = (struct model_name){ names[0], "the only model there" };
    return true;
}

static const json_t *entry_of(const json_t *data, const char *name)
{
    for (size_t i = 0; i < json_array_size(data); i++)
        if (text_equal(json_get_string(json_array_get(data, i), "id"), name))
            return json_array_get(data, i);
    return NULL;
}

static const char *kind_of(const json_t *entry)
{
    const char *owner = json_get_string(entry, "owned_by");
    if (text_equal(owner, "llamacpp"))
        return "llama-server";
    return text_equal(owner, "vllm") ? "vllm" : "openai";
}

static enum err_code no_model(const struct openai_model *model, const char *has, struct err *err)
{
    err_set(err, ERR_NOT_FOUND, 0, "model endpoint %s has no model \"%s\"; it has: %s",
            model->client.shown_url, model->client.settings->model_name, has);
    err_about(err, ERR_NOT_FOUND, "model");
    return err_hint(err, ERR_NOT_FOUND, "name one that it has: -m NAME, or model_name");
}

awaits static enum err_code resolve(struct openai_model *model, struct scope *scope,
                                    struct arena *arena, struct err *err)
{
    if (model->known)
        return ERR_NONE;
    const json_t *data;
    enum err_code r = get_models(model, scope, arena, &data, err);
    if (r)
        return r;
    size_t n;
    const char **names = names_of(data, arena, &n);
    struct model_name found;
    if (!resolve_name(model->client.settings, names, n, data != NULL, arena, &found))
        return no_model(model, model_names_print(names, n, arena), err);
    const json_t *entry = entry_of(data, found.name);
    int64_t context = json_get_int(json_object_get(entry, "meta"), "n_ctx", -1);
    model->name = arena_strdup(&model->arena, found.name);
    model->reason = arena_strdup(&model->arena, found.reason);
    model->kind = kind_of(entry);
    model->context_tokens = json_get_int(entry, "max_model_len", context);
    model->known = true;
    return ERR_NONE;
}

awaits static enum err_code openai_check(struct model *base, struct scope *scope,
                                         struct arena *arena, struct model_status *out,
                                         struct err *err)
{
    struct openai_model *model = openai_of(base);
    enum err_code r = resolve(model, scope, arena, err);
    if (r)
        return r;
    *out = (struct model_status){ .kind = model->kind,
                                  .base_url = arena_strdup(arena, model->client.shown_url),
                                  .model = arena_strdup(arena, model->name),
                                  .requested = model->client.settings->model_name,
                                  .reason = arena_strdup(arena, model->reason),
                                  .context_tokens = model->context_tokens };
    return ERR_NONE;
}

static json_t *user_content(const struct chat_messages *messages, struct arena *arena)
{
    if (messages->n_images == 0)
        return json_string(messages->user);
    json_t *parts = json_pack("[{s:s, s:s}]", "type", "text", "text", messages->user);
    for (size_t i = 0; i < messages->n_images; i++) {
        const struct model_part *image = messages->images[i];
        const char *url = arena_printf(arena, "data:%s;base64,%s", image->media_type, image->text);
        json_array_append_new(
            parts, json_pack("{s:s, s:{s:s}}", "type", "image_url", "image_url", "url", url));
    }
    return parts;
}

/* The schema must be nested as json_schema.schema: elsewhere llama-server takes it for "any". */
static json_t *response_format(const char *name, const json_t *schema)
{
    return json_pack("{s:s, s:{s:s, s:b, s:o}}", "type", "json_schema", "json_schema", "name", name,
                     "strict", 1, "schema", json_deep_copy(schema));
}

static const char *body_of(const struct openai_model *model, const struct model_request *request,
                           const json_t *schema, struct arena *arena)
{
    struct chat_messages messages = chat_messages_fold(arena, request);
    json_auto_t *body = json_pack(
        "{s:s, s:[{s:s, s:s}, {s:s, s:o}], s:b, s:{s:b}, s:i, s:f}", "model", model->name,
        "messages", "role", "system", "content", messages.system, "role", "user", "content",
        user_content(&messages, arena), "stream", 1, "stream_options", "include_usage", 1,
        "max_tokens", request->max_tokens, "temperature", request->temperature);
    if (body && request->seed >= 0)
        json_object_set_new(body, "seed", json_integer(request->seed));
    if (body && schema)
        json_object_set_new(body, "response_format", response_format(request->purpose, schema));
    return body ? json_print_in(arena, body) : NULL;
}

static void take_choice(struct chat_stream *stream, const json_t *choice)
{
    const char *content = json_get_string(json_object_get(choice, "delta"), "content");
    if (content)
        chat_stream_token(stream, content);
    const char *reason = json_get_string(choice, "finish_reason");
    if (!reason)
        return;
    stream->ended = true;
    stream->stop = strcmp(reason, "length") == 0 ? MODEL_STOP_LENGTH : MODEL_STOP_END;
}

static void take_usage(struct chat_stream *stream, const json_t *usage)
{
    const json_t *details = json_object_get(usage, "prompt_tokens_details");
    stream->prompt_tokens = json_get_int(usage, "prompt_tokens", -1);
    stream->completion_tokens = json_get_int(usage, "completion_tokens", -1);
    stream->cached_tokens = json_get_int(details, "cached_tokens", -1);
}

static void on_event(struct chat_stream *stream, const json_t *event)
{
    const json_t *choices = json_object_get(event, "choices");
    if (!choices && endpoint_error_text(event)) {
        chat_stream_fail(stream, event);
        return;
    }
    const json_t *choice = json_array_get(choices, 0);
    if (choice)
        take_choice(stream, choice);
    const json_t *usage = json_object_get(event, "usage");
    if (json_is_object(usage))
        take_usage(stream, usage);
}

awaits static enum err_code chat_with_schema(struct openai_model *model, struct scope *scope,
                                             const struct model_request *request,
                                             const json_t *schema, struct arena *arena,
                                             struct model_reply *out, bool *out_refused,
                                             struct err *err)
{
    struct chat_stream stream = { .framing = CHAT_SSE, .on_event = on_event };
    const char *body = body_of(model, request, schema, arena);
    if (!body)
        return err_set(err, ERR_INVALID, 0, "the prompt is not UTF-8");
    return chat_stream_run(&stream, &model->client, scope, "/v1/chat/completions", body, request,
                           arena, out, out_refused, err);
}

awaits static enum err_code chat_alone(struct openai_model *model, struct scope *scope,
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
    if (r == ERR_NOT_FOUND)
        model->known = false; /* another model was loaded meanwhile */
    if (r)
        return endpoint_client_explain(&model->client, r, err);
    out->model = arena_strdup(arena, model->name);
    return ERR_NONE;
}

awaits static enum err_code openai_chat(struct model *base, struct scope *scope,
                                        const struct model_request *request, struct arena *arena,
                                        struct model_reply *out, struct err *err)
{
    struct openai_model *model = openai_of(base);
    enum err_code r = request_queue_enter(&model->queue, scope, err);
    if (r)
        return r;
    r = chat_alone(model, scope, request, arena, out, err);
    request_queue_leave(&model->queue);
    return r;
}

static void openai_destroy(struct model *base)
{
    struct openai_model *model = openai_of(base);
    endpoint_client_finish(&model->client);
    arena_finish(&model->arena);
    free(model);
}

struct model *openai_model_create(struct uv_runtime *runtime, const char *base_url,
                                  const struct settings *settings)
{
    static const struct model_ops ops = {
        .check = openai_check, .list = openai_list, .chat = openai_chat, .destroy = openai_destroy
    };
    struct openai_model *model = calloc(1, sizeof *model);
    if (!model)
        abort();
    model->base.ops = &ops;
    endpoint_client_init(&model->client, runtime, base_url, settings);
    model->queue.runtime = runtime;
    return &model->base;
}
