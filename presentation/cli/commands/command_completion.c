/* `mistro completion SHELL`: a script that takes its words from the tables of commands and flags,
 * so it cannot fall behind them; for bash the rest of it is data/help/completion.bash. Names of
 * tools, and what an argument of a prompt could be (bash makes three words of KEY=TYPED), come from
 * servers: only plain ones reach the shell, because compgen expands the words it is given. */
#include "presentation/cli/command.h"
#include "presentation/cli/output.h"
#include <string.h>

static const char *flag_words(struct arena *arena)
{
    const char *text = "";
    size_t n;
    const struct option *options = arguments_options(&n);
    for (size_t i = 0; i < n; i++)
        text = arena_printf(arena, "%s%s--%s", text, i ? " " : "", options[i].name);
    return text;
}

static const char *command_words(struct arena *arena)
{
    const char *text = "";
    for (const struct command *command = commands; command->name; command++)
        text = arena_printf(arena, "%s%s%s", text, *text ? " " : "", command->name);
    return text;
}

static bool print_bash(struct cli *cli)
{
    const struct embedded_file *rest =
        embedded_file_find(command_help_files, "data/help/completion.bash");
    return output_line(cli, "_mistro_flags='%s'\n_mistro_commands='%s'", flag_words(cli->arena),
                       command_words(cli->arena)) &&
           output_text(cli, rest->text, rest->length);
}

static const char *fish_quoted(struct arena *arena, const char *text)
{
    const char *out = "";
    for (; *text; text++)
        out = arena_printf(arena, *text == '\'' || *text == '\\' ? "%s\\%c" : "%s%c", out, *text);
    return out;
}

static bool print_fish(struct cli *cli)
{
    size_t n;
    const struct option *options = arguments_options(&n);
    bool open = true;
    for (const struct command *command = commands; open && command->name; command++)
        open = output_line(cli, "complete -c mistro -n __fish_use_subcommand -a %s -d '%s'",
                           command->name,
                           fish_quoted(cli->arena, command_help(cli->arena, command).summary));
    for (size_t i = 0; open && i < n; i++)
        open = output_line(cli, "complete -c mistro -l %s%s -d '%s'", options[i].name,
                           options[i].letter ? arena_printf(cli->arena, " -s %c", options[i].letter)
                                             : "",
                           fish_quoted(cli->arena, options[i].help));
    return open &&
           output_line(cli, "complete -c mistro -n '__fish_seen_subcommand_from tool call' -a "
                            "'(mistro tools 2>/dev/null </dev/null | cut -f1)'") &&
           output_line(cli, "complete -c mistro -n '__fish_seen_subcommand_from prompt' -a "
                            "'(mistro prompts 2>/dev/null </dev/null | cut -f1)'") &&
           output_line(cli, "complete -c mistro -n '__fish_seen_subcommand_from consensus' "
                            "-l roleset -x -a '(mistro consensus --list 2>/dev/null </dev/null)'");
}

int command_completion(struct cli *cli)
{
    const char *shell = cli->args->n_operands ? cli->args->operands[0] : "";
    if (strcmp(shell, "bash") == 0)
        return !print_bash(cli);
    if (strcmp(shell, "zsh") == 0)
        return !output_line(cli, "autoload -U +X bashcompinit && bashcompinit") || !print_bash(cli);
    if (strcmp(shell, "fish") == 0)
        return !print_fish(cli);
    return command_misused(cli, "completion", "bash, zsh or fish?");
}
