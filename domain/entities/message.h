/* One message of a conversation (S3-3). Messages are stored as they were said; what a model sees
 * of them is decided per request. All memory belongs to the arena of the conversation. */
#ifndef DOMAIN_ENTITIES_MESSAGE_H
#define DOMAIN_ENTITIES_MESSAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum message_role { MESSAGE_SYSTEM, MESSAGE_USER, MESSAGE_ASSISTANT, MESSAGE_TOOL };

struct message {
    enum message_role role;
    const char *content;    /* UTF-8 */
    int64_t timestamp_ms;   /* since 1970, UTC */
    const json_t *metadata; /* object, or NULL */
};

const char *message_role_name(enum message_role role);
bool message_role_parse(const char *name, enum message_role *out_role);

#endif
