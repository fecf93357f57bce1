#include "presentation/cli/command.h"
#include "domain/base/text.h"
#include "presentation/cli/output.h"
#include <string.h>

const struct command commands[] = {
    { "ask", command_ask },
    { "plan", command_plan },
    { "run", command_run },
    { "tools", command_tools },
    { "tool", command_tool },
    { "call", command_call },
    { "resources", command_resources },
    { "read", command_read },
    { "prompts", command_prompts },
    { "prompt", command_prompt },
    { "servers", command_servers },
    { "runs", command_runs },
    { "sessions", command_sessions },
    { "models", command_models },
    { "serve", command_serve },
    { "chat", command_chat },
    { "studio", command_studio },
    { "consensus", command_consensus },
    { "figure", command_figure },
    { "doctor", command_doctor },
    { "config", command_config },
    { "completion", command_completion },
    { "help", /* run= */ NULL },
    { .name = NULL },
};

const struct command *command_find(const char *name)
{
    for (const struct command *command = commands; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

enum err_code command_unknown(const char *name, struct err *err)
{
    const char *names[ARRAY_LENGTH(commands)];
    size_t n = 0, nearest;
    for (; commands[n].name; n++)
        names[n] = commands[n].name;
    enum err_code r = err_set(err, ERR_INVALID, 0, "unknown command \"%.60s\"", name);
    if (text_nearest(name, names, n, &nearest, 1))
        return err_hint(err, r, "did you mean: mistro %s?", names[nearest]);
    return err_hint(err, r, "see: mistro help; or: mistro ask \"%.60s …\"", name);
}

struct command_help command_help(struct arena *arena, const struct command *command)
{
    const char *path = arena_printf(arena, "data/help/%s.txt", command->name);
    const char *usage = embedded_file_find(command_help_files, path)->text;
    size_t n_usage = strcspn(usage, "\n");
    const char *summary = usage + n_usage + 1;
    size_t n_summary = strcspn(summary, "\n");
    return (struct command_help){ .usage = arena_strndup(arena, usage, n_usage),
                                  .summary = arena_strndup(arena, summary, n_summary),
                                  .details = summary + n_summary + 1 };
}

static const char *all_commands(struct arena *arena)
{
    const char *text = "mistro turns a request into a checked plan over MCP tools, runs it and "
                       "shows\nwhat it did.\n\nusage: mistro [COMMAND] [FLAGS] [ARGUMENTS]\n\n";
    for (const struct command *command = commands; command->name; command++)
        text = arena_printf(arena, "%s  %-11s %s\n", text, command->name,
                            command_help(arena, command).summary);
    return arena_printf(
        arena, "%s\nflags that mean the same everywhere:\n%s\n%s", text,
        arguments_help(arena, NULL),
        "exit status: 0 done, 1 failed, 2 usage or configuration, 3 unreachable or\n"
        "timed out, 4 authentication, 5 needs an answer, 6 refused, 7 bad plan,\n"
        "8 limit, 9 changed tool, 130 interrupted\n");
}

const char *command_help_text(struct arena *arena, const struct command *command)
{
    if (!command)
        return all_commands(arena);
    const char *own = arguments_help(arena, command->name);
    struct command_help help = command_help(arena, command);
    return arena_printf(
        arena,
        "usage: mistro %s%s%s\n\n%s.\n%s%s%s\nmistro help lists the flags of every command.\n",
        command->name, *help.usage ? " " : "", help.usage, help.summary, help.details,
        *own ? "\nflags:\n" : "", own);
}

int command_misused(struct cli *cli, const char *name, const char *message)
{
    struct err err;
    struct command_help help = command_help(cli->arena, command_find(name));
    enum err_code r = err_set(&err, ERR_INVALID, 0, "%s: %s", name, message);
    (void)err_hint(&err, r, "usage: mistro %s %s", name, help.usage);
    return output_error(cli, &err);
}
