/* What waits for workers: the page of all queues, and what a run's page says of its place in one,
 * with a form that cancels it. Each person has queues of their own, which are visited as logs are
 * (page_visit); the workers are shown to admins only. */
#include "application/workers/withdraw_run.h"
#include "domain/base/text.h"
#include "presentation/web/pages_internal.h"
#include <inttypes.h>

enum { BUSY_LINKS = 20 };

/* The rows of each table. */
struct overview {
    struct html_page totals, workers, set_aside, missing;
    bool has_persons; /* each row says whose it is */
    bool has_more;    /* than is shown */
};

struct run_queue *page_queue(struct services *services)
{
    struct run_queue *queue = NULL;
    return services_queue(services, &queue, NULL) ? NULL : queue;
}

static void add_cell(struct html_page *page, const char *text)
{
    html_add(page, "<td dir=\"auto\">");
    html_add_text(page, text);
    html_add(page, "</td>");
}

static void add_head(struct html_page *page, const char *text)
{
    html_add(page, "<tr><th scope=\"row\" dir=\"auto\">");
    html_add_text(page, text);
    html_add(page, "</th>");
}

static void end_row(struct html_page *page, const struct overview *all, const char *person)
{
    if (all->has_persons)
        add_cell(page, page_person(person));
    html_add(page, "</tr>\n");
}

static void add_run_link(struct page_request *request, struct html_page *page, const char *person,
                         const char *id)
{
    html_add(page, "<a href=\"");
    html_add_text(page, page_path_of_run(request, person, id, ""));
    html_add(page, "\"><code>");
    html_add_text(page, id);
    html_add(page, "</code></a> ");
}

awaits static enum err_code add_totals(struct page_request *request, struct overview *all,
                                       struct run_queue *queue, const char *person, struct err *err)
{
    struct queue_totals *totals = NULL;
    int64_t now_ms = runtime_wall_ms(request->pages->options.runtime);
    size_t n = 0;
    enum err_code r = run_queue_totals(queue, request->scope, &request->arena, &totals, &n, err);
    for (size_t i = 0; !r && i < n; i++) {
        struct html_page *page = &all->totals;
        const uint64_t counts[] = { totals[i].n_queued, totals[i].n_taken, totals[i].n_poisoned };
        add_head(page, totals[i].queue);
        for (size_t k = 0; k < ARRAY_LENGTH(counts); k++)
            html_add_format(page, "<td class=\"number\">%" PRIu64 "</td>", counts[k]);
        if (totals[i].since_ms && totals[i].since_ms <= now_ms)
            page_add_time(request, page, totals[i].since_ms);
        else
            html_add(page, "<td></td>");
        end_row(page, all, person);
    }
    return r;
}

/* Of a worker, with links to what it has. */
static void add_worker(struct page_request *request, struct overview *all,
                       const struct queue_worker *worker, const struct queued_run *taken,
                       size_t n_taken, const char *person)
{
    struct html_page *page = &all->workers;
    size_t n = 0;
    add_head(page, worker->name);
    add_cell(page, worker->queue);
    html_add_format(page, "<td>%u of %u ", worker->n_busy, worker->jobs);
    for (size_t i = 0; i < n_taken && n < BUSY_LINKS; i++)
        if (text_equal(taken[i].worker, worker->name)) {
            add_run_link(request, page, person, taken[i].run_id);
            n++;
        }
    html_add(page, n < worker->n_busy && n == BUSY_LINKS ? "\xe2\x80\xa6</td>" : "</td>");
    page_add_time(request, page, worker->seen_ms);
    end_row(page, all, person);
}

awaits static enum err_code add_workers(struct page_request *request, struct overview *all,
                                        struct run_queue *queue, const char *person,
                                        struct err *err)
{
    struct queue_worker *workers = NULL;
    struct queued_run *taken = NULL;
    size_t n = 0, n_taken = 0;
    enum err_code r = run_queue_workers(queue, request->scope, &request->arena, &workers, &n, err);
    if (!r && n)
        r = run_queue_list_in(queue, request->scope, QUEUE_TAKEN, RUN_QUEUE_LIST_MAX,
                              &request->arena, &taken, &n_taken, err);
    for (size_t i = 0; !r && i < n; i++)
        add_worker(request, all, &workers[i], taken, n_taken, person);
    return r;
}

awaits static enum err_code add_set_aside(struct page_request *request, struct overview *all,
                                          struct run_queue *queue, const char *person,
                                          struct err *err)
{
    struct html_page *page = &all->set_aside;
    struct queued_run *runs = NULL;
    size_t n = 0;
    enum err_code r = run_queue_list_in(queue, request->scope, QUEUE_POISONED, PAGES_ROWS + 1,
                                        &request->arena, &runs, &n, err);
    all->has_more |= n > PAGES_ROWS;
    for (size_t i = 0; !r && i < n && i < PAGES_ROWS; i++) {
        html_add(page, "<tr><th scope=\"row\">");
        add_run_link(request, page, person, runs[i].run_id);
        html_add(page, "</th>");
        add_cell(page, runs[i].queue);
        add_cell(page, runs[i].reason);
        page_add_time(request, page, runs[i].added_ms);
        end_row(page, all, person);
    }
    return r;
}

awaits static enum err_code look_at(struct page_request *request, void *context,
                                    struct services *services, const char *person, struct err *err)
{
    struct overview *all = context;
    struct run_queue *queue = NULL;
    enum err_code r = services_queue(services, &queue, err);
    if (!r)
        r = add_totals(request, all, queue, person, err);
    if (!r && request->visitor->is_admin)
        r = add_workers(request, all, queue, person, err);
    return r ? r : add_set_aside(request, all, queue, person, err);
}

