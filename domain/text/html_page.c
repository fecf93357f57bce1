#include "domain/text/html_page.h"
#include "domain/base/base64.h"
#include "domain/base/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Nothing is fetched and nothing runs. */
#define POLICY                                                                                     \
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "              \
    "form-action 'none'"
#define COMMON_STYLE "data/pages/common.css"

enum { ESCAPE_BYTES = 16 };

void html_page_init(struct html_page *page, size_t max_bytes)
{
    *page = (struct html_page){ .fits = true };
    buf_init(&page->out, max_bytes);
}

void html_page_finish(struct html_page *page)
{
    buf_finish(&page->out);
}

void html_page_begin_served(struct html_page *page, const char *title, const char *head)
{
    html_add(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html_add(page, head);
    html_add(page, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<title>");
    html_add_text(page, title);
    html_add(page, "</title>\n</head>\n<body>\n");
}

void html_page_begin(struct html_page *page, const char *title, const char *style)
{
    html_add(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"" POLICY "\">\n"
                   "<meta name=\"referrer\" content=\"no-referrer\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<title>");
    html_add_text(page, title);
    html_add(page, "</title>\n<style>\n");
    html_add(page, embedded_file_find(page_styles, COMMON_STYLE)->text);
    html_add(page, embedded_file_find(page_styles, style)->text);
    html_add(page, "</style>\n</head>\n<body>\n");
}

void html_page_end(struct html_page *page)
{
    html_add(page,
             "<footer class=\"soft\"><p>Made by mistro. This page fetches nothing and runs no "
             "script.</p></footer>\n</body>\n</html>\n");
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

/* What a page says for a character that it cannot have as it is; NULL: nothing else. A byte that is
 * no character has no size. */
static const char *replacement_of(const struct buf *shown, uint32_t code, size_t size, char byte,
                                  char room[static ESCAPE_BYTES])
{
    enum text_sight sight = size ? text_sight(code, shown->bytes, shown->length) : TEXT_CONTROL;
    if (size == 1 && entity_of(byte))
        return entity_of(byte);
    if (sight == TEXT_SEEN)
        return NULL;
    snprintf(room, ESCAPE_BYTES, sight == TEXT_HIDDEN ? "\\u{%x}" : "\\x%02x",
             size ? code : (unsigned char)byte);
    return room;
}

size_t html_add_text_within(struct html_page *page, const char *text, size_t length, size_t room)
{
    size_t at = 0;
    while (at < length && page->fits) {
        char escape[ESCAPE_BYTES];
        uint32_t code = 0;
        size_t size = text_utf8_next(text + at, length - at, &code), step = size ? size : 1;
        const char *replacement = replacement_of(&page->out, code, size, text[at], escape);
        const char *shown = replacement ? replacement : text + at;
        size_t taken = replacement ? strlen(replacement) : step;
        if (taken > room)
            break;
        page->fits = buf_append(&page->out, shown, taken);
        room -= taken;
        at += step;
    }
    return at;
}

void html_add_text(struct html_page *page, const char *text)
{
    if (text)
        (void)html_add_text_within(page, text, strlen(text), SIZE_MAX);
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
