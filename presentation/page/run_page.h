/* A run on one page of HTML, for a person: what it was and how it ended, what went wrong, a
 * timeline, the plan, each call with its bound arguments and its result, what the model was asked
 * and on which rung it answered, the turns of two agents, the passes of a figure, and every event
 * as a sentence. All of it is made from what the run log holds; every text in it is data of others
 * and is escaped, so that none becomes markup, a link or a style.
 *
 * Whatever a run holds, the page stays below RUN_PAGE_MAX_BYTES. A value, a list and a section have
 * a bound each, and what a bound leaves out is counted where it would stand. Pure. */
#ifndef PRESENTATION_PAGE_RUN_PAGE_H
#define PRESENTATION_PAGE_RUN_PAGE_H

#include "application/use_cases/draw_plan.h"
#include "application/use_cases/runs/runs.h"

#define RUN_PAGE_MAX_BYTES ((size_t)500000)
#define RUN_PAGE_VALUE_BYTES 4000 /* of one argument list, result, prompt or reply, as HTML */
#define RUN_PAGE_CELL_BYTES 600   /* of a text in a table or a heading, likewise */
#define RUN_PAGE_MAX_ROWS 300     /* of one list */
#define RUN_PAGE_LIST_BYTES 40000 /* a list ends with the row that fills so many bytes */

/* Markup of our own around a page that is served; a page without is a file that stands alone. */
struct run_page_frame {
    const char *head; /* as of html_page_begin_served */
    const char *top;  /* up to <main>, with it */
    const char *lead; /* behind the head of the run; "" for nothing */
    const char *end;  /* from </main> */
    bool tells_why;   /* the lead says why the run ended, in place of the error */
};

struct run_page_input {
    const struct recorded_run *recorded;
    const struct plan *plan; /* that the run went by; NULL: none is known */
    struct plan_picture picture;
    const struct run_page_frame *frame; /* or NULL */
};

/* In the arena. */
const char *run_page(struct arena *arena, const struct run_page_input *input);

#endif
