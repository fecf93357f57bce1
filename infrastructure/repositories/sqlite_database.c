#include "infrastructure/repositories/sqlite_database.h"
#include <string.h>

enum err_code sqlite_failed(struct sqlite3 *db, const char *doing, struct err *err)
{
    int code = sqlite3_errcode(db);
    const char *why = sqlite3_errmsg(db);
    switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        err_set(err, ERR_UNAVAILABLE, code, "%s: the database is damaged: %s", doing, why);
        return err_hint(
            err, ERR_UNAVAILABLE,
            "move the file away (it is not deleted); sqlite3 FILE .recover may read it");
    case SQLITE_FULL:
        err_set(err, ERR_UNAVAILABLE, code, "%s: %s", doing, why);
        return err_hint(err, ERR_UNAVAILABLE, "make room on the disk");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        err_set(err, ERR_UNAVAILABLE, code, "%s: another program holds the database", doing);
        return err_hint(err, ERR_UNAVAILABLE, "end the other program, or try again");
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_IOERR:
        err_set(err, ERR_UNAVAILABLE, code, "%s: %s", doing, why);
        return err_hint(err, ERR_UNAVAILABLE, "check that the folder exists and can be written");
    default:
        return err_set(err, ERR_INTERNAL, code, "%s: %s", doing, why);
    }
}

enum err_code sqlite_run(struct sqlite3 *db, const char *sql, struct err *err)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return sqlite_failed(db, "sqlite", err);
    return ERR_NONE;
}

enum err_code sqlite_prepare(struct sqlite3 *db, const char *sql, struct sqlite3_stmt **out,
                             struct err *err)
{
    struct sqlite3_stmt *statement;
    if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK)
        return sqlite_failed(db, "sqlite", err);
    *out = statement;
    return ERR_NONE;
}

enum err_code sqlite_step_once(struct sqlite3 *db, struct sqlite3_stmt *statement, struct err *err)
{
    enum err_code r = ERR_NONE;
    if (sqlite3_step(statement) != SQLITE_DONE)
        r = sqlite_failed(db, "sqlite", err);
    sqlite3_reset(statement);
    return r;
}

void sqlite_bind_borrowed(struct sqlite3_stmt *statement, int at, const char *text)
{
    /* Binding fails only for a wrong index or a text beyond SQLite's limit; then null stays. */
    (void)sqlite3_bind_text64(statement, at, text, text ? strlen(text) : 0, SQLITE_STATIC,
                              SQLITE_UTF8);
}
