/* The model port on the chat completions interface: llama-server, vLLM, LM Studio, TGI, mistral.rs
 * and whatever else speaks it. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/models/chat_messages.h"
#include "infrastructure/models/endpoint_model.h"
#include "infrastructure/models/models.h"
#include <stdlib.h>
#include <string.h>

static enum err_code no_list(const struct endpoint_model *model, int status, const json_t *body,
                             struct err *err)
{
    auto_str text = json_print(body);
    enum err_code r = endpoint_error(status, text ? text : "", text ? strlen(text) : 0, err);
    return endpoint_client_explain(&model->client, r, err);
}

awaits static enum err_code list(struct endpoint_model *model, struct scope *scope,
                                 struct arena *arena, struct endpoint_models *out, struct err *err)
{
    int status;
    const json_t *body;
    enum err_code r =
        endpoint_client_get(&model->client, scope, "/v1/models", arena, &status, &body, err);
    if (r)
        return r;
    const json_t *entries = json_object_get(body, "data");
    if (!json_is_array(entries) && status != 404)
        return no_list(model, status, body, err);
    *out = endpoint_models_of(entries, "id", arena);
    return ERR_NONE;
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

static void describe(struct endpoint_model *model, const struct endpoint_models *models)
{
    const json_t *entry = entry_of(models->entries, model->name);
    int64_t context = json_get_int(json_object_get(entry, "meta"), "n_ctx", -1);
    model->kind = kind_of(entry);
    model->context_tokens = json_get_int(entry, "max_model_len", context);
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

static json_t *body(const struct endpoint_model *model, const struct model_request *request,
                    const json_t *schema, struct arena *arena)
{
    struct chat_messages messages = chat_messages_fold(arena, request);
    json_t *object = json_pack(
        "{s:s, s:[{s:s, s:s}, {s:s, s:o}], s:b, s:{s:b}, s:i, s:f}", "model", model->name,
        "messages", "role", "system", "content", messages.system, "role", "user", "content",
        user_content(&messages, arena), "stream", 1, "stream_options", "include_usage", 1,
        "max_tokens", request->max_tokens, "temperature", request->temperature);
    if (object && request->seed >= 0)
        json_object_set_new(object, "seed", json_integer(request->seed));
    if (object && schema)
        json_object_set_new(object, "response_format", response_format(request->purpose, schema));
    return object;
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

struct model *openai_model_create(struct uv_runtime *runtime, const char *base_url,
                                  const struct settings *settings)
{
    static const struct dialect dialect = { .chat_path = "/v1/chat/completions",
                                            .framing = CHAT_SSE,
                                            .on_event = on_event,
                                            .list = list,
                                            .describe = describe,
                                            .only_model_is_meant = true,
                                            .body = body };
    return endpoint_model_create(&dialect, runtime, base_url, settings);
}
