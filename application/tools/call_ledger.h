/* Writing ahead: what is known of a call is in the state of its run before the world could know
 * more. The intent of a call that may not be repeated is on disk before its first byte is sent; its
 * result is written before anybody hears of it, and on disk before the next call, which may depend
 * on it. Calls that may be repeated are written in passing: the worst that a lost record of one
 * costs is the call made again. */
#ifndef APPLICATION_TOOLS_CALL_LEDGER_H
#define APPLICATION_TOOLS_CALL_LEDGER_H

#include "application/ports/digest.h"
#include "domain/base/arena.h"
#include "domain/repositories/run_states.h"
#include "domain/tool/step_result.h"

#define CALL_EFFECT_ID_LENGTH 26

struct call_ledger {
    struct run_state *state; /* NULL: nothing is kept, and the rest of this does not count, */
    struct err failure;      /* but for why: then only what may be repeated is called; or NONE */
    int64_t max_bytes;       /* runs.max_state_mb */
    int64_t bytes;           /* of results so far, those of earlier processes too */
    bool has_calls;          /* of which anything is kept */
    bool has_failed;         /* a call ended with an error, or nobody knows how */
    unsigned n_settled;      /* results of calls that may not be repeated, */
    unsigned n_synced;       /* … and so many of them are surely on disk */
    const bool *is_closed;   /* once it is true, no further call is made; NULL: that never comes */
};

/* What a call is, the same in every attempt and every process that goes on with its run. */
struct call_address {
    const char *run_id;
    const char *path;     /* of the call in the run */
    const char *identity; /* of its server; secret */
    const char *tool;     /* the server's own name */
    const json_t *args;
};

/* CALL_EFFECT_ID_LENGTH letters and digits, in the arena. */
const char *call_effect_id(struct arena *arena, struct digest *digest,
                           const struct call_address *address);

/* ERR_NONE: the call may be sent. Otherwise it must not be: it could not be written (the errors of
 * run_state_commit), what is kept of the run is too large (ERR_LIMIT), or the ledger is closed
 * (ERR_CANCELLED). */
awaits MUST_CHECK enum err_code call_ledger_intend(struct call_ledger *ledger, struct scope *scope,
                                                   const struct call_record *record,
                                                   bool may_repeat, struct err *err);
/* What became of it. Fails as run_state_commit; of a call that may be repeated that is told later.
 */
awaits MUST_CHECK enum err_code call_ledger_settle(struct call_ledger *ledger, struct scope *scope,
                                                   const struct call_record *record,
                                                   bool may_repeat, struct err *err);

/* The outcome of a call that was handed to its server and failed without a result: an answer that
 * is an error, an unknown outcome, or, where the server did not get it, none. in_process: an end
 * before the answer says nothing about what was done. */
enum call_state call_state_of(const struct err *err, bool in_process);

#endif
