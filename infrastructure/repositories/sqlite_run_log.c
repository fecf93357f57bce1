/* The run log in SQLite. The statements that write are prepared once, with the database; those that
 * read are prepared for each question. Removing old runs spares one that may still be going on: a
 * run that never said that it ended counts as dead after a day. */
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/repositories/run_log.h"
#include "infrastructure/repositories/sqlite_database.h"
#include <stdlib.h>
#include <string.h>

struct sqlite_run_log {
    struct run_log base;
    char *file, *migrations;
    struct sqlite3 *db; /* NULL until the first use */
    struct sqlite3_stmt *begin, *events, *finish;
    int wal_pages; /* after the last commit */
};

static struct sqlite_run_log *sqlite_log_of(struct run_log *log)
{
    return (struct sqlite_run_log *)log;
}

static const char begin_sql[] =
    "INSERT OR REPLACE INTO runs(id, kind, session_id, title, started_at_ms, status, meta)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, coalesce(?7, '{}'))";
static const char events_sql[] =
    "INSERT INTO event_groups(run_id, last_number, lines, tool, called_at_ms, durations)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6)";
static const char finish_sql[] = "UPDATE runs SET status = ?2, finished_at_ms = ?3, stats = ?4"
                                 " WHERE id = ?1";

/* Every command that opens the log reads the whole WAL, some 3 us a page. Emptying it takes two
 * syncs, so that is left to every tenth command or so. During a long run SQLite's default of 1,000
 * pages applies. */
enum { CLOSE_EMPTIES_PAGES = 100, COMMIT_MOVES_PAGES = 1000 };

