/* The line that is being typed, as it stands on the terminal: the prompt, the text, and a blank at
 * the end for the cursor to stand on. It is written as one long line, so that terminals wrap it
 * anew when their width changes; their cursor stays with its character, and where every character
 * is now follows from the text and the new width. (libedit, which edits the text, knows neither.)
 * Only what changes is written again: rows above it may have left the screen, and could not be
 * taken back. Of a text with more rows than the screen those around the cursor are shown. */
#ifndef PRESENTATION_CLI_TERMINAL_LINE_DISPLAY_H
#define PRESENTATION_CLI_TERMINAL_LINE_DISPLAY_H

#include "application/ports/console.h"
#include "domain/base/buf.h"

#define LINE_DISPLAY_MARK '\1'               /* around what takes no column in a prompt: colours */
#define LINE_DISPLAY_LINE_END "\xE2\x8F\x8E" /* stands for a line end in the text */

struct line_display {
    struct console *console;
    struct buf drawn; /* what stands on the terminal, without colours; empty: nothing does */
    size_t cursor;    /* where in it */
    bool has_prompt;  /* it begins with the prompt */
};

void line_display_init(struct line_display *display, struct console *console);
void line_display_finish(struct line_display *display);
/* Draws the prompt and the text in place of what is drawn, or from where the cursor is. cursor: in
 * the text. */
void line_display_draw(struct line_display *display, const char *prompt, const char *text,
                       size_t length, size_t cursor);
/* Takes it off the terminal; the cursor is where the prompt began. */
void line_display_erase(struct line_display *display);
/* The cursor is where others left it, at the beginning of a row: what was drawn is not ours to
 * change any more. */
void line_display_forget(struct line_display *display);
/* Leaves it there; the cursor goes to the next row. */
void line_display_leave(struct line_display *display);

#endif
