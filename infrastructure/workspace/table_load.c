#include "infrastructure/workspace/table_load.h"
#include "domain/base/json.h"
#include "domain/base/json_scan.h"
#include "domain/base/text.h"
#include "infrastructure/workspace/sql_guard.h"
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum column_kind { COLUMN_EMPTY, COLUMN_INTEGER, COLUMN_REAL, COLUMN_TEXT };

static enum err_code sql_failed(sqlite3 *db, struct err *err)
{
    return err_set(err, ERR_FAILED, sqlite3_extended_errcode(db), "%.200s", sqlite3_errmsg(db));
}

static bool has_column(const struct table *table, const char *name)
{
    for (size_t i = 0; i < table->n_columns; i++)
        if (sqlite3_stricmp(table->columns[i], name) == 0)
            return true;
    return false;
}

/* Names are unique whatever their case, not empty and not longer than TABLE_MAX_NAME. */
static void add_column(struct table *table, const char *name, size_t length)
{
    struct arena *arena = table->arena;
    size_t n = text_cut(name, length, TABLE_MAX_NAME);
    char *base = arena_strndup(arena, name, n), *unique = base;
    if (!*base || !text_is_utf8(base, strlen(base)))
        unique = base = arena_printf(arena, "column_%zu", table->n_columns + 1);
    for (unsigned i = 2; has_column(table, unique); i++)
        unique = arena_printf(arena, "%s_%u", base, i);
    table->columns[table->n_columns++] = unique;
}

static enum column_kind kind_of(const struct csv_field *field)
{
    int64_t integer;
    double real;
    const char *digits = field->text + (*field->text == '-');
    if (field->length == 0)
        return COLUMN_EMPTY;
    /* 007 and the like are codes, not numbers. */
    bool is_code = digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
    if (is_code || strlen(field->text) != field->length)
        return COLUMN_TEXT;
    if (text_to_int64(field->text, &integer))
        return COLUMN_INTEGER;
    return text_to_double(field->text, &real) ? COLUMN_REAL : COLUMN_TEXT;
}

static void survey(struct csv_reader *reader, struct table *table, enum column_kind *kinds)
{
    while (csv_reader_next(reader))
        for (size_t i = 0; i < reader->n_fields; i++) {
            enum column_kind kind = kind_of(&reader->fields[i]);
            while (i >= table->n_columns)
                add_column(table, "", 0);
            if (kind > kinds[i])
                kinds[i] = kind;
        }
}

static enum err_code create_table(sqlite3 *db, const struct table *table, struct err *err)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    sqlite3_str_appendf(sql, "CREATE TABLE \"%w\"(", table->name);
    for (size_t i = 0; i < table->n_columns; i++)
        sqlite3_str_appendf(sql, "%s\"%w\"", i ? "," : "", table->columns[i]);
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    int status = text ? sql_execute(db, text) : SQLITE_NOMEM;
    sqlite3_free(text);
    return status == SQLITE_OK ? ERR_NONE : sql_failed(db, err);
}

static enum err_code prepare_insert(sqlite3 *db, const struct table *table,
                                    sqlite3_stmt **out_insert, struct err *err)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    sqlite3_str_appendf(sql, "INSERT INTO \"%w\" VALUES(", table->name);
    for (size_t i = 0; i < table->n_columns; i++)
        sqlite3_str_appendall(sql, i ? ",?" : "?");
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    int status = text ? sqlite3_prepare_v2(db, text, -1, out_insert, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return status == SQLITE_OK ? ERR_NONE : sql_failed(db, err);
}

static enum err_code insert_row(sqlite3 *db, sqlite3_stmt *insert, struct table *table,
                                struct err *err)
{
    int status = sqlite3_step(insert);
    sqlite3_reset(insert);
    sqlite3_clear_bindings(insert);
    if (status != SQLITE_DONE)
        return sql_failed(db, err);
    table->n_rows++;
    return ERR_NONE;
}

