/* The list of runs, newest first, a page at a time: those of the visitor, or of everybody for an
 * admin. Each person has a log. They are read one after another, and only one person's services are
 * held at a time, because there may be more persons than can have services at once; what the page
 * shows of a run is copied. Whose log cannot be read is named on the page. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/web/pages_internal.h"
#include <string.h>

enum { WAITING_ROWS = 20, TITLE_BYTES = 160, CURSOR_BYTES = 64 };

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
    struct run run; /* without meta and stats */
    const char *person, *calls;
    enum waiting_kind waits; /* where that was asked for */
};

/* What of the logs is wanted. */
struct wanted {
    const struct state *state; /* NULL: any */
    const char *kind, *words;  /* NULL: any */
    const char *person;        /* NULL: everybody that may be seen */
    struct run from;           /* behind which the page begins, id "": at the newest */
    size_t max;
};

/* What was found, newest first: one more than is shown, where there are more. */
struct rows {
    struct row *list;
    size_t n;
};

struct overview {
    const char **persons; /* who may be seen */
    size_t n_persons;
    struct wanted wanted, waiting; /* the latter in front of the first page of everything */
    struct rows rows, waiting_rows;
    bool is_all; /* nothing narrows the list */
    struct html_page missing;
};

static int newest_first(const struct run *left, const struct run *right)
{
    if (left->started_at_ms != right->started_at_ms)
        return left->started_at_ms < right->started_at_ms ? 1 : -1;
    return strcmp(right->id, left->id);
}

static bool is_wanted(struct page_request *request, struct services *services,
                      const struct wanted *wanted, struct row *row)
{
    if (!wanted->state)
        return true;
    if (!wanted->state->waits)
        return row->run.status == wanted->state->status;
    row->waits = waiting_of_row(services, request->scope, &row->run);
    return row->waits != WAITING_NOT;
}

/* "" where they were not counted. */
static const char *count_calls(struct arena *arena, const struct run *run)
{
    const char *name;
    const json_t *counts;
    int64_t n = 0;
    json_each_member (json_object_get(run->stats, "tools"), name, counts)
        n += json_get_int(counts, "calls", 0);
    return run->stats ? arena_printf(arena, "%lld", (long long)n) : "";
}

static size_t place_of(const struct rows *rows, const struct run *run)
{
    size_t at = rows->n;
    while (at && newest_first(run, &rows->list[at - 1].run) < 0)
        at--;
    return at;
}

static void insert(struct arena *arena, struct rows *rows, size_t at, size_t max, struct row row)
{
    row.calls = count_calls(arena, &row.run);
    row.run = (struct run){ .id = arena_strdup(arena, row.run.id),
                            .kind = arena_strdup(arena, row.run.kind),
                            .title = arena_strdup(arena, row.run.title),
                            .started_at_ms = row.run.started_at_ms,
                            .finished_at_ms = row.run.finished_at_ms,
                            .status = row.run.status };
    rows->n += rows->n <= max;
    memmove(&rows->list[at + 1], &rows->list[at], (rows->n - 1 - at) * sizeof row);
    rows->list[at] = row;
}

/* Of one person, until only older ones follow than the page has room for. */
awaits static enum err_code collect_of(struct page_request *request, const struct wanted *wanted,
                                       struct services *services, const char *person,
                                       struct rows *rows, struct err *err)
{
    AUTO(arena) arena = { 0 };
    size_t n = wanted->max + 1;
    bool has_room = true;
    struct run from = wanted->from;
    const struct run_range range = { .max = n,
                                     .before = &from,
                                     .may_wait = wanted->state && wanted->state->waits,
                                     .statuses = wanted->state ? wanted->state->statuses : 0,
                                     .kind = wanted->kind,
                                     .words = wanted->words };
    while (n == range.max && has_room) {
        struct run *runs = NULL;
        enum err_code r = find_runs(services, request->scope, &arena, &range, &runs, &n, err);
        if (r)
            return r;
        for (size_t i = 0; has_room && i < n; i++) {
            struct row row = { .run = runs[i], .person = person };
            size_t at = place_of(rows, &runs[i]);
            has_room = at <= wanted->max;
            if (has_room && is_wanted(request, services, wanted, &row))
                insert(&request->arena, rows, at, wanted->max, row);
        }
        from = n ? runs[n - 1] : from;
    }
    return ERR_NONE;
}

awaits static enum err_code look_at(struct page_request *request, void *context,
                                    struct services *services, const char *person, struct err *err)
{
    struct overview *all = context;
    enum err_code r = ERR_NONE;
    if (all->is_all)
        r = collect_of(request, &all->waiting, services, person, &all->waiting_rows, err);
    return r ? r : collect_of(request, &all->wanted, services, person, &all->rows, err);
}

