/* The prompt of the chat: libedit over the console port, with a history that is kept across
 * sessions, completion, and bracketed paste: a paste of several lines is one message, and so is
 * what has line ends by Ctrl-J or Alt-Enter. What libedit makes of the keys is drawn by
 * line_display.h, which knows what terminals do with it when their width changes. libedit waits for
 * characters on the calling task: the one wait inside a library call that is allowed. */
#ifndef PRESENTATION_CLI_TERMINAL_LINE_EDITOR_H
#define PRESENTATION_CLI_TERMINAL_LINE_EDITOR_H

#include "application/ports/console.h"
#include "domain/base/arena.h"

#define LINE_EDITOR_HISTORY_MAX 1000
#define LINE_EDITOR_LINE_MAX (8 * 1024 * 1024) /* more than one character above is not pasted */
#define LINE_EDITOR_REMEMBERED_MAX (16 * 1024) /* longer lines are not in the history */

/* Terminals put marks around what is pasted, from the first on until the second: as long as there
 * is an editor, but not while something else reads. What is pasted while a turn runs is then one
 * message as well. */
#define LINE_EDITOR_PASTE_ON "\033[?2004h"
#define LINE_EDITOR_PASTE_OFF "\033[?2004l"

struct line_editor;

/* Adds the candidates for completing `word`, the text before the cursor, to *out (in the arena). */
typedef void line_editor_complete_fn(void *context, struct arena *arena, const char *line,
                                     const char ***out, size_t *out_n);

/* What a person makes of the text in a program of theirs, which has the terminal meanwhile, in the
 * arena; NULL where that failed, which they were told. */
typedef const char *line_editor_elsewhere_fn(void *context, struct arena *arena, const char *text);

/* Whether the text can be the message. Where it can not, they were told, with the line off the
 * terminal (line_editor_show), and it stays to be changed. */
typedef bool line_editor_accept_fn(void *context, const char *text);

struct line_editor_helpers {
    line_editor_complete_fn *complete;
    line_editor_elsewhere_fn *edit_elsewhere; /* Ctrl-X Ctrl-E */
    line_editor_accept_fn *accept;            /* Enter */
    void *context;
};

/* history_file may be NULL. On a terminal only; NULL where the system has no /dev/null. A prompt
 * may have LINE_DISPLAY_MARK in it. */
struct line_editor *line_editor_create(struct console *console, const char *history_file,
                                       const struct line_editor_helpers *helpers);
void line_editor_destroy(struct line_editor *editor); /* NULL is fine */

/* One message without its newline, in the arena; *out is NULL at the end of input (Ctrl-D).
 * ERR_CANCELLED when the scope was cancelled (Ctrl-C): the line is dropped. */
awaits MUST_CHECK enum err_code line_editor_read(struct line_editor *editor, struct scope *scope,
                                                 const char *prompt, struct arena *arena,
                                                 const char **out, struct err *err);
/* The next line may be one of the numbers from 1 to n (at most 9), by that key alone: in an empty
 * line it ends the line. */
void line_editor_expect_choice(struct line_editor *editor, size_t n);
/* While a line is read: takes it off the terminal, prompt included, or puts it back where the
 * cursor is. Else nothing. */
void line_editor_show(struct line_editor *editor, bool shown);

#endif
