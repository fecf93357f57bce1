/* What the model said is in the state of its run, so that a run that is gone on with does not ask
 * again: the n-th reply to a request belongs to the n-th time that this very request is made. A
 * request that differs in a byte, in its schema or in an option is another one and is asked. So is
 * one of another party, where several models are asked side by side. */
#ifndef APPLICATION_STRUCTURED_REPLY_LEDGER_H
#define APPLICATION_STRUCTURED_REPLY_LEDGER_H

#include "application/ports/digest.h"
#include "application/ports/model.h"
#include "domain/base/arena.h"
#include "domain/repositories/run_states.h"

struct request_count;

/* A zeroed one keeps nothing. */
struct reply_ledger {
    struct run_state *state;         /* NULL: nothing is kept */
    const struct run_contents *kept; /* of an earlier process; or NULL */
    struct digest *digest;
    struct arena *arena; /* of the run */
    struct request_count *requests;
    size_t n_requests, capacity;
    size_t n_replies; /* of this process and of the one before */
    /* An object with the ids of those replies that the log has; NULL: it is taken to have all. */
    const json_t *logged;
};

/* The reply that is kept for the request, in the arena, and its id, by which the log knows it;
 * NULL: there is none. ledger NULL: none is kept; party NULL: there is one only. */
const char *reply_ledger_recall(struct reply_ledger *ledger, const char *party,
                                const struct model_request *request, struct arena *arena,
                                struct model_reply *out);
/* Keeps the reply to a request that was not recalled. Afterwards it survives a killed process; it
 * is forced to disk with the next call that may not be repeated, which tells as well when it could
 * not be written. Gives its id, or NULL where nothing is kept. */
awaits const char *reply_ledger_keep(struct reply_ledger *ledger, struct scope *scope,
                                     const char *party, const struct model_request *request,
                                     const struct model_reply *reply);

#endif
