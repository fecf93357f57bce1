/* PostgreSQL as this project uses it: one connection for each process, which all of its stores
 * share. libpq waits in jobs of one worker (infrastructure/runtime/worker.h), so that statements
 * are never under way at the same time, and every wait has a bound.
 *
 * The connection is opened by the first job that needs it, and opened anew by the next one after it
 * was lost. A statement that was sent and not answered is never sent again: its failure says that
 * the outcome is unknown (err_outcome_unknown). Statements that are written together are one
 * transaction and one round trip.
 *
 * All tables are in the schema "mistro". Each file data/migrations/postgres/NUMBER_*.sql is one
 * version of it; processes that find an older schema bring it up to date one at a time, and end the
 * connections of others, which know the schema as it was. A newer one is ERR_INVALID and stays as
 * it is. */
#ifndef INFRASTRUCTURE_POSTGRES_POSTGRES_DATABASE_H
#define INFRASTRUCTURE_POSTGRES_POSTGRES_DATABASE_H

#include "application/ports/assets.h"
#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include "domain/base/scope.h"
#include "infrastructure/postgres/libpq.h"
#include <stdint.h>

#define POSTGRES_URL_MAX_BYTES 2048
#define POSTGRES_CONNECT_S 5      /* for each address of the URL */
#define POSTGRES_ANSWER_MS 10000  /* for all statements that are sent together */
#define POSTGRES_MIGRATE_MS 60000 /* for a new version of the schema */
#define POSTGRES_MAX_VALUES 24    /* of one statement */

struct postgres_database;
struct uv_runtime;
struct worker;

/* Nothing is opened or loaded yet. url is copied; "postgresql://" is its only form. assets is used
 * now only. */
struct postgres_database *postgres_database_create(struct uv_runtime *runtime, const char *url,
                                                   struct assets *assets);
/* Jobs queued so far are done first. NULL is fine. */
awaits void postgres_database_destroy(struct postgres_database *db);
/* Where the jobs that use the database run, one at a time. */
struct worker *postgres_database_worker(struct postgres_database *db);

struct postgres_statement {
    const char *sql;           /* one statement, with $1, $2, … for the values */
    int n;                     /* values */
    const char *const *values; /* NULL is null */
    const int *lengths; /* of values that are sent as bytes; -1 for a text. NULL: all are texts */
    bool only_reads; /* it has no effect, or none that anybody has to know of, so that it does not
                        matter whether it was carried out */
};

/* A statement whose values, all of them texts, live as long as the block that it is written in. */
#define POSTGRES_STATEMENT(text, ...)                                                              \
    {                                                                                              \
        .sql = (text), .n = (int)ARRAY_LENGTH(((const char *const[]){ __VA_ARGS__ })),             \
        .values = (const char *const[])                                                            \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
/* The same in the arena, for lists of statements. */
struct postgres_statement postgres_statement(struct arena *arena, const char *sql, int n,
                                             const char *const *values);
/* A value; in the arena. */
const char *postgres_number(struct arena *arena, int64_t number);

/* In jobs. One statement, as a transaction of its own. *out (NULL: not wanted) is the caller's, to
 * be freed by postgres_result_free. ERR_UNAVAILABLE with a hint when there is no connection, it is
 * lost or the time is over; ERR_INVALID for a URL or schema that cannot be used; ERR_MISMATCH and
 * ERR_LIMIT where a function of the schema raises them; else ERR_INTERNAL. */
MUST_CHECK
enum err_code postgres_query(struct postgres_database *db,
                             const struct postgres_statement *statement, PGresult **out,
                             struct err *err);
/* The same from a task, in a job. */
awaits MUST_CHECK enum err_code postgres_ask(struct postgres_database *db,
                                             const struct scope *scope,
                                             const struct postgres_statement *statement,
                                             PGresult **out, struct err *err);
/* In jobs. All of the statements or none of them, in one round trip. Errors as of postgres_query.
 */
MUST_CHECK
enum err_code postgres_write(struct postgres_database *db,
                             const struct postgres_statement *statements, size_t n,
                             struct err *err);
/* In jobs. A further connection, set up in the same way, for a caller who closes it with
 * PQfinish and never shares it. */
MUST_CHECK
enum err_code postgres_connect(struct postgres_database *db, PGconn **out, struct err *err);

/* SQLSTATEs of functions of the schema, which become errors with the message that they gave. */
#define POSTGRES_MISMATCH "MI001" /* ERR_MISMATCH: what is stored is not what was seen before */
#define POSTGRES_LIMIT "MI002"    /* ERR_LIMIT */

int postgres_n_rows(const PGresult *result);
/* How many rows the statement changed. */
int64_t postgres_n_changed(PGresult *result);
/* Borrowed from the result; NULL for null. */
const char *postgres_text(const PGresult *result, int row, int column);
int64_t postgres_integer(const PGresult *result, int row, int column);
/* NULL is fine. */
void postgres_result_free(PGresult *result);

static inline void postgres_cleanup_result(PGresult **result)
{
    postgres_result_free(*result);
}
#define auto_result __attribute__((cleanup(postgres_cleanup_result))) PGresult *

#endif
