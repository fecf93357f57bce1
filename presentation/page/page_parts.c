#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/events/event_text.h"
#include "presentation/page/run_page_internal.h"
#include <string.h>

/* Beyond this no row begins: what is left holds one more row and the frames of all sections. */
#define LISTS_END (RUN_PAGE_MAX_BYTES - 40000)

#define EVENT_COLUMNS "#after|event|what it says"

enum { LONG_STRING = 100 }; /* bytes of one that an entry does not leave to its sentence */

static bool next_column(const char **columns, char *out_mark, const char **out_name,
                        int *out_length)
{
    const char *name = *columns;
    if (!*name)
        return false;
    size_t length = strcspn(name, "|");
    *out_mark = strchr("#!~", *name) ? *name : ' ';
    *out_name = name + (*out_mark != ' ');
    *out_length = (int)(length - (size_t)(*out_name - name));
    *columns = name + length + (name[length] == '|');
    return true;
}

/* A table scrolls in itself. */
static void begin_list(struct run_page *page, struct page_list *list)
{
    const char *columns = list->columns ? list->columns : "", *name;
    char mark;
    int length;
    html_add_format(&page->html, "<section>\n<h2>%s</h2>\n", list->title);
    if (list->columns)
        html_add_format(&page->html,
                        "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">"
                        "<table><thead><tr>",
                        list->title);
    while (next_column(&columns, &mark, &name, &length))
        html_add_format(&page->html, "<th scope=\"col\"%s>%.*s</th>",
                        mark == '#' ? " class=\"number\"" : "", length, name);
    if (list->columns)
        html_add(&page->html, "</tr></thead><tbody>\n");
    size_t end = page->html.out.length + RUN_PAGE_LIST_BYTES;
    list->full_at = end < LISTS_END ? end : LISTS_END;
}

bool page_list_takes(struct run_page *page, struct page_list *list)
{
    if (!list->full_at)
        begin_list(page, list);
    bool takes =
        !list->hidden && list->shown < RUN_PAGE_MAX_ROWS && page->html.out.length < list->full_at;
    list->shown += takes;
    list->hidden += !takes;
    return takes;
}

void page_list_row(struct run_page *page, const struct page_list *list, const char *const *cells,
                   size_t n)
{
    const char *columns = list->columns, *name;
    char mark;
    int length;
    html_add(&page->html, "<tr>");
    for (size_t i = 0; i < n && next_column(&columns, &mark, &name, &length); i++) {
        const char *class_name = mark == '#' ? " class=\"number\"" : "";
        const char *tag = i ? "td" : "th";
        html_add_format(&page->html, "<%s dir=\"auto\"%s%s>", tag, i ? "" : " scope=\"row\"",
                        class_name);
        if (mark == '~')
            html_add(&page->html, cells[i]);
        else if (mark == '!')
            page_status(page, cells[i]);
        else
            page_cut_text(page, !i && (!cells[i] || !*cells[i]) ? "?" : cells[i]);
        html_add_format(&page->html, "</%s>", tag);
    }
    html_add(&page->html, "</tr>\n");
}

void page_list_end(struct run_page *page, const struct page_list *list)
{
    if (!list->full_at)
        return;
    if (list->columns)
        html_add(&page->html, "</tbody></table></div>\n");
    if (list->hidden)
        html_add_format(&page->html,
                        "<p class=\"box warn\">%zu more %s are not shown here; "
                        "<code>mistro runs events %.60s</code> has all of them.</p>\n",
                        list->hidden, list->rows, page->run->id);
    html_add(&page->html, "</section>\n");
}

void page_cut_text(struct run_page *page, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    if (html_add_text_within(&page->html, text, length, RUN_PAGE_CELL_BYTES) < length)
        html_add(&page->html, "…");
}

void page_status(struct run_page *page, const char *status)
{
    static const char good[] = " ok cached done completed checked ";
    static const char open[] =
        " queued running dry_run needs_answer skipped begun not begun unknown unchecked result ";
    size_t length = status ? strcspn(status, ",") : 0;
    html_add_format(&page->html, "<span class=\"tag %s\">",
                    text_is_listed(good, status, length)   ? "good"
                    : text_is_listed(open, status, length) ? "warn"
                                                           : "bad");
    page_cut_text(page, status);
    html_add(&page->html, "</span> ");
}

void page_value(struct run_page *page, const char *label, const char *text, size_t length)
{
    html_add(&page->html, "<p class=\"label\">");
    page_cut_text(page, label);
    html_add(&page->html, "</p><pre tabindex=\"0\" dir=\"auto\">");
    size_t shown = html_add_text_within(&page->html, text, length, RUN_PAGE_VALUE_BYTES);
    html_add(&page->html, "</pre>\n");
    if (shown < length)
        html_add_format(&page->html, "<p class=\"soft\">Cut: %zu of %zu bytes are left out.</p>\n",
                        length - shown, length);
}

void page_json(struct run_page *page, const char *label, const json_t *value)
{
    const json_t *kept = json_object_get(value, "text");
    const json_t *text = kept && json_object_get(value, "sha256") ? kept : value;
    if (json_is_string(text)) {
        page_value(page, label, json_string_value(text), json_string_length(text));
    } else if (value) {
        auto_str printed = json_print_pretty(value);
        page_value(page, label, printed, strlen(printed));
    }
}

const char *page_duration(struct arena *arena, int64_t ms)
{
    if (ms < 0)
        return "";
    return ms < 10000 ? arena_printf(arena, "%lld ms", (long long)ms)
                      : arena_printf(arena, "%.1f s", (double)ms / 1000.0);
}

