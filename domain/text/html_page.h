/* A page of HTML that grows: markup of our own as it is, everything else escaped. A page that is
 * full stays as it is, and `fits` says so. Pages look alike (data/pages/), light or dark as the
 * reader's system is; they fetch nothing and run nothing, and their policy allows nothing else.
 * Pure. */
#ifndef DOMAIN_TEXT_HTML_PAGE_H
#define DOMAIN_TEXT_HTML_PAGE_H

#include "domain/base/buf.h"
#include "domain/base/embedded_file.h"

extern const struct embedded_file page_styles[]; /* data/pages/ */

struct html_page {
    struct buf out;
    bool fits;
};

void html_page_init(struct html_page *page, size_t max_bytes);
void html_page_finish(struct html_page *page);
/* Everything up to <body>. style: a path in page_styles, what the page has beside common.css. */
void html_page_begin(struct html_page *page, const char *title, const char *style);
/* The same of a page that is served, whose policy is in a header. head: markup of our own that
 * names its style. */
void html_page_begin_served(struct html_page *page, const char *title, const char *head);
/* The last words of every page that is a file, and the end of its document. */
void html_page_end(struct html_page *page);
/* Markup of our own. */
void html_add(struct html_page *page, const char *markup);
void html_add_format(struct html_page *page, const char *format, ...) PRINTF_LIKE(2, 3);
/* Text from outside, for an element or a quoted attribute; NULL is "". What nobody would see of it
 * is shown as an escape (text_sight). */
void html_add_text(struct html_page *page, const char *text);
/* The same, as much of the text as has room in so many bytes of the page; returns the length of
 * that beginning. */
size_t html_add_text_within(struct html_page *page, const char *text, size_t length, size_t room);
/* <TAG dir="auto" class="CLASS">text</TAG>: the text decides in which direction it reads. */
void html_add_element(struct html_page *page, const char *tag, const char *class_name,
                      const char *text);
/* "data:TYPE;base64,…" */
void html_add_data(struct html_page *page, const char *type, const char *bytes, size_t length);

#endif
