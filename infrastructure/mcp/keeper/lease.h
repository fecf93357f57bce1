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

/* Asks the keeper of that folder for a server that runs this, as `open` says (keeper_wire.h).
 * ERR_NOT_FOUND: there is no keeper. ERR_UNAVAILABLE, ERR_DENIED, ERR_LIMIT: there is one, and why
 * it lends none. Does not wait longer than it takes to start a program. */
MUST_CHECK
enum err_code lease_take(const char *folder, json_t *open, struct lease *out, struct err *err);
/* Gives it back: with the note, to be lent again, or NULL, to be ended. */
void lease_end(struct lease *lease, json_t *note);
/* Sends one of the messages that are no lease, and returns the number in its answer under that
 * name. */
MUST_CHECK
enum err_code lease_ask(const char *folder, json_t *message, const char *name, int64_t *out,
                        struct err *err);

#endif
