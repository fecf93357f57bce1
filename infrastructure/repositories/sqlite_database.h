/* SQLite as this project uses it. A connection belongs to one thread at a time (the loop, or the
 * one job that runs on its worker) and is opened without SQLite's own mutexes.
 *
 * Databases are in WAL mode with synchronous=NORMAL: a commit is a write into the log file without
 * a wait for the disk, so it survives a killed process, but not a power cut. A caller that
 * needs that as well forces the log to disk once, for all commits before, with
 * sqlite_database_sync. With FULL every commit would pay for it (0.3 ms instead of 0.02). */
#ifndef INFRASTRUCTURE_REPOSITORIES_SQLITE_DATABASE_H
#define INFRASTRUCTURE_REPOSITORIES_SQLITE_DATABASE_H

#include "application/ports/assets.h"
#include "domain/base/arena.h"
#include "domain/base/err.h"
#include <sqlite3.h>

#define SQLITE_WAIT_MS 5000 /* for another process that writes */

/* Opens or creates the file (0600; folders 0700) and brings it to the newest version of the
 * migrations (data/migrations: sections behind lines "-- version N"). ERR_INVALID when a newer
 * mistro wrote it; ERR_UNAVAILABLE when it is damaged or cannot be opened. A file that cannot be
 * used is never deleted or changed. */
MUST_CHECK
enum err_code sqlite_database_open(const char *file, const char *migrations, struct sqlite3 **out,
                                   struct err *err);
/* As sqlite_database_open, for a file that is not there and that nobody else opens: what begins it
 * is forced to disk together, not piece by piece. */
MUST_CHECK
enum err_code sqlite_database_create(const char *file, const char *migrations, struct sqlite3 **out,
                                     struct err *err);
/* The text of a migrations file, owned by the caller; NULL when there is none, and then opening
 * says so. On the loop's thread. */
char *sqlite_migrations(struct assets *assets, const char *path);
/* Returns when everything that was committed is on disk. */
MUST_CHECK
enum err_code sqlite_database_sync(struct sqlite3 *db, struct err *err);

/* Fills err from the last failure of the connection; `doing` says what was tried. A full disk, a
 * locked or a damaged file are ERR_UNAVAILABLE with a hint, the rest is ERR_INTERNAL. */
enum err_code sqlite_failed(struct sqlite3 *db, const char *doing, struct err *err);

MUST_CHECK
enum err_code sqlite_run(struct sqlite3 *db, const char *sql, struct err *err);
MUST_CHECK
enum err_code sqlite_prepare(struct sqlite3 *db, const char *sql, struct sqlite3_stmt **out,
                             struct err *err);
/* Prepares a statement and binds the text, borrowed until the statement is reset, as its first
 * parameter. */
MUST_CHECK
enum err_code sqlite_prepare_for(struct sqlite3 *db, const char *sql, const char *text,
                                 struct sqlite3_stmt **out, struct err *err);
/* Runs a statement that gives no rows, and makes it ready for the next time. */
MUST_CHECK
enum err_code sqlite_step_once(struct sqlite3 *db, struct sqlite3_stmt *statement, struct err *err);

/* The text stays borrowed until the statement is reset; NULL binds null. */
void sqlite_bind_borrowed(struct sqlite3_stmt *statement, int at, const char *text);

/* The text of a column of the present row, in the arena; NULL for null. */
char *sqlite_column_copy(struct arena *arena, struct sqlite3_stmt *statement, int at);

/* Ends the transaction: commits when r is 0, rolls back otherwise. Returns r, or why the commit
 * did not happen. */
MUST_CHECK
enum err_code sqlite_end(struct sqlite3 *db, enum err_code r, struct err *err);

static inline void sqlite_cleanup_statement(struct sqlite3_stmt **statement)
{
    sqlite3_finalize(*statement);
}
#define auto_statement __attribute__((cleanup(sqlite_cleanup_statement))) struct sqlite3_stmt *

#endif