static int note_wal_pages(void *arg, struct sqlite3 *db, const char *schema, int pages)
{
    struct sqlite_run_log *log = arg;
    log->wal_pages = pages;
    if (pages >= COMMIT_MOVES_PAGES)
        (void)sqlite3_wal_checkpoint_v2(db, schema, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    return SQLITE_OK;
}

static void close_log(struct run_log *base)
{
    struct sqlite_run_log *log = sqlite_log_of(base);
    if (log->wal_pages >= CLOSE_EMPTIES_PAGES) {
        sqlite3_busy_timeout(log->db, 0); /* where others use the log, one of them will do it */
        (void)sqlite3_wal_checkpoint_v2(log->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    }
    sqlite3_finalize(log->begin);
    sqlite3_finalize(log->events);
    sqlite3_finalize(log->finish);
    sqlite3_close(log->db);
    log->db = NULL;
    log->begin = log->events = log->finish = NULL;
    log->wal_pages = 0;
}

static enum err_code open_log(struct sqlite_run_log *log, struct err *err)
{
    if (log->db)
        return ERR_NONE;
    enum err_code r = sqlite_database_open(log->file, log->migrations, &log->db, err);
    if (!r) {
        (void)sqlite3_db_config(log->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        (void)sqlite3_wal_hook(log->db, note_wal_pages, log);
    }
    if (!r)
        r = sqlite_prepare(log->db, begin_sql, &log->begin, err);
    if (!r)
        r = sqlite_prepare(log->db, events_sql, &log->events, err);
    if (!r)
        r = sqlite_prepare(log->db, finish_sql, &log->finish, err);
    if (r)
        close_log(&log->base);
    return r;
}

static enum err_code write_entry(struct sqlite_run_log *log, const struct run_entry *entry,
                                 struct err *err)
{
    struct sqlite3_stmt *s = NULL;
    switch (entry->kind) {
    case RUN_ENTRY_BEGIN:
        s = log->begin;
        sqlite_bind_borrowed(s, 2, entry->kind_name);
        sqlite_bind_borrowed(s, 3, entry->session_id);
        sqlite_bind_borrowed(s, 4, entry->title);
        sqlite3_bind_int64(s, 5, entry->time_ms);
        sqlite_bind_borrowed(s, 6, run_status_name(entry->status));
        sqlite_bind_borrowed(s, 7, entry->meta);
        break;
    case RUN_ENTRY_EVENTS:
        s = log->events;
        sqlite3_bind_int64(s, 2, (sqlite3_int64)entry->last_number);
        sqlite_bind_borrowed(s, 3, entry->lines.bytes);
        sqlite_bind_borrowed(s, 4, entry->tool);
        sqlite3_bind_null(s, 5);
        if (entry->tool)
            sqlite3_bind_int64(s, 5, entry->time_ms);
        sqlite_bind_borrowed(s, 6, entry->durations.bytes);
        break;
    case RUN_ENTRY_FINISH:
        s = log->finish;
        sqlite_bind_borrowed(s, 2, run_status_name(entry->status));
        sqlite3_bind_int64(s, 3, entry->time_ms);
        sqlite_bind_borrowed(s, 4, entry->meta);
        break;
    }
    sqlite_bind_borrowed(s, 1, entry->run_id);
    return sqlite_step_once(log->db, s, err);
}

static enum err_code write_log(struct run_log *base, const struct run_entry *first, bool durable,
                               struct err *err)
{
    struct sqlite_run_log *log = sqlite_log_of(base);
    enum err_code r = open_log(log, err);
    if (!r && first) {
        r = sqlite_run(log->db, "BEGIN IMMEDIATE", err);
        for (const struct run_entry *entry = first; !r && entry; entry = entry->next)
            r = write_entry(log, entry, err);
        r = sqlite_end(log->db, r, err);
    }
    if (!r && durable)
        r = sqlite_database_sync(log->db, err);
    return r ? err_prefix(err, r, "run log") : ERR_NONE;
}

/* Opens the log if need be, and prepares a question to it; text, which may be NULL, is its first
 * parameter. */
static enum err_code prepare(struct sqlite_run_log *log, const char *sql, const char *text,
                             struct sqlite3_stmt **out, struct err *err)
{
    enum err_code r = open_log(log, err);
    return r ? r : sqlite_prepare_for(log->db, sql, text, out, err);
}

#define RUN_COLUMNS                                                                                \
    "id, kind, session_id, title, started_at_ms, finished_at_ms, status, meta,"                    \
    " (SELECT coalesce(max(last_number), 0) FROM event_groups WHERE run_id = runs.id),"            \
    " stats"

static struct run_row read_run(struct arena *arena, struct sqlite3_stmt *s)
{
    return (struct run_row){
        .run = { .id = sqlite_column_copy(arena, s, 0),
                 .kind = sqlite_column_copy(arena, s, 1),
                 .session_id = sqlite_column_copy(arena, s, 2),
                 .title = sqlite_column_copy(arena, s, 3),
                 .started_at_ms = sqlite3_column_int64(s, 4),
                 .finished_at_ms = sqlite3_column_int64(s, 5),
                 .status = run_status_parse((const char *)sqlite3_column_text(s, 6)),
                 .n_events = (uint64_t)sqlite3_column_int64(s, 8) },
        .meta = sqlite_column_copy(arena, s, 7),
        .stats = sqlite_column_copy(arena, s, 9),
    };
}

static enum err_code read_runs(struct sqlite_run_log *log, struct sqlite3_stmt *statement,
                               struct arena *arena, struct run_row **out, size_t *out_n,
                               struct err *err)
{
    struct run_row *list = NULL;
    size_t n = 0, capacity = 0;
    int step;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW)
        *arena_push(arena, list, n, capacity) = read_run(arena, statement);
    if (step != SQLITE_DONE)
        return sqlite_failed(log->db, "run log", err);
    *out = list;
    *out_n = n;
    return ERR_NONE;
}

#define MAY_WAIT                                                                                   \
    " AND (status = 'running' OR status = 'needs_answer' AND NOT EXISTS (SELECT 1 FROM runs AS"    \
    " later WHERE later.session_id = runs.session_id AND (later.started_at_ms, later.id) >"        \
    " (runs.started_at_ms, runs.id) AND later.status NOT IN ('failed', 'cancelled', 'limit'))"     \
    " OR status = 'refused' AND EXISTS (SELECT 1 FROM event_groups"                                \
    " WHERE run_id = runs.id AND instr(lines, ' approval_asked ')))"

/* Only what the range says is in the text, so that an index on it can be used. */
static const char *list_sql(struct arena *arena, const struct run_range *range)
{
    const char *statuses = "";
    for (unsigned i = 0; range->statuses && i <= RUN_INTERRUPTED; i++)
        if (range->statuses & 1U << i)
            statuses = arena_printf(arena, "%s%s'%s'", statuses, *statuses ? ", " : "",
                                    run_status_name((enum run_status)i));
    return arena_printf(arena,
                        "SELECT " RUN_COLUMNS
                        " FROM runs WHERE (started_at_ms, id) < (?2, ?1)%s%s%s%s%s%s%s"
                        " ORDER BY started_at_ms DESC, id DESC LIMIT ?3",
                        *statuses ? " AND status IN (" : "", statuses, *statuses ? ")" : "",
                        range->may_wait ? MAY_WAIT : "", range->kind ? " AND kind = ?4" : "",
                        range->session_id ? " AND session_id = ?5" : "",
                        range->words ? " AND instr(lower(title), lower(?6))" : "");
}

static enum err_code list_runs(struct run_log *base, const struct run_range *range,
                               struct arena *arena, struct run_row **out, size_t *out_n,
                               struct err *err)
{
    struct sqlite_run_log *log = sqlite_log_of(base);
    auto_statement statement = NULL;
    const struct run *from = range->before;
    enum err_code r = prepare(log, list_sql(arena, range), from ? from->id : "", &statement, err);
    if (r)
        return r;
    sqlite3_bind_int64(statement, 2, from ? from->started_at_ms : INT64_MAX);
    sqlite3_bind_int64(statement, 3,
                       range->max > INT32_MAX ? INT32_MAX : (sqlite3_int64)range->max);
    if (range->kind)
        sqlite_bind_borrowed(statement, 4, range->kind);
    if (range->session_id)
        sqlite_bind_borrowed(statement, 5, range->session_id);
    if (range->words)
        sqlite_bind_borrowed(statement, 6, range->words);
    return read_runs(log, statement, arena, out, out_n, err);
}

/* The id itself comes first; of those that a prefix fits, more than an error has room for. Ids sort
 * by age. */
static const char get_sql[] =
    "SELECT " RUN_COLUMNS " FROM runs"
    " WHERE id = iif(?1 = '" RUN_LATEST "', (SELECT max(id) FROM runs), ?1) OR "
    "(length(?1) > 0 AND id > ?1 AND id < ?1 || char(1114111))"
    " ORDER BY id LIMIT ?2";

static enum err_code get_run(struct run_log *base, const char *id, struct arena *arena,
                             struct run_row *out, struct err *err)
{
    struct sqlite_run_log *log = sqlite_log_of(base);
    auto_statement statement = NULL;
    struct run_row *rows = NULL;
    size_t n = 0;
    enum err_code r = prepare(log, get_sql, id, &statement, err);
    if (r)
        return r;
    sqlite3_bind_int(statement, 2, RUN_LOG_CANDIDATES);
    r = read_runs(log, statement, arena, &rows, &n, err);
    if (r)
        return r;
    return run_log_pick(id, rows, n, out, err);
}

static const char groups_sql[] = "SELECT lines FROM event_groups"
                                 " WHERE run_id = ?1 AND last_number > ?2 ORDER BY last_number";

static enum err_code read_events(struct run_log *base, const struct event_range *range,
                                 struct arena *arena, struct event_rows *out, struct err *err)
{
    struct sqlite_run_log *log = sqlite_log_of(base);
    auto_statement statement = NULL;
    struct event_rows rows = { 0 };
    int step = SQLITE_DONE;
    enum err_code r = prepare(log, groups_sql, range->run_id, &statement, err);
    if (r)
        return r;
    sqlite3_bind_int64(statement, 2,
                       range->after > INT64_MAX ? INT64_MAX : (sqlite3_int64)range->after);
    while (!r && rows.n < range->max && (step = sqlite3_step(statement)) == SQLITE_ROW)
        r = run_log_add_group(arena, sqlite_column_copy(arena, statement, 0), range, &rows, err);
    if (rows.n < range->max) /* pages that are not read again */
        (void)sqlite3_db_release_memory(log->db);
    if (r)
        return r;
    if (step != SQLITE_DONE && step != SQLITE_ROW)
        return sqlite_failed(log->db, "run log", err);
    *out = rows;
    return ERR_NONE;
}

/* The last calls first; a row has those of one group, the oldest first. */
static const char durations_sql[] =
    "SELECT durations FROM event_groups WHERE tool = ?1"
    " ORDER BY called_at_ms DESC, run_id DESC, last_number DESC LIMIT ?2";

static enum err_code median_ms(struct run_log *base, const char *tool, int64_t *out_ms,
                               struct err *err)
{
    struct sqlite_run_log *log = sqlite_log_of(base);
    auto_statement statement = NULL;
    struct run_durations durations = { 0 };
    enum err_code r = prepare(log, durations_sql, tool, &statement, err);
    if (r)
        return r;
    sqlite3_bind_int(statement, 2, RUN_MEDIAN_CALLS);
    int step;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW)
        run_durations_add(&durations, (const char *)sqlite3_column_text(statement, 0));
    if (step != SQLITE_DONE)
        return sqlite_failed(log->db, "run log", err);
    *out_ms = run_durations_median(&durations);
    return ERR_NONE;
}

#define KEPT_FREE_BYTES (1024 * 1024) /* less is left for the next runs to be written into */

/* ?1: now minus a day. ENDED_AT is that of the index runs_by_end. */
#define IS_OVER "(finished_at_ms > 0 OR started_at_ms < ?1)"
#define ENDED_AT "iif(finished_at_ms > 0, finished_at_ms, started_at_ms)"

static const char oldest_sql[] = "SELECT id, " ENDED_AT " FROM runs WHERE " IS_OVER
                                 " AND id IS NOT ?2 ORDER BY " ENDED_AT ", id LIMIT 1";

static int64_t pragma_number(struct sqlite3 *db, const char *pragma)
{
    auto_statement statement = NULL;
    if (sqlite_prepare(db, pragma, &statement, NULL) || sqlite3_step(statement) != SQLITE_ROW)
        return 0;
    return sqlite3_column_int64(statement, 0);
}

static int64_t free_bytes(struct sqlite3 *db)
{
    return pragma_number(db, "PRAGMA freelist_count") * pragma_number(db, "PRAGMA page_size");
}

/* The size of the file once its free pages are given back. */
static int64_t used_bytes(struct sqlite3 *db)
{
    int64_t pages = pragma_number(db, "PRAGMA page_count");
    return pages * pragma_number(db, "PRAGMA page_size") - free_bytes(db);
}

/* One round of removals. */
struct pruning {
    struct sqlite_run_log *log;
    const struct run_retention *keep;
    int64_t now_ms, began_with; /* bytes */
    size_t removed;
};

static bool must_go(const struct pruning *p, int64_t ended_at_ms)
{
    const struct run_retention *keep = p->keep;
    int64_t used = used_bytes(p->log->db);
    if (keep->max_runs &&
        (p->removed >= keep->max_runs || p->began_with - used >= RUN_LOG_BITE_BYTES))
        return false;
    if (keep->keep_ms > 0 && ended_at_ms < p->now_ms - keep->keep_ms)
        return true;
    return keep->max_bytes > 0 && used > keep->max_bytes;
}

/* Whether the oldest run has to go; its id is in the statement's row. */
static enum err_code find_oldest(const struct pruning *p, struct sqlite3_stmt *oldest, bool *out,
                                 struct err *err)
{
    sqlite3_reset(oldest);
    sqlite3_bind_int64(oldest, 1, p->now_ms - RUN_LOG_DEAD_AFTER_MS);
    sqlite_bind_borrowed(oldest, 2, p->keep->spared);
    int step = sqlite3_step(oldest);
    *out = step == SQLITE_ROW && must_go(p, sqlite3_column_int64(oldest, 1));
    if (step == SQLITE_ROW || step == SQLITE_DONE)
        return ERR_NONE;
    return sqlite_failed(p->log->db, "prune", err);
}

static enum err_code remove_old_runs(struct pruning *p, struct sqlite3_stmt *oldest,
                                     struct err *err)
{
    struct sqlite3 *db = p->log->db;
    auto_statement remove_events = NULL;
    auto_statement remove_row = NULL;
    bool goes = false;
    enum err_code r =
        sqlite_prepare(db, "DELETE FROM event_groups WHERE run_id = ?1", &remove_events, err);
    if (!r)
        r = sqlite_prepare(db, "DELETE FROM runs WHERE id = ?1", &remove_row, err);
    while (!r && !(r = find_oldest(p, oldest, &goes, err)) && goes) {
        const char *id = (const char *)sqlite3_column_text(oldest, 0);
        sqlite_bind_borrowed(remove_events, 1, id);
        sqlite_bind_borrowed(remove_row, 1, id);
        r = sqlite_step_once(db, remove_events, err);
        if (!r)
            r = sqlite_step_once(db, remove_row, err);
        p->removed += !r;
    }
    sqlite3_reset(oldest);
    return r;
}

/* Looks first, so that a log in which nothing is old is not locked. */
static enum err_code prune(struct run_log *base, const struct run_retention *keep, int64_t now_ms,
                           size_t *out_removed, struct err *err)
{
    struct sqlite_run_log *log = sqlite_log_of(base);
    auto_statement oldest = NULL;
    struct pruning p = { .log = log, .keep = keep, .now_ms = now_ms };
    bool goes = false;
    enum err_code r = prepare(log, oldest_sql, NULL, &oldest, err);
    if (!r) {
        p.began_with = used_bytes(log->db);
        r = find_oldest(&p, oldest, &goes, err);
        sqlite3_reset(oldest);
    }
    if (!r && goes) {
        r = sqlite_run(log->db, "BEGIN IMMEDIATE", err);
        if (!r)
            r = sqlite_end(log->db, remove_old_runs(&p, oldest, err), err);
    }
    bool shrinks = p.removed && (!keep->max_runs || free_bytes(log->db) > KEPT_FREE_BYTES);
    if (!r && shrinks)
        r = sqlite_run(log->db, "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)", err);
    if (r)
        return err_prefix(err, r, "run log");
    *out_removed = p.removed;
    return ERR_NONE;
}

static void destroy(struct run_log *base)
{
    struct sqlite_run_log *log = sqlite_log_of(base);
    free(log->file);
    free(log->migrations);
    free(log);
}

static const struct run_log_ops ops = {
    .write = write_log,
    .list = list_runs,
    .get = get_run,
    .events = read_events,
    .median_ms = median_ms,
    .prune = prune,
    .close = close_log,
    .destroy = destroy,
};

struct run_repository *sqlite_run_repository_create(struct uv_runtime *runtime, const char *file,
                                                    struct assets *assets)
{
    struct sqlite_run_log *log = calloc(1, sizeof *log);
    char *path = strdup(file);
    if (!log || !path)
        abort();
    log->base.ops = &ops;
    log->file = path;
    log->migrations = sqlite_migrations(assets, "data/migrations/run_log.sql");
    return run_log_repository_create(runtime, NULL, &log->base);
}
