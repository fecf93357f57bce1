#include "infrastructure/repositories/run_log.h"
#include "infrastructure/repositories/sqlite_database.h"
#include <stdlib.h>
#include <string.h>

#define RUN_COLUMNS                                                                                \
    "id, kind, session_id, title, started_at_ms, finished_at_ms, status, meta,"                    \
    " (SELECT coalesce(max(last_number), 0) FROM event_groups WHERE run_id = runs.id)"

static char *column_text(struct arena *arena, struct sqlite3_stmt *statement, int at)
{
    return arena_strdup(arena, (const char *)sqlite3_column_text(statement, at));
}

static struct run_row read_run(struct arena *arena, struct sqlite3_stmt *s)
{
    return (struct run_row){
        .run = { .id = column_text(arena, s, 0),
                 .kind = column_text(arena, s, 1),
                 .session_id = column_text(arena, s, 2),
                 .title = column_text(arena, s, 3),
                 .started_at_ms = sqlite3_column_int64(s, 4),
                 .finished_at_ms = sqlite3_column_int64(s, 5),
                 .status = run_status_parse((const char *)sqlite3_column_text(s, 6)),
                 .n_events = (uint64_t)sqlite3_column_int64(s, 8) },
        .meta = column_text(arena, s, 7),
    };
}

static sqlite3_int64 limit_of(size_t max)
{
    return max > INT32_MAX ? INT32_MAX : (sqlite3_int64)max;
}

