/* What a modern server behind a URL wants beside a call: some of its parameters, in headers
 * (header_parameters.h). Which ones says the definition of the tool, so a call needs the list; and
 * when the server turns a call away because its headers are wrong, the list was out of date. */
#ifndef INFRASTRUCTURE_MCP_CLIENT_CLIENT_HEADERS_H
#define INFRASTRUCTURE_MCP_CLIENT_CLIENT_HEADERS_H

#include "infrastructure/mcp/client/client_internal.h"

/* ERR_NONE: the tool of this definition can be called as far as headers go. */
MUST_CHECK
enum err_code client_headers_check(const struct client *client, const json_t *definition,
                                   struct err *err);
/* The lines for a call, in the arena. Lists the tools first where they were not listed, or have
 * changed since; a server that does not list them is called without further headers. */
awaits MUST_CHECK enum err_code client_headers_prepare(struct client *client, struct scope *scope,
                                                       const struct tool_call *call,
                                                       struct arena *arena, struct request *out,
                                                       struct err *err);
/* Whether the server refused a call, with this error (may be NULL), for its headers; then the list
 * of tools is out of date. The err that explains it gets a hint. */
bool client_headers_were_refused(struct client *client, const json_t *error, struct err *err);

#endif
