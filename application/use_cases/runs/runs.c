#include "application/use_cases/runs/runs.h"
#include "application/consensus/consensus_record.h"
#include "application/figure/report/figure_files.h"
#include "application/runs/run_session.h"
#include "application/use_cases/runs/otlp_trace.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include <string.h>

static enum err_code open_log(struct services *services, struct run_repository **out,
                              struct err *err)
{
    enum err_code r = services_runs(services, out, err);
    if (r || *out)
        return r;
    r = err_set(err, ERR_UNAVAILABLE, 0, "there is no run log: runs.enabled is off");
    return err_about(err, r, "run log");
}

/* The log has no end of it, and no process works at it any more. An owner logs the end of a run
 * before it lets go of it, so a run without one is read again: it may have ended since it was read.
 */
awaits MUST_CHECK static enum err_code mark_interrupted(struct services *services,
                                                        struct scope *scope, struct arena *arena,
                                                        struct run *runs, size_t n, struct err *err)
{
    struct run_repository *log = NULL;
    enum err_code r = services_runs(services, &log, err);
    for (size_t i = 0; !r && services->run_states && i < n; i++) {
        struct run *now = &runs[i];
        bool is_owned = true;
        if (runs[i].status == RUN_RUNNING)
            r = run_states_is_owned(services->run_states, scope, runs[i].id, &is_owned, err);
        if (!r && !is_owned)
            r = run_repository_get(log, scope, runs[i].id, arena, &now, err);
        if (r == ERR_NOT_FOUND) /* it was pruned meanwhile */
            r = ERR_NONE;
        runs[i] = *now;
        if (!r && !is_owned && now->status == RUN_RUNNING)
            runs[i].status = RUN_INTERRUPTED;
    }
    return r;
}

enum err_code find_runs(struct services *services, struct scope *scope, struct arena *arena,
                        const struct run_range *range, struct run **out, size_t *out_n,
                        struct err *err)
{
    struct run_repository *runs = NULL;
    enum err_code r = open_log(services, &runs, err);
    if (!r)
        r = run_repository_list(runs, scope, range, arena, out, out_n, err);
    return r ? r : mark_interrupted(services, scope, arena, *out, *out_n, err);
}

enum err_code find_run(struct services *services, struct scope *scope, struct arena *arena,
                       const char *id, struct run **out, struct err *err)
{
    struct run_repository *runs = NULL;
    enum err_code r = open_log(services, &runs, err);
    if (!r)
        r = run_repository_get(runs, scope, id, arena, out, err);
    return r ? r : mark_interrupted(services, scope, arena, *out, 1, err);
}

enum err_code find_events(struct services *services, struct scope *scope, struct arena *arena,
                          const struct event_range *range, struct event **out, size_t *out_n,
                          struct err *err)
{
    struct run_repository *runs = NULL;
    enum err_code r = open_log(services, &runs, err);
    return r ? r : run_repository_events(runs, scope, range, arena, out, out_n, err);
}

enum err_code list_runs(struct services *services, struct scope *scope, struct arena *arena,
                        size_t max, struct run **out, size_t *out_n, struct err *err)
{
    const struct run_range newest = { .max = max && max < RUNS_LIST_MAX ? max : RUNS_LIST_MAX };
    return find_runs(services, scope, arena, &newest, out, out_n, err);
}

enum err_code list_interrupted_runs(struct services *services, struct scope *scope,
                                    struct arena *arena, struct run **out, size_t *out_n,
                                    struct err *err)
{
    struct run_repository *runs = NULL;
    struct run *list = NULL, last;
    size_t n = RUNS_LIST_MAX, n_found = 0, capacity = 0;
    struct run_range range = { .max = RUNS_LIST_MAX };
    enum err_code r = open_log(services, &runs, err);
    while (!r && n == RUNS_LIST_MAX) {
        AUTO(arena) page = { 0 };
        struct run *found = NULL;
        r = run_repository_list(runs, scope, &range, &page, &found, &n, err);
        if (!r)
            r = mark_interrupted(services, scope, &page, found, n, err);
        if (r)
            return r;
        for (size_t i = 0; i < n; i++)
            if (found[i].status == RUN_INTERRUPTED)
                *arena_push(arena, list, n_found, capacity) =
                    (struct run){ .id = arena_strdup(arena, found[i].id),
                                  .kind = arena_strdup(arena, found[i].kind) };
        if (n)
            last = (struct run){ .id = arena_strdup(arena, found[n - 1].id),
                                 .started_at_ms = found[n - 1].started_at_ms };
        range.before = &last;
    }
    *out = list;
    *out_n = n_found;
    return r;
}

