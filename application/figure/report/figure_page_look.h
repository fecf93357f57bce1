/* How the page of a figure looks: light or dark as the reader's system is, one column on a phone,
 * rounds side by side where there is room, nothing hidden on paper. Pure. */
#ifndef APPLICATION_FIGURE_REPORT_FIGURE_PAGE_LOOK_H
#define APPLICATION_FIGURE_REPORT_FIGURE_PAGE_LOOK_H

extern const char figure_page_look[]; /* CSS */

#endif
