/* The page from top to bottom. Sections come in the order of what a person looks for; when the page
 * is nearly full, the lists of the later ones are counted and no longer written. */
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include "presentation/page/run_page_internal.h"

#define STYLE "data/pages/run.css"

enum { EXIT_NEEDS_ANSWER = 5, MAX_SETTINGS = 20 };

static void add_fact(struct run_page *page, const char *name, const char *text)
{
    if (!text || !*text)
        return;
    html_add(&page->html, "<div><dt>");
    page_cut_text(page, name);
    html_add(&page->html, "</dt><dd dir=\"auto\">");
    page_cut_text(page, text);
    html_add(&page->html, "</dd></div>\n");
}

/* What the run ended with: NULL where it did not fail, or was gone on with and has no end again. */
static const json_t *error_of(const struct run_page *page)
{
    bool has_end = page->run->status != RUN_RUNNING && page->run->status != RUN_INTERRUPTED;
    return has_end ? json_object_get(page_event_data(page, EVENT_RUN_FINISHED), "error") : NULL;
}

/* What the process ended with, where the log says enough; else -1. */
static int exit_status_of(const struct run_page *page)
{
    enum err_code code = err_code_named(json_get_string(error_of(page), "code"));
    enum run_status status = page->run->status;
    return code                                           ? err_exit_status(code)
           : status == RUN_COMPLETED || status == RUN_DRY ? 0
           : status == RUN_NEEDS_ANSWER                   ? EXIT_NEEDS_ANSWER
                                                          : -1;
}

static void add_facts(struct run_page *page)
{
    const struct run *run = page->run;
    char started[RFC3339_SIZE], ended[RFC3339_SIZE];
    int exit_status = exit_status_of(page);
    add_fact(page, "run", run->id);
    add_fact(page, "started", rfc3339_print(run->started_at_ms, started));
    if (run->finished_at_ms && run->status != RUN_QUEUED) {
        add_fact(page, "ended", rfc3339_print(run->finished_at_ms, ended));
        add_fact(
            page, "took",
            page_duration(page->arena, run->finished_at_ms - run->started_at_ms - page->paused_ms));
    }
    if (page->paused_ms)
        add_fact(page, "paused", page_duration(page->arena, page->paused_ms));
    if (exit_status >= 0)
        add_fact(page, "exit status", arena_printf(page->arena, "%d", exit_status));
    add_fact(page, "session", run->session_id);
}

static void add_configuration(struct run_page *page)
{
    const char *key;
    const json_t *value;
    size_t n = 0;
    json_each_member (page->run->meta, key, value)
        if (n++ < MAX_SETTINGS)
            add_fact(page, key,
                     json_is_string(value) ? json_string_value(value)
                                           : json_print_in(page->arena, value));
    if (n > MAX_SETTINGS)
        add_fact(page, "further settings", arena_printf(page->arena, "%zu", n - MAX_SETTINGS));
}

/* "3 in 12 ms", "0" */
static void add_count(struct run_page *page, const char *name, int64_t n, int64_t ms)
{
    add_fact(page, name,
             arena_printf(page->arena, n ? "%lld in %s" : "%lld", (long long)n,
                          page_duration(page->arena, ms)));
}

static void add_totals(struct run_page *page, const struct recorded_run *recorded)
{
    struct arena *arena = page->arena;
    int64_t calls = 0, failed = 0, requests = 0;
    int64_t in = recorded_sum(recorded, EVENT_MODEL_REPLIED, "prompt_tokens");
    int64_t out = recorded_sum(recorded, EVENT_MODEL_REPLIED, "completion_tokens");
    for (size_t i = 0; i < page->n_events; i++) {
        const struct event *event = &page->events[i];
        calls += event->kind == EVENT_TOOL_CALL && json_get_int(event->data, "attempt", 1) <= 1;
        failed += event->kind == EVENT_TOOL_RESULT && page_has_failed(event->data) &&
                  !json_object_get(json_object_get(event->data, "error"), "outcome");
        requests += event->kind == EVENT_PROMPT_SENT;
    }
    add_count(page, "calls", calls, recorded_sum(recorded, EVENT_TOOL_RESULT, "duration_ms"));
    if (failed)
        add_fact(page, "failed calls", arena_printf(arena, "%lld", (long long)failed));
    add_count(page, "model requests", requests, recorded_sum(recorded, EVENT_MODEL_REPLIED, "ms"));
    if (in || out)
        add_fact(
            page, "tokens",
            arena_printf(arena, "%lld in, %lld of them cached, %lld out", (long long)in,
                         (long long)recorded_sum(recorded, EVENT_MODEL_REPLIED, "cached_tokens"),
                         (long long)out));
}

