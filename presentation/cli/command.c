#include "presentation/cli/command.h"
#include "domain/base/text.h"
#include "presentation/cli/flags.h"
#include "presentation/cli/output.h"
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define ANY SIZE_MAX

static const struct command_word servers_words[] = {
    { "list", 0 },   { "add", ANY }, { "remove", 1 }, { "review", 1 },   { "login", 1 },
    { "logout", 1 }, { "keep", 0 },  { "find", 0 },   { "import", ANY }, { NULL, 0 }
};
static const struct command_word runs_words[] = { { "list", 0 },   { "show", 1 },   { "resume", 1 },
                                                  { "fork", 1 },   { "events", 1 }, { "export", 1 },
                                                  { "replay", 1 }, { "stats", 0 },  { "prune", 0 },
                                                  { "wait", 1 },   { "cancel", 1 }, { NULL, 0 } };
static const struct command_word plans_words[] = {
    { "check", ANY }, { "graph", 1 }, { "list", 1 }, { "save", 2 }, { NULL, 0 }
};
static const struct command_word sessions_words[] = { { "list", 0 },   { "show", 1 },
                                                      { "search", 1 }, { "rename", 2 },
                                                      { "export", 1 }, { "import", 1 },
                                                      { "delete", 1 }, { NULL, 0 } };
static const struct command_word serve_words[] = { { "workspace", 0 }, { "agent", 0 },
                                                   { "plans", 1 },     { "mock", 1 },
                                                   { "replay", 1 },    { "token", 2 },
                                                   { NULL, 0 } };
static const struct command_word figure_words[] = {
    { "validate", 0 }, { "validate-log", 1 }, { "choose", 2 }, { "continue", 2 }, { NULL, 0 }
};
static const struct command_word config_words[] = {
    { "show", 0 }, { "path", 0 }, { "check", 0 }, { NULL, 0 }
};
static const struct command_word completion_words[] = {
    { "bash", 0 }, { "zsh", 0 }, { "fish", 0 }, { NULL, 0 }
};

static const struct command_word setup_words[] = { { "claude-desktop", 0 }, { "vscode", 0 },
                                                   { "cursor", 0 },         { "zed", 0 },
                                                   { "goose", 0 },          { NULL, 0 } };
static const struct command_word schema_words[] = { { "plan", 0 }, { NULL, 0 } };

/* In the order of help. */
const struct command commands[] = {
    { "ask", command_ask, ANY, NULL },
    { "chat", command_chat, 0, NULL },
    { "plan", command_plan, ANY, NULL },
    { "consensus", command_consensus, ANY, NULL },
    { "figure", command_figure, 0, figure_words },
    { "studio", command_studio, ANY, NULL },
    { "tools", command_tools, 1, NULL },
    { "tool", command_tool, 1, NULL },
    { "call", command_call, ANY, NULL },
    { "resources", command_resources, 1, NULL },
    { "read", command_read, ANY, NULL },
    { "prompts", command_prompts, 1, NULL },
    { "prompt", command_prompt, ANY, NULL },
    { "run", command_run, 1, NULL },
    { "submit", command_submit, 1, NULL },
    { "plans", command_plans, ANY, plans_words },
    { "schema", command_schema, 0, schema_words },
    { "runs", command_runs, 0, runs_words },
    { "sessions", command_sessions, 0, sessions_words },
    { "servers", command_servers, 0, servers_words },
    { "setup", command_setup, 0, setup_words },
    { "models", command_models, 0, NULL },
    { "doctor", command_doctor, 0, NULL },
    { "config", command_config, 0, config_words },
    { "completion", command_completion, 0, completion_words },
    { "help", /* run= */ NULL, 1, NULL },
    { "serve", command_serve, 0, serve_words },
    { "worker", command_worker, 0, NULL },
    { .name = NULL },
};

