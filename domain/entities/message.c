#include "domain/entities/message.h"
#include "domain/base/attributes.h"
#include <string.h>

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
    for (size_t i = 0; name && i < ARRAY_LENGTH(role_names); i++) {
        if (strcmp(role_names[i], name) == 0) {
            *out_role = (enum message_role)i;
            return true;
        }
    }
    return false;
}
