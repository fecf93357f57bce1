/* The scorecard for people: Markdown. Pure. */
#ifndef APPLICATION_FIGURE_REPORT_FIGURE_SCORECARD_TEXT_H
#define APPLICATION_FIGURE_REPORT_FIGURE_SCORECARD_TEXT_H

#include "application/figure/stages/figure.h"

/* scorecard: what figure_scorecard made of the result. In the arena. */
const char *figure_scorecard_text(struct arena *arena, const struct figure_result *result,
                                  const json_t *scorecard);

#endif