/* SQLITE_OK; a text that is too long stays unbound and is reported. */
static int bind_field(sqlite3_stmt *insert, int at, enum column_kind kind,
                      const struct csv_field *field)
{
    int64_t integer = 0;
    double real = 0;
    bool is_number = kind == COLUMN_INTEGER || kind == COLUMN_REAL;
    if (is_number && field->length == 0)
        return sqlite3_bind_null(insert, at);
    if (kind == COLUMN_INTEGER && text_to_int64(field->text, &integer))
        return sqlite3_bind_int64(insert, at, integer);
    if (is_number && text_to_double(field->text, &real))
        return sqlite3_bind_double(insert, at, real);
    return sqlite3_bind_text(insert, at, field->text, (int)field->length, SQLITE_TRANSIENT);
}

static enum err_code insert_records(sqlite3 *db, struct csv_reader *reader, struct table *table,
                                    const enum column_kind *kinds, struct err *err)
{
    sqlite3_stmt *insert = NULL;
    enum err_code r = prepare_insert(db, table, &insert, err);
    while (!r && csv_reader_next(reader)) {
        for (size_t i = 0; i < reader->n_fields && !r; i++)
            if (bind_field(insert, (int)i + 1, kinds[i], &reader->fields[i]) != SQLITE_OK)
                r = sql_failed(db, err);
        if (!r)
            r = insert_row(db, insert, table, err);
    }
    sqlite3_finalize(insert);
    return r;
}

static enum err_code load_csv(sqlite3 *db, char delimiter, const char *bytes, size_t length,
                              struct table *table, struct err *err)
{
    AUTO(csv_reader) reader = { 0 };
    enum column_kind kinds[TABLE_MAX_COLUMNS] = { COLUMN_EMPTY };
    csv_reader_init(&reader, bytes, length, delimiter);
    if (!csv_reader_next(&reader))
        return err_set(err, ERR_INVALID, 0, "the file has no header row");
    for (size_t i = 0; i < reader.n_fields; i++)
        add_column(table, reader.fields[i].text, reader.fields[i].length);
    survey(&reader, table, kinds);
    if (reader.has_too_many)
        return err_set(err, ERR_LIMIT, 0, "a row has more than %d columns", CSV_MAX_FIELDS);
    enum err_code r = create_table(db, table, err);
    if (r)
        return r;
    char used = reader.delimiter;
    csv_reader_finish(&reader);
    csv_reader_init(&reader, bytes, length, used);
    (void)csv_reader_next(&reader); /* the header */
    return insert_records(db, &reader, table, kinds, err);
}

static enum err_code add_keys(struct table *table, const json_t *row, struct err *err)
{
    const char *key;
    const json_t *value;
    json_each_member (row, key, value) {
        if (has_column(table, key))
            continue;
        if (table->n_columns == TABLE_MAX_COLUMNS)
            return err_set(err, ERR_LIMIT, 0, "the rows have more than %d keys", TABLE_MAX_COLUMNS);
        add_column(table, key, strlen(key));
    }
    return ERR_NONE;
}

int table_bind(sqlite3_stmt *insert, int at, const json_t *value)
{
    if (!value || json_is_null(value))
        return sqlite3_bind_null(insert, at);
    if (json_is_string(value))
        return sqlite3_bind_text(insert, at, json_string_value(value),
                                 (int)json_string_length(value), SQLITE_TRANSIENT);
    if (json_is_real(value))
        return sqlite3_bind_double(insert, at, json_real_value(value));
    if (json_is_integer(value) || json_is_boolean(value))
        return sqlite3_bind_int64(
            insert, at, json_is_boolean(value) ? json_is_true(value) : json_integer_value(value));
    auto_str printed = json_print(value);
    return sqlite3_bind_text(insert, at, printed, -1, SQLITE_TRANSIENT);
}

/* The rows of a file, one at a time: as values, all of them would take many times its bytes. */
struct rows {
    bool is_lines;
    const char *at, *end;  /* of lines */
    struct json_scan scan; /* of a sound array, entered */
    size_t n, n_lines;     /* so far; lines with the blank ones */
};

