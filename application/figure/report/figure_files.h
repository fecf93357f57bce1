/* What a figure leaves in its folder, which `mistro figure validate` and `validate-log` take as
 * they are:
 *
 *   01_input.json       what the Retriever was given, and the mode
 *   02_retriever.json   03_planner.json   04_stylist.json   what the three gave
 *   05_round_log.json   the rounds (S1-18), each with its findings
 *   stages.json         every stage that ran: input, output, who answered, how long it took
 *   round_N.svg .png .pdf, round_N.graph.json and .dot, round_N.plot.json, .vl.json and .py,
 *   round_N.txt         what round N drew and what it was made of, as far as there is any
 *   figure.*            the same of the chosen round
 *   scorecard.json      scorecard.md
 *   index.html          all of it on one page, which needs no network
 *
 * Pure: the bytes are made here and written by whoever has a folder. */
#ifndef APPLICATION_FIGURE_REPORT_FIGURE_FILES_H
#define APPLICATION_FIGURE_REPORT_FIGURE_FILES_H

#include "application/figure/stages/figure.h"

#define FIGURE_INDEX "index.html"

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
