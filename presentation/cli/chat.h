/* The interactive conversation: what its loop (command_chat.c) and its slash commands
 * (chat_commands.c) share. */
#ifndef PRESENTATION_CLI_CHAT_H
#define PRESENTATION_CLI_CHAT_H

#include "application/use_cases/list_tools.h"
#include "application/use_cases/mistral_chat.h"
#include "presentation/cli/cli.h"
#include "presentation/cli/line_editor.h"

struct chat {
    struct cli *cli;
    struct mistral_chat *turns;
    struct line_editor *editor;               /* NULL when stdin is no terminal */
    struct scope *turn;                       /* of what is running: Ctrl-C ends it */
    char session_id[CONVERSATION_ID_MAX + 1]; /* "" = the next turn begins a new one */
    char *last_plan;          /* YAML of the last turn's plan, malloc'd; NULL at first */
    const char **completions; /* tool names, for Tab; in the command's arena */
    size_t n_completions;
    bool leaving;
    int status;
};

/* Runs a line that begins with '/'. Unknown commands name the nearest. */
awaits void chat_command(struct chat *chat, struct scope *scope, const char *line);
/* Candidates for Tab; a line_editor_complete_fn over a struct chat. */
void chat_complete(void *context, struct arena *arena, const char *line, const char ***out,
                   size_t *out_n);

#endif
