/* What a run waits for: an answer to its questions, a yes to calls, or that somebody goes on with
 * it. Each is a form of its own, with the number of the event that asked: what was asked anew
 * meanwhile is not answered by an older page. */
#include "application/orchestrators/pending_questions.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/web/pages_internal.h"
#include <string.h>

enum {
    CALLS_BYTES = 200 * 1024, /* of what is to be approved, as HTML: more is approved by its hash */
    ROW_EVENTS = 500,
};

static const enum event_kind waiting_kinds[] = { EVENT_RUN_RESUMED, EVENT_QUESTIONS,
                                                 EVENT_APPROVAL_ASKED, EVENT_APPROVAL_GIVEN };

static void drop_answered(struct waiting *waiting, const char *tool)
{
    size_t n = 0;
    for (size_t i = 0; i < waiting->n; i++)
        if (!text_equal(json_get_string(waiting->asked[i], "tool"), tool))
            waiting->asked[n++] = waiting->asked[i];
    waiting->n = n;
}

static void hear(struct waiting *waiting, const struct event *event)
{
    bool is_approval = event->kind == EVENT_APPROVAL_ASKED;
    if (event->kind == EVENT_RUN_RESUMED || event->kind == EVENT_QUESTIONS) {
        waiting->n = 0;
        waiting->number = event->number;
    }
    if (event->kind == EVENT_APPROVAL_GIVEN)
        drop_answered(waiting, json_get_string(event->data, "tool"));
    if (is_approval && (!json_get_string(event->data, "hash") || waiting->n == WAITING_MAX))
        return;
    if (is_approval || event->kind == EVENT_QUESTIONS) {
        waiting->asked[waiting->n++] = event->data;
        waiting->number = event->number;
    }
}

struct waiting waiting_of(const struct run *run, const struct event *events, size_t n)
{
    struct waiting waiting = { 0 };
    bool is_over = run->status == RUN_COMPLETED || run->status == RUN_DRY;
    bool is_worked_at = run->status == RUN_RUNNING || run->status == RUN_QUEUED;
    for (size_t i = 0; i < n; i++)
        hear(&waiting, &events[i]);
    const json_t *questions = waiting.n ? json_object_get(waiting.asked[0], "questions") : NULL;
    const char *key = json_get_string(json_array_get(questions, 0), "key");
    if (run->status == RUN_NEEDS_ANSWER) {
        waiting.kind = WAITING_ANSWER;
        waiting.is_of_session = !key || !text_starts_with(key, UNCERTAIN_KEY);
    } else if (!is_over && !is_worked_at && resume_run_knows(run->kind)) {
        bool wants_yes = run->status == RUN_REFUSED && waiting.n && !questions;
        waiting.kind = wants_yes ? WAITING_APPROVAL : WAITING_GO_ON;
        waiting.n = wants_yes ? waiting.n : 0;
        waiting.retries_failed = run->status == RUN_FAILED;
    }
    return waiting;
}

enum waiting_kind waiting_of_row(struct services *services, struct scope *scope,
                                 const struct run *run)
{
    AUTO(arena) arena = { 0 };
    struct event *events = NULL;
    size_t n = 0;
    const struct event_range range = { .run_id = run->id,
                                       .max = ROW_EVENTS,
                                       .kinds = waiting_kinds,
                                       .n_kinds = ARRAY_LENGTH(waiting_kinds) };
    if (run->status == RUN_NEEDS_ANSWER)
        return waiting_went_on(services, scope, &arena, run) ? WAITING_NOT : WAITING_ANSWER;
    if (run->status == RUN_REFUSED &&
        find_events(services, scope, &arena, &range, &events, &n, NULL))
        n = 0;
    enum waiting_kind kind = waiting_of(run, events, n).kind;
    bool is_left = kind == WAITING_GO_ON && run->status != RUN_INTERRUPTED;
    return is_left ? WAITING_NOT : kind; /* it may go on, and nobody has to see to it */
}

