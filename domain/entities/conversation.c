#include "domain/entities/conversation.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

#define LABEL_COLUMNS 60

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

/* A copy that JSON can carry: bytes that are no UTF-8 become U+FFFD. */
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

void conversation_start_fresh(struct conversation *conversation)
{
    json_object_set_new(conversation->context, CONVERSATION_CLEARED_KEY,
                        json_integer((json_int_t)conversation->n_messages));
}

size_t conversation_live_start(const struct conversation *conversation)
{
    int64_t cleared = json_get_int(conversation->context, CONVERSATION_CLEARED_KEY, 0);
    if (cleared <= 0)
        return 0;
    size_t start = (size_t)cleared;
    return start < conversation->n_messages ? start : conversation->n_messages;
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
