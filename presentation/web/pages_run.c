/* One run: its page, which is that of `runs show --html` with what waits for a person in front, and
 * what is told of it while it is under way. */
#include "application/use_cases/draw_plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/events/event_text.h"
#include "presentation/page/run_page.h"
#include "presentation/web/pages_internal.h"
#include <string.h>

#define EVENT_STREAM "text/event-stream; charset=utf-8"

enum { STREAM_EVENTS = 200, LINE_COLUMNS = 1000 };

/* Also a run that the id begins, or `latest`, is another one here. */
static bool is_missing(enum err_code r, const struct run *run, const char *id)
{
    return r == ERR_NOT_FOUND || r == ERR_INVALID || (!r && !text_equal(run->id, id));
}

/* Whose run is meant: the visitor's own, or that of whom an admin names. ERR_NOT_FOUND: nobody's.
 */
awaits static enum err_code find_person(struct page_request *request, const char *name,
                                        const struct visitor **out, struct err *err)
{
    const struct visitors *visitors = request->pages->options.visitors;
    const char **names = NULL;
    size_t n = 0;
    *out = request->visitor;
    if (!name || page_is_own(request, name))
        return ERR_NONE;
    enum err_code r = page_persons(request, &names, &n, err);
    if (r || !text_is_one_of(name, names, n))
        return r ? r : ERR_NOT_FOUND;
    *out = &request->other;
    memcpy(request->other.name, name, strlen(name) + 1);
    return visitors->services_of(visitors->context, name, &request->other.services, err);
}

bool page_find_run(struct page_request *request, const char *id, const char *person,
                   struct page_run *out)
{
    struct err err = { 0 };
    struct run *run = NULL;
    enum err_code r = find_person(request, person, &out->of, &err);
    if (!r)
        r = find_run(out->of->services, request->scope, &request->arena, id, &run, &err);
    out->recorded.run = run;
    if (is_missing(r, run, id))
        page_not_found(request);
    else if (r)
        page_failed(request, &err);
    else
        return true;
    return false;
}

bool page_read_run(struct page_request *request, struct page_run *run)
{
    struct err err = { 0 };
    enum err_code r = show_run(run->of->services, request->scope, &request->arena,
                               run->recorded.run->id, &run->recorded, &err);
    if (r)
        page_failed(request, &err);
    return !r;
}

static bool is_live(struct page_request *request, const struct page_run *run)
{
    const struct pages_job *job = page_job(request->pages, run);
    enum run_status status = run->recorded.run->status;
    return status == RUN_RUNNING || status == RUN_QUEUED || (job && !job->is_done);
}

/* What is added to it while it is looked at. */
static void add_live(struct page_request *request, struct html_page *page,
                     const struct page_run *run)
{
    const struct recorded_run *recorded = &run->recorded;
    const char *of = run->of->name;
    uint64_t last = recorded->n_events ? recorded->events[recorded->n_events - 1].number : 0;
    const char *stream = page_path_of_run(request, of, recorded->run->id, "/events");
    html_add(page, "<section id=\"live\" data-events=\"");
    html_add_text(page, stream);
    bool is_queued = recorded->run->status == RUN_QUEUED;
    html_add_format(page, "%safter=%llu\"><h2>%s</h2>\n", strchr(stream, '?') ? "&amp;" : "?",
                    (unsigned long long)last, is_queued ? "Not begun" : "Under way");
    html_add_format(page, "<p id=\"live-state\" role=\"status\">%s <a href=\"",
                    is_queued ? "Nothing of it was done yet." : "It is still being worked at.");
    html_add_text(page, page_path_of_run(request, of, recorded->run->id, ""));
    html_add(page, "\">Look again</a></p>\n<ol id=\"live-events\" role=\"log\" "
                   "aria-label=\"What happens\" tabindex=\"0\"></ol>\n</section>\n");
}

static void add_link(struct page_request *request, struct html_page *page,
                     const struct page_run *run, const char *id)
{
    html_add(page, "<section class=\"box warn\"><p>Its session went on: <a href=\"");
    html_add_text(page, page_path_of_run(request, run->of->name, id, ""));
    html_add(page, "\">the newest run of it</a>.</p></section>\n");
}

static void add_failure(struct html_page *page, const struct err *err)
{
    html_add(page, "<section class=\"box bad\" role=\"alert\"><h2>The last answer was not carried "
                   "out</h2>\n");
    html_add_element(page, "p", "", err->message);
    html_add_element(page, "p", "", err->hint);
    html_add(page, "</section>\n");
}

/* The run of the turn that answers this one, where that was begun here; else NULL. */
static const char *answering_run(struct page_request *request, const struct page_run *run)
{
    struct services *services = run->of->services;
    const struct run *logged = run->recorded.run;
    const struct pages_job *job = page_job(request->pages, run);
    if (!job || !job->session_id || job->err.code || !text_equal(job->run_id, logged->id))
        return NULL;
    return waiting_went_on(services, request->scope, &request->arena, logged);
}

static const char *lead_of(struct page_request *request, const struct page_run *run,
                           const struct waiting *waiting)
{
    AUTO(html_page) page;
    const struct run *logged = run->recorded.run;
    const struct pages_job *job = page_job(request->pages, run);
    const char *newest = waiting->is_of_session ? waiting_went_on(run->of->services, request->scope,
                                                                  &request->arena, logged)
                                                : NULL;
    html_page_init(&page, PAGES_MAX_BYTES);
    if (!page_is_own(request, run->of->name))
        html_add_element(&page, "p", "box",
                         arena_printf(&request->arena, "A run of %s", page_person(run->of->name)));
    if (job && job->is_done && job->err.code)
        add_failure(&page, &job->err);
    page_add_place(request, &page, run);
    if (is_live(request, run))
        add_live(request, &page, run);
    else if (newest)
        add_link(request, &page, run, newest);
    else
        waiting_add(request, &page, run, waiting);
    return arena_strdup(&request->arena, buf_string(&page.out));
}