/* The newest run of the session with one of the statuses (0: any); NULL: there is none. */
static const char *newest_of(struct services *services, struct scope *scope, struct arena *arena,
                             const char *session_id, unsigned statuses)
{
    struct run *newest = NULL;
    size_t n = 0;
    const struct run_range range = { .max = 1, .session_id = session_id, .statuses = statuses };
    bool is_found = !find_runs(services, scope, arena, &range, &newest, &n, NULL) && n;
    return is_found ? newest->id : NULL;
}

static bool asks_still(struct services *services, struct scope *scope, struct arena *arena,
                       const char *session_id)
{
    struct conversation_repository *all = NULL;
    struct conversation *conversation = NULL;
    return !services_conversations(services, &all, NULL) &&
           !conversation_repository_get_by_id(all, scope, session_id, arena, &conversation, NULL) &&
           pending_load(arena, conversation);
}

/* A turn that failed may have left the questions as they were. */
const char *waiting_went_on(struct services *services, struct scope *scope, struct arena *arena,
                            const struct run *run)
{
    const unsigned failed = 1U << RUN_FAILED | 1U << RUN_CANCELLED | 1U << RUN_LIMIT;
    const char *session_id = run->session_id, *newest;
    if (!session_id || !*session_id)
        return NULL;
    newest = newest_of(services, scope, arena, session_id, 0);
    if (!newest || text_equal(newest, run->id) ||
        (text_equal(newest_of(services, scope, arena, session_id, ~failed), run->id) &&
         asks_still(services, scope, arena, session_id)))
        return NULL;
    return newest;
}

void page_begin_form(struct page_request *request, struct html_page *page,
                     const struct page_run *run, const char *behind)
{
    html_add_format(page, "<form method=\"post\" action=\"/runs/%s%s\">\n", run->recorded.run->id,
                    behind);
    if (!page_is_own(request, run->of->name)) {
        html_add(page, "<input type=\"hidden\" name=\"person\" value=\"");
        html_add_text(page, run->of->name);
        html_add(page, "\">\n");
    }
    page_add_csrf(request, page);
}

static void begin_form(struct page_request *request, struct html_page *page,
                       const struct page_run *run, const struct waiting *waiting)
{
    page_begin_form(request, page, run, "/answer");
    html_add_format(page, "<input type=\"hidden\" name=\"event\" value=\"%llu\">\n",
                    (unsigned long long)waiting->number);
}

void page_end_form(struct html_page *page, const char *button)
{
    html_add_format(page, "<p><button type=\"submit\">%s</button></p>\n</form>\n", button);
}

static void add_choice(struct html_page *page, size_t at, const char *value, const char *meaning)
{
    html_add_format(page, "<p><label><input type=\"radio\" name=\"answer%zu\" value=\"", at);
    html_add_text(page, value);
    html_add(page, "\"> <span dir=\"auto\">");
    html_add_text(page, value);
    html_add_format(page, "</span>%s</label></p>\n", meaning);
}

/* An uncertain call has three outcomes, and what each means is said. */
static const char *meaning_of(const char *key, const char *choice)
{
    static const char *const choices[] = { "repeat", "done", "fail" };
    static const char *const meanings[] = { ": call it again", ": it took effect",
                                            ": it did not take effect" };
    int found = text_starts_with(key, UNCERTAIN_KEY)
                    ? text_find(choice, choices, ARRAY_LENGTH(choices))
                    : -1;
    return found < 0 ? "" : meanings[found];
}