enum err_code list_unlogged_runs(struct services *services, struct scope *scope,
                                 struct arena *arena, const char ***out_ids, size_t *out_n,
                                 struct err *err)
{
    struct run_repository *runs = NULL;
    const char **ids = NULL;
    size_t n = 0, n_unlogged = 0;
    enum err_code r = open_log(services, &runs, err);
    if (!r && services->run_states)
        r = run_states_list(services->run_states, scope, arena, &ids, &n, err);
    for (size_t i = 0; !r && i < n; i++) {
        AUTO(arena) scratch = { 0 };
        struct run *run = NULL;
        bool is_owned = false;
        r = run_repository_get(runs, scope, ids[i], &scratch, &run, err);
        if (r != ERR_NOT_FOUND)
            continue;
        r = run_states_is_owned(services->run_states, scope, ids[i], &is_owned, err);
        if (!r && !is_owned)
            ids[n_unlogged++] = ids[i];
    }
    *out_ids = ids;
    *out_n = n_unlogged;
    return r;
}

/* All events of the range's run, its max at once, as long as visit wants more. */
static enum err_code visit_pages(struct run_repository *runs, struct scope *scope,
                                 struct event_range range,
                                 bool (*visit)(void *context, const struct event *event),
                                 void *context, struct err *err)
{
    for (;;) {
        AUTO(arena) page = { 0 };
        struct event *events = NULL;
        size_t n = 0;
        enum err_code r = run_repository_events(runs, scope, &range, &page, &events, &n, err);
        if (r)
            return r;
        for (size_t i = 0; i < n; i++) {
            if (!visit(context, &events[i]))
                return ERR_NONE;
            range.after = events[i].number;
        }
        if (n < range.max)
            return ERR_NONE;
    }
}

/* A call that was logged as intended and has no result so far. */
struct open_call {
    uint64_t number; /* of its event */
    json_t *data;    /* owned */
};

struct reading {
    struct arena arena;
    struct open_call *open; /* in the order of their events */
    size_t n_open, capacity;
    bool (*visit)(void *context, const struct event *event);
    void *context;
};

static void reading_finish(struct reading *reading)
{
    for (size_t i = 0; i < reading->n_open; i++)
        json_decref(reading->open[i].data);
    arena_finish(&reading->arena);
}

bool recorded_is_same_call(const json_t *a, const json_t *b)
{
    static const char *const keys[] = { "step", "tool", "line" };
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++) {
        const json_t *left = json_object_get(a, keys[i]), *right = json_object_get(b, keys[i]);
        if (left != right && !json_equal(left, right))
            return false;
    }
    return true;
}

static void close_call(struct reading *reading, const json_t *data)
{
    size_t at = 0;
    while (at < reading->n_open && !recorded_is_same_call(reading->open[at].data, data))
        at++;
    if (at == reading->n_open)
        return;
    json_decref(reading->open[at].data);
    reading->n_open--;
    memmove(&reading->open[at], &reading->open[at + 1],
            (reading->n_open - at) * sizeof *reading->open);
}

static bool note_call(void *context, const struct event *event)
{
    struct reading *reading = context;
    bool is_call = event->kind == EVENT_TOOL_CALL;
    bool is_repeated = is_call && json_get_int(event->data, "attempt", 1) > 1;
    if (event->kind == EVENT_TOOL_RESULT || is_repeated)
        close_call(reading, event->data);
    if (is_call)
        *arena_push(&reading->arena, reading->open, reading->n_open, reading->capacity) =
            (struct open_call){ event->number, json_share(event->data) };
    return true;
}

/* A call without a result says that its outcome is unknown. */
static bool visit_with_outcome(void *context, const struct event *event)
{
    struct reading *reading = context;
    struct event told = *event;
    json_auto_t *data = NULL;
    for (size_t i = 0; !data && i < reading->n_open; i++)
        if (reading->open[i].number == event->number)
            data = json_copy(reading->open[i].data);
    if (data) {
        json_object_set_new(data, "outcome", json_string("unknown"));
        told.data = data;
    }
    return reading->visit(reading->context, &told);
}

/* As a reader gets them. Which calls have no result is known at the end, so they are read twice. */
static enum err_code read_events(struct run_repository *runs, struct scope *scope, const char *id,
                                 bool (*visit)(void *context, const struct event *event),
                                 void *context, struct err *err)
{
    AUTO(reading) reading = { .visit = visit, .context = context };
    const struct event_range all = { .run_id = id, .max = RUNS_EVENTS_PAGE };
    enum err_code r = visit_pages(runs, scope, all, note_call, &reading, err);
    return r ? r : visit_pages(runs, scope, all, visit_with_outcome, &reading, err);
}

struct collected {
    struct arena *arena;
    struct event *events;
    size_t n, capacity;
};

