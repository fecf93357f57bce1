#include "application/figure/report/html_page.h"
#include "domain/base/base64.h"
#include "domain/base/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void html_page_init(struct html_page *page, size_t max_bytes)
{
    *page = (struct html_page){ .fits = true };
    buf_init(&page->out, max_bytes);
}

void html_page_finish(struct html_page *page)
{
    buf_finish(&page->out);
}

void html_add(struct html_page *page, const char *markup)
{
    page->fits = page->fits && buf_puts(&page->out, markup);
}

void html_add_format(struct html_page *page, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    html_add(page, text);
}

static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* Control characters, which HTML does not allow, and invalid bytes. */
static bool is_invalid(uint32_t code, size_t length)
{
    return !length || (code < 0x20 && code != '\n' && code != '\t') ||
           (code >= 0x7f && code < 0xa0);
}

void html_add_text(struct html_page *page, const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    for (const char *at = text ? text : ""; *at && page->fits;) {
        uint32_t code = 0;
        size_t length = text_utf8_next(at, strnlen(at, 4), &code);
        const char *entity = entity_of(*at);
        if (entity)
            html_add(page, entity);
        else if (is_invalid(code, length))
            html_add(page, replacement);
        else
            page->fits = buf_append(&page->out, at, length);
        at += length ? length : 1;
    }
}

void html_add_element(struct html_page *page, const char *tag, const char *class_name,
                      const char *text)
{
    html_add_format(page, "<%s dir=\"auto\" class=\"%s\">", tag, class_name);
    html_add_text(page, text);
    html_add_format(page, "</%s>\n", tag);
}

void html_add_data(struct html_page *page, const char *type, const char *bytes, size_t length)
{
    html_add_format(page, "data:%s;base64,", type);
    page->fits = page->fits && base64_append(&page->out, bytes, length);
}