static void add_choices(struct html_page *page, size_t at, const json_t *question, const char *key)
{
    size_t i;
    const json_t *choice;
    const json_t *choices = json_object_get(question, "choices");
    long long more = json_get_int(question, "more_choices", 0);
    html_add(page, "<fieldset><legend dir=\"auto\">");
    html_add_text(page, json_get_string(question, "text"));
    html_add(page, "</legend>\n");
    json_array_foreach (choices, i, choice)
        if (json_is_string(choice))
            add_choice(page, at, json_string_value(choice),
                       meaning_of(key, json_string_value(choice)));
    if (more)
        html_add_format(page,
                        "<p><label for=\"other%zu\">Or one of %lld more</label></p>\n"
                        "<p><input type=\"text\" id=\"other%zu\" name=\"other%zu\"></p>\n",
                        at, more, at, at);
    if (text_starts_with(key, UNCERTAIN_KEY))
        html_add_format(page,
                        "<p><label for=\"result%zu\">Where it is done and a later step needs its "
                        "result: the result, as JSON</label></p>\n<p><textarea id=\"result%zu\" "
                        "name=\"result%zu\" rows=\"3\"></textarea></p>\n",
                        at, at, at);
    html_add(page, "</fieldset>\n");
}

static void add_free_question(struct html_page *page, size_t at, const json_t *question)
{
    const char *wants = json_get_string(question, "wants");
    const char *example = json_get_string(question, "example");
    html_add_format(page, "<p><label for=\"answer%zu\" dir=\"auto\">", at);
    html_add_text(page, json_get_string(question, "text"));
    html_add_format(page,
                    "</label></p>\n<p><textarea id=\"answer%zu\" name=\"answer%zu\" rows=\"2\" "
                    "aria-describedby=\"hint%zu\"></textarea></p>\n<p class=\"soft\" "
                    "id=\"hint%zu\" dir=\"auto\">",
                    at, at, at, at);
    html_add_text(page, wants);
    html_add(page, wants && example ? ", for example " : example ? "for example " : "");
    html_add_text(page, example);
    html_add(page, "</p>\n");
}

static void add_questions(struct page_request *request, struct html_page *page,
                          const struct page_run *run, const struct waiting *waiting)
{
    size_t i;
    const json_t *question;
    const json_t *questions = waiting->n ? json_object_get(waiting->asked[0], "questions") : NULL;
    if (!json_array_size(questions)) {
        html_add(page, "<p>The log keeps no texts, so the questions cannot be shown here. Look at "
                       "them on the command line, and answer them there.</p>\n");
        return;
    }
    begin_form(request, page, run, waiting);
    json_array_foreach (questions, i, question) {
        const char *key = json_get_string(question, "key");
        if (key && json_object_get(question, "choices"))
            add_choices(page, i, question, key);
        else if (key)
            add_free_question(page, i, question);
    }
    page_end_form(page, "Answer");
}

static void add_value(struct html_page *page, const char *label, const json_t *value)
{
    auto_str printed = json_is_string(value) ? NULL : json_print_pretty(value);
    const char *text = json_is_string(value) ? json_string_value(value) : printed;
    if (!text)
        return;
    html_add_format(page, "<p class=\"label\">%s</p><pre tabindex=\"0\" dir=\"auto\">", label);
    html_add_text(page, text);
    html_add(page, "</pre>\n");
}

static void add_call(struct html_page *page, const json_t *call)
{
    long long times = json_get_int(call, "up_to_times", 1), again = json_get_int(call, "retry", 0);
    const char *step = json_get_string(call, "step");
    html_add(page, "<h3 dir=\"auto\">");
    html_add_text(page, step);
    html_add(page, step ? " " : "");
    html_add_text(page, json_get_string(call, "tool"));
    if (times > 1)
        html_add_format(page, ", up to %lld times", times);
    if (again > 0)
        html_add_format(page, ", and up to %lld times again where it fails", again);
    html_add(page, "</h3>\n");
    add_value(page, "Arguments", json_object_get(call, "args"));
}

/* What stands behind the hash: the calls of a step that asks, or the one call that the policy asks
 * about. */
static void add_calls(struct html_page *page, const json_t *asked)
{
    size_t i;
    const json_t *call, *calls = json_object_get(asked, "calls");
    const json_t *text = json_object_get(asked, calls ? "text" : "reason");
    if (json_is_string(text))
        html_add_element(page, "p", "text", json_string_value(text));
    add_value(page, "Shown with it", json_object_get(asked, "show"));
    json_array_foreach (calls, i, call)
        add_call(page, call);
    if (!calls)
        add_call(page, asked);
}

