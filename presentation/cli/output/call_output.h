/* How the result of `mistro call` is shown: text blocks as text, other blocks as a line that says
 * what they are; with -o the bytes of the first block that has any; with --json the result as
 * the server sent it. */
#ifndef PRESENTATION_CLI_OUTPUT_CALL_OUTPUT_H
#define PRESENTATION_CLI_OUTPUT_CALL_OUTPUT_H

#include "domain/tool/step_result.h"
#include "presentation/cli/cli.h"

/* Returns the exit status: 1 for a result that is the tool's own error. */
int call_output(struct cli *cli, const struct step_result *result);
/* call_output for something that is not a tool's result but shown like one: result is what a person
 * reads, bytes (NUL-terminated) what --json prints. */
int call_output_as(struct cli *cli, const struct step_result *result, const char *bytes,
                   size_t length);

/* One block of content: its text, or the line that says what it is. False once stdout is closed. */
bool call_output_block(struct cli *cli, const json_t *block);

#endif
