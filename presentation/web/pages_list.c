/* The list of runs, newest first, a page at a time: those of the visitor, or of everybody for an
 * admin. Each person has a log, so a page is made of a part of each. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/web/pages_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAITING_ROWS = 20, TITLE_BYTES = 160, CURSOR_BYTES = 64 };

#define EVERYBODY "*"
#define BIT(status) (1U << RUN_##status)

static const struct state {
    const char *name, *words, *look;
    unsigned statuses; /* as the log has them */
    bool waits;
    enum run_status status;
} states[] = {
    { "waiting", "waits for a person", "warn", 0, true, RUN_RUNNING },
    { "queued", "waits for a worker", "warn", BIT(QUEUED), false, RUN_QUEUED },
    { "running", "under way", "warn", BIT(RUNNING), false, RUN_RUNNING },
    { "interrupted", "interrupted", "bad", BIT(RUNNING), false, RUN_INTERRUPTED },
    { "completed", "completed", "good", BIT(COMPLETED), false, RUN_COMPLETED },
    { "needs_answer", "asked a question", "warn", BIT(NEEDS_ANSWER), false, RUN_NEEDS_ANSWER },
    { "failed", "failed", "bad", BIT(FAILED), false, RUN_FAILED },
    { "refused", "refused", "bad", BIT(REFUSED), false, RUN_REFUSED },
    { "limit", "stopped at a limit", "bad", BIT(LIMIT), false, RUN_LIMIT },
    { "cancelled", "cancelled", "bad", BIT(CANCELLED), false, RUN_CANCELLED },
    { "dry_run", "checked, nothing called", "warn", BIT(DRY), false, RUN_DRY },
};

static const char *const kinds[] = { "ask", "chat",   "call",      "plan",
                                     "run", "figure", "consensus", "studio" };

struct row {
    struct run run;
    const struct visitor *of;
    enum waiting_kind waits; /* where that was asked for */
};

/* What of the logs is wanted. */
struct wanted {
    const struct state *state; /* NULL: any */
    const char *kind, *words;  /* NULL: any */
    const struct visitor *of;  /* NULL: everybody that may be seen */
    struct run from;           /* behind which the page begins, id "": at the newest */
    size_t max;
};

struct rows {
    struct row *list;
    size_t n, capacity;
};

static int newest_first(const void *a, const void *b)
{
    const struct run *left = &((const struct row *)a)->run, *right = &((const struct row *)b)->run;
    if (left->started_at_ms != right->started_at_ms)
        return left->started_at_ms < right->started_at_ms ? 1 : -1;
    return strcmp(right->id, left->id);
}

static bool is_wanted(struct page_request *request, const struct wanted *wanted, struct row *row)
{
    if (!wanted->state)
        return true;
    if (!wanted->state->waits)
        return row->run.status == wanted->state->status;
    row->waits = waiting_of_row(row->of->services, request->scope, &row->run);
    return row->waits != WAITING_NOT;
}

/* Of one person, one more than the page needs. */
static enum err_code collect_of(struct page_request *request, const struct wanted *wanted,
                                const struct visitor *of, struct rows *rows, struct err *err)
{
    size_t found = 0, n = wanted->max + 1;
    struct run from = wanted->from;
    const struct run_range range = { .max = n,
                                     .before = &from,
                                     .may_wait = wanted->state && wanted->state->waits,
                                     .statuses = wanted->state ? wanted->state->statuses : 0,
                                     .kind = wanted->kind,
                                     .words = wanted->words };
    while (n == range.max && found < range.max) {
        struct run *runs = NULL;
        enum err_code r =
            find_runs(of->services, request->scope, &request->arena, &range, &runs, &n, err);
        if (r)
            return r;
        for (size_t i = 0; i < n && found < range.max; i++) {
            struct row row = { .run = runs[i], .of = of };
            if (!is_wanted(request, wanted, &row))
                continue;
            found++;
            *arena_push(&request->arena, rows->list, rows->n, rows->capacity) = row;
        }
        from = n ? runs[n - 1] : from;
    }
    return ERR_NONE;
}