void page_one_run(struct page_request *request, const char *id)
{
    struct page_run run = { 0 };
    if (!page_find_run(request, id, web_form_get(&request->query, "person"), &run))
        return;
    const char *answering = answering_run(request, &run);
    struct pages_job *job = page_job(request->pages, &run);
    if (answering && job->is_done) /* once, so that there is a way back */
        job->run_id = NULL;
    if (answering) {
        page_redirect(request, page_path_of_run(request, run.of->name, answering, ""), NULL);
        return;
    }
    if (!page_read_run(request, &run))
        return;
    const struct waiting waiting =
        waiting_of(run.recorded.run, run.recorded.events, run.recorded.n_events);
    const struct run_page_frame frame = { .head = page_head,
                                          .top = page_top(request),
                                          .lead = lead_of(request, &run, &waiting),
                                          .end = page_foot,
                                          .tells_why = waiting.kind == WAITING_APPROVAL };
    struct run_page_input input = { .recorded = &run.recorded, .frame = &frame };
    input.plan = recorded_plan(&request->arena, &run.recorded);
    if (input.plan)
        draw_plan(run.of->services, request->scope, &request->arena, input.plan, &run.recorded,
                  &input.picture);
    const char *text = run_page(&request->arena, &input);
    page_reply(request, 200, "text/html; charset=utf-8", text, strlen(text));
}

/* One stream to a page. */
struct stream {
    struct page_request *request;
    struct page_run run;
    uint64_t after;
    int64_t said_ms; /* when something was sent last */
};

static void send_text(struct stream *stream, const char *text)
{
    web_send(stream->request->exchange, text, strlen(text));
    stream->said_ms = runtime_now_ms(stream->request->pages->options.runtime);
}

/* A line of the list; its markup is one line of the stream. */
static void send_event(struct stream *stream, struct arena *arena, const struct event *event)
{
    AUTO(html_page) page;
    const char *text = event_text(arena, event);
    html_page_init(&page, PAGES_MAX_BYTES);
    html_add_format(&page, "id: %llu\nevent: entry\ndata: <li dir=\"auto\"><strong>%s</strong> ",
                    (unsigned long long)event->number, event_kind_name(event->kind));
    html_add_text(&page, text_one_line(arena, text, strlen(text), LINE_COLUMNS));
    html_add(&page, "</li>\n\n");
    send_text(stream, buf_string(&page.out));
    stream->after = event->number;
}

/* Tells what is new; false once there is no more to come, or the page has to be another one. */
static bool tell(struct stream *stream)
{
    AUTO(arena) arena = { 0 };
    struct page_request *request = stream->request;
    struct services *services = stream->run.of->services;
    struct event *events = NULL;
    size_t n = 0;
    const char *id = stream->run.recorded.run->id;
    const struct event_range range = { .run_id = id, .after = stream->after, .max = STREAM_EVENTS };
    struct page_run now = stream->run;
    if (find_run(services, request->scope, &arena, id, &now.recorded.run, NULL) ||
        find_events(services, request->scope, &arena, &range, &events, &n, NULL))
        return false;
    for (size_t i = 0; i < n; i++)
        send_event(stream, &arena, &events[i]);
    bool has_begun =
        stream->run.recorded.run->status == RUN_QUEUED && now.recorded.run->status != RUN_QUEUED;
    return n == STREAM_EVENTS ||
           (is_live(request, &now) && !has_begun && !answering_run(request, &now));
}

/* Until the run ends, the client goes, or the server is asked to end: it would wait for the stream
 * as for a call. */
static void stream_events(struct stream *stream)
{
    struct page_request *request = stream->request;
    struct pages *pages = request->pages;
    struct runtime *runtime = pages->options.runtime;
    bool goes_on = tell(stream);
    while (goes_on && !request->exchange->is_gone) {
        if (runtime_now_ms(runtime) - stream->said_ms >= PAGES_COMMENT_MS)
            send_text(stream, ": still there\n\n");
        if (runtime_sleep(runtime, request->scope, PAGES_POLL_MS, NULL) ||
            scope_check(&pages->scope, runtime_now_ms(runtime), NULL))
            return;
        goes_on = web_may_stay(request->exchange) && tell(stream);
    }
    if (!request->exchange->is_gone)
        send_text(stream, "event: end\ndata: reload\n\n");
}

void page_stream(struct page_request *request, const char *id)
{
    struct stream stream = { .request = request };
    const char *after = web_header(request->exchange, "Last-Event-ID");
    int64_t number = 0;
    if (!page_find_run(request, id, web_form_get(&request->query, "person"), &stream.run))
        return;
    if (!after)
        after = web_form_get(&request->query, "after");
    if (after && (!text_to_int64(after, &number) || number < 0)) {
        page_say(request, 400, "Not understood", "The number of an event is none.");
        return;
    }
    if (strcmp(request->exchange->method, "HEAD") == 0) {
        page_reply(request, 200, EVENT_STREAM, "", 0);
        return;
    }
    if (request->pages->n_streams == PAGES_MAX_STREAMS) {
        page_say(request, 503, "Too much at once", "As many pages are live as may be at once.");
        return;
    }
    stream.after = (uint64_t)number;
    request->pages->n_streams++;
    request->exchange->may_end = true;
    page_reply(request, 200, EVENT_STREAM, NULL, 0);
    send_text(&stream, ": here it begins\n\n");
    stream_events(&stream);
    request->pages->n_streams--;
}
