#include "presentation/web/web_form.h"
#include "domain/base/text.h"
#include <string.h>

/* The text without its escapes; NULL where it is none. */
static const char *plain(struct arena *arena, const char *text, size_t length)
{
    char *out = arena_alloc(arena, length + 1);
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i] == '+' ? ' ' : text[i];
        if (text[i] == '%') {
            int high = i + 2 < length ? text_hex_digit(text[i + 1]) : -1;
            int low = i + 2 < length ? text_hex_digit(text[i + 2]) : -1;
            if (high < 0 || low < 0)
                return NULL;
            c = (char)(high * 16 + low);
            i += 2;
        }
        if (!c)
            return NULL;
        out[n++] = c;
    }
    out[n] = '\0';
    return text_is_utf8(out, n) ? out : NULL;
}

bool web_form_read(struct arena *arena, const char *text, size_t length, struct web_form *out)
{
    const char *at = text, *end = text + length;
    *out = (struct web_form){ 0 };
    while (at < end) {
        const char *stop = memchr(at, '&', (size_t)(end - at));
        stop = stop ? stop : end;
        const char *equals = memchr(at, '=', (size_t)(stop - at));
        const char *name_end = equals ? equals : stop, *value = equals ? equals + 1 : stop;
        if (stop > at) {
            if (out->n == WEB_FORM_MAX_FIELDS)
                return false;
            struct web_field *field = &out->fields[out->n++];
            field->name = plain(arena, at, (size_t)(name_end - at));
            field->value = plain(arena, value, (size_t)(stop - value));
            if (!field->name || !field->value)
                return false;
        }
        at = stop + 1;
    }
    return true;
}

const char *web_form_get(const struct web_form *form, const char *name)
{
    for (size_t i = 0; i < form->n; i++)
        if (strcmp(form->fields[i].name, name) == 0)
            return form->fields[i].value;
    return NULL;
}

const char *web_form_escape(struct arena *arena, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";
    char *out = arena_alloc(arena, 3 * strlen(text) + 1), *at = out;
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if ((byte < 0x80 && text_is_word_byte(*text)) || strchr("-._~", *text)) {
            *at++ = *text;
            continue;
        }
        *at++ = '%';
        *at++ = digits[byte >> 4];
        *at++ = digits[byte & 15];
    }
    *at = '\0';
    return out;
}
