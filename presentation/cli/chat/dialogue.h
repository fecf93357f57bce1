/* What the two interactive commands, `chat` and `studio`, share: a line in, what it asks for, the
 * next line, until Ctrl-D; on a terminal with an editor, in a pipe, with --plain and with TERM=dumb
 * without; one session at a time.
 * Ctrl-C once ends what is running, twice within a second leaves. Lines that begin with '/' are
 * commands (slash.h). Each of the two is a struct whose first member is a dialogue. */
#ifndef PRESENTATION_CLI_CHAT_DIALOGUE_H
#define PRESENTATION_CLI_CHAT_DIALOGUE_H

#include "domain/entities/conversation.h"
#include "presentation/cli/cli.h"
#include "presentation/cli/terminal/line_editor.h"

#define DIALOGUE_LEAVE_WITHIN_MS 1000

struct dialogue;
struct slash;

struct dialogue_kind {
    const char *command;         /* its name on the command line */
    const char *prompt;          /* "mistro>" */
    bool attaches;               /* @FILE and @server:uri in a message mean something */
    const struct slash *slashes; /* beside the common ones */
    size_t n_slashes;
    /* One message; its turn ends with the scope. */
    void (*take_turn)(struct dialogue *dialogue, struct scope *scope, const char *message);
    /* take_turn for the text of a server's prompt, in which no '@' means anything; NULL where
     * /server:prompt means nothing. */
    void (*take_prompt)(struct dialogue *dialogue, struct scope *scope, const char *text);
    /* Ctrl-C where a message is typed; may be NULL. */
    void (*interrupted)(struct dialogue *dialogue, struct scope *scope);
    /* The session is another one (/load, /new, /clear); may be NULL. */
    void (*session_changed)(struct dialogue *dialogue, struct scope *scope);
};

struct dialogue {
    const struct dialogue_kind *kind;
    struct cli *cli;
    struct line_editor *editor; /* NULL in a pipe, and on a terminal that moves no cursor */
    struct scope *turn;         /* of what is running: Ctrl-C ends it */
    char session_id[CONVERSATION_ID_MAX + 1]; /* "" = the next turn begins a new one */
    char left_id[CONVERSATION_ID_MAX + 1];    /* the one before, since /new; "" for none */
    char *message;                            /* the last request, for /retry; NULL at first */
    const char **completions; /* words beside the commands, for Tab; in the command's arena */
    size_t n_completions;
    size_t n_keys;          /* choices of the question that waits, each made by its number */
    bool asks;              /* a question waits: the next message answers it… */
    bool took_request;      /* …unless that was a request of its own */
    int64_t interrupted_ms; /* when Ctrl-C came last; 0 = it did not */
    bool is_typed;          /* by a person, who sees each answer */
    bool leaving;
    int status;
};

/* The session that --session or --continue names. */
awaits MUST_CHECK enum err_code dialogue_begin(struct dialogue *dialogue, struct cli *cli,
                                               const struct dialogue_kind *kind, struct err *err);
/* Ends the editor, and gives Ctrl-C back. */
void dialogue_end(struct dialogue *dialogue);
/* Stdin and stdout are a terminal: lines can be edited, screens redrawn. */
bool dialogue_is_interactive(const struct dialogue *dialogue);
/* The text as the person leaves it in their editor, in the arena. Ctrl-C is the editor's
 * meanwhile. */
awaits MUST_CHECK enum err_code dialogue_edit_text(struct dialogue *dialogue, const char *file,
                                                   const char *text, struct arena *arena,
                                                   const char **out, struct err *err);
/* Lines with the editor until Ctrl-D; meanwhile a task warms the model up. */
awaits void dialogue_converse_on_terminal(struct dialogue *dialogue, task_fn *warm, void *argument);
/* Lines until the end of input. */
awaits void dialogue_converse(struct dialogue *dialogue);
/* A turn is over. What a pipe leaves behind is the status of its last turn; a person at a terminal
 * saw each of them. */
void dialogue_end_turn(struct dialogue *dialogue, int status);
/* Prints the error of a command. A person goes on after it. Lines of a pipe were written without
 * knowing of it and could do something else than was meant: there the dialogue ends with the
 * error's status. cli: of the turn. */
void dialogue_report(struct dialogue *dialogue, struct cli *cli, const struct err *err);
/* One line: a command, a message, or nothing. */
awaits void dialogue_take_line(struct dialogue *dialogue, const char *line);

#endif
