/* What `mistro serve` serves, and how it is told to whom. Private to the commands. */
#ifndef PRESENTATION_CLI_COMMANDS_SERVED_H
#define PRESENTATION_CLI_COMMANDS_SERVED_H

#include "presentation/cli/cli.h"
#include "presentation/mcp/serve_tools.h"

struct served;

/* Makes the tools, with the services of whoever they are for, and says in served->options how they
 * are to be served. */
typedef enum err_code served_make_fn(struct cli *cli, struct services *services,
                                     struct served *served, struct tool_server **out,
                                     struct err *err);

struct served {
    struct serve_options options;
    served_make_fn *make;
    const char *what; /* the folder or file that stands behind the word; NULL: none */
};

/* Serves everybody who has a token, until the command ends. */
awaits MUST_CHECK enum err_code serve_http(struct cli *cli, struct served *served, struct err *err);

#endif
