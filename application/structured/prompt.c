#include "application/structured/prompt.h"
#include "domain/base/buf.h"
#include <string.h>

const char *prompt_user_text(struct arena *arena, const struct prompt *prompt)
{
    size_t length = 0;
    for (size_t i = 0; i < prompt->n_parts; i++)
        length += strlen(prompt->parts[i].text);
    char *text = arena_alloc(arena, length + 1), *to = text;
    for (size_t i = 0; i < prompt->n_parts; i++) {
        size_t part = strlen(prompt->parts[i].text);
        memcpy(to, prompt->parts[i].text, part);
        to += part;
    }
    *to = '\0';
    return text;
}
