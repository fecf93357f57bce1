/* Lines of a dialogue that begin with '/'. Most commands are the same in every dialogue: about the
 * session (slash_session.c), or commands of the command line. What a dialogue has of its own is in
 * its dialogue_kind. /server:prompt is a prompt of a server (slash_server_prompt.c).
 * slash_attachments.c is what Tab offers behind '@'. */
#ifndef PRESENTATION_CLI_CHAT_SLASH_H
#define PRESENTATION_CLI_CHAT_SLASH_H

#include "presentation/cli/chat/dialogue.h"
#include "presentation/cli/command.h"

/* Waits; argument is what follows the name, without blanks before it. */
typedef void slash_fn(struct dialogue *dialogue, struct scope *scope, const char *argument);

struct slash {
    const char *name, *usage, *help; /* help: NULL for a second name */
    slash_fn *run;
    bool answers; /* with --json and --events stdout has only answers; this is one */
};

/* Runs a line that begins with '/'. Unknown commands name the nearest. */
awaits void slash_run(struct dialogue *dialogue, struct scope *scope, const char *line);
/* Runs a command of the command line within the dialogue, with other operands. */
awaits void slash_command(struct dialogue *dialogue, struct scope *scope, command_fn *command,
                          const char **words, size_t n_words);
/* Candidates for Tab; a line_editor_complete_fn over a struct dialogue. */
void slash_complete(void *context, struct arena *arena, const char *line, const char ***out,
                    size_t *out_n);

slash_fn slash_history, slash_clear, slash_load, slash_new, slash_save, slash_export;

/* The next word of *at without its quotes, in the arena; NULL at the end. */
const char *slash_next_word(struct arena *arena, const char **at);

/* ERR_INVALID where a file of that name is there: a slip of the fingers would cost it. */
MUST_CHECK enum err_code slash_may_create(const char *path, struct err *err);
/* "server:prompt", with something on both sides. */
bool slash_names_prompt(const char *name);
/* Gets the prompt and makes it a message of the dialogue. argument: `name=value` words; quotes hold
 * blanks together. */
awaits void slash_server_prompt(struct dialogue *dialogue, struct scope *scope, const char *name,
                                const char *argument);

/* What Tab could complete a line to, in an arena. */
struct candidates {
    struct arena *arena;
    const char **list;
    size_t n, capacity;
};

/* Adds a text that begins with what was typed. */
void candidates_add(struct candidates *found, const char *text, const char *typed);
/* Tab in a line that begins like a server or goes on with "server:prompt ": prompts, their
 * arguments, and what an argument could be by the suggestion of the server. */
void slash_suggest_prompts(struct dialogue *dialogue, struct candidates *found, const char *line);
/* Tab in a word that begins with '@': files, servers, and resources of one. */
void slash_suggest_attachments(struct dialogue *dialogue, struct candidates *found,
                               const char *word);
/* A server that takes longer suggests nothing: the person who types does not wait for it. */
#define SLASH_COMPLETE_MS 1500

#endif
