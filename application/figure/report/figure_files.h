/* What a figure leaves in its folder, which `mistro figure validate` and `validate-log` take as
 * they are:
 *
 *   01_input.json       what the Retriever was given, and the mode
 *   02_retriever.json   03_planner.json   04_stylist.json   their outputs
 *   05_round_log.json   the round log, each round with its findings
 *   stages.json         every stage that ran: input, output, what answered, how long it took
 *   round_N.svg .png .pdf, round_N.graph.json and .dot, round_N.plot.json, .vl.json and .py,
 *   round_N.txt         what round N drew and what it was made of, as far as it exists
 *   figure.*            those files of the chosen round
 *   scorecard.json      scorecard.md
 *   index.html          all of it on one page, which needs no network
 *
 * Pure: the bytes are made here, and the caller writes them. */
#ifndef APPLICATION_FIGURE_REPORT_FIGURE_FILES_H
#define APPLICATION_FIGURE_REPORT_FIGURE_FILES_H

#include "application/figure/stages/figure.h"
#include "domain/entities/event.h"

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
 * overall: {ready_for_publish, manual_review_required, notes}}, computed by rules from the chosen
 * round; owned by the caller. */
json_t *figure_scorecard(const struct figure_result *result);
/* Whether it may be printed as it is: drawn, read by a critic, both gates, nothing critical. */
bool figure_is_ready(const struct figure_result *result);
/* The result as `figure --json` prints it; owned by the caller. */
json_t *figure_result_to_json(const struct figure_result *result, const char *run_id,
                              const char *folder);
/* The round log made of the events of a run, so that `runs export` has it where no folder was
 * written. Owned by the caller; NULL when the events are not those of a figure that came to its
 * end. */
json_t *figure_log_from_events(const struct event *events, size_t n);

#endif
