#include "application/workers/wait_run.h"
#include "application/orchestrators/turn_result.h"
#include "application/use_cases/runs/runs.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define LOOKS_AGAIN_MS 10000 /* although nothing was told */
#define AWAY_MS 1000         /* between looks at a store that is away */
/* A worker lets go of a run at once after its end; somebody may go on with it for long. */
enum { FREE_LOOK_MS = 10, FREE_LOOKS = 100 };

struct waiting {
    struct services *services;
    struct scope *scope;
    struct arena *arena;     /* of the result */
    const char *run_id;      /* in full once it was found */
    struct run_queue *queue; /* NULL: there is none */
    struct arena look;       /* of the latest */
    struct run *run;
    struct queued_run *queued; /* NULL: it was never queued */
};

static enum err_code look_at_queue(struct waiting *waiting, struct err *err)
{
    struct err why = { 0 };
    waiting->queued = NULL;
    if (!waiting->queue)
        return ERR_NONE;
    enum err_code r = run_queue_find(waiting->queue, waiting->scope, waiting->run_id,
                                     &waiting->look, &waiting->queued, &why);
    if (r && r != ERR_NOT_FOUND && err)
        *err = why;
    return r == ERR_NOT_FOUND ? ERR_NONE : r;
}

static enum err_code look_at_log(struct waiting *waiting, struct err *err)
{
    return find_run(waiting->services, waiting->scope, &waiting->look, waiting->run_id,
                    &waiting->run, err);
}

static bool is_queued(const struct queued_run *run)
{
    return run->state == QUEUE_QUEUED || run->state == QUEUE_TAKEN;
}

/* A run ends in the log before it ends in the queue: where the queue says so, the log is read
 * behind it. */
static enum err_code look(struct waiting *waiting, struct err *err)
{
    arena_finish(&waiting->look);
    enum err_code r = look_at_log(waiting, err);
    if (!r)
        waiting->run_id = arena_strdup(waiting->arena, waiting->run->id);
    if (!r)
        r = look_at_queue(waiting, err);
    if (!r && waiting->queued && !is_queued(waiting->queued))
        r = look_at_log(waiting, err);
    return r;
}

/* The log may say that it is over before the queue knows its result, and a person may have gone on
 * with it since. */
static bool is_over(const struct waiting *waiting)
{
    return !(waiting->queued && is_queued(waiting->queued)) && waiting->run->status != RUN_RUNNING;
}

static enum err_code wait_for_news(struct waiting *waiting, struct err *err)
{
    struct runtime *runtime = waiting->services->runtime;
    struct queue_notice notice;
    if (!waiting->queued)
        return runtime_sleep(runtime, waiting->scope, WAIT_RUN_LOOKS_MS, err);
    struct scope scope = runtime_scope(runtime, waiting->scope, LOOKS_AGAIN_MS);
    enum err_code r;
    do
        r = run_queue_next_notice(waiting->queue, &scope, &notice, err);
    while (!r && notice.kind != NOTICE_LOST &&
           (notice.kind != NOTICE_END || strcmp(notice.run_id, waiting->run_id) != 0));
    if (r == ERR_UNAVAILABLE)
        return runtime_sleep(runtime, waiting->scope, AWAY_MS, err);
    return r == ERR_TIMEOUT ? scope_check(waiting->scope, runtime_now_ms(runtime), err) : r;
}

/* The run was found before: a store that is away now is waited for as well. */
static enum err_code look_again(struct waiting *waiting, struct err *err)
{
    enum err_code r = look(waiting, err);
    while (r == ERR_UNAVAILABLE) {
        r = runtime_sleep(waiting->services->runtime, waiting->scope, AWAY_MS, err);
        if (!r)
            r = look(waiting, err);
    }
    return r;
}

/* The latest of each kind that tells of an end. */
static bool note_end(void *context, const struct event *event)
{
    json_t *value = context;
    if (event->kind == EVENT_RUN_RESUMED)
        json_object_clear(value);
    if (event->kind == EVENT_ANSWER)
        json_object_set(value, "answer",
                        json_object_get(json_object_get(event->data, "answer"), "text"));
    if (event->kind == EVENT_QUESTIONS)
        json_object_set(value, "questions", json_object_get(event->data, "questions"));
    if (event->kind == EVENT_RUN_FINISHED)
        json_object_set(value, "error", json_object_get(event->data, "error"));
    return true;
}

