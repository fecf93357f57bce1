/* What a figure leaves in its folder, which `mistro figure validate` and `validate-log` take as
 * they are:
 *
 *   01_input.json       what the Retriever was given, and the mode
 *   02_retriever.json   03_planner.json   04_stylist.json   their outputs
 *   05_round_log.json   the round log, each round with its findings
 *   stages.json         every stage that ran: input, output, what answered, how long it took
 *   request.json        what was asked for: what continuing the figure needs
 *   round_N.svg .png .pdf, round_N.graph.json, .dot, .mmd and .drawio, round_N.plot.json, .vl.json
 *   and .py, round_N.txt  what round N drew and what it was made of, as far as it exists
 *   figure.*            those files of the chosen round
 *   scorecard.json      scorecard.md
 *   index.html          all of it on one page, which needs no network
 *
 * A folder can be read again, so that another round is shown or more of them are drawn. What does
 * not change then is copied byte for byte.
 *
 * Pure: the bytes are made here, and the caller writes them. */
#ifndef APPLICATION_FIGURE_REPORT_FIGURE_FILES_H
#define APPLICATION_FIGURE_REPORT_FIGURE_FILES_H

#include "application/figure/stages/figure.h"
#include "domain/entities/event.h"

#define FIGURE_INDEX "index.html"
#define FIGURE_MAX_LOGGED_ROUNDS 60 /* of a figure with all that it was continued by */

struct figure_file {
    const char *name;
    const char *bytes; /* with a NUL behind them */
    size_t length;
};

/* A folder that was read again. */
struct figure_folder {
    const struct figure_file *files; /* those that figure_folder_keeps names */
    size_t n_files;
    struct figure_result result; /* as it stands there, without its input, data and costs */
    const json_t *request;       /* request.json: any value */
};

/* Whether a file is kept as it is when a folder changes, or says what has to be known for that. */
bool figure_folder_keeps(const char *name);
/* files: as they were read, of which it keeps those it has to; everything else is in the arena.
 * ERR_INVALID: what is missing or damaged, with the name of the file. */
MUST_CHECK
enum err_code figure_folder_read(struct arena *arena, const struct figure_file *files, size_t n,
                                 struct figure_folder *out, struct err *err);

/* In the arena; the pictures' bytes are those of the result. request: an object; before: the folder
 * that these files take the place of, which keeps its own request, or NULL. */
struct figure_file *figure_files(struct arena *arena, const struct figure_result *result,
                                 const struct figure_style *style, const json_t *request,
                                 const struct figure_folder *before, size_t *out_n);
/* The file figure.SUFFIX of the chosen round, in any case of letters; NULL: there is none. In the
 * arena. */
const struct figure_file *figure_file_of(struct arena *arena, const struct figure_result *result,
                                         const struct figure_style *style, const char *suffix);
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
 * end, or not of all its rounds: it was continued, and its folder has them. */
json_t *figure_log_from_events(const struct event *events, size_t n);

#endif
