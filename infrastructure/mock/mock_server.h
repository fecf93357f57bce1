/* A scripted tool_server: tools, replies, delays, progress and faults from a fixture, for
 * integration tests of ours and of users (docs/mock.md describes the format). In process it is
 * the fake of tests; `mistro serve mock` puts it behind MCP.
 *
 * Faults that concern a whole process (exit, close, silence, junk, garbage) are played by
 * mock_rpc_create, which wraps the rpc port of a process. Without that wrapper they look to the
 * caller as a client would see them: ERR_UNAVAILABLE, ERR_PROTOCOL, or no answer at all. */
#ifndef INFRASTRUCTURE_MOCK_MOCK_SERVER_H
#define INFRASTRUCTURE_MOCK_MOCK_SERVER_H

#include "application/ports/rpc.h"
#include "application/ports/runtime.h"
#include "application/ports/tool_server.h"
#include "infrastructure/mock/mock_fixture.h"

#define MOCK_MAX_RECORDED_CALLS 100
#define MOCK_EXIT_STATUS 70 /* of a process that plays the fault "exit" */

/* fixture: the parsed file (a reference is kept). Problems of the fixture are ERR_INVALID with the
 * JSON Pointer of the faulty member in front of the message. */
MUST_CHECK
enum err_code mock_server_create(struct runtime *runtime, const char *name, json_t *fixture,
                                 struct tool_server **out, struct err *err);
/* The fixture as it was checked, with the serving options it asks for; borrowed. */
const struct mock_fixture *mock_server_fixture(struct tool_server *server);

/* What was called so far, oldest first: array of {"tool":…,"arguments":{…}}. Borrowed. */
const json_t *mock_server_calls(struct tool_server *server);

/* Called on the calling task when a reply has a fault; what it returns ends the call unless it is
 * ERR_NONE. */
typedef enum err_code mock_fault_fn(void *context, struct scope *scope, enum mock_fault fault,
                                    struct err *err);
void mock_server_on_fault(struct tool_server *server, mock_fault_fn *fn, void *context);

/* The rpc port of `serve mock`: a wrapper around inner that dies, hangs up, falls silent or writes
 * what is not a message where the fixture says so. Steals inner; mock is borrowed. Junk goes to
 * out_fd, which is where inner writes as well, once inner has nothing left to write. */
struct rpc *mock_rpc_create(struct runtime *runtime, struct tool_server *mock, struct rpc *inner,
                            int out_fd);

#endif
