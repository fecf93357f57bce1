/* Lines of a dialogue that begin with '/'. Most commands are the same in every dialogue: about the
 * session (slash_session.c), or commands of the command line. What a dialogue has of its own is in
 * its dialogue_kind. /server:prompt is a prompt of a server (slash_server_prompt.c,
 * what Tab suggests there slash_suggestions.c). */
#ifndef PRESENTATION_CLI_CHAT_SLASH_H
#define PRESENTATION_CLI_CHAT_SLASH_H

#include "presentation/cli/chat/dialogue.h"

/* Waits; argument is what follows the name, without blanks before it. */
typedef void slash_fn(struct dialogue *dialogue, struct scope *scope, const char *argument);

struct slash {
    const char *name, *usage, *help; /* help: NULL for another name of the same */
    slash_fn *run;
    bool answers; /* with --json and --events stdout is for answers; this is one */
};

/* Runs a line that begins with '/'. Unknown commands name the nearest. */
awaits void slash_run(struct dialogue *dialogue, struct scope *scope, const char *line);
/* Candidates for Tab; a line_editor_complete_fn over a struct dialogue. */
void slash_complete(void *context, struct arena *arena, const char *line, const char ***out,
                    size_t *out_n);

slash_fn slash_history, slash_clear, slash_load, slash_new, slash_save, slash_export;

/* "server:prompt", with something on both sides. */
bool slash_names_prompt(const char *name);
/* Gets the prompt and gives it to the dialogue as if it had been said. argument: `name=value`
 * words; quotes hold blanks together. */
awaits void slash_server_prompt(struct dialogue *dialogue, struct scope *scope, const char *name,
                                const char *argument);
/* name=value words into an object. ERR_INVALID: one is none. */
MUST_CHECK
enum err_code slash_parse_arguments(struct arena *arena, const char *text, json_t *into,
                                    struct err *err);
/* slash_suggestions.c: Tab behind the first letters of a server: all of its prompts. */
size_t slash_prompts_by_server(struct dialogue *dialogue, struct arena *arena, const char *line,
                               const char ***out);
/* … behind "/server:": the prompts that begin like that. */
size_t slash_server_prompts(struct dialogue *dialogue, struct arena *arena, const char *line,
                            const char ***out);
/* … and behind "/server:prompt ": its arguments, and behind "name=" what that could be, by the
 * suggestion of the server. */
size_t slash_server_arguments(struct dialogue *dialogue, struct arena *arena, const char *line,
                              const char ***out);
/* A server that takes longer suggests nothing: whoever types does not wait for it. */
#define SLASH_COMPLETE_MS 1500

#endif
