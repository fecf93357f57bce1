/* How the end of a turn is shown: the answer on stdout, questions and errors on stderr, or the
 * result object; and the exit status that follows. */
#ifndef PRESENTATION_CLI_OUTPUT_TURN_OUTPUT_H
#define PRESENTATION_CLI_OUTPUT_TURN_OUTPUT_H

#include "application/orchestrators/turn_result.h"
#include "presentation/cli/cli.h"

/* already_streamed: the answer stands on stdout. Returns the exit status. */
int turn_output(struct cli *cli, const struct turn_result *result, bool already_streamed);
/* As output_error; a run that can be gone on with is named. */
int turn_output_failed(struct cli *cli, const struct turn_result *result, const struct err *err);
/* How to go on with a run that ended early, where that is possible and words are shown. */
void turn_output_resumption(struct cli *cli, const char *run_id, bool is_resumable);
/* The questions of an intent, and how to answer them. session_id: where they wait, or NULL. */
void turn_output_questions(struct cli *cli, const struct intent *intent, const char *session_id);
/* How many choices one key makes, where keys have meanings: of a single question with few choices
 * that have numbers. Else 0. */
size_t turn_output_keys(const struct intent *intent);
/* Reports that the session was not saved, where it was not. turn_output does so itself. */
void turn_output_not_saved(struct cli *cli, const struct turn_result *result);
/* The bytes that the last step which gave any gave first: what -o saves in the place of words.
 * Owned by the caller (malloc); NULL when no step did. */
char *turn_output_bytes(const struct turn_result *result, size_t *out_length);
int turn_exit_status(const struct turn_result *result);

#endif
