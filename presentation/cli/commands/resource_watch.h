/* `mistro read SERVER URI --watch`: what a resource holds, now and whenever it changed. */
#ifndef PRESENTATION_CLI_COMMANDS_RESOURCE_WATCH_H
#define PRESENTATION_CLI_COMMANDS_RESOURCE_WATCH_H

#include "domain/base/attributes.h"
#include "presentation/cli/cli.h"

/* Until Ctrl-C, --timeout (which is no failure here) or the end of whoever reads. Returns the exit
 * status. */
awaits int resource_watch(struct cli *cli, const char *server, const char *uri);

#endif