const char *page_count(struct arena *arena, const json_t *data, const char *key)
{
    int64_t n = json_get_int(data, key, -1);
    return n < 0 ? "" : arena_printf(arena, "%lld", (long long)n);
}

const json_t *page_event_data(const struct run_page *page, enum event_kind kind)
{
    for (size_t i = page->n_events; i-- > 0;)
        if (page->events[i].kind == kind)
            return page->events[i].data;
    return NULL;
}

bool page_has_failed(const json_t *data)
{
    return json_object_get(data, "error") || json_get_bool(data, "is_error", false);
}

/* What an event says of itself. The error of the run has a section of its own, a result that ends a
 * step is told by it, a step that was skipped went wrong elsewhere, a run that was queued is begun
 * by being resumed, and a call that is under way has no answer yet. */
static bool is_trouble(const struct run_page *page, const struct event *event)
{
    const json_t *data = event->data;
    if (event->kind == EVENT_RUN_FINISHED ||
        text_equal(json_get_string(data, "status"), "skipped") ||
        (event->kind == EVENT_TOOL_RESULT && json_object_get(data, "step")))
        return false;
    if (event->kind == EVENT_RUN_RESUMED)
        return !text_equal(json_get_string(data, "status"), run_status_name(RUN_QUEUED));
    return page_has_failed(data) ||
           (json_object_get(data, "outcome") && page->run->status != RUN_RUNNING) ||
           text_equal(json_get_string(data, "state"), "failed") ||
           !json_get_bool(data, "rendered", true);
}

/* How long after the start of the run, pauses left out. */
static const char *offset_of(struct run_page *page, const struct event *event)
{
    return page_duration(page->arena, page->work_ms[event - page->events]);
}

static void add_event(struct run_page *page, const struct page_list *list, size_t at)
{
    const struct event *event = &page->events[at];
    const char *const cells[] = { offset_of(page, event), event_kind_name(event->kind),
                                  event_text(page->arena, event) };
    page_list_row(page, list, cells, ARRAY_LENGTH(cells));
}

static void add_entry(struct run_page *page, const struct page_list *list, size_t at)
{
    const struct event *event = &page->events[at];
    (void)list; /* is no table */
    const char *key;
    json_t *member;
    size_t until = page->html.out.length + 4 * RUN_PAGE_VALUE_BYTES;
    html_add_format(&page->html,
                    "<details><summary><span class=\"soft\">%s</span> %s: ", offset_of(page, event),
                    event_kind_name(event->kind));
    page_cut_text(page, event_text(page->arena, event));
    html_add(&page->html, "</summary>\n");
    json_each_member (event->data, key, member)
        if (page->html.out.length < until && (json_object_size(member) || json_array_size(member) ||
                                              json_string_length(member) > LONG_STRING))
            page_json(page, key, member);
    html_add(&page->html, "</details>\n");
}

static const struct {
    const char *title, *rows, *columns;
    void (*add)(struct run_page *page, const struct page_list *list, size_t at);
    const char *kinds; /* of events */
} sections[] = {
    [PAGE_TROUBLE] = { "What went wrong", "events", EVENT_COLUMNS, add_event,
                       " warning error plan_rejected questions_dropped schema_quarantined "
                       "tools_quarantined context_reset call_settled " },
    [PAGE_BARS] = { "Timeline", "bars", "what|~when|#after|#took", page_add_bar, "" },
    [PAGE_ASKED] = { "What people and servers were asked", "events", EVENT_COLUMNS, add_event,
                     " questions approval_asked approval_given elicitation_asked "
                     "elicitation_answered sampling_asked sampling_answered " },
    [PAGE_TURNS] = { "Rounds of the agents", "turns", "round|role|status|stands for|remarks|#took",
                     page_add_turn, " envelope " },
    [PAGE_CONSENSUS] = { "What the agents said", "events", NULL, add_entry,
                         " consensus_started envelope arbiter_hint vote consensus_ended " },
    [PAGE_FIGURE] = { "Passes of the figure", "events", NULL, add_entry,
                      " figure_started stage_finished figure_findings figure_rendered "
                      "figure_ended " },
    [PAGE_ATTEMPTS] = { "Answers of the model", "attempts",
                        "asked for|#attempt|rung|!verdict|model|#requests|#tokens in|#out|#took",
                        page_add_attempt, " attempt " },
    [PAGE_MODEL] = { "Prompts and replies", "events", NULL, add_entry,
                     " prompt_sent model_replied attempt_discarded prompt_trimmed " },
    [PAGE_ALL] = { "Every event", "events", EVENT_COLUMNS, add_event, "" },
};

static bool is_of_group(const struct run_page *page, const struct event *event,
                        enum page_group group)
{
    const char *name = event_kind_name(event->kind);
    return group == PAGE_ALL || text_is_listed(sections[group].kinds, name, strlen(name)) ||
           (group == PAGE_TROUBLE && is_trouble(page, event)) ||
           (group == PAGE_BARS && page_has_bar(event));
}

void page_add_section(struct run_page *page, enum page_group group)
{
    struct page_list list = { .title = sections[group].title,
                              .rows = sections[group].rows,
                              .columns = sections[group].columns };
    for (size_t i = group == PAGE_TURNS ? page->first_turn : 0; i < page->n_events; i++)
        if (is_of_group(page, &page->events[i], group) && page_list_takes(page, &list))
            sections[group].add(page, &list, i);
    page_list_end(page, &list);
}