enum err_code page_visit(struct page_request *request, const char *const *persons, size_t n,
                         page_visit_fn *visit, void *context, struct html_page *missing,
                         struct err *err)
{
    const struct visitors *visitors = request->pages->options.visitors;
    size_t n_missing = 0;
    enum err_code r = ERR_NONE;
    for (size_t i = 0; i < n && r != ERR_CANCELLED; i++) {
        struct services *services = NULL;
        r = visitors->services_of(visitors->context, persons[i], &services, err);
        if (services) {
            r = visit(request, context, services, persons[i], err);
            visitors->release(visitors->context, services);
        }
        if (!r)
            continue;
        n_missing++;
        html_add_element(missing, "li", "",
                         arena_printf(&request->arena, "%s: %s%s%s", page_person(persons[i]),
                                      err->message, *err->hint ? "; " : "", err->hint));
    }
    return r == ERR_CANCELLED || n_missing == n ? r : ERR_NONE;
}

const char *page_person(const char *person)
{
    return *person ? person : "the command line";
}

bool page_is_own(const struct page_request *request, const char *person)
{
    return text_equal(person, request->visitor->name);
}

const char *page_path_of_run(struct page_request *request, const char *person, const char *id,
                             const char *behind)
{
    bool is_own = page_is_own(request, person);
    return arena_printf(&request->arena, "/runs/%s%s%s%s", id, behind, is_own ? "" : "?person=",
                        is_own ? "" : web_form_escape(&request->arena, person));
}

