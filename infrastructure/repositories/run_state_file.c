#include "infrastructure/repositories/run_state_file.h"
#include "infrastructure/repositories/sqlite_database.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char put_fact_sql[] = "INSERT INTO facts(name, value) VALUES(?1, ?2)"
                                   " ON CONFLICT(name) DO UPDATE SET value = excluded.value";
static const char put_call_sql[] =
    "INSERT INTO calls(path, state, attempt, tool, args, effect_id, sent_at_ms, duration_ms,"
    " result, error, task, argument)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
    " ON CONFLICT(path) DO UPDATE SET state = excluded.state, attempt = excluded.attempt,"
    " tool = excluded.tool, args = excluded.args, effect_id = excluded.effect_id,"
    " sent_at_ms = excluded.sent_at_ms, duration_ms = excluded.duration_ms,"
    " result = excluded.result, error = excluded.error, task = excluded.task,"
    " argument = excluded.argument";
static const char facts_sql[] = "SELECT name, value FROM facts";
static const char calls_sql[] =
    "SELECT path, state, attempt, tool, args, effect_id, sent_at_ms, duration_ms, result, error,"
    " task, argument FROM calls ORDER BY number";

static enum err_code prepare(struct run_state_file *file, struct err *err)
{
    enum err_code r = sqlite_prepare(file->db, put_fact_sql, &file->put_fact, err);
    return r ? r : sqlite_prepare(file->db, put_call_sql, &file->put_call, err);
}

enum err_code run_state_file_open(struct run_state_file *file, const char *migrations, bool is_new,
                                  struct err *err)
{
    if (!is_new && access(file->path, F_OK) != 0 && errno == ENOENT)
        return err_set(err, ERR_NOT_FOUND, 0, "no state of this run is kept");
    enum err_code r = is_new ? sqlite_database_create(file->path, migrations, &file->db, err)
                             : sqlite_database_open(file->path, migrations, &file->db, err);
    if (!r)
        r = prepare(file, err);
    if (r)
        run_state_file_close(file, is_new);
    return r;
}

static const char *kept_text(struct sqlite3_stmt *statement, int at, struct arena *arena)
{
    const char *text = sqlite_column_copy(arena, statement, at);
    return text ? text : "";
}

static struct call_record call_of(struct sqlite3_stmt *row, struct arena *arena)
{
    const void *result = sqlite3_column_blob(row, 8);
    size_t length = (size_t)sqlite3_column_bytes(row, 8);
    return (struct call_record){
        .path = kept_text(row, 0, arena),
        .state = call_state_parse(kept_text(row, 1, arena)),
        .attempt = (unsigned)sqlite3_column_int(row, 2),
        .tool = kept_text(row, 3, arena),
        .args = kept_text(row, 4, arena),
        .effect_id = kept_text(row, 5, arena),
        .sent_at_ms = sqlite3_column_int64(row, 6),
        .duration_ms = sqlite3_column_int64(row, 7),
        .result = result ? arena_strndup(arena, result, length) : NULL,
        .result_length = length,
        .error = sqlite_column_copy(arena, row, 9),
        .task = sqlite_column_copy(arena, row, 10),
        .argument = sqlite_column_copy(arena, row, 11),
    };
}

static enum err_code read_facts(struct run_state_file *file, struct arena *arena,
                                struct run_contents *out, struct err *err)
{
    auto_statement rows = NULL;
    int step;
    enum err_code r = sqlite_prepare(file->db, facts_sql, &rows, err);
    if (r)
        return r;
    while ((step = sqlite3_step(rows)) == SQLITE_ROW) {
        struct run_fact *fact = arena_push(arena, out->facts, out->n_facts, out->facts_capacity);
        *fact = (struct run_fact){ kept_text(rows, 0, arena), kept_text(rows, 1, arena) };
    }
    return step == SQLITE_DONE ? ERR_NONE : sqlite_failed(file->db, "facts", err);
}

static enum err_code read_calls(struct run_state_file *file, struct arena *arena,
                                struct run_contents *out, struct err *err)
{
    auto_statement rows = NULL;
    int step;
    enum err_code r = sqlite_prepare(file->db, calls_sql, &rows, err);
    if (r)
        return r;
    while ((step = sqlite3_step(rows)) == SQLITE_ROW)
        *arena_push(arena, out->calls, out->n_calls, out->calls_capacity) = call_of(rows, arena);
    return step == SQLITE_DONE ? ERR_NONE : sqlite_failed(file->db, "calls", err);
}

