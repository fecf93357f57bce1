/* Runs a SELECT in a database in memory that the examples fill, and compares the rows it gives with
 * those the examples ask for. The candidate comes from a model, so it may only read; the guard of
 * the workspace's own queries sees to that. The statements that fill the database come from a
 * person but perhaps out of another person's file, so they reach no file and no setting either.
 *
 * Numbers compare by value, with the precision of a double. Rows compare in their order where the
 * examples say `ordered`, and otherwise by how often each of them occurs. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/checking/candidate_check.h"
#include "infrastructure/workspace/sql_guard.h"
#include "infrastructure/workspace/workspace_job.h"
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#define PRECISION 1e-9

/* SQLite has no truth values: true is 1. */
static bool is_numeric(const json_t *value, double *out)
{
    *out = json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
    return json_is_number(value) || json_is_boolean(value);
}

static bool same_value(const json_t *a, const json_t *b)
{
    double x, y;
    if (json_is_integer(a) && json_is_integer(b))
        return json_integer_value(a) == json_integer_value(b);
    if (is_numeric(a, &x) && is_numeric(b, &y))
        return x == y || fabs(x - y) <= PRECISION * fmax(fabs(x), fabs(y));
    return json_equal(a, b);
}

static bool same_row(const json_t *a, const json_t *b)
{
    if (json_array_size(a) != json_array_size(b))
        return false;
    for (size_t i = 0; i < json_array_size(a); i++)
        if (!same_value(json_array_get(a, i), json_array_get(b, i)))
            return false;
    return true;
}

static void compare_in_order(struct candidate_check *check, const json_t *rows,
                             const json_t *wanted)
{
    for (size_t i = 0; i < json_array_size(wanted) && !check->failure; i++) {
        const json_t *row = json_array_get(rows, i), *other = json_array_get(wanted, i);
        if (!row)
            check_fails(check, "row %zu must be %s and there is none", i + 1,
                        check_shown(check, other));
        else if (!same_row(row, other))
            check_fails(check, "row %zu must be %s and is %s", i + 1, check_shown(check, other),
                        check_shown(check, row));
    }
    if (json_array_size(rows) > json_array_size(wanted))
        check_fails(check, "it must give %zu rows and gives %zu", json_array_size(wanted),
                    json_array_size(rows));
}

/* The first row that equals this one and has no partner yet; n when there is none. */
static size_t find_partner(const json_t *rows, const bool *taken, const json_t *row)
{
    size_t i = 0, n = json_array_size(rows);
    while (i < n && (taken[i] || !same_row(json_array_get(rows, i), row)))
        i++;
    return i;
}

static void compare_as_often(struct candidate_check *check, const json_t *rows,
                             const json_t *wanted)
{
    size_t n = json_array_size(rows);
    bool *taken = arena_array(&check->arena, bool, n + 1);
    for (size_t i = 0; i < json_array_size(wanted) && !check->failure; i++) {
        size_t partner = find_partner(rows, taken, json_array_get(wanted, i));
        if (partner == n)
            check_fails(check, "it must give the row %s and does not",
                        check_shown(check, json_array_get(wanted, i)));
        else
            taken[partner] = true;
    }
    for (size_t i = 0; i < n && !check->failure; i++)
        if (!taken[i])
            check_fails(check, "it gives the row %s, which is one too many",
                        check_shown(check, json_array_get(rows, i)));
}

enum {
    VALUE_MAX_BYTES = 131072, /* twice what all examples may have */
    SETUP_MAX_MEMORY = 33554432,
    SETUP_PROGRESS_EVERY = 100,
    RESULT_MAX_BYTES = 16777216, /* of all rows together */
    CELL_BYTES = 16,             /* counted for every value beside its text */
};

struct sql_check {
    struct candidate_check *check;
    sqlite3 *db;
    sqlite3_stmt *statement;
    struct sql_guard guard;
    int64_t deadline_ms, memory_before; /* of the setup */
    size_t result_bytes;
};

static void sql_check_finish(struct sql_check *sql)
{
    sqlite3_finalize(sql->statement);
    sqlite3_close(sql->db);
}