static bool collect(void *context, const struct event *event)
{
    struct collected *collected = context;
    struct event *kept =
        arena_push(collected->arena, collected->events, collected->n, collected->capacity);
    *kept = *event;
    kept->run_id = arena_strdup(collected->arena, event->run_id);
    kept->data = arena_keep_json(collected->arena, json_share(event->data));
    return true;
}

enum err_code show_run(struct services *services, struct scope *scope, struct arena *arena,
                       const char *id, struct recorded_run *out, struct err *err)
{
    struct run_repository *runs = NULL;
    struct run *run = NULL;
    struct collected collected = { .arena = arena };
    enum err_code r = open_log(services, &runs, err);
    if (!r)
        r = run_repository_get(runs, scope, id, arena, &run, err);
    if (!r)
        r = mark_interrupted(services, scope, arena, run, 1, err);
    if (!r)
        r = read_events(runs, scope, run->id, collect, &collected, err);
    if (r)
        return r;
    *out = (struct recorded_run){ run, collected.events, collected.n };
    return ERR_NONE;
}

int64_t recorded_sum(const struct recorded_run *recorded, enum event_kind kind, const char *key)
{
    int64_t sum = 0;
    for (size_t i = 0; i < recorded->n_events; i++) {
        const struct event *event = &recorded->events[i];
        int64_t n = event->kind == kind ? json_get_int(event->data, key, 0) : 0;
        sum += n > 0 ? n : 0;
    }
    return sum;
}

enum err_code visit_run_events(struct services *services, struct scope *scope, const char *id,
                               bool (*visit)(void *context, const struct event *event),
                               void *context, struct err *err)
{
    struct run_repository *runs = NULL;
    struct run *run = NULL;
    AUTO(arena) arena = { 0 };
    enum err_code r = open_log(services, &runs, err);
    if (!r)
        r = run_repository_get(runs, scope, id, &arena, &run, err);
    return r ? r : read_events(runs, scope, run->id, visit, context, err);
}

static bool count_event(void *context, const struct event *event)
{
    run_stats_event(context, event);
    return true;
}

enum err_code summarise_runs(struct services *services, struct scope *scope, struct arena *arena,
                             const json_t **out, struct err *err)
{
    struct run_repository *runs = NULL;
    struct run *list = NULL;
    size_t n = 0;
    struct run_stats stats;
    const struct run_range newest = { .max = RUNS_LIST_MAX };
    run_stats_init(&stats, arena);
    enum err_code r = open_log(services, &runs, err);
    if (!r)
        r = run_repository_list(runs, scope, &newest, arena, &list, &n, err);
    if (!r)
        r = mark_interrupted(services, scope, arena, list, n, err);
    for (size_t i = 0; !r && i < n; i++) {
        run_stats_run(&stats, list[i].status);
        if (list[i].stats) {
            run_stats_add(&stats, list[i].stats);
            continue;
        }
        const struct event_range all = { .run_id = list[i].id, .max = RUNS_STATS_PAGE };
        r = visit_pages(runs, scope, all, count_event, &stats, err);
    }
    if (r)
        return r;
    *out = run_stats_json(&stats);
    return ERR_NONE;
}

enum err_code remove_old_runs(struct services *services, struct scope *scope,
                              struct removed_runs *out, struct err *err)
{
    struct run_repository *runs = NULL;
    size_t n = 1;
    *out = (struct removed_runs){ 0 };
    enum err_code r = open_log(services, &runs, err);
    while (!r && n) {
        r = prune_runs(services, scope, RUNS_REMOVED_AT_ONCE, /* spared */ NULL, &n, err);
        out->runs += r ? 0 : n;
    }
    return r ? r : prune_run_states(services, scope, 0, &out->states, err);
}

/* What a run began with, without the model where it came to its end and had asked none: none was
 * found, or it needed none. */
static json_t *meta_of(const struct run *run)
{
    json_t *meta = json_copy((json_t *)(uintptr_t)run->meta);
    bool is_done = run->status == RUN_COMPLETED || run->status == RUN_NEEDS_ANSWER;
    if (is_done && run->stats && !json_array_size(json_object_get(run->stats, "contracts")))
        json_object_del(meta, "model");
    return meta;
}

json_t *run_to_json(const struct run *run)
{
    char started[RFC3339_SIZE], finished[RFC3339_SIZE];
    json_t *value =
        json_pack("{s:s, s:s, s:s, s:s, s:I}", "id", run->id, "kind", run->kind, "status",
                  run_status_name(run->status), "started_at",
                  rfc3339_print(run->started_at_ms, started), "events", (json_int_t)run->n_events);
    if (run->session_id)
        json_object_set_new(value, "session_id", json_string(run->session_id));
    if (run->title)
        json_object_set_new(value, "title", json_string(run->title));
    if (run->finished_at_ms) {
        json_object_set_new(value, "finished_at",
                            json_string(rfc3339_print(run->finished_at_ms, finished)));
        json_object_set_new(value, "duration_ms",
                            json_integer(run->finished_at_ms - run->started_at_ms));
    }
    if (run->meta)
        json_object_set_new(value, "meta", meta_of(run));
    return value;
}

