/* Text of a model while it comes, on a terminal where it can be taken back: a person must not read,
 * or copy, what a failed attempt said as if it were the answer. So each attempt's text is kept with
 * the place where the terminal has its cursor, lines that wrap and wide characters counted; taking
 * it back moves to where it began and clears from there.
 *
 * What has scrolled off a screen cannot be cleared. Therefore at most one screen of an attempt is
 * shown before the attempt is accepted; the rest waits and appears then. Where the cursor cannot be
 * moved (a pipe, a file, TERM=dumb) all of it waits. Blank lines at either end are never shown. */
#ifndef PRESENTATION_CLI_EVENTS_LIVE_TEXT_H
#define PRESENTATION_CLI_EVENTS_LIVE_TEXT_H

#include "application/ports/console.h"
#include "domain/base/buf.h"
#include "presentation/cli/style.h"

#define LIVE_TEXT_MAX_BYTES (8 * 1024 * 1024) /* of one attempt; what is beyond is dropped */

struct live_text {
    struct console *console;
    struct style style; /* of stdout */
    struct buf text;    /* of the attempt, as it is or will be written */
    size_t shown;       /* bytes of it that are on the screen */
    size_t row, column; /* of the cursor, from where the text began, with `columns` */
    unsigned columns;   /* width of the terminal when they were counted */
    bool closed;        /* stdout is gone */
};

void live_text_init(struct live_text *live, struct console *console, struct style style);
void live_text_finish(struct live_text *live);
/* A piece of the text; whole characters. */
void live_text_add(struct live_text *live, const char *text);
/* The attempt failed: nothing of it stays. */
void live_text_discard(struct live_text *live);
/* The attempt counts: what waited is shown, and the line ended. True when there was any text. */
bool live_text_accept(struct live_text *live);
/* The turn was cancelled or failed: what a person has read stays and its line is ended, what waited
 * is dropped. */
void live_text_leave(struct live_text *live);
/* Whether an unfinished line of it is on the screen. */
bool live_text_is_open(const struct live_text *live);

#endif