static int authorize_setup(void *context, int action, const char *first, const char *second,
                           const char *database, const char *trigger)
{
    (void)context;
    (void)first;
    (void)database;
    (void)trigger;
    switch (action) {
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
    case SQLITE_PRAGMA:
    case SQLITE_CREATE_VTABLE:
    case SQLITE_DROP_VTABLE:
    case SQLITE_CREATE_TRIGGER:
    case SQLITE_CREATE_TEMP_TRIGGER:
        return SQLITE_DENY;
    case SQLITE_FUNCTION:
        return second && strcasecmp(second, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    default:
        return SQLITE_OK;
    }
}

static int is_over(void *context)
{
    const struct sql_check *sql = context;
    return workspace_now_ms() > sql->deadline_ms ||
           sqlite3_memory_used() - sql->memory_before > SETUP_MAX_MEMORY;
}

static enum err_code fill(struct sql_check *sql, struct err *err)
{
    const char *setup = json_get_string(sql->check->examples, "setup");
    if (!setup)
        return ERR_NONE;
    sqlite3_set_authorizer(sql->db, authorize_setup, NULL);
    sqlite3_progress_handler(sql->db, SETUP_PROGRESS_EVERY, is_over, sql);
    int status = sqlite3_exec(sql->db, setup, /* for each row */ NULL, NULL, NULL);
    if (status == SQLITE_OK)
        return ERR_NONE;
    if (status != SQLITE_INTERRUPT)
        return err_set(err, ERR_INVALID, status, "examples: /setup: %.200s",
                       sqlite3_errmsg(sql->db));
    if (workspace_now_ms() <= sql->deadline_ms)
        return err_set(err, ERR_INVALID, 0, "examples: /setup: it needs more than %d bytes",
                       SETUP_MAX_MEMORY);
    return err_set(err, ERR_INVALID, 0, "examples: /setup: it takes longer than %lld ms",
                   (long long)sql->check->max_ms);
}

static enum err_code open_database(struct sql_check *sql, struct err *err)
{
    sql->deadline_ms = workspace_now_ms() + sql->check->max_ms;
    if (sqlite3_open(":memory:", &sql->db) != SQLITE_OK)
        return err_set(err, ERR_INTERNAL, 0, "%.200s", sqlite3_errmsg(sql->db));
    sql_guard_limit(sql->db, VALUE_MAX_BYTES);
    sqlite3_limit(sql->db, SQLITE_LIMIT_COLUMN, CANDIDATE_MAX_EXAMPLES);
    sql->memory_before = sqlite3_memory_used();
    enum err_code r = fill(sql, err);
    if (!r)
        sql_guard_attach(&sql->guard, sql->db, workspace_now_ms() + sql->check->max_ms);
    return r;
}

static void report_sql_error(struct sql_check *sql)
{
    struct candidate_check *check = sql->check;
    const char *why = sqlite3_errmsg(sql->db);
    if (sqlite3_errcode(sql->db) == SQLITE_AUTH)
        check_fails(check, "it does more than read the tables of the examples: give one SELECT");
    else if (sql->guard.out_of_time)
        check_fails(check, "it runs longer than %lld ms", (long long)check->max_ms);
    else if (sql->guard.out_of_memory || sqlite3_errcode(sql->db) == SQLITE_NOMEM)
        check_fails(check, "it needs too much memory");
    else
        check_fails(check, "it does not run: %s",
                    text_one_line(&check->arena, why, strlen(why), CHECK_SHOWN_COLUMNS));
}

/* Without examples there are no tables; then it is enough that the statement is SQL. */
static bool is_only_unknown_table(const struct sql_check *sql)
{
    const char *why = sqlite3_errmsg(sql->db);
    return !sql->check->examples &&
           (text_starts_with(why, "no such table") || text_starts_with(why, "no such column"));
}

/* Accepts exactly one statement, which must give rows. */
static bool prepare(struct sql_check *sql)
{
    const char *rest = NULL;
    sqlite3_stmt *second = NULL;
    if (sqlite3_prepare_v2(sql->db, sql->check->candidate, -1, &sql->statement, &rest)) {
        if (!is_only_unknown_table(sql))
            report_sql_error(sql);
        return false;
    }
    int status = sqlite3_prepare_v2(sql->db, rest, -1, &second, NULL);
    bool is_alone = status == SQLITE_OK && !second;
    sqlite3_finalize(second);
    bool is_query = sql->statement && is_alone && sqlite3_stmt_readonly(sql->statement) &&
                    sqlite3_column_count(sql->statement) > 0;
    if (!is_query)
        check_fails(sql->check, "it must be exactly one SELECT statement");
    return is_query;
}

static void check_columns(struct sql_check *sql)
{
    const json_t *wanted = json_object_get(sql->check->examples, "columns");
    size_t n = (size_t)sqlite3_column_count(sql->statement);
    if (wanted && json_array_size(wanted) != n)
        check_fails(sql->check, "it must give %zu columns and gives %zu", json_array_size(wanted),
                    n);
    for (size_t i = 0; wanted && i < n && !sql->check->failure; i++) {
        const char *name = sqlite3_column_name(sql->statement, (int)i);
        const char *other = json_string_value(json_array_get(wanted, i));
        if (strcasecmp(name ? name : "", other) != 0)
            check_fails(sql->check, "column %zu must be named %s and is named %s", i + 1,
                        check_quoted(sql->check, other),
                        check_quoted(sql->check, name ? name : ""));
    }
}

static json_t *cell_of(struct sql_check *sql, int i)
{
    const char *text;
    size_t length;
    json_t *value = NULL;
    switch (sqlite3_column_type(sql->statement, i)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(sql->statement, i));
    case SQLITE_FLOAT:
        value = json_real(sqlite3_column_double(sql->statement, i));
        return value ? value : json_null(); /* JSON has no infinity */
    case SQLITE_NULL:
        return json_null();
    default:
        text = (const char *)sqlite3_column_text(sql->statement, i);
        length = (size_t)sqlite3_column_bytes(sql->statement, i);
        value = text ? json_stringn(text, length) : NULL;
        return value ? value : json_sprintf("(%zu bytes)", length);
    }
}