/* A log without texts has only a hash in their place. */
static bool is_shown(const json_t *asked)
{
    const json_t *calls = json_object_get(asked, "calls");
    return calls ? json_is_array(calls)
                 : !json_object_get(json_object_get(asked, "args"), "sha256");
}

static void add_approval(struct page_request *request, struct html_page *page,
                         const struct page_run *run, const struct waiting *waiting,
                         const json_t *asked)
{
    const char *hash = json_get_string(asked, "hash"), *path = json_get_string(asked, "path");
    AUTO(html_page) calls;
    html_page_init(&calls, CALLS_BYTES);
    add_calls(&calls, asked);
    if (!calls.fits || !is_shown(asked)) {
        html_add(page, calls.fits ? "<p>The log keeps no texts, so the calls cannot be shown here. "
                                  : "<p>The calls are too large to be shown here. ");
        html_add(page, "Look at them on the command line, and approve them there.</p>\n");
        return;
    }
    begin_form(request, page, run, waiting);
    html_add(page, buf_string(&calls.out));
    html_add(page, "<input type=\"hidden\" name=\"path\" value=\"");
    html_add_text(page, path);
    html_add(page, "\">\n<input type=\"hidden\" name=\"hash\" value=\"");
    html_add_text(page, hash);
    html_add(page, "\">\n<p class=\"soft\">Exactly this is approved, and nothing else: <code>");
    html_add_text(page, hash);
    html_add(page, "</code></p>\n");
    if (strstr(buf_string(&calls.out), "[redacted]"))
        html_add(page, "<p class=\"box warn\">What looks like a secret is not shown "
                       "(<code>[redacted]</code>); the hash stands for it as it is.</p>\n");
    page_end_form(page,
                  json_object_get(asked, "calls") ? "Approve these calls" : "Approve this call");
}

static void add_going_on(struct page_request *request, struct html_page *page,
                         const struct page_run *run, const struct waiting *waiting)
{
    begin_form(request, page, run, waiting);
    html_add(page, "<p>It ended early. ");
    html_add(page, waiting->retries_failed ? "What failed is tried again, and what" : "What");
    html_add(page, " was answered is not called again. A call of which nobody knows whether it "
                   "took effect is asked about first.</p>\n");
    page_end_form(page, "Go on with this run");
}

static const char *const titles[] = {
    [WAITING_ANSWER] = "Waits for your answer",
    [WAITING_APPROVAL] = "Waits for your approval",
    [WAITING_GO_ON] = "Can go on",
};

/* Whether there is something to go on from. */
static bool is_kept(struct page_request *request, const struct page_run *run)
{
    struct services *services = run->of->services;
    const char **ids = NULL;
    size_t n = 0;
    return services->run_states &&
           !run_states_list(services->run_states, request->scope, &request->arena, &ids, &n,
                            NULL) &&
           text_is_one_of(run->recorded.run->id, ids, n);
}

void waiting_add(struct page_request *request, struct html_page *page, const struct page_run *run,
                 const struct waiting *waiting)
{
    if (waiting->kind == WAITING_NOT)
        return;
    html_add_format(page, "<section class=\"waits\"><h2>%s</h2>\n", titles[waiting->kind]);
    if (!waiting->is_of_session && !is_kept(request, run))
        html_add(page, "<p>Nothing is kept of this run from which it could go on "
                       "(<code>runs.keep_state</code>). Begin it again.</p>\n");
    else if (waiting->kind == WAITING_ANSWER)
        add_questions(request, page, run, waiting);
    else if (waiting->kind == WAITING_GO_ON)
        add_going_on(request, page, run, waiting);
    else
        for (size_t i = 0; i < waiting->n; i++)
            add_approval(request, page, run, waiting, waiting->asked[i]);
    html_add(page, "</section>\n");
}
