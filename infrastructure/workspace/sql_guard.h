/* What SQL of a model may do in a database of ours: one SELECT over what was loaded, with functions
 * that compute, in bounded time and memory. No files, no other databases, no settings. */
#ifndef INFRASTRUCTURE_WORKSPACE_SQL_GUARD_H
#define INFRASTRUCTURE_WORKSPACE_SQL_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SQL_MAX_MEMORY (256 * 1024 * 1024) /* more than SQLite had before the query */
#define SQL_MAX_EXPRESSION_DEPTH 200
#define SQL_MAX_COMPOUND 50

struct sqlite3;

struct sql_guard {
    int64_t deadline_ms;               /* of workspace_now_ms */
    int64_t memory_before, max_memory; /* bytes; max: SQL_MAX_MEMORY unless set behind _attach */
    bool out_of_time, out_of_memory;
};

/* Runs statements whose rows do not matter; returns the result code of SQLite. */
int sql_execute(struct sqlite3 *db, const char *sql);

/* Whether SQL may name the table: others are, or may be, SQLite's own. */
bool sql_guard_allows_table(const char *name);
/* Bounds of the connection itself; before anything is loaded. Also makes a text of printf() and
 * format() that is too long an error, as it is with every other function: SQLite's own are NULL. */
void sql_guard_limit(struct sqlite3 *db, size_t max_value_bytes);
/* From now on only reading; the guard must outlive the connection's statements. */
void sql_guard_attach(struct sql_guard *guard, struct sqlite3 *db, int64_t deadline_ms);

#endif
