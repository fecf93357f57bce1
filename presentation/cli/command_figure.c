#include "domain/base/text.h"
#include "presentation/cli/command.h"

int command_figure(struct cli *cli)
{
    const char *what = cli->args->n_operands ? cli->args->operands[0] : "";
    if (text_equal(what, "validate"))
        return command_figure_validate(cli);
    if (text_equal(what, "validate-log"))
        return command_figure_validate_log(cli);
    return command_misused(cli, "figure", "validate or validate-log?");
}
