/* A page of HTML that grows: markup of our own as it is, everything else escaped. A page that is
 * full stays as it is, and `fits` says so. Pure. */
#ifndef APPLICATION_FIGURE_REPORT_HTML_PAGE_H
#define APPLICATION_FIGURE_REPORT_HTML_PAGE_H

#include "domain/base/buf.h"

struct html_page {
    struct buf out;
    bool fits;
};

void html_page_init(struct html_page *page, size_t max_bytes);
void html_page_finish(struct html_page *page);
/* Markup of our own. */
void html_add(struct html_page *page, const char *markup);
void html_add_format(struct html_page *page, const char *format, ...) PRINTF_LIKE(2, 3);
/* Text from outside, for an element or a quoted attribute; NULL is "". */
void html_add_text(struct html_page *page, const char *text);
/* <TAG dir="auto" class="CLASS">text</TAG>: the text decides in which direction it reads. */
void html_add_element(struct html_page *page, const char *tag, const char *class_name,
                      const char *text);
/* "data:TYPE;base64,…" */
void html_add_data(struct html_page *page, const char *type, const char *bytes, size_t length);

#endif
