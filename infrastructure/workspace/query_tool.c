/* query_table: a file of rows becomes an SQLite database in memory for the time of one SELECT.
 * query: so do lists of values. What query_table leaves out beyond a bound is an error there: a
 * plan goes on with the rows as if they were all. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/workspace/sql_guard.h"
#include "infrastructure/workspace/table_load.h"
#include "infrastructure/workspace/workspace_text.h"
#include "infrastructure/workspace/workspace_tools.h"
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

enum {
    CELL_MAX_BYTES = 200,
    CELL_LEAST_BYTES = 8,
    NAME_MAX_BYTES = 60,
    LEAST_MAX_VALUE_BYTES = 1048576
};

struct query {
    const struct workspace_job *job;
    struct workspace_answer *out;
    sqlite3 *db;
    struct sql_guard guard;
    struct arena arena;
    struct table table;
    char names[200];         /* of tables and columns, for who got one wrong; may be cut */
    json_t *columns;         /* borrowed from the answer */
    size_t bytes, max_bytes; /* of values: so far, at most */
    bool is_changed;
};

static void query_finish(struct query *query)
{
    sqlite3_close(query->db);
    arena_finish(&query->arena);
}

/* A value is written twice, and escaping can make it longer. */
static size_t max_result_bytes(const struct query *q)
{
    return q->job->limits.max_result_bytes / 4;
}

/* Of a value and of a row, within the query as well. */
static size_t max_value_bytes(const struct query *q)
{
    size_t bytes = max_result_bytes(q);
    return bytes < LEAST_MAX_VALUE_BYTES ? LEAST_MAX_VALUE_BYTES : bytes;
}

static enum err_code too_long(const struct query *q, struct err *err)
{
    enum err_code r = err_set(err, ERR_LIMIT, SQLITE_TOOBIG,
                              "a value, or a row, is longer than %zu bytes", max_value_bytes(q));
    return err_hint(err, r, "the bound is a quarter of tools.max_result_bytes, at least %d bytes",
                    LEAST_MAX_VALUE_BYTES);
}

static void add_names(struct query *q, const char *begin)
{
    size_t room = sizeof q->names, used = strlen(q->names);
    used += (size_t)snprintf(q->names + used, room - used, "%s", begin);
    for (size_t i = 0; i < q->table.n_columns && used < room; i++)
        used += (size_t)snprintf(q->names + used, room - used, "%s%.*s", i ? ", " : "",
                                 NAME_MAX_BYTES, q->table.columns[i]);
    text_trim_broken_end(q->names);
}

