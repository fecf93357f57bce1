/* What `run` and `plans` share: plan files that are named on the command line, and --var. */
#ifndef PRESENTATION_CLI_COMMANDS_PLAN_TEXT_H
#define PRESENTATION_CLI_COMMANDS_PLAN_TEXT_H

#include "application/use_cases/plans/check_plan.h"
#include "presentation/cli/cli.h"

/* As files_read, with the files of its folder; in the arena of the cli. */
awaits MUST_CHECK enum err_code plan_text_read(struct cli *cli, const char *path,
                                               struct plan_text *out, struct err *err);
/* A plan with those that it uses, which are read from its folder and below it. Keys that are there
 * twice are problems. ERR_BAD_PLAN for whatever cannot be read; ERR_CANCELLED, ERR_TIMEOUT. */
awaits MUST_CHECK enum err_code plan_linked_read(struct cli *cli, const char *path,
                                                 struct linked_plan *out, struct problems *problems,
                                                 struct err *err);
/* Splits "NAME=VALUE" of a flag; a name is said once. */
MUST_CHECK enum err_code plan_word_split(struct cli *cli, const char *flag, const char *word,
                                         const json_t *said, const char **out_name,
                                         const char **out_value, struct err *err);
/* ERR_INVALID: --max-steps was given, which bounds plans of version 1 only. */
enum err_code plan_max_steps_refused(struct cli *cli, int version, struct err *err);
/* Of each --answer the value by its key, as strings. ERR_INVALID: one is not KEY=VALUE, or a key is
 * given twice. */
MUST_CHECK enum err_code plan_answers_read(struct cli *cli, json_t **out, struct err *err);
/* The values of --var as an object in the arena. plan: as parsed, or NULL. NAME=TEXT gives a
 * string; of a plan of version 2 it has the type of the input, NAME:=JSON gives any value, and
 * NAME@FILE the content of a file, NAME@- what standard input has; a secret is given by a file
 * only, whose last line end is none of it. ERR_INVALID: it is none of these, the file cannot be
 * read, or standard input is to be read twice. */
awaits MUST_CHECK enum err_code plan_vars_read(struct cli *cli, const json_t *plan, json_t **out,
                                               struct err *err);

#endif