static json_t *row_of(struct sql_check *sql)
{
    json_t *row = json_array();
    for (int i = 0; i < sqlite3_column_count(sql->statement); i++) {
        json_t *cell = cell_of(sql, i);
        sql->result_bytes += CELL_BYTES + json_string_length(cell);
        json_array_append_new(row, cell);
    }
    return row;
}

static void run(struct sql_check *sql)
{
    struct candidate_check *check = sql->check;
    json_auto_t *rows = json_array();
    int status;
    while ((status = sqlite3_step(sql->statement)) == SQLITE_ROW && !check->failure) {
        if (json_array_size(rows) == check->max_rows)
            check_fails(check, "it gives more than %zu rows", check->max_rows);
        else if (sql->result_bytes > RESULT_MAX_BYTES)
            check_fails(check, "its rows have more than %d bytes", RESULT_MAX_BYTES);
        else
            json_array_append_new(rows, row_of(sql));
    }
    if (status != SQLITE_DONE)
        report_sql_error(sql);
    const json_t *wanted = json_object_get(check->examples, "rows");
    if (check->failure || !wanted)
        return;
    if (json_get_bool(check->examples, "ordered", false))
        compare_in_order(check, rows, wanted);
    else
        compare_as_often(check, rows, wanted);
}

enum err_code check_sql_candidate(struct candidate_check *check, struct err *err)
{
    static const struct example_member members[] = { { "setup", EXAMPLE_TEXT },
                                                     { "rows", EXAMPLE_ROWS },
                                                     { "columns", EXAMPLE_TEXTS },
                                                     { "ordered", EXAMPLE_FLAG } };
    AUTO(sql_check) sql = { .check = check };
    enum err_code r = examples_check(check->examples, members, ARRAY_LENGTH(members), err);
    if (!r)
        r = open_database(&sql, err);
    if (r || !prepare(&sql))
        return r;
    check_columns(&sql);
    if (check->examples && !check->failure)
        run(&sql);
    return ERR_NONE;
}