/* The file's name without folder and ending, as a second name of the table. */
static const char *table_name(struct query *q, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    char *stem =
        arena_strndup(&q->arena, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
    bool is_usable = text_is_utf8(stem, strlen(stem)) && strlen(stem) <= TABLE_MAX_NAME &&
                     sqlite3_strnicmp(stem, "sqlite_", 7) != 0 && sqlite3_stricmp(stem, "t") != 0;
    return is_usable ? stem : "t";
}

static enum err_code name_table(struct query *q, const char *path, struct err *err)
{
    const char *name = table_name(q, path);
    json_object_set_new(q->out->structured, "table", json_string(name));
    if (strcmp(name, "t") == 0)
        return ERR_NONE;
    char *sql = sqlite3_mprintf("CREATE VIEW \"%w\" AS SELECT * FROM t", name);
    int status = sql_execute(q->db, sql);
    sqlite3_free(sql);
    if (status != SQLITE_OK)
        return err_set(err, ERR_FAILED, status, "%.200s", sqlite3_errmsg(q->db));
    return ERR_NONE;
}

static enum err_code open_database(struct query *q, struct err *err)
{
    if (sqlite3_open(":memory:", &q->db) != SQLITE_OK)
        return err_set(err, ERR_INTERNAL, 0, "%.200s", sqlite3_errmsg(q->db));
    sql_guard_limit(q->db, max_value_bytes(q));
    q->table.arena = &q->arena;
    return ERR_NONE;
}

static enum err_code open_table(struct query *q, struct err *err)
{
    char path[CONFINED_MAX_PATH + 1];
    auto_str bytes = NULL;
    size_t length;
    enum err_code r = workspace_read(q->job, path, &bytes, &length, err);
    if (r)
        return r;
    if (workspace_is_binary(bytes, length))
        return err_set(err, ERR_INVALID, 0, "'%.200s' is a binary file", path);
    r = open_database(q, err);
    if (r)
        return r;
    r = table_load(q->db, path, bytes, length, &q->table, err);
    if (r && err->origin == SQLITE_TOOBIG)
        r = too_long(q, err);
    if (r)
        return err_prefix(err, r, "'%.200s'", path);
    add_names(q, "the table is t; its columns: ");
    return name_table(q, path, err);
}

static enum err_code out_of_memory(const struct query *q, struct err *err)
{
    return err_set(err, ERR_LIMIT, SQLITE_NOMEM, "the query needs more than %lld MiB of memory",
                   (long long)(q->guard.max_memory >> 20));
}

static enum err_code sql_error(struct query *q, struct err *err)
{
    if (q->guard.out_of_time)
        return err_set(err, ERR_LIMIT, 0, "the query ran longer than %lld ms",
                       (long long)q->job->limits.query_ms);
    if (sqlite3_errcode(q->db) == SQLITE_TOOBIG)
        return too_long(q, err);
    if (q->guard.out_of_memory || sqlite3_errcode(q->db) == SQLITE_NOMEM)
        return out_of_memory(q, err);
    enum err_code r =
        err_set(err, ERR_INVALID, sqlite3_errcode(q->db), "sql: %.200s", sqlite3_errmsg(q->db));
    return err_hint(err, r, "%s", q->names);
}

/* Exactly one statement, and one that gives rows. */
static enum err_code prepare(struct query *q, sqlite3_stmt **out, struct err *err)
{
    const json_t *sql = json_object_get(q->job->arguments, "sql");
    const char *rest = NULL;
    sqlite3_stmt *second = NULL;
    if (json_string_has_nul(sql))
        return err_set(err, ERR_INVALID, 0, "sql: there is a NUL character in it");
    if (sqlite3_prepare_v2(q->db, json_string_value(sql), -1, out, &rest) != SQLITE_OK)
        return sql_error(q, err);
    int status = sqlite3_prepare_v2(q->db, rest, -1, &second, NULL);
    bool is_alone = status == SQLITE_OK && !second;
    sqlite3_finalize(second);
    if (!*out || !is_alone || !sqlite3_stmt_readonly(*out) || !sqlite3_column_count(*out))
        return err_set(err, ERR_INVALID, 0, "sql: give exactly one SELECT");
    return ERR_NONE;
}

/* Names of result columns become keys of the rows, so they have to differ. */
static void name_columns(struct query *q, sqlite3_stmt *statement)
{
    int n = sqlite3_column_count(statement);
    for (int i = 0; i < n; i++) {
        const char *given = sqlite3_column_name(statement, i), *name = given ? given : "";
        size_t k = 0;
        for (int copies = 2; k < json_array_size(q->columns);) {
            bool is_taken = strcmp(json_string_value(json_array_get(q->columns, k)), name) == 0;
            k = is_taken ? 0 : k + 1;
            if (is_taken)
                name = arena_printf(&q->arena, "%s_%d", given, copies++);
        }
        json_array_append_new(q->columns, workspace_json_text(name, strlen(name), &q->is_changed));
    }
}

static json_t *cell_of(struct query *q, sqlite3_stmt *statement, int i)
{
    size_t length = (size_t)sqlite3_column_bytes(statement, i);
    size_t name = json_string_length(json_array_get(q->columns, (size_t)i)); /* in every row */
    q->bytes += length + (name > CELL_LEAST_BYTES ? name : CELL_LEAST_BYTES);
    switch (sqlite3_column_type(statement, i)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(statement, i));
    case SQLITE_FLOAT: {
        json_t *real = json_real(sqlite3_column_double(statement, i));
        return real ? real : json_null(); /* JSON has no infinity */
    }
    case SQLITE_TEXT:
        return workspace_json_text((const char *)sqlite3_column_text(statement, i), length,
                                   &q->is_changed);
    case SQLITE_BLOB:
        return json_sprintf("(%zu bytes)", length);
    default:
        return json_null();
    }
}

/* Tab-separated, one line per row. */
static bool append_cell(struct buf *text, int i, const char *bytes, size_t length)
{
    size_t n = text_cut(bytes, length, CELL_MAX_BYTES);
    bool fits = i == 0 || buf_append(text, "\t", 1);
    for (size_t k = 0; k < n && fits; k++) {
        bool is_control = bytes[k] == '\n' || bytes[k] == '\t' || bytes[k] == '\r';
        fits = buf_append(text, is_control ? " " : bytes + k, 1);
    }
    return fits && (n == length || buf_puts(text, "…"));
}

