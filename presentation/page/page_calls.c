/* What was done and when: bars against the time of the run, the plan, each call, and how the model
 * and the agents came to their answers. */
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
} bars[] = { { EVENT_STEP_FINISHED, "step", "step" },
             { EVENT_TOOL_RESULT, "call", "tool" },
             { EVENT_MODEL_REPLIED, "model", "purpose" },
             { EVENT_ATTEMPT, "model", "contract" },
             { EVENT_STAGE_FINISHED, "stage", "stage" } };

/* The index in bars; -1: none. */
static int bar_of(const struct event *event)
{
    const char *class = json_get_string(event->data, "class");
    bool is_lost = text_equal(class, "transport") || text_equal(class, "timeout");
    if ((event->kind == EVENT_TOOL_RESULT && json_object_get(event->data, "step")) ||
        (event->kind == EVENT_ATTEMPT && !is_lost) ||
        text_equal(json_get_string(event->data, "status"), "skipped"))
        return -1;
    for (size_t i = 0; i < ARRAY_LENGTH(bars); i++)
        if (bars[i].kind == event->kind)
            return (int)i;
    return -1;
}

static void add_bar(struct run_page *page, const struct page_list *list, const struct event *event,
                    int64_t whole_ms)
{
    const char *word = bars[bar_of(event)].word;
    const char *name = json_get_string(event->data, bars[bar_of(event)].member);
    int64_t took = json_get_int(event->data, "duration_ms", json_get_int(event->data, "ms", 0));
    int64_t end = event->time_ms - page->run->started_at_ms, begin = end > took ? end - took : 0;
    int64_t width = (end - begin) * BAR_UNITS / whole_ms;
    bool has_failed = page_has_failed(event->data) || event->kind == EVENT_ATTEMPT;
    const char *const cells[] = {
        arena_printf(page->arena, "%s %s", word, name ? name : ""),
        arena_printf(page->arena,
                     "<svg viewBox=\"0 0 %d 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
                     "<rect class=\"%s\" x=\"%lld\" width=\"%lld\" height=\"10\"/></svg>",
                     BAR_UNITS, has_failed ? "failed" : word,
                     (long long)(begin * BAR_UNITS / whole_ms), (long long)(width > 4 ? width : 4)),
        page_duration(page->arena, begin), page_duration(page->arena, took)
    };
    page_list_row(page, list, cells);
}

