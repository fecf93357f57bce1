/* What the lists of runs and of sessions share: -n, and how a time is printed. */
#ifndef PRESENTATION_CLI_COMMANDS_LIST_OPTIONS_H
#define PRESENTATION_CLI_COMMANDS_LIST_OPTIONS_H

#include "presentation/cli/cli.h"

#define LIST_OPTIONS_DEFAULT_LIMIT 20

/* The N of -n, 0 for all. False where it is not a number. */
bool list_options_limit(const struct cli *cli, size_t *out_n);
/* In the arena; "" for 0. */
const char *list_options_time(struct arena *arena, int64_t ms);

#endif
