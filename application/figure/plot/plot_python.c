#include "application/figure/plot/plot_python.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdio.h>
#include <string.h>

/* The buffers have no bound, so nothing that is appended is lost. */
static void put(struct buf *out, const char *text)
{
    (void)!buf_puts(out, text);
}

static bool is_between(uint32_t code, uint32_t low, uint32_t high)
{
    return code >= low && code <= high;
}

/* Letters and signs that everybody sees; of ASCII, those that mean nothing in a string. Spaces of
 * other widths, marks of direction, joiners, selectors, private and unused planes are not. */
static bool is_plain(uint32_t code)
{
    if (code < 0x80)
        return code >= 0x20 && code != 0x7f && !strchr("\"'\\<>", (int)code);
    return (is_between(code, 0xa1, 0xac) || is_between(code, 0xae, 0x2ff) ||
            is_between(code, 0x370, 0x61b) || is_between(code, 0x620, 0x17ff) ||
            is_between(code, 0x1820, 0x1fff) || is_between(code, 0x2010, 0x2027) ||
            is_between(code, 0x2030, 0x205e) || is_between(code, 0x2070, 0x2fff) ||
            is_between(code, 0x3001, 0xd7ff) || is_between(code, 0xf900, 0xfdff) ||
            is_between(code, 0x1f300, 0x1faff) || is_between(code, 0x20000, 0x2ffff));
}

static void put_escaped(struct buf *out, uint32_t code)
{
    if (code < 0x100)
        (void)!buf_printf(out, "\\x%02x", code);
    else if (code < 0x10000)
        (void)!buf_printf(out, "\\u%04x", code);
    else
        (void)!buf_printf(out, "\\U%08x", code);
}

void plot_python_text(struct buf *out, const char *text)
{
    size_t left = strlen(text);
    put(out, "\"");
    while (left) {
        uint32_t code = 0xfffd;
        size_t n = text_utf8_next(text, left, &code);
        if (n && is_plain(code))
            (void)!buf_append(out, text, n);
        else
            put_escaped(out, n ? code : 0xfffd);
        text += n ? n : 1;
        left -= n ? n : 1;
    }
    put(out, "\"");
}

void plot_python_texts(struct buf *out, const char *const *texts, size_t n)
{
    put(out, "[");
    for (size_t i = 0; i < n; i++) {
        put(out, i ? ", " : "");
        plot_python_text(out, texts[i]);
    }
    put(out, "]");
}

void plot_python_value(struct buf *out, const json_t *value)
{
    if (json_is_string(value))
        plot_python_text(out, json_string_value(value));
    else
        json_append(out, value);
}
