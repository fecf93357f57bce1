/* SQLite as this project uses it: small helpers that turn its codes into err values. A connection
 * belongs to one thread at a time (the loop, or the one job that runs on its worker) and is opened
 * without SQLite's own mutexes. */
#ifndef INFRASTRUCTURE_REPOSITORIES_SQLITE_DATABASE_H
#define INFRASTRUCTURE_REPOSITORIES_SQLITE_DATABASE_H

#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include <sqlite3.h>

/* Fills err from the last failure of the connection; `doing` says what was tried. A full disk, a
 * locked or a damaged file are ERR_UNAVAILABLE with a hint, the rest is ERR_INTERNAL. */
enum err_code sqlite_failed(struct sqlite3 *db, const char *doing, struct err *err);

MUST_CHECK
enum err_code sqlite_run(struct sqlite3 *db, const char *sql, struct err *err);
MUST_CHECK
enum err_code sqlite_prepare(struct sqlite3 *db, const char *sql, struct sqlite3_stmt **out,
                             struct err *err);
/* Runs a statement that gives no rows, and makes it ready for the next time. */
MUST_CHECK
enum err_code sqlite_step_once(struct sqlite3 *db, struct sqlite3_stmt *statement, struct err *err);

/* The text stays borrowed until the statement is reset; NULL binds null. */
void sqlite_bind_borrowed(struct sqlite3_stmt *statement, int at, const char *text);

static inline void sqlite_cleanup_statement(struct sqlite3_stmt **statement)
{
    sqlite3_finalize(*statement);
}
#define auto_statement __attribute__((cleanup(sqlite_cleanup_statement))) struct sqlite3_stmt *

#endif
