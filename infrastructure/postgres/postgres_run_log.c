/* The rows are those of data/migrations/run_log.sql, each with the person whose it is. How many
 * bytes a run has is counted when it ends, and the sum for each person is kept beside, so that
 * finding out whether old runs have to go costs the same however many there are. Every commit is on
 * disk when it is answered. A write is made again when the database was away: the same row of
 * events is known by its writer, and all else is set to what it is already. */
#include "infrastructure/postgres/postgres_create.h"
#include "infrastructure/postgres/postgres_database.h"
#include "infrastructure/repositories/run_log.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

/* Groups that are read at once: some megabytes. */
#define GROUPS_AT_ONCE 64
/* Runs that are removed in one transaction: fewer than would take POSTGRES_ANSWER_MS. */
#define RUNS_AT_ONCE 500
#define WRITER_BYTES 8

struct postgres_run_log {
    struct run_log base;
    struct postgres_database *db;
    char *person;
    char writer[2 * WRITER_BYTES + 1]; /* of chance: this log in this process */
};

static struct postgres_run_log *log_of(struct run_log *log)
{
    return (struct postgres_run_log *)log;
}

static const char begin_sql[] =
    "INSERT INTO mistro.runs(person, id, kind, session_id, title, started_at_ms, status, meta)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, coalesce($8, '{}')) ON CONFLICT (person, id) DO UPDATE"
    " SET kind = excluded.kind, session_id = excluded.session_id, title = excluded.title,"
    " started_at_ms = excluded.started_at_ms, finished_at_ms = 0, status = excluded.status,"
    " meta = excluded.meta, stats = NULL";

static struct postgres_statement statement_of(struct arena *arena,
                                              const struct postgres_run_log *log,
                                              const struct run_entry *entry)
{
    const char *status = run_status_name(entry->status);
    const char *time_ms = postgres_number(arena, entry->time_ms);
    const char *const begin[] = { log->person,  entry->run_id, entry->kind_name, entry->session_id,
                                  entry->title, time_ms,       status,           entry->meta };
    const char *const events[] = { log->person,
                                   entry->run_id,
                                   postgres_number(arena, (int64_t)entry->last_number),
                                   entry->lines.bytes,
                                   entry->tool,
                                   entry->tool ? time_ms : NULL,
                                   entry->durations.bytes,
                                   log->writer };
    const char *const finish[] = { log->person, entry->run_id, status, time_ms, entry->meta };
    switch (entry->kind) {
    case RUN_ENTRY_BEGIN:
        return postgres_statement(arena, begin_sql, ARRAY_LENGTH(begin), begin);
    case RUN_ENTRY_EVENTS:
        return postgres_statement(arena,
                                  "INSERT INTO mistro.event_groups VALUES"
                                  " ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
                                  ARRAY_LENGTH(events), events);
    case RUN_ENTRY_FINISH:
        break;
    }
    return postgres_statement(arena, "SELECT mistro.finish_run($1, $2, $3, $4, $5)",
                              ARRAY_LENGTH(finish), finish);
}

static enum err_code write_log(struct run_log *base, const struct run_entry *first, bool durable,
                               struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct postgres_statement *list = NULL;
    size_t n = 0, capacity = 0;
    (void)durable;
    for (const struct run_entry *entry = first; entry; entry = entry->next)
        *arena_push(&arena, list, n, capacity) = statement_of(&arena, log_of(base), entry);
    enum err_code r = n ? postgres_write(log_of(base)->db, list, n, err) : ERR_NONE;
    return r ? err_prefix(err, r, "run log") : ERR_NONE;
}

#define RUN_COLUMNS                                                                                \
    "id, kind, session_id, title, started_at_ms, finished_at_ms, status, meta,"                    \
    " (SELECT coalesce(max(last_number), 0) FROM mistro.event_groups AS g"                         \
    "  WHERE g.person = runs.person AND g.run_id = runs.id), stats"

static const char *copy(struct arena *arena, const PGresult *rows, int row, int column)
{
    return arena_strdup(arena, postgres_text(rows, row, column));
}

static struct run_row read_run(struct arena *arena, const PGresult *rows, int row)
{
    return (struct run_row){
        .run = { .id = copy(arena, rows, row, 0),
                 .kind = copy(arena, rows, row, 1),
                 .session_id = copy(arena, rows, row, 2),
                 .title = copy(arena, rows, row, 3),
                 .started_at_ms = postgres_integer(rows, row, 4),
                 .finished_at_ms = postgres_integer(rows, row, 5),
                 .status = run_status_parse(postgres_text(rows, row, 6)),
                 .n_events = (uint64_t)postgres_integer(rows, row, 8) },
        .meta = copy(arena, rows, row, 7),
        .stats = copy(arena, rows, row, 9),
    };
}

static enum err_code ask(const struct postgres_run_log *log, const char *sql, int n,
                         const char *const *values, PGresult **out, struct err *err)
{
    const struct postgres_statement statement = {
        .sql = sql, .n = n, .values = values, .only_reads = true
    };
    return postgres_query(log->db, &statement, out, err);
}

