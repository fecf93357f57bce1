#include "domain/entities/conversation.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

#define LABEL_COLUMNS 60

static const char *const role_names[] = {
    [MESSAGE_SYSTEM] = "system",
    [MESSAGE_USER] = "user",
    [MESSAGE_ASSISTANT] = "assistant",
    [MESSAGE_TOOL] = "tool",
};

const char *message_role_name(enum message_role role)
{
    return role_names[role];
}

bool message_role_parse(const char *name, enum message_role *out_role)
{
    int role = text_find(name, role_names, ARRAY_LENGTH(role_names));
    if (role >= 0)
        *out_role = (enum message_role)role;
    return role >= 0;
}

bool conversation_id_is_valid(const char *id)
{
    size_t length = id ? strlen(id) : 0;
    if (length < 1 || length > CONVERSATION_ID_MAX)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)id[i]) && id[i] != '-' && id[i] != '_')
            return false;
    return true;
}

struct conversation *conversation_create(struct arena *arena, const char *id, int64_t now_ms)
{
    struct conversation *conversation = arena_new(arena, struct conversation);
    conversation->id = arena_strdup(arena, id);
    conversation->created_at_ms = conversation->updated_at_ms = now_ms;
    conversation->context = arena_keep_json(arena, json_object());
    return conversation;
}

/* A copy that JSON can carry: bytes that are not UTF-8 become U+FFFD. */
static const char *copy_as_utf8(struct arena *arena, const char *text)
{
    size_t length = strlen(text), n = 0;
    if (text_is_utf8(text, length))
        return arena_strndup(arena, text, length);
    char *copy = arena_alloc(arena, length * 3 + 1);
    for (size_t at = 0; at < length;) {
        size_t size = text_utf8_next(text + at, length - at, NULL);
        memcpy(copy + n, size ? text + at : "\xEF\xBF\xBD", size ? size : 3);
        n += size ? size : 3;
        at += size ? size : 1;
    }
    return copy;
}

struct message *conversation_add(struct arena *arena, struct conversation *conversation,
                                 enum message_role role, const char *content, json_t *metadata,
                                 int64_t now_ms)
{
    struct message *message =
        arena_push(arena, conversation->messages, conversation->n_messages, conversation->capacity);
    *message = (struct message){
        .role = role,
        .content = copy_as_utf8(arena, content),
        .timestamp_ms = now_ms,
        .metadata = arena_keep_json(arena, metadata),
    };
    /* It is also the version that repositories compare, so it moves with every message. */
    bool is_later = now_ms > conversation->updated_at_ms;
    conversation->updated_at_ms = is_later ? now_ms : conversation->updated_at_ms + 1;
    return message;
}

const struct message *conversation_recent(const struct conversation *conversation, size_t n,
                                          size_t *out_n)
{
    *out_n = n < conversation->n_messages ? n : conversation->n_messages;
    return *out_n ? conversation->messages + conversation->n_messages - *out_n : NULL;
}

void conversation_keep_recent(struct conversation *conversation, size_t n)
{
    if (conversation->n_messages <= n)
        return;
    size_t dropped = conversation->n_messages - n;
    conversation->messages += dropped;
    conversation->capacity -= dropped;
    conversation->n_messages = n;
    conversation->n_earlier += dropped;
}

bool conversation_join(struct arena *arena, struct conversation *conversation,
                       const struct conversation *part)
{
    if (part->n_earlier != conversation->n_earlier + conversation->n_messages ||
        strcmp(part->id, conversation->id) != 0)
        return false;
    for (size_t i = 0; i < part->n_messages; i++)
        *arena_push(arena, conversation->messages, conversation->n_messages,
                    conversation->capacity) = part->messages[i];
    conversation->title = part->title;
    conversation->created_at_ms = part->created_at_ms;
    conversation->updated_at_ms = part->updated_at_ms;
    conversation->context = part->context;
    return true;
}

void conversation_start_fresh(struct conversation *conversation)
{
    size_t n = conversation->n_earlier + conversation->n_messages;
    json_object_set_new(conversation->context, CONVERSATION_CLEARED_KEY,
                        json_integer((json_int_t)n));
    json_object_del(conversation->context, CONVERSATION_RESULTS_KEY);
}

