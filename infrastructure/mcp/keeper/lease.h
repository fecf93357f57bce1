/* A server of the keeper's (keeper.h), lent to this process: its pipes are ours until it is given
 * back, and nothing of the keeper stands between us and it. */
#ifndef INFRASTRUCTURE_MCP_KEEPER_LEASE_H
#define INFRASTRUCTURE_MCP_KEEPER_LEASE_H

#include "infrastructure/mcp/keeper/keeper_wire.h"

struct lease {
    int socket; /* -1: nothing is lent */
    int pid;
    int pipes[KEEPER_PIPES]; /* owned, until they are handed on */
    json_t *note;            /* of the session that it is in; NULL: it was just started */
};

/* What the servers of a process share: one that did not answer is not asked again. */
struct keeper_access {
    const char *folder; /* of its socket; NULL: none is asked */
    bool is_silent;
};

/* Asks the keeper for a server that runs this, as `open` says (keeper_wire.h), which is taken over;
 * is_new: for one that nobody had yet. ERR_NOT_FOUND: there is no keeper. ERR_TIMEOUT: it does not
 * answer within half a second, for which this blocks. ERR_UNAVAILABLE, ERR_DENIED, ERR_LIMIT: why
 * it lends none. */
MUST_CHECK
enum err_code lease_take(struct keeper_access *keeper, json_t *open, bool is_new, struct lease *out,
                         struct err *err);
/* Gives it back: with the note, to be lent again, or NULL, to be ended. */
void lease_end(struct lease *lease, json_t *note);
/* Sends one of the messages that are no lease, and returns the number in its answer under that
 * name. */
MUST_CHECK
enum err_code lease_ask(const char *folder, json_t *message, const char *name, int64_t *out,
                        struct err *err);

#endif
