/* `mistro setup HOST`: the entry that makes mistro a tool of another MCP client. */
#include "presentation/cli/command.h"
#include "presentation/cli/output.h"
#include <string.h>

int command_setup(struct cli *cli)
{
    struct err err = { 0 };
    struct client_setup setup = { 0 };
    const char *host = cli->args->n_operands ? cli->args->operands[0] : NULL;
    if (!host)
        return command_misused(cli, "setup", "name the host");
    if (cli->host->ops->set_up_client(cli->host, host, cli->args->write, cli->arena, &setup, &err))
        return output_error(cli, &err);
    if (setup.is_there) {
        output_note(cli, "%s has mistro already", setup.file);
        return 0;
    }
    if (!setup.was_written && !output_text(cli, setup.snippet, strlen(setup.snippet)))
        return 0;
    if (setup.was_written)
        output_note(cli, "added mistro to %s", setup.file);
    if (setup.was_written && setup.backup)
        output_note(cli, "what was there is in %s", setup.backup);
    if (setup.was_written)
        return 0;
    if (!setup.why_not)
        output_note(cli, "that belongs into %s; mistro setup %s --write puts it there", setup.file,
                    host);
    else
        output_notice(cli, "%s: %s: change that file by hand", setup.file, setup.why_not);
    return setup.why_not && cli->args->write ? err_exit_status(ERR_INVALID) : 0;
}
