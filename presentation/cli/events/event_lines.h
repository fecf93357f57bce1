/* A run as it happens, on stderr: a line per step with its state, tool, arguments and time,
 * progress as a bar, of a loop as a count with its pace, what a model works on, warnings; on a
 * terminal the lines of running steps are redrawn in place, in a pipe only what is final is
 * printed; a terminal that cannot move its cursor (TERM=dumb) is a pipe here. With --events it is
 * one JSON object per line on stdout instead. */
#ifndef PRESENTATION_CLI_EVENTS_EVENT_LINES_H
#define PRESENTATION_CLI_EVENTS_EVENT_LINES_H

#include "application/ports/console.h"
#include "application/ports/observer.h"
#include "application/ports/runtime.h"
#include "presentation/cli/events/live_text.h"
#include "presentation/cli/events/model_wait.h"
#include "presentation/cli/style.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT_LINES_MAX_RUNNING 64 /* as many steps as may run at once (tools.max_parallel) */
#define EVENT_LINES_MAX_DRAWN 16   /* of them, at once */
#define EVENT_LINES_MAX_WARNED 32  /* different warnings remembered; further ones may repeat */

#define EVENT_LINES_MAX_WAITING_BYTES (64 * 1024) /* lines kept while an answer is written */

/* Something that runs: a step, a call that belongs to none, or a server that starts. */
struct event_line {
    json_t *data;           /* of the event that began it, owned; NULL: the line is free */
    char note[64];          /* of its latest progress */
    double progress, total; /* total <= 0: unknown */
    bool is_server;
    bool is_loop;                    /* its progress counts elements */
    int64_t first_ms, latest_ms;     /* of its progress */
    double first_progress, n_failed; /* of the elements */
};

/* Takes what is being typed off the terminal, or puts it back below what stands there now. */
typedef void event_lines_typed_fn(void *context, bool shown);

struct event_lines {
    struct observer base;
    struct console *console;
    struct runtime *runtime;   /* whose clock is shown; NULL before event_lines_tick */
    struct style style;        /* of stderr */
    struct style answer_style; /* of stdout */
    unsigned verbosity;        /* 0: steps; 1: also models, intents, server logs */
    bool quiet;
    const struct arguments *args; /* for commands in warnings; NULL: as they are */
    bool as_json;                 /* --events */
    bool stream_answer;           /* the text of an answer goes to stdout as it comes */
    bool streamed;                /* such a text was accepted */
    struct live_text live;
    struct buf waiting; /* lines that came while text was being shown, or while paused */
    bool watch_calls;   /* a call that belongs to no step has a line while it runs */
    bool closed;        /* stdout is gone */
    struct model_wait wait;
    char model[64];       /* that answered last; "" for none */
    int64_t context_used; /* tokens of that prompt and answer; less than 0: not told */
    unsigned paused;
    event_lines_typed_fn *show_typed; /* NULL: nothing is being typed */
    void *typed;
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
/* While something is typed nothing is drawn in place, and a line goes above what was typed so far.
 * show: NULL when the typing is over. NULL lines are fine. */
void event_lines_typing(struct event_lines *lines, event_lines_typed_fn *show, void *context);
/* A line from elsewhere among them, which the caller made safe for a terminal. */
void event_lines_add(struct event_lines *lines, const char *text);
/* The turn is over: a streamed answer that counts is shown in full, another one is left as it is.
 * True when the answer stands on stdout. */
bool event_lines_end_answer(struct event_lines *lines, bool counts);
/* A task beside the command: redraws the line of a model that works, a few times a second, until
 * its scope ends. The argument is the lines. */
awaits enum err_code event_lines_tick(struct runtime *runtime, struct scope *scope, void *lines);
void event_lines_finish(struct event_lines *lines);

#endif
