/* The queue in PostgreSQL. Every operation is one statement, and what it decides, it decides in a
 * function of the schema (data/migrations/postgres/04_runs.sql), where the rows are locked.
 *
 * A run is in one worker's hands at a time. It is taken with a lease, as every run that a process
 * works at has one, so that whoever had it before can no longer write its state: being taken twice
 * never means that a call is made twice. An operation whose answer was lost is not repeated here.
 * What was taken without the process hearing of it is given back by its next heartbeat. */
#include "domain/base/json.h"
#include "infrastructure/postgres/postgres_create.h"
#include "infrastructure/postgres/postgres_listener.h"
#include "infrastructure/postgres/postgres_process.h"
#include "infrastructure/runtime/worker.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(QUEUE_MAX_DEATHS == 3, "mistro.bury says so as well");

struct postgres_queue {
    struct run_queue base;
    struct postgres_process *process;
    struct postgres_database *db;
    struct postgres_listener *listener;
    char *person;
};

static struct postgres_queue *queue_of(struct run_queue *q)
{
    return (struct postgres_queue *)q;
}

awaits static enum err_code look(struct postgres_queue *queue, struct scope *scope,
                                 struct postgres_statement statement, PGresult **out,
                                 struct err *err)
{
    statement.only_reads = true;
    return postgres_ask(queue->db, scope, &statement, out, err);
}

/* As JSON, in the arena. */
static const char *names_text(struct arena *arena, const char *const *names, size_t n)
{
    json_auto_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_string(names[i]));
    auto_str text = json_print(list);
    return arena_strdup(arena, text);
}

#define NAMES_OF(parameter) "ARRAY(SELECT json_array_elements_text(" parameter "::json))"

static const char *const *read_names(struct arena *arena, const char *text, size_t *out_n)
{
    json_auto_t *list = json_loads(text, 0, NULL);
    *out_n = json_array_size(list);
    const char **names = arena_array(arena, const char *, *out_n + 1);
    for (size_t i = 0; i < *out_n; i++)
        names[i] = arena_strdup(arena, json_string_value(json_array_get(list, i)));
    return names;
}

#define RUN_COLUMNS                                                                                \
    "run_id, queue, key, to_json(servers), not_before_ms, added_ms, state, n_deaths, worker,"      \
    " reason, is_cancelled, coalesce(taking, 0)"

static enum queue_state parse_state(const char *name)
{
    static const enum queue_state states[] = {
#define X(state, name) QUEUE_##state,
        QUEUE_STATES(X)
#undef X
    };
    size_t i = 0;
    while (i + 1 < ARRAY_LENGTH(states) && strcmp(queue_state_name(states[i]), name) != 0)
        i++;
    return states[i];
}

static struct queued_run read_run(const PGresult *rows, int row, struct arena *arena)
{
    struct queued_run run = {
        .run_id = arena_strdup(arena, postgres_text(rows, row, 0)),
        .queue = arena_strdup(arena, postgres_text(rows, row, 1)),
        .key = arena_strdup(arena, postgres_text(rows, row, 2)),
        .not_before_ms = postgres_integer(rows, row, 4),
        .added_ms = postgres_integer(rows, row, 5),
        .state = parse_state(postgres_text(rows, row, 6)),
        .n_deaths = (unsigned)postgres_integer(rows, row, 7),
        .worker = arena_strdup(arena, postgres_text(rows, row, 8)),
        .reason = arena_strdup(arena, postgres_text(rows, row, 9)),
        .is_cancelled = *postgres_text(rows, row, 10) == 't',
        .taking = (uint64_t)postgres_integer(rows, row, 11),
    };
    run.servers = read_names(arena, postgres_text(rows, row, 3), &run.n_servers);
    return run;
}

/* Those of a list; *out_n 0 where it has none. */
static struct queued_run *read_runs(const PGresult *rows, struct arena *arena, size_t *out_n)
{
    *out_n = (size_t)postgres_n_rows(rows);
    struct queued_run *runs = arena_array(arena, struct queued_run, *out_n + 1);
    for (size_t i = 0; i < *out_n; i++)
        runs[i] = read_run(rows, (int)i, arena);
    return runs;
}