/* Pages of SQLite have no checksum: what can be seen is whether they still hang together. */
static enum err_code check(struct run_state_file *file, struct err *err)
{
    auto_statement rows = NULL;
    enum err_code r = sqlite_prepare(file->db, "PRAGMA quick_check(1)", &rows, err);
    if (r)
        return r;
    const char *said =
        sqlite3_step(rows) == SQLITE_ROW ? (const char *)sqlite3_column_text(rows, 0) : NULL;
    if (said && strcmp(said, "ok") == 0)
        return ERR_NONE;
    return err_set(err, ERR_UNAVAILABLE, SQLITE_CORRUPT, "the database is damaged: %.100s",
                   said ? said : sqlite3_errmsg(file->db));
}

enum err_code run_state_file_read(struct run_state_file *file, struct arena *arena,
                                  struct run_contents *out, struct err *err)
{
    enum err_code r = read_facts(file, arena, out, err);
    if (!r)
        r = read_calls(file, arena, out, err);
    if (!r)
        r = check(file, err);
    (void)sqlite3_db_release_memory(file->db); /* its pages are not read again */
    run_contents_index(out, arena);
    if (!r)
        return ERR_NONE;
    const char *last = out->n_calls ? out->calls[out->n_calls - 1].path : "none";
    err_prefix(err, r, "state of the run, sound up to call %zu (%.60s)", out->n_calls, last);
    return err_hint(err, r, "%.150s is left as it is; what was called is in the run log",
                    file->path);
}

static enum err_code put_call(struct run_state_file *file, const struct call_record *call,
                              struct err *err)
{
    struct sqlite3_stmt *s = file->put_call;
    sqlite_bind_borrowed(s, 1, call->path);
    sqlite_bind_borrowed(s, 2, call_state_name(call->state));
    sqlite3_bind_int(s, 3, (int)call->attempt);
    sqlite_bind_borrowed(s, 4, call->tool);
    sqlite_bind_borrowed(s, 5, call->args);
    sqlite_bind_borrowed(s, 6, call->effect_id);
    sqlite3_bind_int64(s, 7, call->sent_at_ms);
    sqlite3_bind_int64(s, 8, call->duration_ms);
    if (sqlite3_bind_blob64(s, 9, call->result, call->result_length, SQLITE_STATIC) != SQLITE_OK)
        return sqlite_failed(file->db, "result", err);
    sqlite_bind_borrowed(s, 10, call->error);
    sqlite_bind_borrowed(s, 11, call->task);
    sqlite_bind_borrowed(s, 12, call->argument);
    return sqlite_step_once(file->db, s, err);
}

static enum err_code put(struct run_state_file *file, const struct run_state_entry *entry,
                         struct err *err)
{
    if (!entry->fact.name)
        return put_call(file, &entry->call, err);
    sqlite_bind_borrowed(file->put_fact, 1, entry->fact.name);
    sqlite_bind_borrowed(file->put_fact, 2, entry->fact.text);
    return sqlite_step_once(file->db, file->put_fact, err);
}

enum err_code run_state_file_write(struct run_state_file *file,
                                   const struct run_state_entry *entries, bool to_disk,
                                   struct err *err)
{
    enum err_code r = entries ? sqlite_run(file->db, "BEGIN", err) : ERR_NONE;
    for (const struct run_state_entry *entry = entries; !r && entry; entry = entry->next)
        r = put(file, entry, err);
    if (entries)
        r = sqlite_end(file->db, r, err);
    if (!r && to_disk)
        r = sqlite_database_sync(file->db, err);
    return r ? err_prefix(err, ERR_UNAVAILABLE, "state of the run") : ERR_NONE;
}

void run_state_file_close(struct run_state_file *file, bool remove)
{
    static const char *const suffixes[] = { ".db", ".db-wal", ".db-shm", ".ndjson" };
    int n_path = (int)(strlen(file->path) - strlen(".db"));
    char name[4096];
    sqlite3_finalize(file->put_fact);
    sqlite3_finalize(file->put_call);
    if (remove && file->db) /* what is in the log is not carried over for nothing */
        sqlite3_db_config(file->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_close(file->db);
    file->db = NULL;
    file->put_fact = file->put_call = NULL;
    for (size_t i = 0; remove && i < ARRAY_LENGTH(suffixes); i++) {
        snprintf(name, sizeof name, "%.*s%s", n_path, file->path, suffixes[i]);
        (void)unlink(name);
    }
}
