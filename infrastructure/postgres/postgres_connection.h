/* One connection: opened, asked whether it still stands, and used for one exchange after another.
 * For the thread of a job. The password of its URL is never part of a message, whoever wrote it. */
#ifndef INFRASTRUCTURE_POSTGRES_POSTGRES_CONNECTION_H
#define INFRASTRUCTURE_POSTGRES_POSTGRES_CONNECTION_H

#include "infrastructure/postgres/libpq.h"
#include "infrastructure/postgres/postgres_database.h"
#include <stdbool.h>

/* The advisory locks with keys of two integers, of which the first is "mist", or one or two above.
 * Each connection has the second one, shared, with the version of the schema that it knows; the
 * third one goes with a hash of what is bounded and the number of a place (postgres_places.c). */
#define POSTGRES_MIGRATION_LOCK "1835627380, 1"
#define POSTGRES_KNOWN_LOCK "1835627381"
#define POSTGRES_PLACES_LOCK "1835627382"

struct postgres_connection {
    const struct libpq *pq;
    PGconn *pg;     /* NULL: closed */
    char *password; /* of the URL; NULL: it has none */
};

/* ERR_INVALID for a URL that libpq would not read as it was meant; ERR_UNAVAILABLE otherwise. */
MUST_CHECK
enum err_code postgres_connection_open(const char *url, struct postgres_connection *out,
                                       struct err *err);
void postgres_connection_close(struct postgres_connection *c);
/* False when it is closed, or the server has closed it since it was last used. */
bool postgres_connection_stands(struct postgres_connection *c);
/* The statements as one transaction. It is closed when the server does not answer, and only then.
 * *out (NULL: not wanted) is the result of the last one. */
MUST_CHECK
enum err_code postgres_connection_send(struct postgres_connection *c,
                                       const struct postgres_statement *statements, size_t n,
                                       PGresult **out, struct err *err);
/* Statements without values, with ";" between them, each as its transaction statements say. */
MUST_CHECK
enum err_code postgres_connection_script(struct postgres_connection *c, const char *script,
                                         PGresult **out, struct err *err);

#endif