size_t conversation_live_start(const struct conversation *conversation)
{
    int64_t cleared = json_get_int(conversation->context, CONVERSATION_CLEARED_KEY, 0);
    if (cleared <= 0 || (size_t)cleared <= conversation->n_earlier)
        return 0;
    size_t start = (size_t)cleared - conversation->n_earlier;
    return start < conversation->n_messages ? start : conversation->n_messages;
}

const char *conversation_last_request(struct arena *arena, const struct conversation *conversation)
{
    for (size_t i = conversation->n_messages; i-- > 0;) {
        const char *said = conversation->messages[i].content;
        if (conversation->messages[i].role == MESSAGE_USER)
            return text_one_line(arena, said, strlen(said), LABEL_COLUMNS);
    }
    return "";
}

const char *conversation_folder(const struct conversation *conversation)
{
    const char *folder = json_get_string(conversation->context, CONVERSATION_FOLDER_KEY);
    return folder ? folder : "";
}

const char *conversation_kind(const struct conversation *conversation)
{
    return json_object_get(conversation->context, CONVERSATION_STUDIO_KEY) ? "studio" : "chat";
}

const char *conversation_label(struct arena *arena, const struct conversation *conversation)
{
    if (conversation->title && *conversation->title)
        return text_one_line(arena, conversation->title, strlen(conversation->title),
                             LABEL_COLUMNS);
    for (size_t i = 0; i < conversation->n_messages; i++) {
        const struct message *message = &conversation->messages[i];
        if (message->role == MESSAGE_USER)
            return text_one_line(arena, message->content, strlen(message->content), LABEL_COLUMNS);
    }
    return "(empty)";
}

static json_t *time_to_json(int64_t ms)
{
    char text[RFC3339_SIZE];
    return json_string(rfc3339_print(ms, text));
}

json_t *message_to_json(const struct message *message)
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
    return conversation_end_to_json(conversation, 0);
}

json_t *conversation_end_to_json(const struct conversation *conversation, size_t from)
{
    size_t earlier = conversation->n_earlier + from;
    json_t *object = json_object(), *messages = json_array();
    json_object_set_new(object, "version", json_integer(CONVERSATION_FORMAT_VERSION));
    json_object_set_new(object, "conversation_id", json_string(conversation->id));
    if (conversation->title)
        json_object_set_new(object, "title", json_string(conversation->title));
    json_object_set_new(object, "created_at", time_to_json(conversation->created_at_ms));
    json_object_set_new(object, "updated_at", time_to_json(conversation->updated_at_ms));
    json_object_set_new(object, "context", json_deep_copy(conversation->context));
    if (earlier)
        json_object_set_new(object, "earlier", json_integer((json_int_t)earlier));
    for (size_t i = from; i < conversation->n_messages; i++)
        json_array_append_new(messages, message_to_json(&conversation->messages[i]));
    json_object_set_new(object, "messages", messages);
    return object;
}

static enum err_code read_time(const json_t *object, const char *key, int64_t *out_ms,
                               struct err *err)
{
    const char *text = json_get_string(object, key);
    if (!text || !rfc3339_parse(text, out_ms))
        return err_set(err, ERR_INVALID, 0, "%s is not a date-time", key);
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
        return err_set(err, ERR_INVALID, 0, "content is not a string");
    if (metadata && !json_is_object(metadata) && !json_is_null(metadata))
        return err_set(err, ERR_INVALID, 0, "metadata is not an object");
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
        return err_set(err, ERR_INVALID, 0, "messages is not an array");
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
    int64_t earlier = json_get_int(value, "earlier", 0);
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
        return err_set(err, ERR_INVALID, 0, "title is not a string");
    if (context && !json_is_object(context))
        return err_set(err, ERR_INVALID, 0, "context is not an object");
    if (earlier < 0)
        return err_set(err, ERR_INVALID, 0, "earlier is not a number of messages");
    conversation->n_earlier = (size_t)earlier;
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
