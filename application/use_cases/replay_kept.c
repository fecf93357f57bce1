#include "application/use_cases/replay_kept.h"
#include "application/use_cases/kept_run.h"
#include "application/use_cases/mistral_chat.h"
#include "application/use_cases/run_plan.h"
#include "application/use_cases/runs/runs.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define SHOWN_BYTES 100 /* of each value of a difference */

/* What is told by others at their own time, and what a replay has its own view of. */
static bool is_compared(enum event_kind kind)
{
    return event_is_kept(kind) && kind != EVENT_SERVER_STATE && kind != EVENT_SERVER_LOG &&
           kind != EVENT_TOOLS_CHANGED && kind != EVENT_MODEL_STATE &&
           kind != EVENT_RESOURCE_UPDATED && kind != EVENT_WARNING;
}

/* Adds the event to those of its step; "" has those of none. */
static void add_event(json_t *by_step, const struct event *event)
{
    static const char *const changing[] = { "duration_ms", "effect_id", "span_id",
                                            "reply_id",    "ms",        "meta" };
    const char *step = json_get_string(event->data, "step");
    if (!is_compared(event->kind))
        return;
    json_t *data = json_copy((json_t *)(uintptr_t)event->data);
    for (size_t i = 0; i < ARRAY_LENGTH(changing); i++)
        json_object_del(data, changing[i]);
    json_t *list = json_object_get(by_step, step ? step : "");
    if (!list) {
        list = json_array();
        json_object_set_new(by_step, step ? step : "", list);
    }
    json_array_append_new(
        list, json_pack("{s:s, s:o}", "event", event_kind_name(event->kind), "data", data));
}

static enum err_code refuse(const struct run *run, const char *why, struct err *err)
{
    return err_set(err, ERR_INVALID, 0, "run %.40s cannot be replayed: %s", run->id, why);
}

static enum err_code read_events(struct services *services, struct scope *scope,
                                 struct arena *arena, const char *id, struct kept_replay *out,
                                 struct err *err)
{
    struct recorded_run recorded = { 0 };
    json_t *events = arena_keep_json(arena, json_object());
    enum err_code r = show_run(services, scope, arena, id, &recorded, err);
    if (r)
        return r;
    out->run = recorded.run;
    out->events = events;
    if (!resume_run_knows(out->run->kind))
        return refuse(out->run, "only plans, turns and consensus are", err);
    if (!out->run->finished_at_ms)
        return refuse(out->run, "it has not ended", err);
    if (!services->settings->runs_store_text)
        return refuse(out->run, "with runs.store_text: false its log has only hashes", err);
    for (size_t i = 0; i < recorded.n_events; i++) {
        const struct event *event = &recorded.events[i];
        if (event->kind == EVENT_RUN_RESUMED)
            return refuse(out->run,
                          "it was resumed, and what its processes asked is not in one "
                          "recording",
                          err);
        if (event->kind == EVENT_STEPS_KEPT && json_get_string(event->data, "run"))
            return err_set(err, ERR_INVALID, 0,
                           "run %.40s cannot be replayed: it was forked from %.40s, and what it "
                           "took over is not in its recording",
                           out->run->id, json_get_string(event->data, "run"));
        if (event->kind == EVENT_TASK)
            return refuse(out->run, "a call of it became a task of its server", err);
        add_event(events, event);
    }
    return ERR_NONE;
}

static enum err_code read_state(struct services *services, struct scope *scope, struct arena *arena,
                                struct kept_replay *out, struct err *err)
{
    struct run_resumption kept;
    enum err_code r = kept_run_find(services, scope, arena, out->run->id, &kept, err);
    if (!r)
        r = kept_run_open(services, scope, &kept, err);
    if (r)
        return r;
    out->is_turn = run_contents_fact(kept.kept, TURN_STATE_KIND);
    r = out->is_turn ? job_state_read(arena, kept.kept, TURN_STATE_KIND, &out->turn, err)
                     : plan_state_read(arena, services->digest, kept.kept, &out->plan, err);
    kept_run_close(services, &kept, /* remove */ false);
    return r;
}

