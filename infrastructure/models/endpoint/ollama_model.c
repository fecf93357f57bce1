/* The model port on Ollama's own interface: only there can the size of the context be set, the
 * model be kept loaded, and an error in the middle of a stream be seen. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/models/endpoint/chat_messages.h"
#include "infrastructure/models/endpoint/endpoint_model.h"

awaits static enum err_code list(struct endpoint_model *model, struct scope *scope,
                                 struct arena *arena, struct endpoint_models *out, struct err *err)
{
    struct endpoint_answer tags;
    enum err_code r = endpoint_client_get(&model->client, scope, "/api/tags", arena, &tags, err);
    if (r)
        return r;
    const json_t *entries = json_object_get(tags.json, "models");
    if (!json_is_array(entries)) {
        err_set(err, ERR_PROTOCOL, tags.status, "it has no list of models at /api/tags");
        return endpoint_client_explain(&model->client, ERR_PROTOCOL, err);
    }
    *out = endpoint_models_of(entries, "name", arena);
    return ERR_NONE;
}

/* "llama.context_length" and the like: what the model was trained for. */
static int64_t trained_context(const json_t *info)
{
    const char *key;
    const json_t *value;
    json_each_member (info, key, value)
        if (text_ends_with(key, ".context_length") && json_is_integer(value))
            return json_integer_value(value);
    return INT64_MAX;
}

/* "capabilities": ["completion", "vision", …]; older ones have no such list. */
static bool has_eyes(const json_t *shown)
{
    const json_t *capabilities = json_object_get(shown, "capabilities");
    for (size_t i = 0; i < json_array_size(capabilities); i++)
        if (text_equal(json_string_value(json_array_get(capabilities, i)), "vision"))
            return true;
    return false;
}

/* More context than a model was trained for costs memory and does not help. */
awaits static enum err_code ask_about_model(struct endpoint_model *model, struct scope *scope,
                                            struct err *err)
{
    AUTO(arena) arena = { 0 };
    json_auto_t *question = json_pack("{s:s}", "model", model->name);
    struct endpoint_answer shown;
    enum err_code r = endpoint_client_post(&model->client, scope, "/api/show",
                                           json_print_in(&arena, question), &arena, &shown, err);
    int64_t trained = r ? INT64_MAX : trained_context(json_object_get(shown.json, "model_info"));
    model->context_tokens = model->client.settings->model_context_tokens;
    if (trained > 0 && trained < model->context_tokens)
        model->context_tokens = trained;
    model->sees = !r && has_eyes(shown.json);
    return r;
}

awaits static enum err_code describe(struct endpoint_model *model, struct scope *scope,
                                     const struct endpoint_models *models, struct err *err)
{
    const json_t *entry = endpoint_models_entry(models, "name", model->name);
    const char *digest = json_get_string(entry, "digest");
    model->kind = "ollama";
    model->version =
        arena_printf(&model->arena, "%s %s", model->endpoint.version, digest ? digest : "");
    return ask_about_model(model, scope, err);
}

/* Ollama loads the model anew whenever the options of its runner differ from those it was loaded
 * with: what is not of this request is the same on every call. */
static json_t *options_of(const struct endpoint_model *model, const struct model_request *request)
{
    json_t *options = json_pack("{s:I, s:i, s:f}", "num_ctx", (json_int_t)model->context_tokens,
                                "num_predict", request->max_tokens, "top_p", 1.0);
    if (request->temperature >= 0)
        json_object_set_new(options, "temperature", json_real(request->temperature));
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

static json_t *message_of(const struct chat_turn *turn, struct arena *arena)
{
    (void)arena;
    json_t *message = json_pack("{s:s, s:s}", "role", chat_turn_role(turn), "content", turn->text);
    json_t *images = json_array();
    for (size_t i = 0; i < turn->n_images; i++)
        json_array_append_new(images, json_string(turn->images[i]->text));
    if (turn->n_images)
        json_object_set(message, "images", images);
    json_decref(images);
    return message;
}

static json_t *body(const struct endpoint_model *model, const struct model_request *request,
                    const json_t *schema, struct arena *arena)
{
    const struct settings *settings = model->client.settings;
    json_t *object =
        json_pack("{s:s, s:o, s:b, s:b, s:b, s:o, s:o}", "model", model->name, "messages",
                  endpoint_model_messages(model, request, message_of, arena), "stream",
                  settings->model_stream, "truncate", 0, "shift", 0, "keep_alive",
                  keep_alive_of(settings), "options", options_of(model, request));
    if (object && schema)
        json_object_set_new(object, "format", json_deep_copy(schema));
    return object;
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
    const char *reason = json_get_string(event, "done_reason");
    if (text_equal(reason, "load") || text_equal(reason, "unload"))
        return; /* that is all it did */
    stream->ended = true;
    stream->stop = text_equal(reason, "length") ? MODEL_STOP_LENGTH : MODEL_STOP_END;
    stream->prompt_tokens = json_get_int(event, "prompt_eval_count", -1);
    stream->completion_tokens = json_get_int(event, "eval_count", -1);
}

const struct dialect ollama_dialect = { .start_hint = "start it with: ollama serve",
                                        .get_hint = "get it with: ollama pull",
                                        .chat_path = "/api/chat",
                                        .framing = CHAT_NDJSON,
                                        .on_event = on_event,
                                        .list = list,
                                        .describe = describe,
                                        .body = body };
