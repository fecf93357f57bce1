/* A file of rows as the table `t` of an SQLite database. CSV and TSV: the first record names the
 * columns, and a column whose values all are numbers holds numbers. JSON lines (or a JSON array of
 * objects): the keys are the columns, values keep their type, nested ones are JSON text. A list of
 * values that a caller holds becomes a table in the same way, under a name of its own. */
#ifndef INFRASTRUCTURE_WORKSPACE_TABLE_LOAD_H
#define INFRASTRUCTURE_WORKSPACE_TABLE_LOAD_H

#include "domain/base/arena.h"
#include "domain/base/csv_reader.h"
#include "domain/base/err.h"
#include <jansson.h>

#define TABLE_MAX_COLUMNS CSV_MAX_FIELDS
#define TABLE_MAX_NAME 100 /* bytes of a column's name */

struct sqlite3;
struct sqlite3_stmt;

struct table {
    struct arena *arena; /* borrowed */
    const char *name;    /* borrowed */
    char *columns[TABLE_MAX_COLUMNS];
    size_t n_columns, n_rows;
};

/* file_name decides the format by its ending; out->arena must be set. ERR_INVALID: no rows that
 * make a table, with the line where one is known. */
MUST_CHECK
enum err_code table_load(struct sqlite3 *db, const char *file_name, const char *bytes,
                         size_t length, struct table *out, struct err *err);

/* A list of objects (their members are the columns), or of other values (the column is `value`); a
 * null is a row of NULLs. columns: names of columns that it has in any case, or NULL. out->arena
 * must be set. ERR_INVALID: a row of the other kind, a name that cannot be one. */
MUST_CHECK
enum err_code table_load_list(struct sqlite3 *db, const char *name, const json_t *rows,
                              const json_t *columns, struct table *out, struct err *err);

/* Binds any JSON value; returns the result code of SQLite. */
int table_bind(struct sqlite3_stmt *statement, int at, const json_t *value);

#endif
