#include "infrastructure/models/schema/schema_reference.h"
#include "domain/base/text.h"
#include <stdbool.h>
#include <string.h>

const char *schema_reference_path(struct arena *arena, const char *reference)
{
    if (reference[0] != '#' || (reference[1] && reference[1] != '/'))
        return NULL;
    char *path = arena_strdup(arena, reference + 1), *out = path;
    for (const char *at = path; *at; at++) {
        int high = *at == '%' ? text_hex_digit(at[1]) : -1;
        int low = high >= 0 ? text_hex_digit(at[2]) : -1;
        *out++ = low >= 0 ? (char)(high * 16 + low) : *at;
        at += low >= 0 ? 2 : 0;
    }
    *out = '\0';
    return path;
}

const char *schema_reference_unescape(struct arena *arena, const char *part, size_t length)
{
    char *text = arena_strndup(arena, part, length), *out = text;
    for (const char *at = text; *at; at++) {
        bool escaped = *at == '~' && (at[1] == '0' || at[1] == '1');
        *out++ = !escaped ? *at : at[1] == '0' ? '~' : '/';
        at += escaped;
    }
    *out = '\0';
    return text;
}
