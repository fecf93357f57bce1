/* The program: words in, exit status out. */
#include "domain/base/text.h"
#include "infrastructure/checking/candidate_checker.h"
#include "infrastructure/workspace/sql_child.h"
#include "infrastructure/workspace/workspace_server.h"
#include "presentation/cli/command.h"
#include "presentation/cli/output.h"
#include "presentation/cli/typed_line.h"
#include "presentation/main/composition.h"
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Without a command it is the chat on a terminal, else help. */
static const char *implied_command(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) ? "chat" : "help";
}

/* `mistro help [COMMAND]`, `mistro COMMAND --help` */
static int print_help(struct arena *arena, const struct arguments *arguments)
{
    const char *about = arguments->command;
    if (about && strcmp(about, "help") == 0)
        about = arguments->n_operands ? arguments->operands[0] : NULL;
    const struct command *command = about ? command_find(about) : NULL;
    struct err err = { 0 };
    if (about && !command) {
        (void)command_unknown(about, &err);
        return output_early_error(&err, arguments);
    }
    fputs(command_help_text(arena, command), stdout);
    return 0;
}

/* `mistro completion SHELL`. A shell that reads it when it starts depends on no settings of the
 * folder it starts in. NULL: it is not that. */
static const struct embedded_file *completion_script(struct arena *arena,
                                                     const struct arguments *arguments)
{
    if (strcmp(arguments->command, "completion") != 0 || arguments->n_operands != 1)
        return NULL;
    return embedded_file_find(
        command_help_files, arena_printf(arena, "data/help/completion.%s", arguments->operands[0]));
}

/* As the shell will hand it over when the line is run. */
static const char *without_tilde(struct arena *arena, const char *path)
{
    const char *home = getenv("HOME");
    return path && home && text_starts_with(path, "~/")
               ? arena_printf(arena, "%s%s", home, path + 1)
               : path;
}

/* At each press of Tab. What only a store knows is for the command, under the settings and servers
 * that the typed words name, and without a model, which servers could make it look for. */
static int complete_typed_line(struct arena *arena, struct arguments *asked)
{
    AUTO(buf) text;
    struct typed_line line;
    buf_init(&text, SIZE_MAX);
    if (typed_line_read(arena, asked, &text, &line) == TYPED_KNOWN)
        return fputs(buf_string(&text), stdout) < 0;
    asked->model = "none";
    asked->config = without_tilde(arena, line.before.config);
    asked->mcp_config = without_tilde(arena, line.before.mcp_config);
    asked->no_builtin = line.before.no_builtin;
    return compose_and_run(asked, command_find(asked->command));
}

/* A stream that the shell closed (`>&-`) would be the number of the next file that is opened. */
static bool open_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
            return false;
    return true;
}

/* A large result passes through a few large blocks. Mapped anew for each, their pages cost more
 * than all that is done with them. What one thread freed the others use: they seldom run at the
 * same time. */
static void keep_freed_memory(void)
{
#ifdef __GLIBC__
    enum { OLD_LARGEST_BLOCK = 32 << 20, LARGEST_BLOCK = 128 << 20, MOST_KEPT = 128 << 20 };
    (void)mallopt(M_MMAP_THRESHOLD, OLD_LARGEST_BLOCK); /* more was refused before glibc 2.35 */
    (void)mallopt(M_MMAP_THRESHOLD, LARGEST_BLOCK);
    (void)mallopt(M_TRIM_THRESHOLD, MOST_KEPT);
    (void)mallopt(M_ARENA_MAX, 1);
#endif
}

int main(int argc, char **argv)
{
    AUTO(arena) arena = { 0 };
    struct arguments arguments;
    struct err err = { 0 };
    if (!open_standard_streams())
        return 2;
    keep_freed_memory();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, not a death, */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file that would exceed the limit (ulimit -f) */
    if (argc == 2 && strcmp(argv[1], WORKSPACE_CHILD_WORD) == 0)
        return sql_child_serve(workspace_child_answer);
    if (argc == 2 && strcmp(argv[1], CANDIDATE_CHILD_WORD) == 0)
        return sql_child_serve(candidate_child_answer);
    if (arguments_parse(&arena, argc, (const char *const *)argv, &arguments, &err))
        return output_early_error(&err, &arguments);
    arguments.json = arguments.json || arguments.events; /* JSON lines and nothing else */
    if (arguments.version) {
        puts("mistro " MISTRO_VERSION);
        return 0;
    }
    if (!arguments.command && !arguments.help)
        arguments.command = implied_command();
    const struct command *command = arguments.command ? command_find(arguments.command) : NULL;
    if (arguments.help)
        return print_help(&arena, &arguments);
    if (!command) {
        (void)command_unknown(arguments.command, &err);
        return output_early_error(&err, &arguments);
    }
    if (typed_line_is_asked(&arguments))
        return complete_typed_line(&arena, &arguments);
    if (command_check_words(&arena, command, &arguments, &err))
        return output_early_error(&err, &arguments);
    if (!command->run)
        return print_help(&arena, &arguments);
    const struct embedded_file *script = completion_script(&arena, &arguments);
    if (script)
        return fputs(script->text, stdout) < 0;
    return compose_and_run(&arguments, command);
}