/* *out_more: there are further ones behind the page. */
static enum err_code collect(struct page_request *request, const struct wanted *wanted,
                             struct rows *rows, bool *out_more, struct err *err)
{
    const struct visitor *persons = wanted->of;
    size_t n = persons ? 1 : page_persons(request, &persons);
    enum err_code r = ERR_NONE;
    for (size_t i = 0; !r && i < n; i++)
        r = collect_of(request, wanted, &persons[i], rows, err);
    if (r || !rows->n)
        return r;
    qsort(rows->list, rows->n, sizeof *rows->list, newest_first);
    *out_more = rows->n > wanted->max;
    rows->n = *out_more ? wanted->max : rows->n;
    return ERR_NONE;
}

bool page_is_own(const struct page_request *request, const struct visitor *of)
{
    return text_equal(of->name, request->visitor->name);
}

const char *page_path_of_run(struct page_request *request, const struct visitor *of, const char *id,
                             const char *behind)
{
    bool is_own = page_is_own(request, of);
    return arena_printf(&request->arena, "/runs/%s%s%s%s", id, behind, is_own ? "" : "?person=",
                        is_own ? "" : web_form_escape(&request->arena, of->name));
}

size_t page_persons(struct page_request *request, const struct visitor **out)
{
    const struct visitors *visitors = request->pages->options.visitors;
    if (request->visitor->is_admin && visitors->everybody && !request->everybody)
        request->n_everybody = visitors->everybody(visitors->context, request->scope,
                                                   &request->arena, &request->everybody);
    *out = request->n_everybody ? request->everybody : request->visitor;
    return request->n_everybody ? request->n_everybody : 1;
}

const struct visitor *page_person(struct page_request *request, const char *name)
{
    const struct visitor *all = NULL;
    if (!name || !*name || text_equal(name, request->visitor->name))
        return request->visitor;
    size_t n = page_persons(request, &all);
    for (size_t i = 0; i < n; i++)
        if (text_equal(all[i].name, name))
            return &all[i];
    return NULL;
}

/* "1700000000000.ID", of the run at an edge of another page. */
static bool read_cursor(struct page_request *request, const char *text, struct run *out)
{
    size_t digits = strcspn(text, ".");
    const char *ms = arena_strndup(&request->arena, text, digits);
    if (!text[digits] || strlen(text) > CURSOR_BYTES || !text_to_int64(ms, &out->started_at_ms))
        return false;
    out->id = text + digits + 1;
    return true;
}

static const char *field(struct page_request *request, const char *name)
{
    const char *value = web_form_get(&request->query, name);
    return value && *value ? value : NULL;
}

/* False: a field says what is not there. */
static bool read_wanted(struct page_request *request, struct wanted *out)
{
    const char *state = field(request, "state"), *person = field(request, "person");
    const char *before = field(request, "before");
    *out = (struct wanted){ .kind = field(request, "kind"),
                            .words = field(request, "q"),
                            .from = { .id = "", .started_at_ms = INT64_MAX },
                            .max = PAGES_ROWS };
    for (size_t i = 0; state && i < ARRAY_LENGTH(states); i++)
        if (strcmp(states[i].name, state) == 0)
            out->state = &states[i];
    bool is_of_all = !person || strcmp(person, EVERYBODY) == 0;
    out->of = is_of_all ? NULL : page_person(request, person);
    return (!state || out->state) && (is_of_all || out->of) &&
           (!out->kind || text_is_one_of(out->kind, kinds, ARRAY_LENGTH(kinds))) &&
           (!before || read_cursor(request, before, &out->from));
}

static void begin_select(struct html_page *page, const char *name, const char *label,
                         const char *all)
{
    html_add_format(page,
                    "<p><label for=\"%s\">%s</label> <select id=\"%s\" name=\"%s\">"
                    "<option value=\"\">%s</option>",
                    name, label, name, name, all);
}

static void add_option(struct html_page *page, const char *value, const char *words, bool is_chosen)
{
    html_add(page, "<option value=\"");
    html_add_text(page, value);
    html_add(page, is_chosen ? "\" selected>" : "\">");
    html_add_text(page, words);
    html_add(page, "</option>");
}