static enum err_code add(struct run_queue *q, struct scope *scope, const struct queued_run *run,
                         struct arena *arena, const char **out_run_id, struct err *err)
{
    struct postgres_queue *queue = queue_of(q);
    auto_result rows = NULL;
    const struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT mistro.add_run($1, $2, $3, $4, " NAMES_OF("$5") ", $6)", queue->person, run->run_id,
        run->queue, run->key, names_text(arena, run->servers, run->n_servers),
        postgres_number(arena, run->not_before_ms));
    enum err_code r = postgres_ask(queue->db, scope, &statement, &rows, err);
    if (r)
        return r;
    *out_run_id = arena_strdup(arena, postgres_text(rows, 0, 0));
    if (!*out_run_id)
        return err_set(err, ERR_INVALID, 0, "the queue has run %.40s already", run->run_id);
    return ERR_NONE;
}

static enum err_code find_key(struct run_queue *q, struct scope *scope, const char *key,
                              struct arena *arena, const char **out_run_id, struct err *err)
{
    struct postgres_queue *queue = queue_of(q);
    auto_result rows = NULL;
    const struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT run_id FROM mistro.queue WHERE person = $1 AND key = $2", queue->person, key);
    enum err_code r = look(queue, scope, statement, &rows, err);
    *out_run_id =
        !r && postgres_n_rows(rows) ? arena_strdup(arena, postgres_text(rows, 0, 0)) : NULL;
    return r;
}

static enum err_code take(struct run_queue *q, struct scope *scope, const struct queue_worker *me,
                          struct arena *arena, struct queued_run **out, struct err *err)
{
    struct postgres_queue *queue = queue_of(q);
    auto_result rows = NULL;
    size_t n;
    const struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT " RUN_COLUMNS " FROM mistro.take($1, $2, $3, $4, $5, " NAMES_OF("$6") ", $7)",
        queue->person, postgres_process_id(queue->process), me->name,
        postgres_process_lease_ms(queue->process), me->queue,
        names_text(arena, me->servers, me->n_servers), postgres_number(arena, me->queue_jobs));
    *out = NULL;
    enum err_code r = postgres_ask(queue->db, scope, &statement, &rows, err);
    if (r)
        return r;
    struct queued_run *runs = read_runs(rows, arena, &n);
    *out = n ? runs : NULL;
    return ERR_NONE;
}

static enum err_code leave_run(struct postgres_queue *queue, struct scope *scope,
                               const struct queued_run *run, enum queue_state state,
                               const char *result, struct err *err)
{
    AUTO(arena) arena = { 0 };
    auto_result rows = NULL;
    const struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT mistro.leave_run($1, $2, $3, $4, $5, $6)", queue->person, run->run_id,
        postgres_process_id(queue->process), postgres_number(&arena, (int64_t)run->taking),
        queue_state_name(state), result);
    return postgres_ask(queue->db, scope, &statement, &rows, err);
}

static enum err_code give_back(struct run_queue *q, struct scope *scope,
                               const struct queued_run *run, struct err *err)
{
    return leave_run(queue_of(q), scope, run, QUEUE_QUEUED, NULL, err);
}

static enum err_code end(struct run_queue *q, struct scope *scope, const struct queued_run *run,
                         enum queue_state state, const char *result, struct err *err)
{
    return leave_run(queue_of(q), scope, run, state, result, err);
}

static enum err_code cancel(struct run_queue *q, struct scope *scope, const char *run_id,
                            bool *out_was_queued, struct err *err)
{
    struct postgres_queue *queue = queue_of(q);
    auto_result rows = NULL;
    const struct postgres_statement statement =
        POSTGRES_STATEMENT("SELECT mistro.cancel($1, $2)", queue->person, run_id);
    enum err_code r = postgres_ask(queue->db, scope, &statement, &rows, err);
    if (r)
        return r;
    const char *name = postgres_text(rows, 0, 0);
    if (!name)
        return err_set(err, ERR_NOT_FOUND, 0, "run %.40s was not queued", run_id);
    enum queue_state state = parse_state(name);
    if (state != QUEUE_QUEUED && state != QUEUE_TAKEN)
        return err_set(err, ERR_INVALID, 0, "run %.40s is %s already", run_id, name);
    *out_was_queued = state == QUEUE_QUEUED;
    return ERR_NONE;
}

struct heartbeat {
    struct postgres_queue *queue;
    const struct queue_worker *me;
    struct queue_pulse pulse;
};

static const char *takings_text(struct arena *arena, const struct queue_worker *me)
{
    const char *text = "";
    for (size_t i = 0; me->takings && i < me->n_busy; i++)
        text = arena_printf(arena, "%s%s%" PRIu64, text, i ? "," : "", me->takings[i]);
    return arena_printf(arena, "{%s}", text);
}

