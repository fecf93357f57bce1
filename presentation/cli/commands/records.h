/* What lists of runs and of sessions have in common. */
#ifndef PRESENTATION_CLI_COMMANDS_RECORDS_H
#define PRESENTATION_CLI_COMMANDS_RECORDS_H

#include "presentation/cli/cli.h"

#define RECORDS_LISTED_BY_DEFAULT 20

/* -n N; 0 lists all. False: it is no number. */
bool records_listed(const struct cli *cli, size_t *out_n);
/* In the arena; "" for 0. */
const char *records_time(struct arena *arena, int64_t ms);

#endif
