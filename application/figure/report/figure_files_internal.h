/* The parts of figure_files.h that have a file of their own. Pure. */
#ifndef APPLICATION_FIGURE_REPORT_FIGURE_FILES_INTERNAL_H
#define APPLICATION_FIGURE_REPORT_FIGURE_FILES_INTERNAL_H

#include "application/figure/report/figure_files.h"

/* Those that are read again. */
#define FIGURE_LOG_FILE "05_round_log.json"
#define FIGURE_STAGES_FILE "stages.json"
#define FIGURE_REQUEST_FILE "request.json"

#define FIGURE_PAGE_MAX_PICTURE_BYTES (8 * 1024 * 1024) /* a larger one is a link to its file */

/* A figure on one page: the rounds side by side with their pictures, below each what the checks
 * found and what the critic said, the scorecard, and what all of it was made from. One column on a
 * phone, rounds side by side where there is room, nothing hidden on paper. The page needs
 * no network and runs no script: pictures are images within it, of which no script runs either, and
 * its policy allows nothing else. Every text from outside is escaped. In the arena; scorecard: what
 * figure_scorecard made of the result. */
const char *figure_page(struct arena *arena, const struct figure_result *result,
                        const struct figure_style *style, const json_t *scorecard);
/* The scorecard for people: Markdown. In the arena. */
const char *figure_scorecard_text(struct arena *arena, const struct figure_result *result,
                                  const json_t *scorecard);
/* Both owned by the caller. rendered: each round also says whether it was drawn; payloads: each
 * stage also has its input and output, and those of the figure that was continued come first. */
json_t *figure_log_to_json(const struct figure_result *result, bool rendered);
json_t *figure_stages_to_json(const struct figure_result *result, bool payloads);

#endif
