/* The connection of a process and the schema in it. Nothing here is touched by two threads at a
 * time: what jobs use is theirs from creation to destruction. */
#include "infrastructure/postgres/postgres_database.h"
#include "domain/base/arena.h"
#include "domain/base/buf.h"
#include "infrastructure/postgres/postgres_connection.h"
#include "infrastructure/runtime/worker.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIGRATIONS_FOLDER "data/migrations/postgres"
#define MIGRATION_MAX_BYTES (1024 * 1024)

struct migration {
    int version;
    const char *sql;
};

struct postgres_database {
    struct worker *worker;
    char *url;
    struct arena arena; /* of the migrations */
    struct migration *migrations;
    size_t n_migrations;
    struct postgres_connection connection;
};

/* Their names begin with their numbers, of the same length, so that they come in order. */
static void read_migrations(struct postgres_database *db, struct assets *assets)
{
    const char **names, *origin;
    size_t n = 0;
    if (assets_list(assets, MIGRATIONS_FOLDER, &db->arena, &names, &n, NULL))
        return;
    db->migrations = arena_array(&db->arena, struct migration, n + 1);
    for (size_t i = 0; i < n; i++) {
        struct migration *next = &db->migrations[db->n_migrations];
        const char *path = arena_printf(&db->arena, MIGRATIONS_FOLDER "/%s", names[i]);
        next->version = atoi(names[i]);
        if (next->version > 0 && !assets_get(assets, path, &db->arena, &next->sql, &origin, NULL))
            db->n_migrations++;
    }
}

struct postgres_database *postgres_database_create(struct uv_runtime *runtime, const char *url,
                                                   struct assets *assets)
{
    struct postgres_database *db = calloc(1, sizeof *db);
    char *copy = strdup(url);
    if (!db || !copy)
        abort();
    db->worker = worker_create(runtime);
    db->url = copy;
    read_migrations(db, assets);
    return db;
}

void postgres_database_destroy(struct postgres_database *db)
{
    if (!db)
        return;
    worker_destroy(db->worker);
    postgres_connection_close(&db->connection);
    arena_finish(&db->arena);
    free(db->url);
    free(db);
}

struct worker *postgres_database_worker(struct postgres_database *db)
{
    return db->worker;
}

static int newest_version(const struct postgres_database *db)
{
    return db->n_migrations ? db->migrations[db->n_migrations - 1].version : 0;
}

static enum err_code check_version(const struct postgres_database *db, int version, struct err *err)
{
    if (version <= newest_version(db))
        return ERR_NONE;
    err_set(err, ERR_INVALID, 0,
            "PostgreSQL: the schema is of a newer mistro (version %d, this one knows %d)", version,
            newest_version(db));
    return err_hint(err, ERR_INVALID, "update mistro, or set another storage.postgres");
}

/* Asks for one number. */
static enum err_code read_number(struct postgres_connection *c, const char *sql, int *out,
                                 struct err *err)
{
    const struct postgres_statement statement = { .sql = sql, .only_reads = true };
    auto_result result = NULL;
    enum err_code r = postgres_connection_send(c, &statement, 1, &result, err);
    if (!r)
        *out = (int)postgres_integer(result, 0, 0);
    return r;
}

/* The server gives up before we do, and one that stands still in the middle of a transaction is not
 * waited for by others. What is committed is on disk, whatever the server does by default. 0: there
 * is no schema yet. */
static enum err_code read_version(const struct postgres_database *db, struct postgres_connection *c,
                                  int *out, struct err *err)
{
    char sql[400];
    snprintf(sql, sizeof sql,
             "SELECT (to_regclass('mistro.migrations') IS NOT NULL)::integer,"
             " set_config('statement_timeout', '%d', false),"
             " set_config('idle_in_transaction_session_timeout', '%d', false),"
             " set_config('default_transaction_isolation', 'read committed', false),"
             " set_config('synchronous_commit',"
             " replace(current_setting('synchronous_commit'), 'off', 'on'), false)",
             POSTGRES_ANSWER_MS - 1000, POSTGRES_ANSWER_MS);
    enum err_code r = read_number(c, sql, out, err);
    if (r || !*out)
        return r;
    snprintf(sql, sizeof sql,
             "SELECT version, CASE WHEN version = %d THEN "
             "pg_try_advisory_lock_shared(" POSTGRES_KNOWN_LOCK ", version) END FROM"
             " (SELECT coalesce(max(version), 0) AS version FROM mistro.migrations) m",
             newest_version(db));
    return read_number(c, sql, out, err);
}

static const char begin_format[] =
    "BEGIN; SET LOCAL statement_timeout = %d; SELECT pg_advisory_xact_lock(" POSTGRES_MIGRATION_LOCK
    ");"
    "DO $$ BEGIN IF to_regnamespace('mistro') IS NULL THEN CREATE SCHEMA mistro; END IF; END $$;"
    "CREATE TABLE IF NOT EXISTS mistro.migrations"
    " (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());"
    "SELECT coalesce(max(version), 0) FROM mistro.migrations";

static enum err_code apply(struct postgres_connection *c, const struct migration *migration,
                           struct err *err)
{
    AUTO(buf) script;
    buf_init(&script, MIGRATION_MAX_BYTES);
    if (!buf_printf(&script, "%s\n; INSERT INTO mistro.migrations(version) VALUES (%d)",
                    migration->sql, migration->version))
        return err_set(err, ERR_LIMIT, 0, "migration %d is too long", migration->version);
    enum err_code r = postgres_connection_script(c, buf_string(&script), NULL, err);
    return r ? err_prefix(err, r, "migration %d", migration->version) : r;
}