static enum err_code beat_job(void *argument, struct err *err)
{
    struct heartbeat *heartbeat = argument;
    const struct postgres_queue *queue = heartbeat->queue;
    const struct queue_worker *me = heartbeat->me;
    AUTO(arena) arena = { 0 };
    auto_result rows = NULL;
    const struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT is_due, next_in_ms FROM mistro.beat($1, $2, $3, $4, $5, $6, $7, " NAMES_OF(
            "$8") ", $9, $10, $11)",
        queue->person, postgres_process_id(queue->process), me->name,
        postgres_process_lease_ms(queue->process), postgres_process_fences(queue->process, &arena),
        takings_text(&arena, me), me->queue, names_text(&arena, me->servers, me->n_servers),
        postgres_number(&arena, me->jobs), postgres_number(&arena, me->n_busy),
        postgres_number(&arena, me->queue_jobs));
    enum err_code r = postgres_query(queue->db, &statement, &rows, err);
    if (!r)
        heartbeat->pulse =
            (struct queue_pulse){ *postgres_text(rows, 0, 0) == 't', postgres_integer(rows, 0, 1) };
    return r;
}

static enum err_code beat(struct run_queue *q, struct scope *scope, const struct queue_worker *me,
                          struct queue_pulse *out, struct err *err)
{
    struct postgres_queue *queue = queue_of(q);
    struct heartbeat heartbeat = { .queue = queue, .me = me };
    enum err_code r =
        worker_try(postgres_database_worker(queue->db), scope, beat_job, &heartbeat, err);
    if (r)
        return r;
    postgres_process_was_heard(queue->process);
    *out = heartbeat.pulse;
    return ERR_NONE;
}

static enum err_code leave(struct run_queue *q, struct scope *scope, struct err *err)
{
    struct postgres_queue *queue = queue_of(q);
    auto_result rows = NULL;
    const struct postgres_statement statement =
        POSTGRES_STATEMENT("SELECT mistro.leave($1)", postgres_process_id(queue->process));
    return postgres_ask(queue->db, scope, &statement, &rows, err);
}

static enum err_code next_notice(struct run_queue *q, struct scope *scope, struct queue_notice *out,
                                 struct err *err)
{
    return postgres_listener_next(queue_of(q)->listener, scope, out, err);
}

static enum err_code find(struct run_queue *q, struct scope *scope, const char *run_id,
                          struct arena *arena, struct queued_run **out, struct err *err)
{
    enum { RESULT = 12 };
    struct postgres_queue *queue = queue_of(q);
    auto_result rows = NULL;
    size_t n;
    const struct postgres_statement statement =
        POSTGRES_STATEMENT("SELECT " RUN_COLUMNS ", result FROM mistro.queue WHERE person = $1"
                           " AND run_id = $2",
                           queue->person, run_id);
    enum err_code r = look(queue, scope, statement, &rows, err);
    if (r)
        return r;
    *out = read_runs(rows, arena, &n);
    if (!n)
        return err_set(err, ERR_NOT_FOUND, 0, "run %.40s was not queued", run_id);
    (*out)->result = arena_strdup(arena, postgres_text(rows, 0, RESULT));
    return ERR_NONE;
}

static enum err_code list(struct run_queue *q, struct scope *scope, const char *of_queue,
                          const enum queue_state *state, size_t max, struct arena *arena,
                          struct queued_run **out, size_t *out_n, struct err *err)
{
    struct postgres_queue *queue = queue_of(q);
    auto_result rows = NULL;
    size_t at_most = max < RUN_QUEUE_LIST_MAX ? max : RUN_QUEUE_LIST_MAX;
    const struct postgres_statement statement =
        POSTGRES_STATEMENT("SELECT " RUN_COLUMNS " FROM mistro.queue WHERE person = $1"
                           " AND ($2::text IS NULL OR queue = $2) AND ($3::text IS NULL OR state ="
                           " $3) ORDER BY place DESC LIMIT $4",
                           queue->person, of_queue, state ? queue_state_name(*state) : NULL,
                           postgres_number(arena, (int64_t)at_most));
    enum err_code r = look(queue, scope, statement, &rows, err);
    if (!r)
        *out = read_runs(rows, arena, out_n);
    return r;
}