static bool append_row(struct query *q, sqlite3_stmt *statement, json_t *rows)
{
    json_t *row = json_object();
    bool fits = true;
    for (int i = 0; i < sqlite3_column_count(statement) && fits; i++) {
        const char *name = json_string_value(json_array_get(q->columns, (size_t)i));
        json_object_set_new_nocheck(row, name, cell_of(q, statement, i));
        const char *text = (const char *)sqlite3_column_text(statement, i);
        fits = append_cell(&q->out->text, i, text ? text : "",
                           text ? (size_t)sqlite3_column_bytes(statement, i) : 0);
    }
    json_array_append_new(rows, row);
    return fits && buf_puts(&q->out->text, "\n");
}

/* *out_bound: what has more rows than that, NULL when there are no more. */
static enum err_code collect(struct query *q, sqlite3_stmt *statement, size_t limit,
                             const char *bound, const char **out_bound, struct err *err)
{
    json_t *rows = json_object_get(q->out->structured, "rows");
    for (;;) {
        int status = sqlite3_step(statement);
        if (status == SQLITE_DONE)
            return ERR_NONE;
        if (status != SQLITE_ROW)
            return sql_error(q, err);
        bool is_all = json_array_size(rows) == limit;
        bool fits = !is_all && q->bytes <= q->max_bytes && append_row(q, statement, rows);
        if (sqlite3_errcode(q->db) == SQLITE_NOMEM)
            return sql_error(q, err);
        if (!fits) {
            *out_bound = is_all ? bound : "tools.max_result_bytes";
            return ERR_NONE;
        }
    }
}

/* What :name, @name, $name and ? stand for. */
static enum err_code bind_params(struct query *q, sqlite3_stmt *statement, struct err *err)
{
    const json_t *params = json_object_get(q->job->arguments, "params");
    size_t n = (size_t)sqlite3_bind_parameter_count(statement);
    if (json_is_array(params) && json_array_size(params) != n)
        return err_set(err, ERR_INVALID, 0, "params: %zu values for the %zu parameters of sql",
                       json_array_size(params), n);
    for (size_t i = 0; i < n; i++) {
        const char *name = sqlite3_bind_parameter_name(statement, (int)i + 1);
        const json_t *value = json_is_array(params) ? json_array_get(params, i)
                                                    : json_object_get(params, name ? name + 1 : "");
        if (!value)
            return err_set(err, ERR_INVALID, 0, "sql: there is no value for the parameter %.80s",
                           name ? name : "?");
        if (table_bind(statement, (int)i + 1, value) != SQLITE_OK)
            return sql_error(q, err);
    }
    return ERR_NONE;
}

static enum err_code run_query(struct query *q, size_t limit, const char *limit_name,
                               const char **out_bound, struct err *err)
{
    json_t *structured = q->out->structured;
    sqlite3_stmt *statement = NULL;
    q->columns = json_array();
    json_object_set_new(structured, "columns", q->columns);
    json_object_set_new(structured, "rows", json_array());
    enum err_code r = prepare(q, &statement, err);
    if (!r)
        r = bind_params(q, statement, err);
    if (!r) {
        name_columns(q, statement);
        bool fits = true;
        for (size_t i = 0; i < json_array_size(q->columns); i++) {
            const char *name = json_string_value(json_array_get(q->columns, i));
            fits = append_cell(&q->out->text, (int)i, name, strlen(name)) && fits;
        }
        *out_bound = buf_puts(&q->out->text, "\n") && fits ? NULL : "tools.max_result_bytes";
        r = collect(q, statement, limit, limit_name, out_bound, err);
    }
    sqlite3_finalize(statement);
    return r;
}

static json_int_t n_rows(const struct query *q)
{
    return (json_int_t)json_array_size(json_object_get(q->out->structured, "rows"));
}

static enum err_code query_file(struct query *q, struct err *err)
{
    size_t limit = (size_t)json_get_int(q->job->arguments, "limit", INT32_MAX);
    size_t max_rows = q->job->limits.max_rows;
    const char *bound = NULL;
    json_t *structured = q->out->structured;
    enum err_code r = run_query(q, limit < max_rows ? limit : max_rows,
                                limit > max_rows ? "workspace.max_rows" : "limit", &bound, err);
    if (r)
        return r;
    json_object_update_new(structured, json_pack("{sI sb sb}", "row_count", n_rows(q), "truncated",
                                                 bound != NULL, "invalid_utf8", q->is_changed));
    if (bound)
        json_object_set_new(structured, "bounded_by", json_string(bound));
    if (bound && !buf_printf(&q->out->text, "(there are more rows: bounded by %s)\n", bound))
        return ERR_NONE; /* said in `truncated` */
    return ERR_NONE;
}

