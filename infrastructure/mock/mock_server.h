/* A scripted tool_server: tools, replies, delays, progress and faults from a fixture, for
 * integration tests of ours and of users (docs/mock.md describes the format). In process it is
 * the fake of tests; `mistro serve mock` puts it behind MCP.
 *
 * Faults that concern a whole process (exit, close, silence, junk, garbage) need somebody who owns
 * one: mock_rpc.h. Without such a handler they look to the caller like what a client would make of
 * them: ERR_UNAVAILABLE, ERR_PROTOCOL, or no answer at all. */
#ifndef INFRASTRUCTURE_MOCK_MOCK_SERVER_H
#define INFRASTRUCTURE_MOCK_MOCK_SERVER_H

#include "application/ports/runtime.h"
#include "application/ports/tool_server.h"
#include "infrastructure/mock/mock_fixture.h"

#define MOCK_MAX_RECORDED_CALLS 10000

/* fixture: the parsed file (a reference is kept). Problems of the fixture are ERR_INVALID with the
 * JSON Pointer of the faulty member in front of the message. */
MUST_CHECK
enum err_code mock_server_create(struct runtime *runtime, const char *name, json_t *fixture,
                                 struct tool_server **out, struct err *err);
/* The serving options the fixture asks for: "both", "modern" or "legacy"; page size, 0 = none. */
const char *mock_server_era(struct tool_server *server);
size_t mock_server_page_size(struct tool_server *server);
/* The whole fixture as it was checked; borrowed. */
const struct mock_fixture *mock_server_fixture(struct tool_server *server);

/* What was called so far, oldest first: array of {"tool":…,"arguments":{…}}. Borrowed. */
const json_t *mock_server_calls(struct tool_server *server);

/* Called on the calling task when a reply has a fault; what it returns ends the call unless it is
 * ERR_NONE. */
typedef enum err_code mock_fault_fn(void *context, struct scope *scope, enum mock_fault fault,
                                    struct err *err);
void mock_server_on_fault(struct tool_server *server, mock_fault_fn *fn, void *context);

#endif