enum err_code page_persons(struct page_request *request, const char ***out, size_t *out_n,
                           struct err *err)
{
    const struct visitors *visitors = request->pages->options.visitors;
    if (request->visitor->is_admin)
        return visitors->names(visitors->context, request->scope, &request->arena, out, out_n, err);
    *out = arena_array(&request->arena, const char *, 1);
    **out = request->visitor->name;
    *out_n = 1;
    return ERR_NONE;
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
static bool read_wanted(struct page_request *request, const struct overview *all,
                        struct wanted *out)
{
    const char *state = field(request, "state"), *person = field(request, "person");
    const char *before = field(request, "before");
    *out = (struct wanted){ .kind = field(request, "kind"),
                            .words = field(request, "q"),
                            .person = person,
                            .from = { .id = "", .started_at_ms = INT64_MAX },
                            .max = PAGES_ROWS };
    for (size_t i = 0; state && i < ARRAY_LENGTH(states); i++)
        if (strcmp(states[i].name, state) == 0)
            out->state = &states[i];
    return (!state || out->state) &&
           (!person || text_is_one_of(person, all->persons, all->n_persons)) &&
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

static void add_filters(struct html_page *page, const struct overview *all)
{
    const struct wanted *wanted = &all->wanted;
    html_add(page, "<search><form method=\"get\" action=\"/runs\" class=\"filters\">\n");
    begin_select(page, "state", "State", "any");
    for (size_t i = 0; i < ARRAY_LENGTH(states); i++)
        add_option(page, states[i].name, states[i].words, wanted->state == &states[i]);
    html_add(page, "</select></p>\n");
    begin_select(page, "kind", "Kind", "any");
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        add_option(page, kinds[i], kinds[i], text_equal(wanted->kind, kinds[i]));
    html_add(page, "</select></p>\n");
    if (all->n_persons > 1) {
        begin_select(page, "person", "Person", "everybody");
        for (size_t i = 0; i < all->n_persons; i++)
            if (*all->persons[i])
                add_option(page, all->persons[i], all->persons[i],
                           text_equal(wanted->person, all->persons[i]));
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

void page_add_time(struct page_request *request, struct html_page *page, int64_t ms)
{
    const char *time = page_time(request, ms);
    html_add_format(page, "<td class=\"when\"><span>%.10s</span> <span>%s</span></td>", time,
                    time + 11);
}

static void add_row(struct page_request *request, struct html_page *page, const struct row *row,
                    bool has_persons)
{
    const struct run *run = &row->run;
    bool has_title = run->title && *run->title;
    const char *title = has_title ? run->title : "(no title)";
    size_t length = text_cut(title, strlen(title), TITLE_BYTES);
    html_add(page, "<tr><th scope=\"row\" dir=\"auto\"><a href=\"");
    html_add_text(page, page_path_of_run(request, row->person, run->id, ""));
    html_add(page, "\">");
    html_add_text(page, text_one_line(&request->arena, title, length, TITLE_BYTES));
    html_add(page, title[length] ? "\xe2\x80\xa6</a></th>" : "</a></th>");
    add_state(page, row);
    html_add(page, "<td>");
    html_add_text(page, run->kind);
    html_add(page, "</td>");
    page_add_time(request, page, run->started_at_ms);
    html_add_format(page, "<td class=\"number\">%s</td><td class=\"number\">%s</td>",
                    duration(request, run), row->calls);
    if (has_persons) {
        html_add(page, "<td dir=\"auto\">");
        html_add_text(page, page_person(row->person));
        html_add(page, "</td>");
    }
    html_add(page, "</tr>\n");
}

static void add_table(struct page_request *request, struct html_page *page, const char *title,
                      const struct rows *rows, size_t max, bool has_persons)
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
    for (size_t i = 0; i < rows->n && i < max; i++)
        add_row(request, page, &rows->list[i], has_persons);
    html_add(page, "</tbody></table></div>\n");
}

/* To what is behind this page, and back to the begin. */
static void add_page_links(struct page_request *request, struct html_page *page,
                           const struct overview *all)
{
    struct arena *arena = &request->arena;
    const struct wanted *wanted = &all->wanted;
    bool has_more = all->rows.n > wanted->max;
    const char *same =
        arena_printf(arena, "/runs?state=%s&kind=%s&person=%s&q=%s",
                     wanted->state ? wanted->state->name : "", wanted->kind ? wanted->kind : "",
                     wanted->person ? web_form_escape(arena, wanted->person) : "",
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
        const struct run *last = &all->rows.list[wanted->max - 1].run;
        html_add(page, "<a href=\"");
        html_add_text(page,
                      arena_printf(arena, "%s&before=%lld.%s", same, (long long)last->started_at_ms,
                                   web_form_escape(arena, last->id)));
        html_add(page, "\">Older</a>\n");
    }
    html_add(page, "</nav>\n");
}

static void add_waiting(struct page_request *request, struct html_page *page,
                        const struct overview *all)
{
    if (!all->waiting_rows.n)
        return;
    html_add(page, "<section class=\"waits\"><h2>Waits for a person</h2>\n");
    add_table(request, page, "Waits for a person", &all->waiting_rows, all->waiting.max,
              all->n_persons > 1);
    if (all->waiting_rows.n > all->waiting.max)
        html_add(page, "<p><a href=\"/runs?state=waiting\">All that wait</a></p>\n");
    html_add(page, "</section>\n");
}

void page_add_missing(struct html_page *page, const struct html_page *missing)
{
    if (!missing->out.length)
        return;
    html_add(page,
             "<section class=\"box bad\" role=\"alert\"><h2>Runs of these persons are missing "
             "here</h2>\n<ul>\n");
    html_add(page, buf_string(&missing->out));
    html_add(page, "</ul>\n</section>\n");
}

static void show(struct page_request *request, const struct overview *all)
{
    struct html_page page;
    const char *title = all->is_all ? "All runs" : "Chosen runs";
    page_begin(request, &page, "Runs");
    html_add(&page, "<h1>Runs</h1>\n");
    page_add_missing(&page, &all->missing);
    add_waiting(request, &page, all);
    html_add_format(&page, "<section><h2>%s</h2>\n", title);
    add_filters(&page, all);
    if (all->rows.n)
        add_table(request, &page, title, &all->rows, all->wanted.max, all->n_persons > 1);
    else
        html_add(&page,
                 all->is_all ? "<p>Nothing has been run yet.</p>\n" : "<p>There are none.</p>\n");
    add_page_links(request, &page, all);
    html_add(&page, "</section>\n");
    page_end(request, 200, &page);
}

void page_list_of_runs(struct page_request *request)
{
    struct overview all = { .waiting = { .state = &states[0],
                                         .from = { .id = "", .started_at_ms = INT64_MAX },
                                         .max = WAITING_ROWS } };
    const struct wanted *wanted = &all.wanted;
    struct err err = { 0 };
    enum err_code r = page_persons(request, &all.persons, &all.n_persons, &err);
    if (!r && !read_wanted(request, &all, &all.wanted)) {
        page_say(request, 404, "There is no such list",
                 "The address names a state, a kind, a person or a place in the list that is not "
                 "there.");
        return;
    }
    all.is_all =
        !wanted->state && !wanted->kind && !wanted->words && !wanted->person && !*wanted->from.id;
    all.rows.list = arena_array(&request->arena, struct row, PAGES_ROWS + 1);
    all.waiting_rows.list = arena_array(&request->arena, struct row, WAITING_ROWS + 1);
    html_page_init(&all.missing, PAGES_MAX_BYTES / 2);
    if (!r)
        r = page_visit(request, wanted->person ? &wanted->person : all.persons,
                       wanted->person ? 1 : all.n_persons, look_at, &all, &all.missing, &err);
    if (r)
        page_failed(request, &err);
    else
        show(request, &all);
    html_page_finish(&all.missing);
}