static const char *const form_names[] = {
#define X(form, name) name,
    RUN_FORMS(X)
#undef X
};

bool run_form_parse(const char *name, enum run_form *out)
{
    for (size_t i = 0; i < ARRAY_LENGTH(form_names); i++) {
        if (!text_equal(form_names[i], name))
            continue;
        *out = (enum run_form)i;
        return true;
    }
    return false;
}

static const char *pretty(struct arena *arena, const json_t *value)
{
    auto_str text = json_print_pretty(value);
    return arena_printf(arena, "%s\n", text);
}

static const char *whole_run(struct arena *arena, const struct recorded_run *recorded)
{
    json_auto_t *value = run_to_json(recorded->run);
    json_t *events = json_array();
    for (size_t i = 0; i < recorded->n_events; i++)
        json_array_append_new(events, event_to_json(&recorded->events[i]));
    json_object_set_new(value, "events", events);
    return pretty(arena, value);
}

/* A job that was resumed began anew: its last beginning has all of it. */
static struct recorded_run last_beginning(const struct recorded_run *recorded)
{
    struct recorded_run last = *recorded;
    for (size_t i = 0; i < recorded->n_events; i++)
        if (recorded->events[i].kind == EVENT_CONSENSUS_STARTED ||
            recorded->events[i].kind == EVENT_FIGURE_STARTED)
            last = (struct recorded_run){ recorded->run, recorded->events + i,
                                          recorded->n_events - i };
    return last;
}

/* NULL: the run has none. */
static const char *form_text(const struct services *services, struct arena *arena,
                             const struct recorded_run *recorded, enum run_form form,
                             bool with_texts)
{
    json_auto_t *value = NULL;
    const struct recorded_run job = last_beginning(recorded);
    switch (form) {
    case RUN_FORM_RUN:
        return whole_run(arena, recorded);
    case RUN_FORM_TRANSCRIPT:
        if (!consensus_event_data(job.events, job.n_events, EVENT_CONSENSUS_STARTED))
            return NULL;
        return consensus_transcript(arena, job.events, job.n_events);
    case RUN_FORM_FINAL:
        value = consensus_final(job.run->id, job.events, job.n_events);
        break;
    case RUN_FORM_ROUND_LOG:
        value = figure_log_from_events(job.events, job.n_events);
        break;
    case RUN_FORM_OTLP_JSON:
        return arena_printf(
            arena, "%s\n",
            json_print_in(arena, otlp_trace(arena, services->digest, recorded, with_texts)));
    }
    return value ? pretty(arena, value) : NULL;
}

static enum err_code has_no_form(const struct run *run, enum run_form form, struct err *err)
{
    bool is_consensus = text_equal(run->kind, "consensus"),
         is_figure = text_equal(run->kind, "figure");
    bool is_its_own = is_figure
                          ? form == RUN_FORM_ROUND_LOG
                          : is_consensus && (form == RUN_FORM_TRANSCRIPT || form == RUN_FORM_FINAL);
    enum err_code r = err_set(err, ERR_INVALID, 0, "the run %s of kind %s has no %s", run->id,
                              run->kind, form_names[form]);
    if (is_its_own)
        return err_hint(err, r, "it ended before that%s; --as run has it as far as it came",
                        is_figure ? ", or continued a figure, whose folder has it" : "");
    return err_hint(err, r, "it can be had as run%s or otlp-json, as far as it came",
                    is_consensus ? ", transcript, final"
                    : is_figure  ? ", round_log"
                                 : "");
}

enum err_code export_run(struct services *services, struct scope *scope, struct arena *arena,
                         const char *id, enum run_form form, bool with_texts, const char **out_text,
                         struct err *err)
{
    struct recorded_run recorded = { 0 };
    enum err_code r = show_run(services, scope, arena, id, &recorded, err);
    if (r)
        return r;
    const char *text = form_text(services, arena, &recorded, form, with_texts);
    if (!text)
        return has_no_form(recorded.run, form, err);
    *out_text = text;
    return ERR_NONE;
}

enum err_code replay_run(struct services *services, struct scope *scope, struct arena *arena,
                         const char *id, struct consensus_replay *out, struct err *err)
{
    struct recorded_run recorded = { 0 };
    enum err_code r = show_run(services, scope, arena, id, &recorded, err);
    if (!r)
        recorded = last_beginning(&recorded);
    if (!r)
        r = consensus_replay(arena, services->digest, recorded.events, recorded.n_events, out, err);
    return r ? err_prefix(err, r, "replay") : ERR_NONE;
}
