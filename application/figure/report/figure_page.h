/* A figure on one page: the rounds side by side with their pictures, what the checks found and what
 * the critic said below each, the scorecard, and what all of it was made from. The page needs no
 * network and runs no script: pictures are images within it, of which no script runs either, and
 * its policy allows nothing else. Every text from outside is escaped. Pure. */
#ifndef APPLICATION_FIGURE_REPORT_FIGURE_PAGE_H
#define APPLICATION_FIGURE_REPORT_FIGURE_PAGE_H

#include "application/figure/stages/figure.h"

#define FIGURE_PAGE_MAX_PICTURE_BYTES (8 * 1024 * 1024) /* a larger one is a link to its file */

/* In the arena. scorecard: what figure_scorecard made of the result. */
const char *figure_page(struct arena *arena, const struct figure_result *result,
                        const struct figure_style *style, const json_t *scorecard);

#endif