static enum err_code read_runs(const struct postgres_run_log *log, const char *sql, int n_values,
                               const char *const *values, struct arena *arena, struct run_row **out,
                               size_t *out_n, struct err *err)
{
    auto_result rows = NULL;
    enum err_code r = ask(log, sql, n_values, values, &rows, err);
    if (r)
        return r;
    size_t n = (size_t)postgres_n_rows(rows);
    *out = arena_array(arena, struct run_row, n + 1);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = read_run(arena, rows, (int)i);
    *out_n = n;
    return ERR_NONE;
}

/* The statuses as well by themselves: the index runs_that_may_wait is found by them. */
#define MAY_WAIT                                                                                   \
    " AND status IN ('running', 'needs_answer', 'refused') AND (status = 'running' OR"             \
    " status = 'needs_answer' AND NOT EXISTS (SELECT 1 FROM mistro.runs AS later WHERE"            \
    " later.person = runs.person AND later.session_id = runs.session_id AND"                       \
    " (later.started_at_ms, later.id) > (runs.started_at_ms, runs.id) AND later.status NOT IN"     \
    " ('failed', 'cancelled', 'limit')) OR status = 'refused' AND"                                 \
    " EXISTS (SELECT 1 FROM mistro.event_groups AS g WHERE g.person = runs.person AND"             \
    " g.run_id = runs.id AND strpos(g.lines, ' approval_asked ') > 0))"

/* Adds a value, and how it is written in the statement. */
static const char *value(struct arena *arena, const char **values, int *n, const char *text)
{
    values[(*n)++] = text;
    return arena_printf(arena, "$%d", *n);
}

static const char *statuses_sql(struct arena *arena, unsigned statuses)
{
    const char *list = "";
    for (unsigned i = 0; statuses && i <= RUN_INTERRUPTED; i++)
        if (statuses & 1U << i)
            list = arena_printf(arena, "%s%s'%s'", list, *list ? ", " : "",
                                run_status_name((enum run_status)i));
    return *list ? arena_printf(arena, " AND status IN (%s)", list) : "";
}

/* Only what the range says is in the text, so that an index on it can be used. */
static enum err_code list_runs(struct run_log *base, const struct run_range *range,
                               struct arena *arena, struct run_row **out, size_t *out_n,
                               struct err *err)
{
    const char *values[POSTGRES_MAX_VALUES] = { log_of(base)->person };
    int n = 1;
    const char *sql =
        arena_printf(arena,
                     "SELECT " RUN_COLUMNS " FROM mistro.runs WHERE person ="
                     " $1%s%s",
                     statuses_sql(arena, range->statuses), range->may_wait ? MAY_WAIT : "");
    if (range->before) {
        const char *at =
            value(arena, values, &n, postgres_number(arena, range->before->started_at_ms));
        sql = arena_printf(arena, "%s AND (started_at_ms, id) < (%s, %s)", sql, at,
                           value(arena, values, &n, range->before->id));
    }
    if (range->kind)
        sql = arena_printf(arena, "%s AND kind = %s", sql, value(arena, values, &n, range->kind));
    if (range->session_id)
        sql = arena_printf(arena, "%s AND session_id = %s", sql,
                           value(arena, values, &n, range->session_id));
    if (range->words)
        sql = arena_printf(arena,
                           "%s AND strpos(lower(title COLLATE \"C\"),"
                           " lower(%s COLLATE \"C\")) > 0",
                           sql, value(arena, values, &n, range->words));
    int64_t max = range->max > INT32_MAX ? INT32_MAX : (int64_t)range->max;
    sql = arena_printf(arena, "%s ORDER BY started_at_ms DESC, id DESC LIMIT %s", sql,
                       value(arena, values, &n, postgres_number(arena, max)));
    return read_runs(log_of(base), sql, n, values, arena, out, out_n, err);
}

/* Ids sort by age. */
static const char latest_sql[] = "SELECT " RUN_COLUMNS " FROM mistro.runs WHERE person = $1"
                                 " ORDER BY id DESC LIMIT 1";
static const char prefix_sql[] = "SELECT " RUN_COLUMNS " FROM mistro.runs WHERE person = $1"
                                 " AND id >= $2 AND id < $2 || chr(1114111) ORDER BY id LIMIT $3";

static enum err_code get_run(struct run_log *base, const char *id, struct arena *arena,
                             struct run_row *out, struct err *err)
{
    struct run_row *rows = NULL;
    size_t n = 0;
    bool is_latest = strcmp(id, RUN_LATEST) == 0;
    const char *const values[] = { log_of(base)->person, id,
                                   postgres_number(arena, RUN_LOG_CANDIDATES) };
    enum err_code r = ERR_NONE;
    if (*id)
        r = read_runs(log_of(base), is_latest ? latest_sql : prefix_sql, is_latest ? 1 : 3, values,
                      arena, &rows, &n, err);
    return r ? r : run_log_pick(is_latest && n ? rows->run.id : id, rows, n, out, err);
}