static void add_filters(struct page_request *request, struct html_page *page,
                        const struct wanted *wanted)
{
    const struct visitor *persons = NULL;
    size_t n = page_persons(request, &persons);
    html_add(page, "<search><form method=\"get\" action=\"/runs\" class=\"filters\">\n");
    begin_select(page, "state", "State", "any");
    for (size_t i = 0; i < ARRAY_LENGTH(states); i++)
        add_option(page, states[i].name, states[i].words, wanted->state == &states[i]);
    html_add(page, "</select></p>\n");
    begin_select(page, "kind", "Kind", "any");
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        add_option(page, kinds[i], kinds[i], text_equal(wanted->kind, kinds[i]));
    html_add(page, "</select></p>\n");
    if (n > 1) {
        begin_select(page, "person", "Person", "everybody");
        for (size_t i = 0; i < n; i++)
            add_option(page, persons[i].name, persons[i].name,
                       wanted->of && text_equal(wanted->of->name, persons[i].name));
        html_add(page, "</select></p>\n");
    }
    html_add(page,
             "<p><label for=\"q\">Request or goal has</label> <input type=\"search\" id=\"q\" "
             "name=\"q\" maxlength=\"100\" value=\"");
    html_add_text(page, wanted->words);
    html_add(page, "\"></p>\n<p><button type=\"submit\">Show</button></p>\n</form></search>\n");
}

static const char *duration(struct page_request *request, const struct run *run)
{
    int64_t ms = run->finished_at_ms - run->started_at_ms;
    if (!run->finished_at_ms || ms < 0)
        return "";
    if (ms < 1000)
        return arena_printf(&request->arena, "%lld ms", (long long)ms);
    return arena_printf(&request->arena, ms < 60000 ? "%.1f s" : "%.0f min",
                        (double)ms / (ms < 60000 ? 1000.0 : 60000.0));
}

/* "" where they were not counted. */
static const char *calls(struct page_request *request, const struct run *run)
{
    const char *name;
    const json_t *counts;
    int64_t n = 0;
    json_each_member (json_object_get(run->stats, "tools"), name, counts)
        n += json_get_int(counts, "calls", 0);
    return run->stats ? arena_printf(&request->arena, "%lld", (long long)n) : "";
}

static void add_state(struct html_page *page, const struct row *row)
{
    static const char *const waits[] = { [WAITING_ANSWER] = "asks a question",
                                         [WAITING_APPROVAL] = "wants your approval",
                                         [WAITING_GO_ON] = "was interrupted" };
    const struct state *state = &states[1];
    while (state->status != row->run.status && state < &states[ARRAY_LENGTH(states) - 1])
        state++;
    html_add_format(page, "<td><span class=\"tag %s\">%s</span></td>",
                    row->waits ? "warn" : state->look,
                    row->waits ? waits[row->waits] : state->words);
}

static void add_row(struct page_request *request, struct html_page *page, const struct row *row,
                    bool has_persons)
{
    const struct run *run = &row->run;
    bool has_title = run->title && *run->title;
    const char *title = has_title ? run->title : "(no title)";
    size_t length = text_cut(title, strlen(title), TITLE_BYTES);
    html_add(page, "<tr><th scope=\"row\" dir=\"auto\"><a href=\"");
    html_add_text(page, page_path_of_run(request, row->of, run->id, ""));
    html_add(page, "\">");
    html_add_text(page, text_one_line(&request->arena, title, length, TITLE_BYTES));
    html_add(page, title[length] ? "\xe2\x80\xa6</a></th>" : "</a></th>");
    add_state(page, row);
    html_add(page, "<td>");
    html_add_text(page, run->kind);
    const char *begun = page_time(request, run->started_at_ms);
    html_add_format(page, "</td><td class=\"when\"><span>%.10s</span> <span>%s</span></td>", begun,
                    begun + 11);
    html_add_format(page, "<td class=\"number\">%s</td><td class=\"number\">%s</td>",
                    duration(request, run), calls(request, run));
    if (has_persons) {
        html_add(page, "<td dir=\"auto\">");
        html_add_text(page, row->of->name);
        html_add(page, "</td>");
    }
    html_add(page, "</tr>\n");
}

