/* How lists of resources and prompts are shown. */
#ifndef PRESENTATION_CLI_OUTPUT_OFFERING_OUTPUT_H
#define PRESENTATION_CLI_OUTPUT_OFFERING_OUTPUT_H

#include "application/use_cases/tools/list_offerings.h"
#include "presentation/cli/cli.h"

/* Title (where it is not the key again) and description on one line. */
const char *offering_summary(struct arena *arena, const struct offering *offering);
/* The entries of one kind, each {"server":…, "definition":…}; a new value. */
json_t *offerings_to_json(const struct offering_listing *listing, enum offering_kind kind);
/* The servers that could not be reached, as `tools --json` has them; a new value. */
json_t *offering_failures_to_json(const struct offering_listing *listing);
/* The failures as warnings, and a note where nothing is listed at all. what: "resources" or
 * "prompts". */
void offering_warnings(struct cli *cli, const struct offering_listing *listing, const char *what);

#endif