static void add_header(struct run_page *page, const struct recorded_run *recorded,
                       const char *title)
{
    html_add(&page->html, "<header>\n<h1 dir=\"auto\">");
    page_cut_text(page, title);
    html_add(&page->html, "</h1>\n<p><span class=\"tag\">");
    page_cut_text(page, page->run->kind);
    html_add(&page->html, "</span>");
    page_status(page, run_status_name(page->run->status));
    html_add(&page->html, "</p>\n<dl>\n");
    add_facts(page);
    add_totals(page, recorded);
    add_configuration(page);
    html_add(&page->html, "</dl>\n</header>\n");
}

/* What the run failed with. */
static void add_error(struct run_page *page)
{
    static const char *const members[] = { "message", "hint" };
    const json_t *error = error_of(page);
    if (!error)
        return;
    html_add(&page->html, "<section class=\"box bad\"><h2>Error: ");
    page_cut_text(page, json_get_string(error, "code"));
    html_add(&page->html, "</h2>\n");
    for (size_t i = 0; i < ARRAY_LENGTH(members); i++) {
        html_add(&page->html, "<p dir=\"auto\">");
        page_cut_text(page, json_get_string(error, members[i]));
        html_add(&page->html, "</p>\n");
    }
    html_add(&page->html, "</section>\n");
}

static void add_answer(struct run_page *page)
{
    const json_t *answer = page_event_data(page, EVENT_ANSWER);
    const json_t *said = json_object_get(page_event_data(page, EVENT_DONE), "text");
    if (!answer && !said)
        return;
    html_add(&page->html, "<section>\n<h2>Answer</h2>\n");
    if (answer)
        page_status(page, json_get_string(answer, "source"));
    page_json(page, "Text", answer ? json_object_get(answer, "answer") : said);
    page_json(page, "Found nowhere, and not shown", json_object_get(answer, "ungrounded"));
    html_add(&page->html, "</section>\n");
}

int64_t page_pause_before(const struct run_page *page, size_t at)
{
    int64_t before_ms = at ? page->events[at - 1].time_ms : page->run->started_at_ms;
    int64_t ms = page->events[at].time_ms - before_ms;
    return page->events[at].kind == EVENT_RUN_RESUMED && ms > 0 ? ms : 0;
}

static void measure_work(struct run_page *page)
{
    int64_t *work_ms = arena_array(page->arena, int64_t, page->n_events + 1);
    for (size_t i = 0; i < page->n_events; i++) {
        page->paused_ms += page_pause_before(page, i);
        int64_t ms = page->events[i].time_ms - page->run->started_at_ms - page->paused_ms;
        work_ms[i] = ms > 0 ? ms : 0;
        if (page->whole_ms < ms)
            page->whole_ms = ms;
        if (page->events[i].kind == EVENT_CONSENSUS_STARTED)
            page->first_turn = i;
    }
    page->work_ms = work_ms;
}

static void run_page_finish(struct run_page *page)
{
    html_page_finish(&page->html);
}

/* The head of a page that is served belongs to all of its pages: what the run was is part of the
 * rest. */
static void begin(struct run_page *page, const struct run_page_input *input, const char *title)
{
    const struct run_page_frame *frame = input->frame;
    if (!frame) {
        html_page_begin(&page->html, title, STYLE);
        add_header(page, input->recorded, title);
        html_add(&page->html, "<main>\n");
        return;
    }
    html_page_begin_served(&page->html, title, frame->head);
    html_add(&page->html, frame->top);
    add_header(page, input->recorded, title);
    html_add(&page->html, frame->lead);
}

const char *run_page(struct arena *arena, const struct run_page_input *input)
{
    AUTO(run_page)
    page = { .arena = arena,
             .whole_ms = 1,
             .run = input->recorded->run,
             .events = input->recorded->events,
             .n_events = input->recorded->n_events };
    measure_work(&page);
    const char *title = page.run->title && *page.run->title ? page.run->title : page.run->kind;
    html_page_init(&page.html, RUN_PAGE_MAX_BYTES - 1);
    begin(&page, input, title);
    if (!input->frame || !input->frame->tells_why)
        add_error(&page);
    page_add_section(&page, PAGE_TROUBLE);
    add_answer(&page);
    page_add_section(&page, PAGE_BARS);
    page_add_plan(&page, input);
    page_add_calls(&page);
    for (enum page_group group = PAGE_ASKED; group <= PAGE_ALL; group++)
        page_add_section(&page, group);
    html_add(&page.html, input->frame ? input->frame->end : "</main>\n");
    if (!input->frame)
        html_page_end(&page.html);
    return arena_strdup(arena, buf_string(&page.html.out));
}