static const char groups_sql[] =
    "SELECT last_number, lines FROM mistro.event_groups WHERE person = $1 AND run_id = $2"
    " AND last_number > $3 ORDER BY last_number, writer LIMIT $4";

/* The groups behind *after, which becomes the last number that was read. */
static enum err_code read_groups(const struct postgres_run_log *log,
                                 const struct event_range *range, struct arena *arena,
                                 int64_t *after, struct event_rows *rows, bool *out_more,
                                 struct err *err)
{
    auto_result groups = NULL;
    const char *const values[] = { log->person, range->run_id, postgres_number(arena, *after),
                                   postgres_number(arena, GROUPS_AT_ONCE) };
    enum err_code r = ask(log, groups_sql, ARRAY_LENGTH(values), values, &groups, err);
    int n = r ? 0 : postgres_n_rows(groups);
    for (int row = 0; !r && row < n && rows->n < range->max; row++) {
        *after = postgres_integer(groups, row, 0);
        char *lines = arena_strdup(arena, postgres_text(groups, row, 1));
        r = run_log_add_group(arena, lines, range, rows, err);
    }
    *out_more = n == GROUPS_AT_ONCE && rows->n < range->max;
    return r;
}

static enum err_code read_events(struct run_log *base, const struct event_range *range,
                                 struct arena *arena, struct event_rows *out, struct err *err)
{
    int64_t after = range->after > INT64_MAX ? INT64_MAX : (int64_t)range->after;
    struct event_rows rows = { 0 };
    enum err_code r = ERR_NONE;
    for (bool more = range->max > 0; !r && more;)
        r = read_groups(log_of(base), range, arena, &after, &rows, &more, err);
    if (!r)
        *out = rows;
    return r;
}

/* The last calls first; a row has those of one group, the oldest first. */
static const char durations_sql[] =
    "SELECT durations FROM mistro.event_groups WHERE person = $1 AND tool = $2"
    " ORDER BY called_at_ms DESC, run_id DESC, last_number DESC LIMIT $3";

static enum err_code median_ms(struct run_log *base, const char *tool, int64_t *out_ms,
                               struct err *err)
{
    AUTO(arena) scratch = { 0 };
    auto_result rows = NULL;
    struct run_durations durations = { 0 };
    const char *const values[] = { log_of(base)->person, tool,
                                   postgres_number(&scratch, RUN_MEDIAN_CALLS) };
    enum err_code r = ask(log_of(base), durations_sql, ARRAY_LENGTH(values), values, &rows, err);
    if (r)
        return r;
    for (int row = 0; row < postgres_n_rows(rows); row++)
        run_durations_add(&durations, postgres_text(rows, row, 0));
    *out_ms = run_durations_median(&durations);
    return ERR_NONE;
}

/* A transaction for so many runs at a time: what is removed stays removed. */
static enum err_code prune(struct run_log *base, const struct run_retention *keep, int64_t now_ms,
                           size_t *out_removed, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    size_t at_once = keep->max_runs ? keep->max_runs : RUNS_AT_ONCE, removed = 0, now_removed;
    const struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT mistro.prune_runs($1, $2, $3, $4, $5, $6, $7)", log_of(base)->person,
        postgres_number(&scratch, keep->keep_ms > 0 ? now_ms - keep->keep_ms : INT64_MIN),
        postgres_number(&scratch, now_ms - RUN_LOG_DEAD_AFTER_MS),
        postgres_number(&scratch, keep->max_bytes > 0 ? keep->max_bytes : INT64_MAX),
        postgres_number(&scratch, (int64_t)at_once),
        postgres_number(&scratch, keep->max_runs ? RUN_LOG_BITE_BYTES : INT64_MAX), keep->spared);
    do {
        auto_result result = NULL;
        enum err_code r = postgres_query(log_of(base)->db, &statement, &result, err);
        if (r)
            return err_prefix(err, r, "run log");
        now_removed = (size_t)postgres_integer(result, 0, 0);
        removed += now_removed;
    } while (!keep->max_runs && now_removed == at_once);
    *out_removed = removed;
    return ERR_NONE;
}

static void destroy(struct run_log *base)
{
    struct postgres_run_log *log = log_of(base);
    free(log->person);
    free(log);
}

static const struct run_log_ops ops = {
    .write = write_log,
    .list = list_runs,
    .get = get_run,
    .events = read_events,
    .median_ms = median_ms,
    .prune = prune,
    .destroy = destroy,
};

struct run_repository *postgres_run_log_create(struct uv_runtime *runtime,
                                               struct postgres_database *db, const char *person)
{
    struct postgres_run_log *log = calloc(1, sizeof *log);
    char *name = strdup(person);
    unsigned char random[WRITER_BYTES];
    if (!log || !name || uv_random(NULL, NULL, random, sizeof random, 0, NULL) != 0)
        abort();
    log->base.ops = &ops;
    log->base.writes_again = true;
    log->db = db;
    log->person = name;
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(log->writer + 2 * i, 3, "%02x", random[i]);
    return run_log_repository_create(runtime, postgres_database_worker(db), &log->base);
}
