/* The table of commands: name and function, one file per command. What help says of a command is
 * data/help/NAME.txt, which is part of the binary. */
#ifndef PRESENTATION_CLI_COMMAND_H
#define PRESENTATION_CLI_COMMAND_H

#include "domain/base/embedded_file.h"
#include "presentation/cli/cli.h"

/* Runs as a task; returns the exit status. */
typedef int command_fn(struct cli *cli);

struct command_word {
    const char *name; /* NULL: the end */
    size_t most;      /* operands behind it */
};

struct command {
    const char *name;
    command_fn *run; /* NULL for help, which needs nothing of the process: main prints it */
    size_t most;     /* operands, where it has no words */
    const struct command_word *words; /* one of which the first operand must be; or NULL */
};

/* The parts of the file, in its order. */
struct command_help {
    const char *usage;   /* what follows "mistro NAME"; one line */
    const char *summary; /* one line */
    const char *details; /* a blank line and paragraphs, or "" */
};

/* NULL when there is no such command; `commands` ends with an entry without a name. */
extern const struct command commands[];
const struct command *command_find(const char *name);
/* ERR_INVALID with the nearest command. */
enum err_code command_unknown(const char *name, struct err *err);

/* ERR_INVALID with the nearest word or the usage: an operand that the command would pass over. That
 * one is missing the command itself says. */
MUST_CHECK
enum err_code command_check_words(struct arena *arena, const struct command *command,
                                  const struct arguments *arguments, struct err *err);

command_fn command_ask, command_plan, command_run, command_tools, command_tool, command_call,
    command_resources, command_read, command_prompts, command_prompt, command_servers, command_runs,
    command_sessions, command_models, command_doctor, command_config, command_serve, command_chat,
    command_studio, command_consensus, command_figure, command_completion, command_plans,
    command_schema, command_setup, command_submit, command_worker;
/* Parts of `mistro servers`, `mistro serve` and `mistro figure`, which their first operand chooses.
 */
command_fn command_review, command_login, command_logout, command_keep, command_servers_find,
    command_servers_import, command_serve_token, command_figure_validate,
    command_figure_validate_log;
/* As a folder, a file, or on standard output. Returns the exit status. */
struct made_figure;
int command_figure_show(struct cli *cli, const struct made_figure *made);
/* A run as a plan file NAME.yml, or the file of -o; name may be NULL with that. */
int command_plans_save(struct cli *cli, const char *run_id, const char *name);
int command_runs_resume(struct cli *cli, const char *id); /* NULL: every interrupted run */
int command_runs_wait(struct cli *cli, const char *id);
int command_runs_cancel(struct cli *cli, const char *id);
/* The newest runs of the queue of --queue; most: 0 for all. */
int command_runs_of_queue(struct cli *cli, size_t most);
/* Runs the plan of a file; forked: the run whose results it takes over, or NULL. */
int command_run_plan(struct cli *cli, const char *path, const char *forked);

extern const struct embedded_file command_help_files[];
/* In the arena. */
struct command_help command_help(struct arena *arena, const struct command *command);
/* `mistro help [COMMAND]` as text. */
const char *command_help_text(struct arena *arena, const struct command *command);
/* A usage error: "mistro call: <message>" with the usage as hint. Returns the exit status. */
int command_misused(struct cli *cli, const char *name, const char *message);

#endif
