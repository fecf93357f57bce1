#include "infrastructure/mcp/oauth/form_encoding.h"
#include "domain/base/text.h"
#include <string.h>

#define LETTERS_AND_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

char *form_encode(struct arena *arena, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";
    char *out = arena_alloc(arena, 3 * strlen(text) + 1), *at = out;
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (strchr(LETTERS_AND_DIGITS "-._", c)) {
            *at++ = (char)c;
        } else {
            *at++ = '%';
            *at++ = digits[c >> 4];
            *at++ = digits[c & 15];
        }
    }
    return out;
}

bool form_add(struct buf *form, const char *name, const char *value)
{
    AUTO(arena) scratch = { 0 };
    if (!value)
        return true;
    return (!form->length || buf_puts(form, "&")) && buf_puts(form, name) && buf_puts(form, "=") &&
           buf_puts(form, form_encode(&scratch, value));
}

static const char *decode(struct arena *arena, const char *text, size_t length)
{
    char *out = arena_alloc(arena, length + 1), *at = out;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '%') {
            *at++ = text[i] == '+' ? ' ' : text[i];
            continue;
        }
        int high = i + 2 < length ? text_hex_digit(text[i + 1]) : -1;
        int low = i + 2 < length ? text_hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0 || (high == 0 && low == 0))
            return NULL;
        *at++ = (char)(high << 4 | low);
        i += 2;
    }
    return memchr(text, '\0', length) ? NULL : out;
}

/* How many times the parameter occurs, and the text of the last one. */
static size_t count(const char *form, size_t length, const char *name, const char **out_value,
                    size_t *out_length)
{
    const char *end = form + length;
    size_t n = 0, name_length = strlen(name);
    for (const char *at = form; at < end;) {
        const char *next = memchr(at, '&', (size_t)(end - at));
        size_t pair = (size_t)((next ? next : end) - at);
        if (pair > name_length && at[name_length] == '=' && memcmp(at, name, name_length) == 0) {
            *out_value = at + name_length + 1;
            *out_length = pair - name_length - 1;
            n++;
        }
        at += pair + 1;
    }
    return n;
}

bool form_has(const char *form, size_t length, const char *name)
{
    const char *value;
    size_t value_length;
    return count(form, length, name, &value, &value_length) > 0;
}

const char *form_find(struct arena *arena, const char *form, size_t length, const char *name)
{
    const char *value;
    size_t value_length;
    if (count(form, length, name, &value, &value_length) != 1)
        return NULL;
    return decode(arena, value, value_length);
}
