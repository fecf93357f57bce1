/* What was done and when: bars against the time of the run, the plan, each call, and how the model
 * and the agents came to their answers. */
#include "application/runs/kept_plan.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include "domain/plan/plan_check.h"
#include "presentation/cli/events/event_text.h"
#include "presentation/page/run_page_internal.h"
#include <string.h>

enum { BAR_UNITS = 1000, MAX_BLOCKS = 3 };

/* What took time and ended with its event; a step stands for its calls, and an attempt for the
 * request that no reply ended. */
static const struct {
    enum event_kind kind;
    const char *word, *member;
} bars[] = { { EVENT_STEP_FINISHED, "step", "step" },     { EVENT_TOOL_RESULT, "call", "tool" },
             { EVENT_MODEL_REPLIED, "model", "purpose" }, { EVENT_ATTEMPT, "model", "contract" },
             { EVENT_STAGE_FINISHED, "stage", "stage" },  { EVENT_RUN_RESUMED, "pause", "" } };

/* The index in bars; -1: none. */
static int bar_of(const struct event *event)
{
    const char *class = json_get_string(event->data, "class");
    bool is_lost = text_equal(class, "transport") || text_equal(class, "timeout");
    if ((event->kind == EVENT_TOOL_RESULT && json_object_get(event->data, "step")) ||
        (event->kind == EVENT_ATTEMPT && !is_lost) ||
        text_equal(json_get_string(event->data, "status"), "skipped") ||
        json_get_bool(event->data, "recovered", false)) /* when it was is not known */
        return -1;
    for (size_t i = 0; i < ARRAY_LENGTH(bars); i++)
        if (bars[i].kind == event->kind)
            return (int)i;
    return -1;
}

void page_add_bar(struct run_page *page, const struct page_list *list, size_t at)
{
    const struct event *event = &page->events[at];
    const char *word = bars[bar_of(event)].word;
    const char *name = json_get_string(event->data, bars[bar_of(event)].member);
    int64_t took = json_get_int(event->data, "duration_ms", json_get_int(event->data, "ms", 0));
    int64_t end = page->work_ms[at], begin = end > took ? end - took : 0;
    int64_t width = (end - begin) * BAR_UNITS / page->whole_ms;
    bool has_failed = page_has_failed(event->data) || event->kind == EVENT_ATTEMPT;
    const char *const cells[] = {
        arena_printf(page->arena, "%s %s", word, name ? name : ""),
        arena_printf(page->arena,
                     "<svg viewBox=\"0 0 %d 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
                     "<rect class=\"%s\" x=\"%lld\" width=\"%lld\" height=\"10\"/></svg>",
                     BAR_UNITS, has_failed ? "failed" : word,
                     (long long)(begin * BAR_UNITS / page->whole_ms),
                     (long long)(width > 4 ? width : 4)),
        page_duration(page->arena, begin),
        page_duration(page->arena,
                      event->kind == EVENT_RUN_RESUMED ? page_pause_before(page, at) : took)
    };
    page_list_row(page, list, cells, ARRAY_LENGTH(cells));
}

bool page_has_bar(const struct event *event)
{
    return bar_of(event) >= 0;
}

static void add_picture(struct run_page *page, const struct plan_picture *picture)
{
    html_add(&page->html,
             "<section>\n<h2>Graph of the plan</h2>\n<figure><div class=\"wide\" "
             "role=\"region\" tabindex=\"0\" aria-label=\"Graph of the plan\"><picture>"
             "<source media=\"(prefers-color-scheme:dark)\" srcset=\"");
    html_add_data(&page->html, "image/svg+xml", picture->dark, strlen(picture->dark));
    html_add(&page->html, "\"><img alt=\"The steps, with an arrow from each to those that need it, "
                          "as in the table below\" src=\"");
    html_add_data(&page->html, "image/svg+xml", picture->light, strlen(picture->light));
    html_add(&page->html, "\"></picture></div><figcaption class=\"soft\">✗: failed. Pale: did not "
                          "run.</figcaption></figure>\n</section>\n");
}

static void add_step(struct run_page *page, const struct page_list *list, const struct plan *plan,
                     size_t at, const struct recorded_step *ended)
{
    const struct step *step = &plan->steps[at];
    const char *needs = "";
    bool *is_needed = arena_array(page->arena, bool, plan->n_steps);
    plan_step_needs(page->arena, plan, at, is_needed);
    for (size_t i = 0; i < at && strlen(needs) <= RUN_PAGE_CELL_BYTES; i++)
        if (is_needed[i])
            needs =
                arena_printf(page->arena, "%s%s%s", needs, *needs ? ", " : "", plan->steps[i].id);
    const char *const cells[] = { step->id, step->tool, needs, ended->status,
                                  page_duration(page->arena, ended->duration_ms) };
    page_list_row(page, list, cells, ARRAY_LENGTH(cells));
}