static enum err_code read_runs(struct run_log *log, struct sqlite3_stmt *statement,
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

enum err_code run_log_list(struct run_log *log, size_t max, struct arena *arena,
                           struct run_row **out, size_t *out_n, struct err *err)
{
    auto_statement statement = NULL;
    enum err_code r = run_log_open(log, err);
    if (!r)
        r = sqlite_prepare(log->db,
                           "SELECT " RUN_COLUMNS
                           " FROM runs ORDER BY started_at_ms DESC, id DESC LIMIT ?1",
                           &statement, err);
    if (r)
        return r;
    sqlite3_bind_int64(statement, 1, limit_of(max));
    return read_runs(log, statement, arena, out, out_n, err);
}

/* The id itself comes first; two rows are enough to know that a prefix is not unique. */
static const char get_sql[] =
    "SELECT " RUN_COLUMNS " FROM runs"
    " WHERE id = ?1 OR (length(?1) >= ?2 AND id > ?1 AND id < ?1 || char(1114111))"
    " ORDER BY id LIMIT 2";

enum err_code run_log_get(struct run_log *log, const char *id, struct arena *arena,
                          struct run_row *out, struct err *err)
{
    auto_statement statement = NULL;
    struct run_row *rows = NULL;
    size_t n = 0;
    enum err_code r = run_log_open(log, err);
    if (!r)
        r = sqlite_prepare(log->db, get_sql, &statement, err);
    if (r)
        return r;
    sqlite_bind_borrowed(statement, 1, id);
    sqlite3_bind_int(statement, 2, RUN_ID_PREFIX_MIN);
    r = read_runs(log, statement, arena, &rows, &n, err);
    if (r)
        return r;
    if (!n) {
        err_set(err, ERR_NOT_FOUND, 0, "no run \"%.60s\"", id);
        err_about(err, ERR_NOT_FOUND, "run");
        return err_hint(err, ERR_NOT_FOUND, "mistro runs list shows them");
    }
    if (n > 1 && strcmp(rows[0].run.id, id) != 0) {
        err_set(err, ERR_INVALID, 0, "several runs begin with \"%.60s\"", id);
        return err_hint(err, ERR_INVALID, "give more of the id");
    }
    *out = rows[0];
    return ERR_NONE;
}

/* Moves *at behind the blank or the end of line that ends the word there; NULL: there is none. */
static const char *take_word(char **at, char end)
{
    char *word = *at, *stop = strchr(word, end);
    if (!stop)
        return NULL;
    *stop = '\0';
    *at = stop + 1;
    return word;
}

static bool take_event(char **at, struct event_row *out)
{
    const char *number = take_word(at, ' ');
    const char *time_ms = number ? take_word(at, ' ') : NULL;
    const char *kind = time_ms ? take_word(at, ' ') : NULL;
    const char *data = kind ? take_word(at, '\n') : NULL;
    if (!data)
        return false;
    *out = (struct event_row){ .number = strtoull(number, NULL, 10),
                               .time_ms = strtoll(time_ms, NULL, 10),
                               .kind = kind,
                               .data = data };
    return true;
}

struct event_rows {
    struct event_row *list;
    size_t n, capacity;
};

/* Those with a number above `after`, as long as there are fewer than max. */
static enum err_code add_group(struct arena *arena, char *lines, uint64_t after, size_t max,
                               struct event_rows *rows, struct err *err)
{
    struct event_row row;
    for (char *at = lines; *at && rows->n < max;) {
        if (!take_event(&at, &row))
            return err_set(err, ERR_INVALID, 0, "run log: a group of events is damaged");
        if (row.number > after)
            *arena_push(arena, rows->list, rows->n, rows->capacity) = row;
    }
    return ERR_NONE;
}

static const char groups_sql[] = "SELECT lines FROM event_groups"
                                 " WHERE run_id = ?1 AND last_number > ?2 ORDER BY last_number";

enum err_code run_log_events(struct run_log *log, const char *id, uint64_t after, size_t max,
                             struct arena *arena, struct event_row **out, size_t *out_n,
                             struct err *err)
{
    auto_statement statement = NULL;
    struct event_rows rows = { 0 };
    int step = SQLITE_DONE;
    enum err_code r = run_log_open(log, err);
    if (!r)
        r = sqlite_prepare(log->db, groups_sql, &statement, err);
    if (r)
        return r;
    sqlite_bind_borrowed(statement, 1, id);
    sqlite3_bind_int64(statement, 2, after > INT64_MAX ? INT64_MAX : (sqlite3_int64)after);
    while (!r && rows.n < max && (step = sqlite3_step(statement)) == SQLITE_ROW)
        r = add_group(arena, column_text(arena, statement, 0), after, max, &rows, err);
    if (r)
        return r;
    if (step != SQLITE_DONE && step != SQLITE_ROW)
        return sqlite_failed(log->db, "run log", err);
    *out = rows.list;
    *out_n = rows.n;
    return ERR_NONE;
}

/* The last calls first; a row has those of one group, the oldest first. */
static const char durations_sql[] =
    "SELECT durations FROM event_groups WHERE tool = ?1"
    " ORDER BY called_at_ms DESC, run_id DESC, last_number DESC LIMIT ?2";

/* Takes the last of the numbers, as long as there is room. */
static void take_last_numbers(const char *numbers, int64_t list[RUN_MEDIAN_CALLS], size_t *n)
{
    const char *at = numbers + strlen(numbers);
    while (at > numbers && *n < RUN_MEDIAN_CALLS) {
        at--;
        if (at == numbers || at[-1] == ' ')
            list[(*n)++] = strtoll(at, NULL, 10);
    }
}

static int by_value(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

enum err_code run_log_median_ms(struct run_log *log, const char *tool, int64_t *out_ms,
                                struct err *err)
{
    auto_statement statement = NULL;
    int64_t durations[RUN_MEDIAN_CALLS];
    size_t n = 0;
    enum err_code r = run_log_open(log, err);
    if (!r)
        r = sqlite_prepare(log->db, durations_sql, &statement, err);
    if (r)
        return r;
    sqlite_bind_borrowed(statement, 1, tool);
    sqlite3_bind_int(statement, 2, RUN_MEDIAN_CALLS);
    int step;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW)
        take_last_numbers((const char *)sqlite3_column_text(statement, 0), durations, &n);
    if (step != SQLITE_DONE)
        return sqlite_failed(log->db, "run log", err);
    qsort(durations, n, sizeof *durations, by_value);
    *out_ms = n ? durations[n / 2] : -1;
    return ERR_NONE;
}
