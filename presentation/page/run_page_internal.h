/* The parts of run_page.h that have a file of their own, and what they write alike. Private to the
 * room. */
#ifndef PRESENTATION_PAGE_RUN_PAGE_INTERNAL_H
#define PRESENTATION_PAGE_RUN_PAGE_INTERNAL_H

#include "domain/text/html_page.h"
#include "presentation/page/run_page.h"

struct run_page {
    struct html_page html;
    struct arena *arena;
    const struct run *run;
    const struct event *events;
    size_t n_events;
    const int64_t *work_ms; /* of each event: how long after the start, pauses left out */
    int64_t whole_ms;       /* the largest of them, at least 1 */
    int64_t paused_ms;      /* between the ends of processes and those that went on with the run */
    size_t first_turn;      /* the event with which two agents began last */
};

/* A section that is a list: it begins with its first row, ends at a bound and counts what it leaves
 * out. Zeroed but for what it is called. */
struct page_list {
    const char *title;   /* of the section */
    const char *rows;    /* what they are: "calls" */
    const char *columns; /* of a table: names between '|', with '#' before those of numbers, '!'
                            before those of a status and '~' before those with markup of ours; NULL:
                            the list is no table */
    size_t shown, hidden;
    size_t full_at; /* of the page: its length from which on no row begins; 0: none began */
};

/* Whether the next row is written; false counts it. */
bool page_list_takes(struct run_page *page, struct page_list *list);
/* The row of a table, a cell for each column; NULL is an empty one. */
void page_list_row(struct run_page *page, const struct page_list *list, const char *const *cells,
                   size_t n);
void page_list_end(struct run_page *page, const struct page_list *list);

/* A text of others, cut to RUN_PAGE_CELL_BYTES. */
void page_cut_text(struct run_page *page, const char *text);
/* A status in the colour of what it means. */
void page_status(struct run_page *page, const char *status);
/* A text under its label, cut to RUN_PAGE_VALUE_BYTES with a note of how much that is. */
void page_value(struct run_page *page, const char *label, const char *text, size_t length);
/* A text object or a string as text, any other value as JSON; NULL writes nothing. */
void page_json(struct run_page *page, const char *label, const json_t *value);

/* "12 ms", "3.4 s"; "" for a negative number, which stands for unknown. In the arena. */
const char *page_duration(struct arena *arena, int64_t ms);
/* A member that is a number; "" where it is unknown. In the arena. */
const char *page_count(struct arena *arena, const json_t *data, const char *key);
/* The data of the last event of a kind; NULL: there is none. */
const json_t *page_event_data(const struct run_page *page, enum event_kind kind);
/* Whether a call, a step or anything else did not succeed. */
bool page_has_failed(const json_t *data);

/* The sections that list events, in the order of the page. */
enum page_group {
    PAGE_TROUBLE,
    PAGE_BARS,
    PAGE_ASKED,
    PAGE_TURNS, /* since the two agents began last */
    PAGE_CONSENSUS,
    PAGE_FIGURE,
    PAGE_ATTEMPTS,
    PAGE_MODEL,
    PAGE_ALL
};

void page_add_section(struct run_page *page, enum page_group group);
void page_add_plan(struct run_page *page, const struct run_page_input *input);
void page_add_calls(struct run_page *page);

/* How long the run lay still before this event, which resumes it. */
int64_t page_pause_before(const struct run_page *page, size_t at);
bool page_has_bar(const struct event *event);
/* The event as a row: a bar of the timeline; a rung of the ladder; a turn of two agents. */
void page_add_bar(struct run_page *page, const struct page_list *list, size_t at);
void page_add_attempt(struct run_page *page, const struct page_list *list, size_t at);
void page_add_turn(struct run_page *page, const struct page_list *list, size_t at);

#endif