void page_add_plan(struct run_page *page, const struct run_page_input *input)
{
    struct page_list list = { .title = "Steps of the plan",
                              .rows = "steps",
                              .columns = "step|tool|needs|!status|#took" };
    const struct recorded_step *ended =
        input->plan ? recorded_steps(page->arena, input->plan, input->recorded) : NULL;
    if (input->picture.light && input->picture.dark)
        add_picture(page, &input->picture);
    for (size_t i = 0; input->plan && i < input->plan->n_steps; i++)
        if (page_list_takes(page, &list))
            add_step(page, &list, input->plan, i, &ended[i]);
    page_list_end(page, &list);
}

/* A call: where it was sent, how often, where its result came, and what was said of it instead. */
struct call {
    const struct event *sent, *ended, *settled; /* NULL: no result is known; it was not settled */
    int64_t attempts;
    size_t next; /* that looks like it: its index + 1; 0: none */
};

struct calls {
    struct call *list;
    size_t n, capacity;
    json_t *open, *last; /* object: of the calls that look alike, the index + 1 of the oldest that
                            has no result, and of the latest */
};

static void calls_finish(struct calls *calls)
{
    json_decref(calls->open);
    json_decref(calls->last);
}

static struct call *call_at(const struct calls *calls, const json_t *index, const char *look)
{
    json_int_t at = json_integer_value(json_object_get(index, look));
    return at ? &calls->list[at - 1] : NULL;
}

static void set_at(json_t *index, const char *look, size_t at)
{
    json_object_set_new(index, look, json_integer((json_int_t)at));
}

static void note_sending(struct run_page *page, struct calls *calls, const char *look,
                         const struct event *event)
{
    int64_t attempt = json_get_int(event->data, "attempt", 1);
    struct call *last = call_at(calls, calls->last, look);
    struct call *again = call_at(calls, calls->open, look);
    if (attempt > 1 && !again && last) {
        again = last;
        set_at(calls->open, look, (size_t)(last - calls->list) + 1);
    }
    if (attempt > 1 && again) {
        again->ended = again->settled = NULL;
        again->attempts = attempt;
        return;
    }
    size_t before = last ? (size_t)(last - calls->list) + 1 : 0;
    *arena_push(page->arena, calls->list, calls->n, calls->capacity) =
        (struct call){ .sent = event, .attempts = attempt };
    if (before)
        calls->list[before - 1].next = calls->n;
    if (!again)
        set_at(calls->open, look, calls->n);
    set_at(calls->last, look, calls->n);
}

/* Results belong to the calls that look alike in the order of these. */
static struct calls find_calls(struct run_page *page)
{
    struct calls calls = { .open = json_object(), .last = json_object() };
    for (size_t i = 0; i < page->n_events; i++) {
        const struct event *event = &page->events[i];
        const char *step = json_get_string(event->data, "step");
        const char *tool = json_get_string(event->data, "tool");
        if (event->kind != EVENT_TOOL_CALL && event->kind != EVENT_TOOL_RESULT &&
            event->kind != EVENT_CALL_SETTLED)
            continue;
        const char *look = arena_printf(page->arena, "%lld %s %s",
                                        (long long)json_get_int(event->data, "line", -1),
                                        tool ? tool : "", step ? kept_plan_step(step) : "");
        struct call *open = call_at(&calls, calls.open, look);
        struct call *last = call_at(&calls, calls.last, look);
        if (event->kind == EVENT_TOOL_CALL) {
            note_sending(page, &calls, look, event);
        } else if (event->kind == EVENT_TOOL_RESULT && open) {
            open->ended = event;
            set_at(calls.open, look, open->next);
        } else if (event->kind == EVENT_CALL_SETTLED && last &&
                   !text_equal(json_get_string(event->data, "as"), "repeat")) {
            last->settled = event;
        }
    }
    return calls;
}

static void add_result(struct run_page *page, const json_t *ended)
{
    const json_t *result = json_object_get(ended, "result"), *block;
    const json_t *content = json_object_get(result, "content");
    size_t n_shown = 0, i;
    json_array_foreach (content, i, block)
        if (json_get_string(block, "text") && n_shown++ < MAX_BLOCKS)
            page_json(page, "Result", json_object_get(block, "text"));
    if (!n_shown || n_shown < i || n_shown > MAX_BLOCKS)
        page_json(page, "Result", result);
    if (json_get_bool(ended, "cut", false))
        html_add(&page->html, "<p class=\"soft\">The log kept only the beginning.</p>\n");
    page_json(page, "Error", json_object_get(ended, "error"));
}

/* NULL: nobody knows what became of it. */
static const json_t *answer_to(const struct call *call)
{
    const json_t *data = call->ended ? call->ended->data : NULL;
    const json_t *error = json_object_get(data, "error");
    return text_equal(json_get_string(error, "outcome"), "unknown") ? NULL : data;
}

