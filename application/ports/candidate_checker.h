/* Runs a candidate where running it is harmless and says what it did: a regular expression against
 * texts it must and must not match (PCRE2, with match, depth and heap limits), a SQL statement in
 * an in-memory database that the examples fill (authorizer, time and row limits; no ATTACH, no
 * PRAGMA, no file). Code of any other kind is never executed: it is only looked at. */
#ifndef APPLICATION_PORTS_CANDIDATE_CHECKER_H
#define APPLICATION_PORTS_CANDIDATE_CHECKER_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include "domain/consensus/role_set.h"

struct candidate_checker;

/* Examples, as a role set or a task's file has them:
 *   regex   {"match":["a1"], "reject":["b"], "full":true}
 *   sql     {"setup":"create table …; insert …", "rows":[[1,"x"]], "columns":["id"],
 *            "ordered":false}
 *   number  {"equals":"4"} or {"min":0,"max":10,"integer":true}
 *   json    {"schema":{…}}
 *   text    {"contains":["word"], "min_words":1, "max_words":200} */
#define CANDIDATE_MAX_EXAMPLES 200
#define CANDIDATE_MAX_EXAMPLE_BYTES 65536

/* What is tried. */
struct candidate_trial {
    enum canonical_kind kind;
    const char *canonical;  /* the candidate */
    const json_t *examples; /* NULL: only whether it can be run at all */
};

struct candidate_checker_ops {
    enum err_code (*check)(struct candidate_checker *c, struct scope *sc,
                           const struct candidate_trial *trial, struct arena *arena,
                           const char **out_failure, struct err *err);
};

struct candidate_checker {
    const struct candidate_checker_ops *ops;
};

/* *out_failure: NULL when the candidate does all that the examples ask, else what it does not do,
 * as an instruction for its author ("it must match \"a1\" and does not"), in the arena.
 * ERR_INVALID: the examples are not of that form (with their path); ERR_LIMIT is a failure of the
 * candidate and not an error. Without examples a regex need only compile, and a SQL statement only
 * parse. */
awaits MUST_CHECK static inline enum err_code candidate_check(
    struct candidate_checker *c, struct scope *sc, const struct candidate_trial *trial,
    struct arena *arena, const char **out_failure, struct err *err)
{
    return c->ops->check(c, sc, trial, arena, out_failure, err);
}

#endif
