/* SQL that a model wrote runs in a child process: mistro itself, started again with one word that
 * says what to answer. The bounds of sql_guard.h are not enough for time. SQLite looks at its
 * progress handler between the steps of a loop, but never within a function or a sort, and one call
 * of instr() or printf() can take minutes on values that each are within their bound. A child is
 * ended whatever it does: by its own alarm when its time is over, by its parent when the scope
 * ends. Its memory has a bound of its own, too. Parent and child exchange one JSON text each, over
 * stdin and stdout. */
#ifndef INFRASTRUCTURE_WORKSPACE_SQL_CHILD_H
#define INFRASTRUCTURE_WORKSPACE_SQL_CHILD_H

#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include "domain/base/scope.h"
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define SQL_CHILD_GRACE_MS 1000 /* then the parent ends what its alarm has not */
#define SQL_CHILD_MAX_REQUEST_BYTES (64 * 1024 * 1024)

struct uv_runtime;

struct sql_child {
    const char *program;                /* mistro */
    const char *word;                   /* its only argument */
    int64_t milliseconds, memory_bytes; /* of SQLite: what is loaded and what the query needs */
    size_t max_bytes;                   /* of the answer */
};

/* The request gets members for the bounds of the child. *out_text: what it answered, owned by the
 * caller. ERR_LIMIT: it was not done in time, or the request is too large; ERR_TIMEOUT and
 * ERR_CANCELLED are the scope's; ERR_FAILED: it could not run or died. */
awaits MUST_CHECK enum err_code sql_child_run(struct uv_runtime *runtime, const struct scope *scope,
                                              const struct sql_child *child, json_t *request,
                                              char **out_text, struct err *err);

/* In the child. The answer to a request, malloc'd. */
typedef char *sql_child_fn(const json_t *request);
/* Reads the request, writes the answer, returns the exit status. */
int sql_child_serve(sql_child_fn *answer);

#endif