/* Whoever else is connected knows the schema as it was, and looks again when it connects anew. */
static enum err_code end_older(struct postgres_connection *c, int version, struct err *err)
{
    char sql[300];
    snprintf(sql, sizeof sql,
             "SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database d ON d.oid = database"
             " WHERE locktype = 'advisory' AND classid = " POSTGRES_KNOWN_LOCK " AND objid < %d"
             " AND datname = current_database()",
             version);
    return postgres_connection_script(c, sql, NULL, err);
}

/* In a transaction that begin_format began, with the lock: what others did meanwhile is seen. */
static enum err_code apply_missing(const struct postgres_database *db,
                                   struct postgres_connection *c, int version, struct err *err)
{
    enum err_code r = check_version(db, version, err);
    for (size_t i = 0; !r && i < db->n_migrations; i++)
        if (db->migrations[i].version > version)
            r = apply(c, &db->migrations[i], err);
    char commit[100];
    snprintf(commit, sizeof commit,
             "COMMIT; SELECT pg_advisory_lock_shared(" POSTGRES_KNOWN_LOCK ", %d)",
             newest_version(db));
    if (!r)
        r = postgres_connection_script(c, commit, NULL, err);
    return r ? r : end_older(c, newest_version(db), err);
}

static enum err_code migrate(const struct postgres_database *db, struct postgres_connection *c,
                             struct err *err)
{
    char begin[sizeof begin_format + 20];
    auto_result result = NULL;
    snprintf(begin, sizeof begin, begin_format, POSTGRES_MIGRATE_MS);
    enum err_code r = postgres_connection_script(c, begin, &result, err);
    if (!r)
        r = apply_missing(db, c, (int)postgres_integer(result, 0, 0), err);
    return r;
}

/* A connection that is closed rolls back what it began. */
static enum err_code open_connection(const struct postgres_database *db,
                                     struct postgres_connection *out, struct err *err)
{
    int version = 0;
    if (!db->n_migrations)
        return err_set(err, ERR_INTERNAL, 0, "PostgreSQL: no migrations");
    enum err_code r = postgres_connection_open(db->url, out, err);
    if (r)
        return r;
    r = read_version(db, out, &version, err);
    if (!r)
        r = check_version(db, version, err);
    if (!r && version < newest_version(db))
        r = migrate(db, out, err);
    if (r)
        postgres_connection_close(out);
    return r;
}

static enum err_code send_all(struct postgres_database *db,
                              const struct postgres_statement *statements, size_t n, PGresult **out,
                              struct err *err)
{
    struct postgres_connection *c = &db->connection;
    enum err_code r = ERR_NONE;
    if (!postgres_connection_stands(c)) {
        postgres_connection_close(c);
        r = open_connection(db, c, err);
    }
    return r ? r : postgres_connection_send(c, statements, n, out, err);
}

struct postgres_statement postgres_statement(struct arena *arena, const char *sql, int n,
                                             const char *const *values)
{
    const char **copy = arena_array(arena, const char *, (size_t)n);
    memcpy(copy, values, (size_t)n * sizeof *values);
    return (struct postgres_statement){ .sql = sql, .n = n, .values = copy };
}

const char *postgres_number(struct arena *arena, int64_t number)
{
    return arena_printf(arena, "%" PRId64, number);
}

enum err_code postgres_query(struct postgres_database *db,
                             const struct postgres_statement *statement, PGresult **out,
                             struct err *err)
{
    return send_all(db, statement, 1, out, err);
}

struct question {
    struct postgres_database *db;
    const struct postgres_statement *statement;
    PGresult *result;
};

static enum err_code ask_job(void *argument, struct err *err)
{
    struct question *question = argument;
    return postgres_query(question->db, question->statement, &question->result, err);
}

enum err_code postgres_ask(struct postgres_database *db, const struct scope *scope,
                           const struct postgres_statement *statement, PGresult **out,
                           struct err *err)
{
    struct question question = { .db = db, .statement = statement };
    enum err_code r = worker_try(db->worker, scope, ask_job, &question, err);
    *out = question.result;
    return r;
}

enum err_code postgres_write(struct postgres_database *db,
                             const struct postgres_statement *statements, size_t n, struct err *err)
{
    return send_all(db, statements, n, NULL, err);
}

enum err_code postgres_connect(struct postgres_database *db, PGconn **out, struct err *err)
{
    struct postgres_connection c = { 0 };
    enum err_code r = open_connection(db, &c, err);
    if (!r)
        *out = c.pg;
    free(c.password);
    return r;
}

static const struct libpq *table(void)
{
    const struct libpq *pq = NULL; /* there is a result: it is loaded */
    return libpq_get(&pq, NULL) ? NULL : pq;
}

int postgres_n_rows(const PGresult *result)
{
    return table()->ntuples(result);
}

int64_t postgres_n_changed(PGresult *result)
{
    return strtoll(table()->cmdTuples(result), NULL, 10);
}

const char *postgres_text(const PGresult *result, int row, int column)
{
    const struct libpq *pq = table();
    return pq->getisnull(result, row, column) ? NULL : pq->getvalue(result, row, column);
}

int64_t postgres_integer(const PGresult *result, int row, int column)
{
    return strtoll(table()->getvalue(result, row, column), NULL, 10);
}

void postgres_result_free(PGresult *result)
{
    if (result)
        table()->clear(result);
}