void page_add_timeline(struct run_page *page)
{
    struct page_list list = { .title = "Timeline",
                              .rows = "bars",
                              .columns = "what|~when|#after|#took" };
    int64_t whole_ms = 1;
    for (size_t i = 0; i < page->n_events; i++)
        if (page->events[i].time_ms - page->run->started_at_ms > whole_ms)
            whole_ms = page->events[i].time_ms - page->run->started_at_ms;
    for (size_t i = 0; i < page->n_events; i++)
        if (bar_of(&page->events[i]) >= 0 && page_list_takes(page, &list))
            add_bar(page, &list, &page->events[i], whole_ms);
    page_list_end(page, &list);
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

static const json_t *end_of_step(const struct run_page *page, const char *step)
{
    for (size_t i = page->n_events; i-- > 0;)
        if (page->events[i].kind == EVENT_STEP_FINISHED &&
            text_equal(json_get_string(page->events[i].data, "step"), step))
            return page->events[i].data;
    return NULL;
}

static void add_step(struct run_page *page, const struct page_list *list, const struct plan *plan,
                     size_t at)
{
    const struct step *step = &plan->steps[at];
    const json_t *ended = end_of_step(page, step->id);
    const char *needs = "", *status = json_get_string(ended, "status");
    for (size_t i = 0; i < at; i++)
        if (plan_step_depends(page->arena, plan, at, i))
            needs =
                arena_printf(page->arena, "%s%s%s", needs, *needs ? ", " : "", plan->steps[i].id);
    const char *const cells[] = { step->id, step->tool, needs, status ? status : "unknown",
                                  page_duration(page->arena,
                                                json_get_int(ended, "duration_ms", -1)) };
    page_list_row(page, list, cells);
}

void page_add_plan(struct run_page *page, const struct run_page_input *input)
{
    struct page_list list = { .title = "Steps of the plan",
                              .rows = "steps",
                              .columns = "step|tool|needs|!status|#took" };
    if (input->picture.light && input->picture.dark)
        add_picture(page, &input->picture);
    for (size_t i = 0; input->plan && i < input->plan->n_steps; i++)
        if (page_list_takes(page, &list))
            add_step(page, &list, input->plan, i);
    page_list_end(page, &list);
}

/* A call: where it was sent, how often, and where its result came. */
struct call {
    const struct event *sent, *ended; /* ended NULL: no result is known */
    int64_t attempts;
};

/* taken: the results that belong to earlier calls, which may look the same. */
static struct call find_call(const struct run_page *page, size_t at, bool *taken)
{
    struct call call = { .sent = &page->events[at], .attempts = 1 };
    for (size_t i = at + 1; i < page->n_events && !call.ended; i++) {
        const struct event *event = &page->events[i];
        int64_t attempt = json_get_int(event->data, "attempt", 1);
        bool is_result = event->kind == EVENT_TOOL_RESULT && !taken[i];
        if ((!is_result && event->kind != EVENT_TOOL_CALL) ||
            !runs_is_same_call(call.sent->data, event->data))
            continue;
        taken[i] = is_result;
        call.ended = is_result ? event : NULL;
        call.attempts = attempt > call.attempts ? attempt : call.attempts;
    }
    return call;
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

/* What proves the call: its events in the log, when they were written, and what came back. */
static const char *receipt_of(struct arena *arena, const struct call *call)
{
    char sent[RFC3339_SIZE], ended[RFC3339_SIZE];
    const char *text =
        arena_printf(arena, "Sent %s (event %llu)", rfc3339_print(call->sent->time_ms, sent),
                     (unsigned long long)call->sent->number);
    if (call->attempts > 1)
        text = arena_printf(arena, "%s, %lld attempts", text, (long long)call->attempts);
    if (!call->ended)
        return arena_printf(arena, "%s, no answer: it may have taken effect.", text);
    return arena_printf(arena, "%s, answered %s (event %llu) after %lld ms, %lld bytes.", text,
                        rfc3339_print(call->ended->time_ms, ended),
                        (unsigned long long)call->ended->number,
                        (long long)json_get_int(call->ended->data, "duration_ms", 0),
                        (long long)json_get_int(call->ended->data, "bytes", 0));
}

static void add_call(struct run_page *page, const struct call *call)
{
    const json_t *data = call->sent->data, *ended = call->ended ? call->ended->data : NULL;
    const struct event named = { .kind = ended ? EVENT_TOOL_RESULT : EVENT_TOOL_CALL,
                                 .data = ended ? ended : data };
    const char *receipt = receipt_of(page->arena, call);
    html_add(&page->html, "<details><summary>");
    page_status(page, !ended ? "unknown" : page_has_failed(ended) ? "failed" : "ok");
    page_cut_text(page, event_text(page->arena, &named));
    html_add(&page->html, "</summary>\n");
    page_json(page, "Arguments", json_object_get(data, "args"));
    add_result(page, ended);
    page_value(page, "Receipt", receipt, strlen(receipt));
    html_add(&page->html, "</details>\n");
}

void page_add_calls(struct run_page *page)
{
    bool *taken = arena_array(page->arena, bool, page->n_events + 1);
    struct page_list list = { .title = "Calls", .rows = "calls" };
    for (size_t i = 0; i < page->n_events; i++) {
        const struct event *event = &page->events[i];
        if (event->kind != EVENT_TOOL_CALL || json_get_int(event->data, "attempt", 1) > 1 ||
            !page_list_takes(page, &list))
            continue;
        struct call call = find_call(page, i, taken);
        add_call(page, &call);
    }
    page_list_end(page, &list);
}

/* The rungs of the ladder. */
void page_add_attempts(struct run_page *page)
{
    struct page_list list = { .title = "Answers of the model",
                              .rows = "attempts",
                              .columns = "asked for|#attempt|rung|!verdict|model|#requests|"
                                         "#tokens in|#out|#took" };
    struct arena *arena = page->arena;
    for (size_t i = 0; i < page->n_events; i++) {
        const json_t *data = page->events[i].data;
        if (page->events[i].kind != EVENT_ATTEMPT || !page_list_takes(page, &list))
            continue;
        const char *verdict = json_get_string(data, "class"),
                   *saved_by = json_get_string(data, "saved_by");
        const char *const cells[] = {
            json_get_string(data, "contract"),
            page_count(arena, data, "attempt"),
            json_get_string(data, "rung"),
            saved_by ? arena_printf(arena, "%s, saved by %s", verdict, saved_by) : verdict,
            json_get_string(data, "model"),
            page_count(arena, data, "requests"),
            page_count(arena, data, "prompt_tokens"),
            page_count(arena, data, "tokens"),
            page_duration(arena, json_get_int(data, "ms", -1))
        };
        page_list_row(page, &list, cells);
    }
    page_list_end(page, &list);
}

static void add_turn(struct run_page *page, const struct page_list *list, const json_t *data)
{
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
    page_list_row(page, list, cells);
}

void page_add_rounds(struct run_page *page)
{
    struct page_list list = { .title = "Rounds of the agents",
                              .rows = "turns",
                              .columns = "round|role|status|stands for|remarks|#took" };
    for (size_t i = 0; i < page->n_events; i++)
        if (page->events[i].kind == EVENT_ENVELOPE && page_list_takes(page, &list))
            add_turn(page, &list, page->events[i].data);
    page_list_end(page, &list);
}
