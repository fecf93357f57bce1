#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/entities/conversation.h"
#include <string.h>

static json_t *time_to_json(int64_t ms)
{
    char text[RFC3339_SIZE];
    return json_string(rfc3339_print(ms, text));
}

static json_t *message_to_json(const struct message *message)
{
    json_t *object = json_object();
    json_object_set_new(object, "role", json_string(message_role_name(message->role)));
    json_object_set_new(object, "content", json_string(message->content));
    json_object_set_new(object, "timestamp", time_to_json(message->timestamp_ms));
    if (message->metadata)
        json_object_set_new(object, "metadata", json_share(message->metadata));
    return object;
}

json_t *conversation_to_json(const struct conversation *conversation)
{
    json_t *object = json_object(), *messages = json_array();
    json_object_set_new(object, "version", json_integer(CONVERSATION_FORMAT_VERSION));
    json_object_set_new(object, "conversation_id", json_string(conversation->id));
    if (conversation->title)
        json_object_set_new(object, "title", json_string(conversation->title));
    json_object_set_new(object, "created_at", time_to_json(conversation->created_at_ms));
    json_object_set_new(object, "updated_at", time_to_json(conversation->updated_at_ms));
    json_object_set_new(object, "context", json_deep_copy(conversation->context));
    for (size_t i = 0; i < conversation->n_messages; i++)
        json_array_append_new(messages, message_to_json(&conversation->messages[i]));
    json_object_set_new(object, "messages", messages);
    return object;
}

static enum err_code read_time(const json_t *object, const char *key, int64_t *out_ms,
                               struct err *err)
{
    const char *text = json_get_string(object, key);
    if (!text || !rfc3339_parse(text, out_ms))
        return err_set(err, ERR_INVALID, 0, "%s is no date-time", key);
    return ERR_NONE;
}

static enum err_code read_message(struct arena *arena, const json_t *value, struct message *out,
                                  struct err *err)
{
    const json_t *content = json_object_get(value, "content");
    const json_t *metadata = json_object_get(value, "metadata");
    struct message message = { 0 };
    if (!message_role_parse(json_get_string(value, "role"), &message.role))
        return err_set(err, ERR_INVALID, 0, "role is none of system, user, assistant, tool");
    if (!json_is_string(content) || json_string_has_nul(content))
        return err_set(err, ERR_INVALID, 0, "content is no text");
    if (metadata && !json_is_object(metadata) && !json_is_null(metadata))
        return err_set(err, ERR_INVALID, 0, "metadata is no object");
    enum err_code r = read_time(value, "timestamp", &message.timestamp_ms, err);
    if (r)
        return r;
    message.content = arena_strdup(arena, json_string_value(content));
    if (json_is_object(metadata))
        message.metadata = arena_keep_json(arena, json_share(metadata));
    *out = message;
    return ERR_NONE;
}

static enum err_code read_messages(struct arena *arena, const json_t *value,
                                   struct conversation *conversation, struct err *err)
{
    const json_t *messages = json_object_get(value, "messages"), *message;
    size_t i;
    if (!json_is_array(messages))
        return err_set(err, ERR_INVALID, 0, "messages is no array");
    conversation->capacity = json_array_size(messages);
    conversation->messages = arena_array(arena, struct message, conversation->capacity);
    json_array_foreach (messages, i, message) {
        enum err_code r = read_message(arena, message, &conversation->messages[i], err);
        if (r)
            return err_prefix(err, r, "message %zu", i);
        conversation->n_messages++;
    }
    return ERR_NONE;
}

static enum err_code read_head(struct arena *arena, const json_t *value,
                               struct conversation *conversation, struct err *err)
{
    const char *id = json_get_string(value, "conversation_id");
    const json_t *title = json_object_get(value, "title");
    const json_t *context = json_object_get(value, "context");
    int64_t version = json_get_int(value, "version", CONVERSATION_FORMAT_VERSION);
    if (!json_is_object(value))
        return err_set(err, ERR_INVALID, 0, "a conversation must be an object");
    if (version != CONVERSATION_FORMAT_VERSION)
        return err_set(err, ERR_INVALID, 0, "version %lld is not known, only %d",
                       (long long)version, CONVERSATION_FORMAT_VERSION);
    if (!conversation_id_is_valid(id))
        return err_set(err, ERR_INVALID, 0,
                       "conversation_id is not 1 to %d letters, digits, \"-\" and \"_\"",
                       CONVERSATION_ID_MAX);
    if (title && !json_is_null(title) && !json_is_string(title))
        return err_set(err, ERR_INVALID, 0, "title is no text");
    if (context && !json_is_object(context))
        return err_set(err, ERR_INVALID, 0, "context is no object");
    conversation->id = arena_strdup(arena, id);
    conversation->title = arena_strdup(arena, json_string_value(title));
    conversation->context =
        arena_keep_json(arena, context ? json_deep_copy(context) : json_object());
    return ERR_NONE;
}

enum err_code conversation_from_json(struct arena *arena, const json_t *value,
                                     struct conversation **out, struct err *err)
{
    struct conversation *conversation = arena_new(arena, struct conversation);
    enum err_code r = read_head(arena, value, conversation, err);
    if (!r)
        r = read_time(value, "created_at", &conversation->created_at_ms, err);
    conversation->updated_at_ms = conversation->created_at_ms;
    if (!r && json_object_get(value, "updated_at"))
        r = read_time(value, "updated_at", &conversation->updated_at_ms, err);
    if (!r)
        r = read_messages(arena, value, conversation, err);
    if (r)
        return r;
    *out = conversation;
    return ERR_NONE;
}
