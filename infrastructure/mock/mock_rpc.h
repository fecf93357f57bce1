/* The faults of a mock that only a process can have, as a wrapper around the rpc port it speaks
 * through: dying, hanging up, falling silent, writing what is no message. Used by `serve mock`. */
#ifndef INFRASTRUCTURE_MOCK_MOCK_RPC_H
#define INFRASTRUCTURE_MOCK_MOCK_RPC_H

#include "application/ports/rpc.h"
#include "application/ports/runtime.h"
#include "application/ports/tool_server.h"

#define MOCK_EXIT_STATUS 70

/* Steals inner; mock is borrowed. Junk goes to out_fd, which is where inner writes as well, once
 * inner has nothing left to write. */
struct rpc *mock_rpc_create(struct runtime *runtime, struct tool_server *mock, struct rpc *inner,
                            int out_fd);

#endif
