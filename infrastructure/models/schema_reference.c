#include "infrastructure/models/schema_reference.h"
#include <stdbool.h>
#include <string.h>

static int hex_value(char digit)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = digit ? strchr(digits, digit) : NULL;
    return at ? (int)(at - digits) % 16 : -1;
}

const char *schema_reference_path(struct arena *arena, const char *reference)
{
    if (reference[0] != '#' || (reference[1] && reference[1] != '/'))
        return NULL;
    char *path = arena_strdup(arena, reference + 1), *out = path;
    for (const char *at = path; *at; at++) {
        int high = *at == '%' ? hex_value(at[1]) : -1;
        int low = high >= 0 ? hex_value(at[2]) : -1;
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
