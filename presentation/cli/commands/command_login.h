/* `mistro servers login NAME` and `mistro servers logout NAME`. */
#ifndef PRESENTATION_CLI_COMMANDS_COMMAND_LOGIN_H
#define PRESENTATION_CLI_COMMANDS_COMMAND_LOGIN_H

#include "presentation/cli/cli.h"

awaits int command_login(struct cli *cli);
awaits int command_logout(struct cli *cli);

#endif