enum err_code workspace_query_table(const struct workspace_job *job, struct workspace_answer *out,
                                    struct err *err)
{
    AUTO(query) q = { .job = job, .out = out };
    enum err_code r = open_table(&q, err);
    if (r)
        return r;
    json_t *names = json_array();
    for (size_t i = 0; i < q.table.n_columns; i++)
        json_array_append_new(names, json_string(q.table.columns[i]));
    json_object_set_new(out->structured, "table_columns", names);
    json_object_set_new(out->structured, "table_rows", json_integer((json_int_t)q.table.n_rows));
    sql_guard_attach(&q.guard, q.db, workspace_now_ms() + job->limits.query_ms);
    q.max_bytes = max_result_bytes(&q);
    return query_file(&q, err);
}

static enum err_code add_list(struct query *q, const char *name, const json_t *rows,
                              struct err *err)
{
    const json_t *columns = json_object_get(json_object_get(q->job->arguments, "columns"), name);
    if (!*name || strlen(name) > TABLE_MAX_NAME)
        return err_set(err, ERR_INVALID, 0, "the name of a table has 1 to %d bytes",
                       TABLE_MAX_NAME);
    if (!sql_guard_allows_table(name))
        return err_set(err, ERR_INVALID, 0, "SQLite keeps names that begin so for itself");
    enum err_code r = table_load_list(q->db, name, rows, columns, &q->table, err);
    if (r && err->origin == SQLITE_TOOBIG)
        return too_long(q, err);
    if (r && err->origin == SQLITE_NOMEM)
        return out_of_memory(q, err);
    add_names(q, arena_printf(&q->arena,
                              "%s%.*s: ", *q->names ? "; " : "the tables: ", NAME_MAX_BYTES, name));
    return r;
}

/* The tables of the argument. */
static enum err_code open_lists(struct query *q, struct err *err)
{
    const json_t *tables = json_object_get(q->job->arguments, "tables"), *rows;
    const json_t *columns = json_object_get(q->job->arguments, "columns");
    const char *name;
    size_t n = 0;
    enum err_code r = open_database(q, err);
    json_each_member (columns, name, rows)
        if (!json_object_get(tables, name))
            return err_set(err, ERR_INVALID, 0, "columns: there is no table %.100s", name);
    json_each_member (tables, name, rows)
        n += json_array_size(rows);
    if (!r && n > WORKSPACE_LISTS_MAX_ROWS)
        return err_set(err, ERR_LIMIT, 0, "the tables have %zu rows, more than %d", n,
                       WORKSPACE_LISTS_MAX_ROWS);
    if (!r && sql_execute(q->db, "BEGIN") != SQLITE_OK)
        return sql_error(q, err);
    json_each_member (tables, name, rows) {
        r = r ? r : add_list(q, name, rows, err);
        if (r)
            return err_prefix(err, r, "table %.100s", name);
    }
    return !r && sql_execute(q->db, "COMMIT") != SQLITE_OK ? sql_error(q, err) : r;
}

enum err_code workspace_query_lists(const struct workspace_job *job, struct workspace_answer *out,
                                    struct err *err)
{
    AUTO(query) q = { .job = job, .out = out, .max_bytes = job->limits.max_result_bytes };
    const char *bound = NULL;
    q.guard.max_memory = WORKSPACE_LISTS_MAX_MEMORY;
    enum err_code r = open_lists(&q, err);
    if (r)
        return r;
    sql_guard_attach(&q.guard, q.db, workspace_now_ms() + job->limits.query_ms);
    q.guard.max_memory = WORKSPACE_LISTS_MAX_MEMORY;
    r = run_query(&q, WORKSPACE_LISTS_MAX_ROWS, "rows", &bound, err);
    if (r)
        return r;
    if (bound && strcmp(bound, "rows") == 0)
        return err_set(err, ERR_LIMIT, 0, "the result has more than %d rows",
                       WORKSPACE_LISTS_MAX_ROWS);
    if (bound)
        return workspace_too_large(job, err);
    if (q.is_changed)
        return err_set(err, ERR_INVALID, 0,
                       "the result has a text that is not UTF-8, or has a NUL character");
    json_object_set_new(out->structured, "count", json_integer(n_rows(&q)));
    return ERR_NONE;
}
