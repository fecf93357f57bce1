#include "infrastructure/repositories/sqlite_database.h"
#include "infrastructure/repositories/stored_file.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
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
            "move the file and its -wal away together (they are not deleted); sqlite3 FILE "
            ".recover may read them");
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

enum err_code sqlite_prepare_for(struct sqlite3 *db, const char *sql, const char *text,
                                 struct sqlite3_stmt **out, struct err *err)
{
    enum err_code r = sqlite_prepare(db, sql, out, err);
    if (!r)
        sqlite_bind_borrowed(*out, 1, text);
    return r;
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

char *sqlite_column_copy(struct arena *arena, struct sqlite3_stmt *statement, int at)
{
    return arena_strdup(arena, (const char *)sqlite3_column_text(statement, at));
}

enum err_code sqlite_end(struct sqlite3 *db, enum err_code r, struct err *err)
{
    if (!r)
        r = sqlite_run(db, "COMMIT", err);
    if (r && !sqlite3_get_autocommit(db))
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return r;
}

static enum err_code read_user_version(struct sqlite3 *db, int *out, struct err *err)
{
    auto_statement statement = NULL;
    enum err_code r = sqlite_prepare(db, "PRAGMA user_version", &statement, err);
    if (r)
        return r;
    if (sqlite3_step(statement) != SQLITE_ROW)
        return sqlite_failed(db, "read version", err);
    *out = sqlite3_column_int(statement, 0);
    return ERR_NONE;
}

static const char marker[] = "-- version ";

/* The next section, or NULL; *out_version is its number, *out_end where it ends. */
static const char *next_section(const char *text, int *out_version, const char **out_end)
{
    const char *start = strstr(text, marker);
    if (!start)
        return NULL;
    *out_version = atoi(start + sizeof marker - 1);
    const char *end = strstr(start + 1, marker);
    *out_end = end ? end : start + strlen(start);
    return start;
}

static int newest_version(const char *migrations)
{
    int newest = 0;
    const char *end;
    for (const char *at = migrations; next_section(at, &newest, &end);)
        at = end;
    return newest;
}

static enum err_code apply_migrations(struct sqlite3 *db, const char *migrations, struct err *err)
{
    int present = 0, version = 0;
    const char *end = NULL, *section;
    enum err_code r = read_user_version(db, &present, err); /* again: under the lock */
    for (const char *at = migrations; !r && (section = next_section(at, &version, &end));
         at = end) {
        if (version <= present)
            continue;
        char set[64];
        auto_str sql = strndup(section, (size_t)(end - section));
        snprintf(set, sizeof set, "PRAGMA user_version = %d", version);
        r = sql ? sqlite_run(db, sql, err) : ERR_INTERNAL;
        if (!r)
            r = sqlite_run(db, set, err);
    }
    return r;
}

static enum err_code migrate(struct sqlite3 *db, const char *migrations, struct err *err)
{
    int present = 0, newest = newest_version(migrations);
    enum err_code r = read_user_version(db, &present, err);
    if (r || present == newest)
        return r;
    if (present > newest) {
        err_set(err, ERR_INVALID, 0, "written by a newer mistro (version %d, this one knows %d)",
                present, newest);
        return err_hint(err, ERR_INVALID, "update mistro, or set another storage.dir");
    }
    r = sqlite_run(db, "BEGIN IMMEDIATE", err);
    if (!r)
        r = sqlite_end(db, apply_migrations(db, migrations, err), err);
    return r;
}

/* SQLite gives its side files the mode of the database, so the database is made first. */
static enum err_code create_file(const char *file, struct err *err)
{
    char folder[PATH_MAX];
    if (strlen(file) >= sizeof folder)
        return err_set(err, ERR_INVALID, 0, "file name of %zu bytes is too long", strlen(file));
    strcpy(folder, file);
    enum err_code r = stored_folder_create(dirname(folder), err);
    if (r)
        return r;
    auto_fd fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        err_set(err, ERR_UNAVAILABLE, errno, "%s", strerror(errno));
        return err_hint(err, ERR_UNAVAILABLE, "check that the file belongs to you");
    }
    return ERR_NONE;
}

/* Only an empty file takes it; in any other one SQLite writes it down again, and forces it to disk.
 */
static const char empty_sql[] = "PRAGMA auto_vacuum = INCREMENTAL";
static const char settings_sql[] = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                                   "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF";
static const char begin_sql[] = "PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL";

static enum err_code sync_file(struct sqlite3 *db, int which, struct err *err)
{
    sqlite3_file *file = NULL;
    int code = sqlite3_file_control(db, "main", which, &file);
    if (code == SQLITE_OK && file && file->pMethods)
        code = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
    if (code == SQLITE_OK)
        return ERR_NONE;
    err_set(err, ERR_UNAVAILABLE, code, "sync: %s", sqlite3_errstr(code));
    return err_hint(err, ERR_UNAVAILABLE, "check the disk");
}

/* Nobody else has the file: all of what makes it a database is forced to disk at once. */
static enum err_code begin_file(struct sqlite3 *db, const char *migrations, struct err *err)
{
    enum err_code r = sqlite_run(db, begin_sql, err);
    if (!r)
        r = migrate(db, migrations, err);
    if (!r)
        r = sqlite_run(db, settings_sql, err);
    return r ? r : sync_file(db, SQLITE_FCNTL_FILE_POINTER, err);
}

static enum err_code set_up(const char *file, const char *migrations, bool is_new,
                            struct sqlite3 **out_db, struct err *err)
{
    enum err_code r = create_file(file, err);
    if (r)
        return r;
    if (sqlite3_open_v2(file, out_db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        return sqlite_failed(*out_db, "open", err);
    sqlite3_extended_result_codes(*out_db, 1);
    sqlite3_busy_timeout(*out_db, SQLITE_WAIT_MS);
    if (is_new)
        return begin_file(*out_db, migrations, err);
    int version = 0;
    r = read_user_version(*out_db, &version, err);
    if (!r && !version)
        r = sqlite_run(*out_db, empty_sql, err);
    if (!r)
        r = sqlite_run(*out_db, settings_sql, err);
    return r ? r : migrate(*out_db, migrations, err);
}

char *sqlite_migrations(struct assets *assets, const char *path)
{
    AUTO(arena) scratch = { 0 };
    const char *text, *origin;
    if (assets_get(assets, path, &scratch, &text, &origin, NULL))
        return NULL;
    return strdup(text);
}

static enum err_code open_file(const char *file, const char *migrations, bool is_new,
                               struct sqlite3 **out, struct err *err)
{
    struct sqlite3 *db = NULL;
    if (!migrations)
        return err_set(err, ERR_INTERNAL, 0, "database %s: no migrations", file);
    enum err_code r = set_up(file, migrations, is_new, &db, err);
    if (r) {
        sqlite3_close(db);
        return err_prefix(err, r, "database %s", file);
    }
    *out = db;
    return ERR_NONE;
}

enum err_code sqlite_database_open(const char *file, const char *migrations, struct sqlite3 **out,
                                   struct err *err)
{
    return open_file(file, migrations, false, out, err);
}

enum err_code sqlite_database_create(const char *file, const char *migrations, struct sqlite3 **out,
                                     struct err *err)
{
    return open_file(file, migrations, true, out, err);
}

enum err_code sqlite_database_sync(struct sqlite3 *db, struct err *err)
{
    return sync_file(db, SQLITE_FCNTL_JOURNAL_POINTER, err);
}
