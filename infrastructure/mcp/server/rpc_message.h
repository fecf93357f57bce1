/* What a client may send to a process that serves MCP, whatever carries it. */
#ifndef INFRASTRUCTURE_MCP_SERVER_RPC_MESSAGE_H
#define INFRASTRUCTURE_MCP_SERVER_RPC_MESSAGE_H

#include "application/ports/rpc.h"
#include "domain/base/attributes.h"

#define RPC_ID_MAX_BYTES 512 /* of an id that is text: each answer repeats it */

/* What a message is refused with. */
struct rpc_objection {
    int code;        /* of JSON-RPC; 0: it is not to be answered */
    const char *why; /* static */
    json_t *id;      /* owned; NULL where it had none that can be answered */
};

/* Makes a message of a JSON value, which it takes over in any case. */
MUST_CHECK
bool rpc_message_take(json_t *value, struct rpc_message *out, struct rpc_objection *out_objection);

#endif
