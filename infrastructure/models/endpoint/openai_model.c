/* The model port on the chat completions interface: llama-server, vLLM, LM Studio, TGI, mistral.rs
 * and whatever else speaks it. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/models/endpoint/chat_messages.h"
#include "infrastructure/models/endpoint/endpoint_kind.h"
#include "infrastructure/models/endpoint/endpoint_model.h"
#include <stdlib.h>
#include <string.h>

static enum err_code no_list(struct endpoint_model *model, int status, const json_t *body,
                             struct err *err)
{
    auto_str printed = json_print(body);
    const char *text = printed ? printed : "";
    enum err_code r = endpoint_error(status, text, strlen(text), err);
    model->is_loading = endpoint_error_is_loading(status, text);
    return endpoint_client_explain(&model->client, r, err);
}

/* The list that came with the search for the endpoint is used for the first look only; later looks
 * ask again. */
awaits static enum err_code list(struct endpoint_model *model, struct scope *scope,
                                 struct arena *arena, struct endpoint_models *out, struct err *err)
{
    struct endpoint_answer answer;
    const json_t *listed = model->endpoint.models;
    model->endpoint.models = NULL;
    if (json_is_array(listed)) {
        *out = endpoint_models_of(listed, "id", arena);
        return ERR_NONE;
    }
    enum err_code r = endpoint_client_get(&model->client, scope, "/v1/models", arena, &answer, err);
    if (r)
        return r;
    const json_t *entries = json_object_get(answer.json, "data");
    if (!json_is_array(entries) && answer.status != 404)
        return no_list(model, answer.status, answer.json, err);
    *out = endpoint_models_of(entries, "id", arena);
    return ERR_NONE;
}

/* LM Studio tells with how much context it loaded a model; the rest is in no list. */
awaits static enum err_code ask_lm_studio(struct endpoint_model *model, struct scope *scope,
                                          struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct endpoint_answer answer;
    enum err_code r =
        endpoint_client_get(&model->client, scope, "/api/v1/models", &arena, &answer, err);
    if (r)
        return r;
    const struct endpoint_models models =
        endpoint_models_of(json_object_get(answer.json, "models"), "key", &arena);
    const json_t *entry = endpoint_models_entry(&models, "key", model->name);
    const json_t *loaded = json_array_get(json_object_get(entry, "loaded_instances"), 0);
    model->context_tokens = json_get_int(json_object_get(loaded, "config"), "context_length", -1);
    return ERR_NONE;
}

/* A llama-server that still loaded its model when it was found could not say yet what that can. */
awaits static enum err_code ask_llama_server(struct endpoint_model *model, struct scope *scope,
                                             struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct endpoint_answer props;
    enum err_code r = endpoint_client_get(&model->client, scope, "/props", &arena, &props, err);
    model->sees = !r && endpoint_kind_sees(props.json);
    return r;
}

awaits static enum err_code describe(struct endpoint_model *model, struct scope *scope,
                                     const struct endpoint_models *models, struct err *err)
{
    int64_t of_server = model->endpoint.context_tokens;
    const json_t *entry = endpoint_models_entry(models, "id", model->name);
    model->kind = model->endpoint.kind;
    model->version = model->endpoint.version;
    if (strcmp(model->kind, "openai") == 0)
        model->kind = endpoint_kind_of_list(models->entries);
    if (strcmp(model->kind, "lm-studio") == 0)
        return ask_lm_studio(model, scope, err);
    model->context_tokens = of_server > 0 ? of_server : endpoint_kind_context(entry);
    model->sees = model->endpoint.sees;
    bool was_loading = of_server <= 0 && strcmp(model->endpoint.kind, "llama-server") == 0;
    return was_loading ? ask_llama_server(model, scope, err) : ERR_NONE;
}

static json_t *message_of(const struct chat_turn *turn, struct arena *arena)
{
    json_t *content = NULL;
    if (turn->n_images == 0)
        content = json_string(turn->text);
    else
        content = json_pack("[{s:s, s:s}]", "type", "text", "text", turn->text);
    for (size_t i = 0; i < turn->n_images; i++) {
        const struct model_part *image = turn->images[i];
        const char *url = arena_printf(arena, "data:%s;base64,%s", image->media_type, image->text);
        json_array_append_new(
            content, json_pack("{s:s, s:{s:s}}", "type", "image_url", "image_url", "url", url));
    }
    return json_pack("{s:s, s:o}", "role", chat_turn_role(turn), "content", content);
}

/* The schema must be nested as json_schema.schema: elsewhere llama-server takes it for "any". Only
 * TGI wants it as a value. */
static json_t *response_format(const char *kind, const char *name, const json_t *schema)
{
    if (strcmp(kind, "tgi") == 0)
        return json_pack("{s:s, s:{s:s, s:o}}", "type", "json_schema", "value", "name", name,
                         "schema", json_deep_copy(schema));
    return json_pack("{s:s, s:{s:s, s:b, s:o}}", "type", "json_schema", "json_schema", "name", name,
                     "strict", 1, "schema", json_deep_copy(schema));
}

static json_t *body(const struct endpoint_model *model, const struct model_request *request,
                    const json_t *schema, struct arena *arena)
{
    bool streams = model->client.settings->model_stream;
    json_t *object = json_pack("{s:s, s:o, s:b, s:i}", "model", model->name, "messages",
                               endpoint_model_messages(model, request, message_of, arena), "stream",
                               streams, "max_tokens", request->max_tokens);
    if (object && streams)
        json_object_set_new(object, "stream_options", json_pack("{s:b}", "include_usage", 1));
    if (object && request->temperature >= 0)
        json_object_set_new(object, "temperature", json_real(request->temperature));
    if (object && request->seed >= 0)
        json_object_set_new(object, "seed", json_integer(request->seed));
    if (object && schema)
        json_object_set_new(object, "response_format",
                            response_format(model->kind, request->purpose, schema));
    return object;
}

/* Thoughts (`reasoning`, `reasoning_content`) are not part of the answer. */
static void take_choice(struct chat_stream *stream, const json_t *choice)
{
    const json_t *delta = json_object_get(choice, "delta");
    const json_t *message = delta ? delta : json_object_get(choice, "message");
    const char *content = json_get_string(message, "content");
    if (content)
        chat_stream_token(stream, content);
    const char *reason = json_get_string(choice, "finish_reason");
    if (!reason || !reason[0])
        return;
    stream->ended = true;
    stream->stop = strcmp(reason, "length") == 0 ? MODEL_STOP_LENGTH : MODEL_STOP_END;
}

/* What was in the cache is told in the details, or (llama-server, also older ones) in its timings.
 */
static void take_usage(struct chat_stream *stream, const json_t *event, const json_t *usage)
{
    const json_t *details = json_object_get(usage, "prompt_tokens_details");
    int64_t cache_n = json_get_int(json_object_get(event, "timings"), "cache_n", -1);
    stream->prompt_tokens = json_get_int(usage, "prompt_tokens", -1);
    stream->completion_tokens = json_get_int(usage, "completion_tokens", -1);
    stream->cached_tokens = json_get_int(details, "cached_tokens", cache_n);
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
        take_usage(stream, event, usage);
}

const struct dialect openai_dialect = { .chat_path = "/v1/chat/completions",
                                        .framing = CHAT_SSE,
                                        .on_event = on_event,
                                        .list = list,
                                        .describe = describe,
                                        .only_model_is_meant = true,
                                        .body = body };