/* What proves the call: its events in the log, when they were written, and what came back. */
static const char *receipt_of(struct arena *arena, const struct call *call)
{
    char at[RFC3339_SIZE];
    const json_t *sent = call->sent->data, *ended = answer_to(call);
    const char *sent_at = json_get_string(sent, "sent_at");
    const char *answered = "no answer: it may have taken effect";
    const char *text = arena_printf(arena, "Sent %s (event %llu)",
                                    sent_at ? sent_at : rfc3339_print(call->sent->time_ms, at),
                                    (unsigned long long)call->sent->number);
    if (call->attempts > 1)
        text = arena_printf(arena, "%s, %lld attempts", text, (long long)call->attempts);
    if (ended && json_get_bool(ended, "recovered", false))
        answered = arena_printf(arena, "answered (event %llu, from the state of the run)",
                                (unsigned long long)call->ended->number);
    else if (ended)
        answered =
            arena_printf(arena, "answered %s (event %llu)", rfc3339_print(call->ended->time_ms, at),
                         (unsigned long long)call->ended->number);
    if (ended)
        answered = arena_printf(arena, "%s after %lld ms, %lld bytes", answered,
                                (long long)json_get_int(ended, "duration_ms", 0),
                                (long long)json_get_int(ended, "bytes", 0));
    text = arena_printf(arena, "%s, %s.", text, answered);
    if (!call->settled)
        return text;
    return arena_printf(
        arena, "%s Settled as %s (%s) %s (event %llu).", text,
        json_get_string(call->settled->data, "as"), json_get_string(call->settled->data, "by"),
        rfc3339_print(call->settled->time_ms, at), (unsigned long long)call->settled->number);
}

static void add_call(struct run_page *page, const struct call *call)
{
    const json_t *ended = answer_to(call);
    const struct event *told = call->settled ? call->settled : call->ended;
    const struct event named = { .kind = told ? told->kind : EVENT_TOOL_CALL,
                                 .data = told ? told->data : call->sent->data };
    const char *receipt = receipt_of(page->arena, call);
    bool is_done = call->settled && text_equal(json_get_string(named.data, "as"), "done");
    html_add(&page->html, "<details><summary>");
    page_status(page, is_done                                   ? "done"
                      : call->settled || page_has_failed(ended) ? "failed"
                      : ended                                   ? "ok"
                                                                : "unknown");
    page_cut_text(page, event_text(page->arena, &named));
    html_add(&page->html, "</summary>\n");
    page_json(page, "Arguments", json_object_get(call->sent->data, "args"));
    add_result(page, call->ended ? call->ended->data : NULL);
    page_value(page, "Receipt", receipt, strlen(receipt));
    html_add(&page->html, "</details>\n");
}

void page_add_calls(struct run_page *page)
{
    struct page_list list = { .title = "Calls", .rows = "calls" };
    AUTO(calls) calls = find_calls(page);
    for (size_t i = 0; i < calls.n; i++)
        if (page_list_takes(page, &list))
            add_call(page, &calls.list[i]);
    page_list_end(page, &list);
}

void page_add_attempt(struct run_page *page, const struct page_list *list, size_t at)
{
    struct arena *arena = page->arena;
    const json_t *data = page->events[at].data;
    const char *verdict = json_get_string(data, "class");
    const char *saved_by = json_get_string(data, "saved_by");
    const char *const cells[] = { json_get_string(data, "contract"),
                                  page_count(arena, data, "attempt"),
                                  json_get_string(data, "rung"),
                                  saved_by
                                      ? arena_printf(arena, "%s, saved by %s", verdict, saved_by)
                                      : verdict,
                                  json_get_string(data, "model"),
                                  page_count(arena, data, "requests"),
                                  page_count(arena, data, "prompt_tokens"),
                                  page_count(arena, data, "tokens"),
                                  page_duration(arena, json_get_int(data, "ms", -1)) };
    page_list_row(page, list, cells, ARRAY_LENGTH(cells));
}

void page_add_turn(struct run_page *page, const struct page_list *list, size_t at)
{
    const json_t *data = page->events[at].data;
    const json_t *envelope = json_object_get(data, "envelope"), *remark;
    const json_t *started = page_event_data(page, EVENT_CONSENSUS_STARTED);
    size_t agent = text_equal(json_get_string(data, "agent"), "b"), i;
    const char *canonical = json_get_string(data, "canonical"), *remarks = "";
    json_array_foreach (json_object_get(data, "remarks"), i, remark)
        remarks = arena_printf(page->arena, "%s%s%s", remarks, *remarks ? "; " : "",
                               json_get_string(remark, "text"));
    const char *const cells[] = {
        page_count(page->arena, data, "round"),
        json_get_string(json_array_get(json_object_get(started, "agents"), agent), "role"),
        envelope ? json_get_string(envelope, "status") : "unreadable",
        canonical ? canonical : json_get_string(envelope, "public_message"),
        remarks,
        page_duration(page->arena, json_get_int(data, "ms", -1))
    };
    page_list_row(page, list, cells, ARRAY_LENGTH(cells));
}
