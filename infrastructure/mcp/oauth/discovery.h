/* Finds out who gives tokens for an MCP server (`mcp.md` 5.1.2 to 4): the metadata of the resource,
 * then that of its authorization server. Servers of 2025-03-26 publish the latter only, or nothing
 * at all and have fixed paths. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_DISCOVERY_H
#define INFRASTRUCTURE_MCP_OAUTH_DISCOVERY_H

#include "infrastructure/mcp/oauth/metadata/oauth_metadata.h"
#include "infrastructure/mcp/oauth/oauth_http.h"

struct oauth_target {
    const char *resource; /* what a token is for, as published */
    const json_t *scopes; /* all that the resource knows; or NULL */
    struct authorization_server server;
    bool is_assumed; /* nothing was published */
};

/* resource_metadata: the URL of a challenge, or NULL. Everything in *out lives in the arena.
 * ERR_PROTOCOL: what was found does not hold; nothing of it was used. */
awaits MUST_CHECK enum err_code oauth_discover(const struct oauth_http *http,
                                               const struct scope *scope,
                                               const char *resource_metadata, struct arena *arena,
                                               struct oauth_target *out, struct err *err);

#endif
