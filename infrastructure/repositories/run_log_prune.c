/* Old runs go, by age and by size. A run that may still be going on stays: one that never said
 * that it ended counts as dead after a day. */
#include "infrastructure/repositories/run_log.h"
#include "infrastructure/repositories/sqlite_database.h"

#define DEAD_AFTER_MS (24 * 60 * 60 * INT64_C(1000))

/* ?1: now minus a day. */
#define IS_OVER "(finished_at_ms > 0 OR started_at_ms < ?1)"
#define ENDED_AT "iif(finished_at_ms > 0, finished_at_ms, started_at_ms)"

static enum err_code remove_run(struct run_log *log, struct sqlite3_stmt *remove_events,
                                struct sqlite3_stmt *remove_row, const char *id, struct err *err)
{
    sqlite_bind_borrowed(remove_events, 1, id);
    sqlite_bind_borrowed(remove_row, 1, id);
    enum err_code r = sqlite_step_once(log->db, remove_events, err);
    return r ? r : sqlite_step_once(log->db, remove_row, err);
}

static int64_t pragma_number(struct sqlite3 *db, const char *pragma)
{
    auto_statement statement = NULL;
    if (sqlite_prepare(db, pragma, &statement, NULL) || sqlite3_step(statement) != SQLITE_ROW)
        return 0;
    return sqlite3_column_int64(statement, 0);
}

/* What the file will have once free pages are given back. */
static int64_t used_bytes(struct sqlite3 *db)
{
    int64_t pages = pragma_number(db, "PRAGMA page_count");
    return (pages - pragma_number(db, "PRAGMA freelist_count")) *
           pragma_number(db, "PRAGMA page_size");
}

static bool must_go(struct sqlite3 *db, const struct run_retention *keep, int64_t ended_at_ms,
                    int64_t now_ms)
{
    if (keep->keep_ms > 0 && ended_at_ms < now_ms - keep->keep_ms)
        return true;
    return keep->max_bytes > 0 && used_bytes(db) > keep->max_bytes;
}

static enum err_code remove_old_runs(struct run_log *log, const struct run_retention *keep,
                                     int64_t now_ms, size_t *out_removed, struct err *err)
{
    auto_statement oldest = NULL;
    auto_statement remove_events = NULL;
    auto_statement remove_row = NULL;
    enum err_code r = sqlite_prepare(log->db,
                                     "SELECT id, " ENDED_AT " FROM runs WHERE " IS_OVER
                                     " ORDER BY " ENDED_AT ", id LIMIT 1",
                                     &oldest, err);
    if (!r)
        r = sqlite_prepare(log->db, "DELETE FROM event_groups WHERE run_id = ?1", &remove_events,
                           err);
    if (!r)
        r = sqlite_prepare(log->db, "DELETE FROM runs WHERE id = ?1", &remove_row, err);
    int step = SQLITE_DONE;
    while (!r) {
        sqlite3_reset(oldest);
        sqlite3_bind_int64(oldest, 1, now_ms - DEAD_AFTER_MS);
        step = sqlite3_step(oldest);
        if (step != SQLITE_ROW || !must_go(log->db, keep, sqlite3_column_int64(oldest, 1), now_ms))
            break;
        r = remove_run(log, remove_events, remove_row, (const char *)sqlite3_column_text(oldest, 0),
                       err);
        *out_removed += !r;
    }
    if (!r && step != SQLITE_DONE && step != SQLITE_ROW)
        r = sqlite_failed(log->db, "prune", err);
    return r;
}

enum err_code run_log_prune(struct run_log *log, const struct run_retention *keep, int64_t now_ms,
                            size_t *out_removed, struct err *err)
{
    size_t removed = 0;
    enum err_code r = run_log_open(log, err);
    if (!r)
        r = sqlite_run(log->db, "BEGIN IMMEDIATE", err);
    if (!r)
        r = sqlite_end(log->db, remove_old_runs(log, keep, now_ms, &removed, err), err);
    if (!r && removed)
        r = sqlite_run(log->db, "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)", err);
    if (r)
        return err_prefix(err, r, "run log");
    *out_removed = removed;
    return ERR_NONE;
}