/* Why a run is over without having come to an end. */
static enum err_code explain(const struct waiting *waiting, struct err *out)
{
    const char *id = waiting->run_id;
    enum err_code r = ERR_NONE;
    if (waiting->queued && waiting->queued->state == QUEUE_POISONED)
        r = err_set(out, ERR_FAILED, 0, "run %.40s was set aside: %.200s", id,
                    waiting->queued->reason ? waiting->queued->reason : "");
    else if (waiting->queued && waiting->queued->state == QUEUE_CANCELLED)
        return err_set(out, ERR_CANCELLED, 0, "run %.40s was cancelled", id);
    else if (waiting->run->status == RUN_QUEUED)
        r = err_set(out, ERR_FAILED, 0, "run %.40s is kept, and in no queue", id);
    else if (waiting->run->status == RUN_INTERRUPTED)
        r = err_set(out, ERR_FAILED, 0, "the process of run %.40s has ended", id);
    return r ? err_hint(out, r, "go on with: mistro runs resume %.40s", id) : r;
}

static enum err_code read_log(struct waiting *waiting, const json_t **out, struct err *err)
{
    json_t *value = arena_keep_json(waiting->arena, json_object());
    enum err_code r =
        visit_run_events(waiting->services, waiting->scope, waiting->run_id, note_end, value, err);
    struct err why = { 0 };
    json_object_set_new(value, "version", json_integer(TURN_RESULT_VERSION));
    json_object_set_new(value, "run_id", json_string(waiting->run_id));
    json_object_set_new(value, "status", json_string(run_status_name(waiting->run->status)));
    if (waiting->run->session_id)
        json_object_set_new(value, "session_id", json_string(waiting->run->session_id));
    if (explain(waiting, &why))
        json_object_set_new(value, "error", err_to_json(&why));
    *out = value;
    return r;
}

static enum err_code read_result(struct waiting *waiting, const json_t **out, struct err *err)
{
    const char *text = waiting->queued ? waiting->queued->result : NULL;
    json_t *value = NULL;
    if (text && json_parse(text, strlen(text), JSON_OURS, &value, err))
        return err_prefix(err, ERR_UNAVAILABLE, "result of run %.40s", waiting->run_id);
    *out = arena_keep_json(waiting->arena, value);
    bool is_latest = value && text_equal(json_get_string(value, "status"),
                                         run_status_name(waiting->run->status));
    return is_latest ? ERR_NONE : read_log(waiting, out, err);
}

/* A worker notes the end of a run before it lets go of it: whoever hears of the end may want to go
 * on with the run, and should find it free. */
awaits static void wait_until_free(const struct waiting *waiting)
{
    struct runtime *runtime = waiting->services->runtime;
    struct run_states *states = waiting->services->run_states;
    bool is_owned = true;
    for (int i = 0; states && is_owned && i < FREE_LOOKS; i++)
        if (run_states_is_owned(states, waiting->scope, waiting->run_id, &is_owned, NULL) ||
            (is_owned && runtime_sleep(runtime, waiting->scope, FREE_LOOK_MS, NULL)))
            return;
}

enum err_code wait_for_run(struct services *services, struct scope *scope, struct arena *arena,
                           const char *run_id, const json_t **out, struct err *err)
{
    struct waiting waiting = {
        .services = services, .scope = scope, .arena = arena, .run_id = run_id
    };
    if (services_queue(services, &waiting.queue, NULL))
        waiting.queue = NULL;
    enum err_code r = look(&waiting, err);
    while (!r && !is_over(&waiting)) {
        r = wait_for_news(&waiting, err);
        if (!r)
            r = look_again(&waiting, err);
    }
    if (!r)
        r = read_result(&waiting, out, err);
    if (!r && waiting.queued)
        wait_until_free(&waiting);
    arena_finish(&waiting.look);
    return r;
}