/* The command with which a group begins, and what people come to it for. */
static const struct {
    const char *first, *wish;
} groups[] = {
    { "ask", "say in words what you want" },
    { "tools", "use tools without a model" },
    { "run", "write and run plans" },
    { "runs", "see what was done, and go on with it" },
    { "servers", "set up servers, models and the shell" },
    { "serve", "work for other programs" },
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
    bool is_plan = text_ends_with(name, ".yml") || text_ends_with(name, ".yaml");
    if (is_plan && access(name, F_OK) == 0)
        return err_hint(err, r, "did you mean: mistro run %.60s?", name);
    if (text_nearest(name, names, n, &nearest, 1))
        return err_hint(err, r, "did you mean: mistro %s?", names[nearest]);
    return err_hint(err, r, "see: mistro help; or: mistro ask \"%.60s …\"", name);
}

/* "mistro NAME …" */
static const char *usage_of(struct arena *arena, const struct command *command)
{
    const char *words = command_help(arena, command).usage;
    return arena_printf(arena, "mistro %s%s%s", command->name, *words ? " " : "", words);
}

static enum err_code unknown_word(struct arena *arena, const struct command *command,
                                  const char *word, struct err *err)
{
    size_t n = 0, nearest;
    while (command->words[n].name)
        n++;
    const char **names = arena_array(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        names[i] = command->words[i].name;
    enum err_code r =
        err_set(err, ERR_INVALID, 0, "%s does not know \"%.60s\"", command->name, word);
    if (text_nearest(word, names, n, &nearest, 1))
        return err_hint(err, r, "did you mean: mistro %s %s?", command->name, names[nearest]);
    return err_hint(err, r, "usage: %s", usage_of(arena, command));
}

enum err_code command_check_words(struct arena *arena, const struct command *command,
                                  const struct arguments *arguments, struct err *err)
{
    size_t most = command->most, own = 0;
    if (command->words && arguments->n_operands) {
        const struct command_word *word = command->words;
        while (word->name && strcmp(word->name, arguments->operands[0]) != 0)
            word++;
        if (!word->name)
            return unknown_word(arena, command, arguments->operands[0], err);
        most = word->most;
        own = 1;
    }
    if (arguments->n_operands - own <= most)
        return ERR_NONE;
    enum err_code r =
        err_set(err, ERR_INVALID, 0, "%s%s%s: the word \"%.60s\" is one too many", command->name,
                own ? " " : "", own ? arguments->operands[0] : "", arguments->operands[own + most]);
    return err_hint(err, r, "usage: %s", usage_of(arena, command));
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
    const char *text = "usage: mistro [COMMAND] [FLAGS] [ARGUMENTS]\n\n"
                       "mistro turns a request into a checked plan over MCP tools, runs it and "
                       "shows\nwhat it did. Without a command it is a chat on a terminal.\n";
    for (const struct command *command = commands; command->name; command++) {
        for (size_t i = 0; i < ARRAY_LENGTH(groups); i++)
            if (strcmp(groups[i].first, command->name) == 0)
                text = arena_printf(arena, "%s\n%s\n", text, groups[i].wish);
        text = arena_printf(arena, "%s  %-11s %s\n", text, command->name,
                            command_help(arena, command).summary);
    }
    return arena_printf(arena,
                        "%s\nmistro help COMMAND explains one of them, mistro help help the "
                        "flags and exit\nstatuses of all.\n",
                        text);
}

const char *command_help_text(struct arena *arena, const struct command *command)
{
    if (!command)
        return all_commands(arena);
    const char *own = flags_help(arena, command->name, /* are_common= */ false);
    struct command_help help = command_help(arena, command);
    return arena_printf(arena, "usage: %s\n\n%s.\n%s%s%s\ncommon flags:\n%s",
                        usage_of(arena, command), help.summary, help.details,
                        *own ? "\nflags:\n" : "", own,
                        flags_help(arena, command->name, /* are_common= */ true));
}

int command_misused(struct cli *cli, const char *name, const char *message)
{
    struct err err;
    enum err_code r = err_set(&err, ERR_INVALID, 0, "%s: %s", name, message);
    (void)err_hint(&err, r, "usage: %s", usage_of(cli->arena, command_find(name)));
    return output_error(cli, &err);
}