/* columns: cells of the head, but that of the person. */
static void add_table(struct html_page *page, const struct overview *all, const char *title,
                      const char *columns, const struct html_page *rows, const char *none)
{
    html_add_format(page, "<section><h2>%s</h2>\n", title);
    if (rows->out.length) {
        html_add_format(
            page,
            "<div class=\"wide queues\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">"
            "<table><thead><tr>%s%s</tr></thead><tbody>\n",
            title, columns, all->has_persons ? "<th scope=\"col\">Person</th>" : "");
        html_add(page, buf_string(&rows->out));
        html_add(page, "</tbody></table></div>\n");
    } else {
        html_add_format(page, "<p>%s</p>\n", none);
    }
    html_add(page, "</section>\n");
}

#define COLUMN(name) "<th scope=\"col\">" name "</th>"
#define NUMBERS(name) "<th scope=\"col\" class=\"number\">" name "</th>"

static void show(struct page_request *request, const struct overview *all)
{
    struct html_page page;
    page_begin(request, &page, "Queues");
    html_add(&page, "<h1>Queues</h1>\n");
    page_add_missing(&page, &all->missing);
    add_table(&page, all, "What waits",
              COLUMN("Queue") NUMBERS("Wait") NUMBERS("Taken") NUMBERS("Set aside")
                  COLUMN("Waiting since"),
              &all->totals, "Nothing waits, and no worker has anything.");
    if (request->visitor->is_admin)
        add_table(&page, all, "Workers",
                  COLUMN("Worker") COLUMN("Queue") COLUMN("Busy with") COLUMN("Last heard of"),
                  &all->workers, "There are none: <code>mistro worker</code> begins one.");
    if (all->set_aside.out.length)
        add_table(&page, all, "Set aside",
                  COLUMN("Run") COLUMN("Queue") COLUMN("Why") COLUMN("Submitted"), &all->set_aside,
                  "");
    if (all->has_more)
        html_add(&page, "<p>There are more than are shown here.</p>\n");
    page_end(request, 200, &page);
}

void page_queues(struct page_request *request)
{
    struct overview all = { 0 };
    const char **persons = NULL;
    size_t n = 0;
    struct err err = { 0 };
    if (!page_queue(request->visitor->services)) {
        page_say(request, 404, "There are no queues",
                 "Runs wait for workers in PostgreSQL only (storage.backend: postgres).");
        return;
    }
    struct html_page *const parts[] = { &all.totals, &all.workers, &all.set_aside, &all.missing };
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++)
        html_page_init(parts[i], PAGES_MAX_BYTES / (ARRAY_LENGTH(parts) + 1));
    enum err_code r = page_persons(request, &persons, &n, &err);
    all.has_persons = n > 1;
    if (!r)
        r = page_visit(request, persons, n, look_at, &all, &all.missing, &err);
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++)
        all.has_more |= !parts[i]->fits;
    if (r)
        page_failed(request, &err);
    else
        show(request, &all);
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++)
        html_page_finish(parts[i]);
}

static void add_place(struct page_request *request, struct html_page *page,
                      const struct queued_run *queued)
{
    bool is_later = queued->not_before_ms > runtime_wall_ms(request->pages->options.runtime);
    html_add(page, queued->state == QUEUE_QUEUED  ? "<h2>Waits for a worker</h2>\n<p>In the queue "
                   : queued->state == QUEUE_TAKEN ? "<h2>A worker has it</h2>\n<p>In the queue "
                                                  : "<h2>Set aside</h2>\n<p>In the queue ");
    html_add(page, "<bdi>");
    html_add_text(page, queued->queue);
    html_add(page, "</bdi>");
    if (queued->state == QUEUE_QUEUED && is_later)
        html_add_format(page, ", not before %s", page_time(request, queued->not_before_ms));
    if (queued->state != QUEUE_QUEUED) {
        html_add(page, queued->state == QUEUE_TAKEN ? ", by <bdi>" : ": <bdi>");
        html_add_text(page, queued->state == QUEUE_TAKEN ? queued->worker : queued->reason);
        html_add(page, "</bdi>");
    }
    html_add(page, ".</p>\n");
    if (queued->n_deaths && queued->state != QUEUE_POISONED)
        html_add_format(page, "<p>Workers that died while they had it: %u.</p>\n",
                        queued->n_deaths);
}

void page_add_place(struct page_request *request, struct html_page *page,
                    const struct page_run *run)
{
    struct run_queue *queue = page_queue(run->of->services);
    struct queued_run *queued = NULL;
    if (!queue ||
        run_queue_find(queue, request->scope, run->recorded.run->id, &request->arena, &queued,
                       NULL) ||
        queued->state == QUEUE_ENDED || queued->state == QUEUE_CANCELLED)
        return;
    html_add(page, "<section class=\"box warn\">");
    add_place(request, page, queued);
    if (queued->is_cancelled) {
        html_add(page, "<p>Its worker was asked to end it.</p>\n");
    } else if (queued->state != QUEUE_POISONED) {
        page_begin_form(request, page, run, "/cancel");
        page_end_form(page, "Cancel this run");
    }
    html_add(page, "</section>\n");
}

void page_cancel_run(struct page_request *request, const char *id)
{
    struct page_run run = { 0 };
    struct err err = { 0 };
    bool was_queued;
    if (!page_takes_form(request) ||
        !page_find_run(request, id, web_form_get(&request->form, "person"), &run))
        return;
    enum err_code r = cancel_run(run.of->services, request->scope, id, &was_queued, &err);
    if (r == ERR_NOT_FOUND || r == ERR_INVALID)
        page_say(request, 409, "Not cancelled", err.message);
    else if (r)
        page_failed(request, &err);
    else
        page_redirect(request, page_path_of_run(request, run.of->name, id, ""), NULL);
}
