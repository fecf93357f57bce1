/* What the lists of runs and of sessions share: -n, and how times and folders are printed. */
#ifndef PRESENTATION_CLI_COMMANDS_LIST_OPTIONS_H
#define PRESENTATION_CLI_COMMANDS_LIST_OPTIONS_H

#include "presentation/cli/cli.h"

#define LIST_OPTIONS_DEFAULT_LIMIT 20
#define LIST_OPTIONS_VERSION 1 /* of the lists as JSON: {"version", "runs": […]} */

/* The N of -n, 0 for all. False where it is not a number. */
bool list_options_limit(const struct cli *cli, size_t *out_n);
/* For programs, in UTC as in RFC 3339. In the arena; "" for 0. */
const char *list_options_time(struct arena *arena, int64_t ms);
/* For people: "2026-11-24 15:04:05" where they are. */
const char *list_options_local_time(const struct cli *cli, int64_t ms);
/* Of a long one on a terminal only the end; NULL for NULL. */
const char *list_options_folder(const struct cli *cli, const char *folder);

#endif
