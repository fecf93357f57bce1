/* `--complete KEY[=TYPED]` of `prompt` and `read`: what an argument could be, one value a line. */
#ifndef PRESENTATION_CLI_COMMANDS_ARGUMENT_VALUES_H
#define PRESENTATION_CLI_COMMANDS_ARGUMENT_VALUES_H

#include "domain/base/attributes.h"
#include "domain/tool/offering.h"
#include "presentation/cli/cli.h"

/* key: the prompt's name or the template's URI; others: the arguments that are known already, an
 * object of strings. Returns the exit status. */
awaits int argument_values(struct cli *cli, const char *server, enum offering_kind kind,
                           const char *key, const json_t *others);

#endif