static enum err_code totals(struct run_queue *q, struct scope *scope, struct arena *arena,
                            struct queue_totals **out, size_t *out_n, struct err *err)
{
    struct postgres_queue *queue = queue_of(q);
    auto_result rows = NULL;
    /* Each state by itself has an index without what is over. */
    const struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT queue, count(*) FILTER (WHERE state = 'queued'),"
        " count(*) FILTER (WHERE state = 'taken'), count(*) FILTER (WHERE state = 'poisoned'),"
        " coalesce(min(greatest(added_ms, not_before_ms)) FILTER (WHERE state = 'queued'), 0)"
        " FROM mistro.queue WHERE person = $1 AND (state = 'queued' OR state = 'taken' OR state ="
        " 'poisoned') GROUP BY queue ORDER BY queue LIMIT $2",
        queue->person, postgres_number(arena, RUN_QUEUE_LIST_MAX));
    enum err_code r = look(queue, scope, statement, &rows, err);
    if (r)
        return r;
    *out_n = (size_t)postgres_n_rows(rows);
    *out = arena_array(arena, struct queue_totals, *out_n + 1);
    for (int row = 0; row < (int)*out_n; row++)
        (*out)[row] =
            (struct queue_totals){ .queue = arena_strdup(arena, postgres_text(rows, row, 0)),
                                   .n_queued = (uint64_t)postgres_integer(rows, row, 1),
                                   .n_taken = (uint64_t)postgres_integer(rows, row, 2),
                                   .n_poisoned = (uint64_t)postgres_integer(rows, row, 3),
                                   .since_ms = postgres_integer(rows, row, 4) };
    return ERR_NONE;
}

static enum err_code workers(struct run_queue *q, struct scope *scope, struct arena *arena,
                             struct queue_worker **out, size_t *out_n, struct err *err)
{
    struct postgres_queue *queue = queue_of(q);
    auto_result rows = NULL;
    const struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT label, queue, to_json(servers), jobs, n_busy, queue_jobs, seen_ms"
        " FROM mistro.processes WHERE person = $1 AND queue IS NOT NULL ORDER BY label COLLATE"
        " \"C\" LIMIT $2",
        queue->person, postgres_number(arena, RUN_QUEUE_LIST_MAX));
    enum err_code r = look(queue, scope, statement, &rows, err);
    if (r)
        return r;
    *out_n = (size_t)postgres_n_rows(rows);
    *out = arena_array(arena, struct queue_worker, *out_n + 1);
    for (int row = 0; row < (int)*out_n; row++) {
        struct queue_worker *worker = &(*out)[row];
        worker->name = arena_strdup(arena, postgres_text(rows, row, 0));
        worker->queue = arena_strdup(arena, postgres_text(rows, row, 1));
        worker->servers = read_names(arena, postgres_text(rows, row, 2), &worker->n_servers);
        worker->jobs = (unsigned)postgres_integer(rows, row, 3);
        worker->n_busy = (unsigned)postgres_integer(rows, row, 4);
        worker->queue_jobs = (unsigned)postgres_integer(rows, row, 5);
        worker->seen_ms = postgres_integer(rows, row, 6);
    }
    return ERR_NONE;
}

static enum err_code prune(struct run_queue *q, struct scope *scope, int64_t keep_ms, size_t max,
                           size_t *out_removed, struct err *err)
{
    struct postgres_queue *queue = queue_of(q);
    AUTO(arena) arena = { 0 };
    auto_result rows = NULL;
    const struct postgres_statement statement = POSTGRES_STATEMENT(
        "DELETE FROM mistro.queue WHERE person = $1 AND run_id IN (SELECT run_id FROM mistro.queue"
        " WHERE person = $1 AND over_ms < (SELECT mistro.now_ms()) - $2 ORDER BY over_ms LIMIT $3)",
        queue->person, postgres_number(&arena, keep_ms), postgres_number(&arena, (int64_t)max));
    enum err_code r = postgres_ask(queue->db, scope, &statement, &rows, err);
    *out_removed = r ? 0 : (size_t)postgres_n_changed(rows);
    return r;
}

static void destroy(struct run_queue *q)
{
    struct postgres_queue *queue = queue_of(q);
    postgres_listener_destroy(queue->listener);
    free(queue->person);
    free(queue);
}

struct run_queue *postgres_queue_create(struct uv_runtime *runtime,
                                        struct postgres_process *process, const char *person)
{
    static const struct run_queue_ops ops = { .add = add,
                                              .find_key = find_key,
                                              .take = take,
                                              .give_back = give_back,
                                              .end = end,
                                              .cancel = cancel,
                                              .beat = beat,
                                              .leave = leave,
                                              .next_notice = next_notice,
                                              .find = find,
                                              .list = list,
                                              .totals = totals,
                                              .workers = workers,
                                              .prune = prune,
                                              .destroy = destroy };
    struct postgres_queue *queue = calloc(1, sizeof *queue);
    if (!queue || !(queue->person = strdup(person)))
        abort();
    queue->base.ops = &ops;
    queue->process = process;
    queue->db = postgres_process_database(process);
    queue->listener = postgres_listener_create(runtime, queue->db, person);
    return &queue->base;
}