static bool next_slice(struct rows *rows, struct json_slice *out)
{
    if (!rows->is_lines && json_scan_element(&rows->scan)) {
        json_scan_value(&rows->scan, out);
        return ++rows->n;
    }
    while (rows->is_lines && rows->at < rows->end) {
        const char *newline = memchr(rows->at, '\n', (size_t)(rows->end - rows->at));
        const char *end = newline ? newline : rows->end;
        *out = (struct json_slice){ rows->at, (size_t)(end - rows->at) };
        rows->at = newline ? newline + 1 : end;
        rows->n_lines++;
        if (strspn(out->text, " \t\r") < out->length)
            return ++rows->n;
    }
    return false;
}

/* *out is NULL behind the last row, and owned. */
static enum err_code next_row(struct rows *rows, json_t **out, struct err *err)
{
    struct json_slice text = { 0 };
    *out = NULL;
    if (!next_slice(rows, &text))
        return ERR_NONE;
    enum err_code r = json_parse(text.text, text.length, JSON_FOREIGN, out, err);
    if (r)
        return rows->is_lines ? err_prefix(err, ERR_INVALID, "line %zu", rows->n_lines)
                              : err_prefix(err, ERR_INVALID, "row %zu", rows->n);
    if (json_is_object(*out))
        return ERR_NONE;
    json_decref(*out);
    return err_set(err, ERR_INVALID, 0, "row %zu is not a JSON object", rows->n);
}

static enum err_code insert_object(sqlite3 *db, sqlite3_stmt *insert, const json_t *row,
                                   struct table *table, struct err *err)
{
    for (size_t k = 0; k < table->n_columns; k++)
        if (table_bind(insert, (int)k + 1, json_object_get(row, table->columns[k])) != SQLITE_OK)
            return sql_failed(db, err);
    return insert_row(db, insert, table, err);
}

/* Without a statement, their keys become columns. */
static enum err_code take_rows(sqlite3 *db, sqlite3_stmt *insert, struct rows rows,
                               struct table *table, struct err *err)
{
    json_t *row = NULL;
    enum err_code r;
    while (!(r = next_row(&rows, &row, err)) && row) {
        r = insert ? insert_object(db, insert, row, table, err) : add_keys(table, row, err);
        json_decref(row);
        if (r)
            break;
    }
    return r;
}

/* An array that is not sound is explained or repaired as a whole. */
static enum err_code load_json(sqlite3 *db, bool is_lines, const char *bytes, size_t length,
                               struct table *table, struct err *err)
{
    struct json_slice whole;
    struct rows rows;
    sqlite3_stmt *insert = NULL;
    auto_str repaired = NULL;
    json_scan_begin(&rows.scan, bytes, length);
    json_scan_value(&rows.scan, &whole);
    if (!is_lines && json_scan_end(&rows.scan) != JSON_SOUND) {
        json_t *value = NULL;
        enum err_code r = json_parse(bytes, length, JSON_FOREIGN, &value, err);
        if (r)
            return r;
        repaired = json_print(value);
        bytes = repaired;
        length = strlen(bytes);
        json_decref(value);
    }
    rows = (struct rows){ .is_lines = is_lines, .at = bytes, .end = bytes + length };
    json_scan_begin(&rows.scan, bytes, length);
    if (!is_lines && !json_scan_enter(&rows.scan, '['))
        return err_set(err, ERR_INVALID, 0, "the file is not a JSON array of objects");
    enum err_code r = take_rows(db, insert, rows, table, err);
    if (!r && table->n_columns == 0)
        r = err_set(err, ERR_INVALID, 0, "the file has no rows");
    if (!r)
        r = create_table(db, table, err);
    if (!r)
        r = prepare_insert(db, table, &insert, err);
    if (!r)
        r = take_rows(db, insert, rows, table, err);
    sqlite3_finalize(insert);
    return r;
}