enum err_code replay_kept_read(struct services *services, struct scope *scope, struct arena *arena,
                               const char *id, struct kept_replay *out, struct err *err)
{
    *out = (struct kept_replay){ 0 };
    enum err_code r = read_events(services, scope, arena, id, out, err);
    if (!r)
        r = read_state(services, scope, arena, out, err);
    if (r == ERR_NOT_FOUND && out->run)
        (void)err_hint(err, r, "runs are kept to be replayed with runs.keep_state: always");
    return r;
}

struct collector {
    struct observer base, *next;
    json_t *by_step;
};

static void collect(struct observer *observer, const struct event *event)
{
    const struct collector *collector = (struct collector *)observer;
    add_event(collector->by_step, event);
    if (collector->next)
        observer_observe(collector->next, event);
}

static const char *shown(struct arena *arena, const json_t *event, const char *path)
{
    const json_t *value = event ? json_path_find(event, path) : NULL;
    if (!value)
        return "nothing";
    const char *text = json_print_in(arena, value);
    return arena_strndup(arena, text, text_cut(text, strlen(text), SHOWN_BYTES));
}

/* then and now: events, NULL where there is none. */
static const char *tell(struct arena *arena, const char *step, const json_t *then,
                        const json_t *now)
{
    size_t count;
    const char *path = then && now ? json_difference(arena, then, now, &count) : "";
    return arena_printf(arena, "%s, %s%s: the log has %s, the replay %s", *step ? step : "the run",
                        json_get_string(then ? then : now, "event"), path, shown(arena, then, path),
                        shown(arena, now, path));
}

static bool differs_in_step(struct arena *arena, const char *step, const json_t *then,
                            const json_t *now, struct replay_difference *out)
{
    for (size_t i = 0; i < json_array_size(then) || i < json_array_size(now); i++) {
        const json_t *before = json_array_get(then, i), *after = json_array_get(now, i);
        if (json_equal(before, after))
            continue;
        *out = (struct replay_difference){ tell(arena, step, before, after), after };
        return true;
    }
    return false;
}

/* Steps come before the run as a whole, whose end differs when one of them does. */
static void find_difference(struct arena *arena, const json_t *then, const json_t *now,
                            struct replay_difference *out)
{
    const char *step;
    const json_t *events;
    bool differs = false;
    json_each_member (then, step, events)
        differs = differs ||
                  (*step && differs_in_step(arena, step, events, json_object_get(now, step), out));
    json_each_member (now, step, events)
        differs = differs ||
                  (*step && differs_in_step(arena, step, json_object_get(then, step), events, out));
    if (!differs)
        (void)differs_in_step(arena, "", json_object_get(then, ""), json_object_get(now, ""), out);
}

awaits static void run_again(struct services *services, struct scope *scope, struct arena *arena,
                             const struct kept_replay *replay)
{
    const struct run_plan_request request = { .plan = replay->plan.plan,
                                              .vars = replay->plan.vars,
                                              .approvals = replay->plan.approvals,
                                              .is_foreign = replay->plan.is_foreign };
    struct turn_result result = { 0 };
    struct err failed = { 0 };
    if (!replay->is_turn) {
        (void)!run_plan(services, scope, arena, &request, &result, &failed);
        return;
    }
    const struct resumption again = { .job = replay->turn };
    struct mistral_chat *chat = mistral_chat_create(services);
    (void)!mistral_chat_resume(chat, scope, arena, &again, &result, &failed);
    mistral_chat_destroy(chat);
}

enum err_code replay_kept(struct services *services, struct scope *scope, struct arena *arena,
                          const struct kept_replay *replay, struct replay_difference *out,
                          struct err *err)
{
    static const struct observer_ops ops = { collect };
    struct observer *watcher = services->observer;
    struct collector collector = { { &ops }, watcher, arena_keep_json(arena, json_object()) };
    *out = (struct replay_difference){ 0 };
    services->observer = &collector.base;
    run_again(services, scope, arena, replay);
    services->observer = watcher;
    enum err_code r = scope_check(scope, runtime_now_ms(services->runtime), err);
    if (!r)
        find_difference(arena, replay->events, collector.by_step, out);
    return r;
}
