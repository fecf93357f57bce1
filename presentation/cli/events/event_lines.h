/* A run as it happens, on stderr: a line per step with its state, tool and time, progress as a
 * bar, warnings; on a terminal the lines of running steps are redrawn in place, in a pipe only
 * what is final is printed; a terminal that cannot move its cursor (TERM=dumb) is a pipe here.
 * With --events it is one JSON object per line on stdout instead. */
#ifndef PRESENTATION_CLI_EVENTS_EVENT_LINES_H
#define PRESENTATION_CLI_EVENTS_EVENT_LINES_H

#include "application/ports/console.h"
#include "application/ports/observer.h"
#include "presentation/cli/events/live_text.h"
#include "presentation/cli/style.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT_LINES_MAX_RUNNING 16 /* drawn at once; further steps have no line */
#define EVENT_LINES_MAX_WARNED 32  /* different warnings remembered; further ones may repeat */

#define EVENT_LINES_MAX_WAITING_BYTES (64 * 1024) /* lines kept while an answer is written */

struct event_line {
    char step[64];
    char tool[96];
    char note[64];          /* of its latest progress */
    double progress, total; /* total <= 0: unknown */
    bool used;
    bool is_server; /* tool is the name of a server that starts */
};

struct event_lines {
    struct observer base;
    struct console *console;
    struct style style;        /* of stderr */
    struct style answer_style; /* of stdout */
    unsigned verbosity;        /* 0: steps; 1: also models, intents, server logs */
    bool quiet;
    bool as_json;       /* --events */
    bool stream_answer; /* the text of an answer goes to stdout as it comes */
    bool streamed;      /* such a text was accepted */
    struct live_text live;
    struct buf waiting; /* lines that came while text was being shown, or while paused */
    bool watch_calls;   /* a call that belongs to no step has a line while it runs */
    bool closed;        /* stdout is gone */
    char asking[64];    /* what the model is being asked for; "" when it is not */
    unsigned paused;
    uint64_t warned[EVENT_LINES_MAX_WARNED]; /* hashes of the warnings that were printed */
    size_t n_warned;
    size_t drawn; /* lines of running steps that stand on the terminal */
    struct event_line running[EVENT_LINES_MAX_RUNNING];
};

void event_lines_init(struct event_lines *lines, struct console *console, struct style style,
                      struct style answer_style);
/* While paused nothing is drawn in place and lines wait, because something else uses the terminal.
 * NULL is fine. */
void event_lines_pause(struct event_lines *lines, bool paused);
/* A line from elsewhere among them, which the caller made safe for a terminal. */
void event_lines_add(struct event_lines *lines, const char *text);
/* The turn is over: a streamed answer that counts is shown in full, another one is left as it is.
 * True when the answer stands on stdout. */
bool event_lines_end_answer(struct event_lines *lines, bool counts);
void event_lines_finish(struct event_lines *lines);

#endif
