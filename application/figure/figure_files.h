/* What a figure leaves in its folder: 01_input.json … 05_round_log.json, each round's picture,
 * source and data, scorecard.json and scorecard.md, and index.html with the rounds side by side,
 * which needs no network. Pure: the bytes are made here and written by whoever has a folder. */
#ifndef APPLICATION_FIGURE_FIGURE_FILES_H
#define APPLICATION_FIGURE_FIGURE_FILES_H

#include "application/figure/figure.h"

struct figure_file {
    const char *name;
    const char *bytes;
    size_t length;
};

/* In the arena; the pictures' bytes are those of the result. */
struct figure_file *figure_files(struct arena *arena, const struct figure_result *result,
                                 const struct figure_style *style, size_t *out_n);
/* {faithfulness, conciseness, readability, aesthetics: {score 0–100, evidence, issues[], severity},
 * overall: {ready_for_publish, manual_review_required, notes}} (B2); owned by the caller. */
json_t *figure_scorecard(const struct figure_result *result);
/* The result as `figure --json` prints it; owned by the caller. */
json_t *figure_result_to_json(const struct figure_result *result, const char *run_id,
                              const char *folder);

#endif
