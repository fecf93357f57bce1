/* One round on the page of a figure. Pure. */
#ifndef APPLICATION_FIGURE_REPORT_FIGURE_PAGE_ROUND_H
#define APPLICATION_FIGURE_REPORT_FIGURE_PAGE_ROUND_H

#include "application/figure/report/html_page.h"
#include "application/figure/stages/figure.h"

void figure_page_round(struct html_page *page, const struct figure_result *result, size_t round);
/* The picture of a round, which leads to its file STEM.svg; nothing where there is none. */
void figure_page_picture(struct html_page *page, const struct picture *picture, const char *stem);
/* A summary that opens to a text. */
void figure_page_details(struct html_page *page, const char *summary, const char *text);

#endif