static void add_table(struct page_request *request, struct html_page *page, const char *title,
                      const struct rows *rows, bool has_persons)
{
    html_add_format(page,
                    "<div class=\"wide list\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">"
                    "<table><thead><tr>",
                    title);
    html_add(page, "<th scope=\"col\">What</th><th scope=\"col\">State</th>"
                   "<th scope=\"col\">Kind</th><th scope=\"col\">Begun</th>"
                   "<th scope=\"col\" class=\"number\">Took</th>"
                   "<th scope=\"col\" class=\"number\">Calls</th>");
    html_add(page, has_persons ? "<th scope=\"col\">Person</th></tr></thead><tbody>\n"
                               : "</tr></thead><tbody>\n");
    for (size_t i = 0; i < rows->n; i++)
        add_row(request, page, &rows->list[i], has_persons);
    html_add(page, "</tbody></table></div>\n");
}

/* To what is behind this page, and back to the begin. */
static void add_page_links(struct page_request *request, struct html_page *page,
                           const struct wanted *wanted, const struct rows *rows, bool has_more)
{
    struct arena *arena = &request->arena;
    const char *same =
        arena_printf(arena, "/runs?state=%s&kind=%s&person=%s&q=%s",
                     wanted->state ? wanted->state->name : "", wanted->kind ? wanted->kind : "",
                     wanted->of ? web_form_escape(arena, wanted->of->name) : "",
                     wanted->words ? web_form_escape(arena, wanted->words) : "");
    if (!has_more && !*wanted->from.id)
        return;
    html_add(page, "<nav class=\"pages\" aria-label=\"Pages of the list\">\n");
    if (*wanted->from.id) {
        html_add(page, "<a href=\"");
        html_add_text(page, same);
        html_add(page, "\">Newest</a>\n");
    }
    if (has_more) {
        const struct run *last = &rows->list[rows->n - 1].run;
        html_add(page, "<a href=\"");
        html_add_text(page,
                      arena_printf(arena, "%s&before=%lld.%s", same, (long long)last->started_at_ms,
                                   web_form_escape(arena, last->id)));
        html_add(page, "\">Older</a>\n");
    }
    html_add(page, "</nav>\n");
}

/* On the first page of everything: what is narrowed by the reader is not widened again. */
static enum err_code add_waiting(struct page_request *request, struct html_page *page,
                                 bool has_persons, struct err *err)
{
    const struct wanted wanted = { .state = &states[0],
                                   .from = { .id = "", .started_at_ms = INT64_MAX },
                                   .max = WAITING_ROWS };
    struct rows rows = { 0 };
    bool has_more = false;
    enum err_code r = collect(request, &wanted, &rows, &has_more, err);
    if (r || !rows.n)
        return r;
    html_add(page, "<section class=\"waits\"><h2>Waits for a person</h2>\n");
    add_table(request, page, "Waits for a person", &rows, has_persons);
    if (has_more)
        html_add(page, "<p><a href=\"/runs?state=waiting\">All that wait</a></p>\n");
    html_add(page, "</section>\n");
    return ERR_NONE;
}

void page_list_of_runs(struct page_request *request)
{
    struct html_page page;
    struct wanted wanted;
    struct rows rows = { 0 };
    struct err err = { 0 };
    bool has_more = false;
    const struct visitor *persons;
    if (!read_wanted(request, &wanted)) {
        page_say(request, 404, "There is no such list",
                 "The address names a state, a kind, a person or a place in the list that is not "
                 "there.");
        return;
    }
    bool has_persons = page_persons(request, &persons) > 1;
    bool is_all = !wanted.state && !wanted.kind && !wanted.words && !wanted.of && !*wanted.from.id;
    page_begin(request, &page, "Runs");
    html_add(&page, "<h1>Runs</h1>\n");
    enum err_code r = is_all ? add_waiting(request, &page, has_persons, &err) : ERR_NONE;
    if (!r)
        r = collect(request, &wanted, &rows, &has_more, &err);
    if (r) {
        html_page_finish(&page);
        page_failed(request, &err);
        return;
    }
    html_add_format(&page, "<section><h2>%s</h2>\n", is_all ? "All runs" : "Chosen runs");
    add_filters(request, &page, &wanted);
    if (rows.n)
        add_table(request, &page, is_all ? "All runs" : "Chosen runs", &rows, has_persons);
    else
        html_add(&page, is_all ? "<p>Nothing has been run yet.</p>\n" : "<p>There are none.</p>\n");
    add_page_links(request, &page, &wanted, &rows, has_more);
    html_add(&page, "</section>\n");
    page_end(request, 200, &page);
}
