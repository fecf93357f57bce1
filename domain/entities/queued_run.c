#include "domain/entities/queued_run.h"
#include "domain/base/text.h"
#include <string.h>

const char *queue_state_name(enum queue_state state)
{
    static const char *const names[] = {
#define X(state, name) name,
        QUEUE_STATES(X)
#undef X
    };
    return names[state];
}

bool queue_name_is_valid(const char *name)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    size_t length = strlen(name);
    return length > 0 && length <= QUEUE_NAME_MAX && strspn(name, letters) == length;
}

bool queue_key_is_valid(const char *key)
{
    size_t length = strlen(key);
    return length > 0 && length <= QUEUE_KEY_MAX && text_is_utf8(key, length);
}
