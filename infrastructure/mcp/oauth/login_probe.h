/* Asks an MCP server one thing without a token, to hear how it refuses: who wants to log in need
 * not have been refused before. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_LOGIN_PROBE_H
#define INFRASTRUCTURE_MCP_OAUTH_LOGIN_PROBE_H

#include "infrastructure/mcp/oauth/oauth_internal.h"

/* Afterwards the refusal is known, if it was one. ERR_UNAVAILABLE, ERR_TIMEOUT: no answer. */
awaits MUST_CHECK enum err_code login_probe(struct oauth *oauth, const struct scope *scope,
                                            struct err *err);

#endif
