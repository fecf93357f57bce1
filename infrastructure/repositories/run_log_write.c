#include "infrastructure/repositories/run_log.h"
#include "infrastructure/repositories/sqlite_database.h"
#include <stdlib.h>

static const char begin_sql[] =
    "INSERT OR REPLACE INTO runs(id, kind, session_id, title, started_at_ms, status, meta)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, coalesce(?7, '{}'))";
static const char events_sql[] =
    "INSERT INTO event_groups(run_id, last_number, lines, tool, called_at_ms, durations)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6)";
static const char finish_sql[] = "UPDATE runs SET status = ?2, finished_at_ms = ?3 WHERE id = ?1";

void run_log_close(struct run_log *log)
{
    sqlite3_finalize(log->begin);
    sqlite3_finalize(log->events);
    sqlite3_finalize(log->finish);
    sqlite3_close(log->db);
    log->begin = log->events = log->finish = NULL;
    log->db = NULL;
}

enum err_code run_log_open(struct run_log *log, struct err *err)
{
    if (log->db)
        return ERR_NONE;
    enum err_code r = sqlite_database_open(log->file, log->migrations, &log->db, err);
    if (!r)
        r = sqlite_prepare(log->db, begin_sql, &log->begin, err);
    if (!r)
        r = sqlite_prepare(log->db, events_sql, &log->events, err);
    if (!r)
        r = sqlite_prepare(log->db, finish_sql, &log->finish, err);
    if (r)
        run_log_close(log);
    return r;
}

static enum err_code write_begin(struct run_log *log, const struct run_entry *entry,
                                 struct err *err)
{
    sqlite_bind_borrowed(log->begin, 1, entry->run_id);
    sqlite_bind_borrowed(log->begin, 2, entry->kind_name);
    sqlite_bind_borrowed(log->begin, 3, entry->session_id);
    sqlite_bind_borrowed(log->begin, 4, entry->title);
    sqlite3_bind_int64(log->begin, 5, entry->time_ms);
    sqlite_bind_borrowed(log->begin, 6, run_status_name(entry->status));
    sqlite_bind_borrowed(log->begin, 7, entry->meta);
    return sqlite_step_once(log->db, log->begin, err);
}

static enum err_code write_events(struct run_log *log, const struct run_entry *entry,
                                  struct err *err)
{
    sqlite_bind_borrowed(log->events, 1, entry->run_id);
    sqlite3_bind_int64(log->events, 2, (sqlite3_int64)entry->last_number);
    sqlite_bind_borrowed(log->events, 3, entry->lines.bytes);
    sqlite_bind_borrowed(log->events, 4, entry->tool);
    if (entry->tool)
        sqlite3_bind_int64(log->events, 5, entry->time_ms);
    else
        sqlite3_bind_null(log->events, 5);
    sqlite_bind_borrowed(log->events, 6, entry->durations.bytes);
    return sqlite_step_once(log->db, log->events, err);
}

static enum err_code write_finish(struct run_log *log, const struct run_entry *entry,
                                  struct err *err)
{
    sqlite_bind_borrowed(log->finish, 1, entry->run_id);
    sqlite_bind_borrowed(log->finish, 2, run_status_name(entry->status));
    sqlite3_bind_int64(log->finish, 3, entry->time_ms);
    return sqlite_step_once(log->db, log->finish, err);
}

static enum err_code write_entry(struct run_log *log, const struct run_entry *entry,
                                 struct err *err)
{
    switch (entry->kind) {
    case RUN_ENTRY_BEGIN:
        return write_begin(log, entry, err);
    case RUN_ENTRY_EVENTS:
        return write_events(log, entry, err);
    case RUN_ENTRY_FINISH:
        return write_finish(log, entry, err);
    }
    return ERR_INTERNAL;
}

static enum err_code write_all(struct run_log *log, const struct run_entry *first, struct err *err)
{
    enum err_code r = first ? sqlite_run(log->db, "BEGIN IMMEDIATE", err) : ERR_NONE;
    if (r || !first)
        return r;
    for (const struct run_entry *entry = first; !r && entry; entry = entry->next)
        r = write_entry(log, entry, err);
    return sqlite_end(log->db, r, err);
}

enum err_code run_log_write(struct run_log *log, const struct run_entry *first, bool durable,
                            struct err *err)
{
    enum err_code r = run_log_open(log, err);
    if (!r)
        r = write_all(log, first, err);
    if (!r && durable)
        r = sqlite_database_sync(log->db, err);
    return r ? err_prefix(err, r, "run log") : ERR_NONE;
}
