/* A scripted tool_server: tools, replies, delays, progress and faults from a fixture, for
 * integration tests of ours and of users (docs/mock.md describes the format). In process it is
 * the fake of tests; `mistro serve mock` puts it behind MCP. */
#ifndef INFRASTRUCTURE_MOCK_MOCK_SERVER_H
#define INFRASTRUCTURE_MOCK_MOCK_SERVER_H

#include "application/ports/runtime.h"
#include "application/ports/tool_server.h"

/* fixture: the parsed file (a reference is kept). Problems of the fixture are ERR_INVALID with the
 * JSON Pointer of the faulty member in front of the message. */
MUST_CHECK
enum err_code mock_server_create(struct runtime *runtime, const char *name, json_t *fixture,
                                 struct tool_server **out, struct err *err);
/* The serving options the fixture asks for: "both", "modern" or "legacy"; page size, 0 = none. */
const char *mock_server_era(struct tool_server *server);
size_t mock_server_page_size(struct tool_server *server);

#endif
