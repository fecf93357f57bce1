/* What the parts of pages.h share. Private to the room.
 *
 * pages.c finds the page that a path means and frames it; pages_login.c has cookie and tokens;
 * pages_list.c the list of runs; pages_run.c one run, and its stream; pages_waiting.c what waits
 * for a person, as forms; pages_answer.c what such a form brings; pages_queues.c what waits for
 * workers. */
#ifndef PRESENTATION_WEB_PAGES_INTERNAL_H
#define PRESENTATION_WEB_PAGES_INTERNAL_H

#include "application/use_cases/resume_run.h"
#include "application/use_cases/runs/runs.h"
#include "domain/text/html_page.h"
#include "presentation/web/pages.h"
#include "presentation/web/web_form.h"

#define PAGES_MAX_BYTES ((size_t)1000000) /* of one page */
#define PAGES_TOKEN_MAX 512

extern const struct embedded_file web_files[]; /* data/web/ */

/* An answer that is being carried out, or was: what it failed with is kept until the place is taken
 * by another one. */
struct pages_job {
    struct pages *pages;
    struct task *task; /* NULL: the place is free */
    struct arena arena;
    struct services *services;       /* held until it is done */
    char person[PERSON_NAME_SIZE];   /* whose run it is */
    const char *run_id, *session_id; /* session_id: NULL where a run is resumed */
    const json_t *answers, *results; /* by their keys */
    bool retries_failed;
    bool is_done;
    struct err err;
};

struct pages {
    struct pages_options options;
    char secret[DIGEST_HEX_SIZE]; /* of this process */
    struct scope scope;
    struct pages_job jobs[PAGES_MAX_ANSWERS];
    size_t n_streams;
};

/* One request on its way. */
struct page_request {
    struct pages *pages;
    struct scope *scope;
    struct web_exchange *exchange;
    const struct visitor *visitor; /* NULL on the way in only */
    struct arena arena;
    struct web_form query, form; /* the latter of a POST */
    struct visitor other;        /* whose run an admin looks at, held; without services: nobody */
};

/* The run that a path names. */
struct page_run {
    const struct visitor *of; /* whose it is */
    struct recorded_run recorded;
};

enum waiting_kind { WAITING_NOT, WAITING_ANSWER, WAITING_APPROVAL, WAITING_GO_ON };

#define WAITING_MAX 20 /* approvals of one run that are shown */

/* What a run waits for. */
struct waiting {
    enum waiting_kind kind;
    bool is_of_session;               /* the answer is the next turn of its session */
    bool retries_failed;              /* going on is in vain where what failed stays so */
    uint64_t number;                  /* of the event that asked, or began it anew; 0: none did */
    const json_t *asked[WAITING_MAX]; /* data of those events */
    size_t n;
};

/* pages.c */
void page_reply(struct page_request *request, unsigned status, const char *type, const char *bytes,
                size_t length);
void page_redirect(struct page_request *request, const char *to, const char *cookie);
/* A page that says one thing. */
void page_say(struct page_request *request, unsigned status, const char *title, const char *text);
void page_not_found(struct page_request *request);
/* ERR_UNAVAILABLE and the like, as a page. */
void page_failed(struct page_request *request, const struct err *err);
/* The frame of every page, around what the caller adds. */
void page_begin(struct page_request *request, struct html_page *page, const char *title);
void page_end(struct page_request *request, unsigned status, struct html_page *page);
/* The parts of it, for a page that is not made here. In the arena. */
extern const char page_head[], page_foot[];
const char *page_top(struct page_request *request);
bool page_is_post(const struct page_request *request);
/* A time of day where this process is. In the arena. */
const char *page_time(struct page_request *request, int64_t ms);

/* pages_login.c */
void page_login(struct page_request *request);
void page_logout(struct page_request *request);
/* What forms of this visitor carry. In the arena. */
const char *page_csrf(struct page_request *request);
bool page_has_csrf(struct page_request *request);
/* The same of a form about a run; false: that was answered. */
bool page_takes_form(struct page_request *request);
void page_add_csrf(struct page_request *request, struct html_page *page);

/* pages_list.c */
awaits void page_list_of_runs(struct page_request *request);
/* "/runs/ID" and what is behind it, with the person where it is another one's. In the arena. */
const char *page_path_of_run(struct page_request *request, const char *person, const char *id,
                             const char *behind);
bool page_is_own(const struct page_request *request, const char *person);
/* Whose a run is, for readers. What is nobody's by name belongs to the user whom the server runs
 * as.
 */
const char *page_person(const char *person);
/* The names of those whose runs the visitor may see, its own among them. In the arena. */
awaits MUST_CHECK enum err_code page_persons(struct page_request *request, const char ***out,
                                             size_t *out_n, struct err *err);

/* One person after another, each with services that are held meanwhile. Who cannot be visited is
 * added to missing, as an item of a list. Fails where nobody can be. */
typedef enum err_code page_visit_fn(struct page_request *request, void *context,
                                    struct services *services, const char *person, struct err *err);
awaits MUST_CHECK enum err_code page_visit(struct page_request *request, const char *const *persons,
                                           size_t n, page_visit_fn *visit, void *context,
                                           struct html_page *missing, struct err *err);
/* What page_visit said is missing, where anything is. */
void page_add_missing(struct html_page *page, const struct html_page *missing);
/* A cell with a time of day. */
void page_add_time(struct page_request *request, struct html_page *page, int64_t ms);

/* pages_run.c */
awaits void page_one_run(struct page_request *request, const char *id);
awaits void page_stream(struct page_request *request, const char *id);
/* False: it was answered that there is no such run, or why it cannot be told. */
awaits bool page_find_run(struct page_request *request, const char *id, const char *person,
                          struct page_run *out);
/* Its events as well. False: it was answered why not. */
awaits bool page_read_run(struct page_request *request, struct page_run *run);

/* pages_waiting.c */
/* What the events of a run say, all or those of waiting_kinds; whether its session went on is not
 * in them. */
struct waiting waiting_of(const struct run *run, const struct event *events, size_t n);
/* The same for a run of a list, which has what may wait. */
awaits enum waiting_kind waiting_of_row(struct services *services, struct scope *scope,
                                        const struct run *run);
/* The newest run of the session, where it went on from there; else NULL. In the arena. */
awaits const char *waiting_went_on(struct services *services, struct scope *scope,
                                   struct arena *arena, const struct run *run);
/* The forms that answer it, or why there are none. */
awaits void waiting_add(struct page_request *request, struct html_page *page,
                        const struct page_run *run, const struct waiting *waiting);

/* Up to the button: of a form about the run, for the path behind it. */
void page_begin_form(struct page_request *request, struct html_page *page,
                     const struct page_run *run, const char *behind);
void page_end_form(struct html_page *page, const char *button);

/* pages_answer.c */
awaits void page_take_answer(struct page_request *request, const char *id);
/* What is being carried out for the run, or what it failed with; NULL: nothing. */
struct pages_job *page_job(struct pages *pages, const struct page_run *run);

/* pages_queues.c */
/* NULL: the store has none. */
struct run_queue *page_queue(struct services *services);
awaits void page_queues(struct page_request *request);
/* Which queue the run waits in, or which worker has it, with a form to cancel it; or why it was set
 * aside. */
awaits void page_add_place(struct page_request *request, struct html_page *page,
                           const struct page_run *run);
awaits void page_cancel_run(struct page_request *request, const char *id);

#endif