enum err_code table_load(sqlite3 *db, const char *file_name, const char *bytes, size_t length,
                         struct table *out, struct err *err)
{
    const char *dot = strrchr(file_name, '.');
    const char *ending = dot ? dot : "";
    bool is_lines = strcasecmp(ending, ".jsonl") == 0 || strcasecmp(ending, ".ndjson") == 0;
    char delimiter = strcasecmp(ending, ".tsv") == 0 || strcasecmp(ending, ".tab") == 0 ? '\t' : 0;
    *out = (struct table){ .arena = out->arena, .name = "t" };
    if (sql_execute(db, "BEGIN") != SQLITE_OK)
        return sql_failed(db, err);
    enum err_code r = is_lines || strcasecmp(ending, ".json") == 0
                          ? load_json(db, is_lines, bytes, length, out, err)
                          : load_csv(db, delimiter, bytes, length, out, err);
    if (!r && sql_execute(db, "COMMIT") != SQLITE_OK)
        r = sql_failed(db, err);
    return r;
}

/* A name that SQL could not tell from another, or that would be cut, is refused: its values would
 * be lost. */
static enum err_code add_member(struct table *table, const char *name, struct err *err)
{
    for (size_t i = 0; i < table->n_columns; i++) {
        if (strcmp(table->columns[i], name) == 0)
            return ERR_NONE;
        if (sqlite3_stricmp(table->columns[i], name) == 0)
            return err_set(err, ERR_INVALID, 0, "\"%s\" and \"%s\" are the same column in SQL",
                           table->columns[i], name);
    }
    if (!*name || strlen(name) > TABLE_MAX_NAME)
        return err_set(err, ERR_INVALID, 0, "the name of a column has 1 to %d bytes",
                       TABLE_MAX_NAME);
    if (table->n_columns == TABLE_MAX_COLUMNS)
        return err_set(err, ERR_LIMIT, 0, "there are more than %d columns", TABLE_MAX_COLUMNS);
    table->columns[table->n_columns++] = arena_strdup(table->arena, name);
    return ERR_NONE;
}

static enum err_code add_members(struct table *table, const json_t *rows, struct err *err)
{
    const json_t *row, *value, *first = NULL;
    const char *name;
    size_t i;
    enum err_code r = ERR_NONE;
    json_array_foreach (rows, i, row) {
        first = first && !json_is_null(first) ? first : row;
        if (!json_is_null(row) && json_is_object(row) != json_is_object(first))
            return err_set(err, ERR_INVALID, 0, "row %zu: objects and other values are mixed",
                           i + 1);
        json_each_member (row, name, value) {
            r = add_member(table, name, err);
            if (r)
                return err_prefix(err, r, "row %zu", i + 1);
        }
    }
    bool has_values = first && !json_is_null(first) && !json_is_object(first);
    return has_values || !table->n_columns ? add_member(table, "value", err) : ERR_NONE;
}

static enum err_code insert_values(sqlite3 *db, const json_t *rows, struct table *table,
                                   struct err *err)
{
    sqlite3_stmt *insert = NULL;
    const json_t *row;
    size_t i;
    enum err_code r = prepare_insert(db, table, &insert, err);
    json_array_foreach (rows, i, row) {
        json_auto_t *wrapped =
            json_is_object(row) ? json_share(row) : json_pack("{sO}", "value", row);
        r = r ? r : insert_object(db, insert, wrapped, table, err);
    }
    sqlite3_finalize(insert);
    return r;
}

enum err_code table_load_list(sqlite3 *db, const char *name, const json_t *rows,
                              const json_t *columns, struct table *out, struct err *err)
{
    const json_t *column;
    size_t i;
    enum err_code r = ERR_NONE;
    *out = (struct table){ .arena = out->arena, .name = name };
    json_array_foreach (columns, i, column)
        r = r ? r : add_member(out, json_string_value(column), err);
    if (!r)
        r = add_members(out, rows, err);
    if (!r)
        r = create_table(db, out, err);
    return r ? r : insert_values(db, rows, out, err);
}
