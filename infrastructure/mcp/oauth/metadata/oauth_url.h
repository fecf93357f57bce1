/* The URLs of authorization, read as http_address.h reads them: where metadata is looked for, and
 * whether a token's resource covers a server. Issuers and resources are compared and sent as they
 * were written, byte for byte; nothing here normalises one. Pure. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_METADATA_OAUTH_URL_H
#define INFRASTRUCTURE_MCP_OAUTH_METADATA_OAUTH_URL_H

#include "domain/base/arena.h"
#include <stdbool.h>
#include <stddef.h>

/* https; or http where that goes to this machine. */
bool oauth_url_is_private(const char *text);
/* Whether a token for this resource may go to this server: the same origin, and a path that is a
 * prefix of the server's on a boundary of segments. */
bool oauth_url_covers(const char *resource, const char *server);
/* Scheme, host and port; in the arena. The URL was read before. */
const char *oauth_url_origin(struct arena *arena, const char *text);
/* Without query and fragment; in the arena. */
const char *oauth_url_plain(struct arena *arena, const char *text);

#define OAUTH_MAX_CANDIDATES 3

/* Where the metadata of a protected resource may be (RFC 9728 3.1), best first. */
size_t oauth_resource_candidates(struct arena *arena, const char *server,
                                 const char *out[static OAUTH_MAX_CANDIDATES]);
/* Where that of an authorization server may be (RFC 8414 3.1, OpenID Connect Discovery). */
size_t oauth_issuer_candidates(struct arena *arena, const char *issuer,
                               const char *out[static OAUTH_MAX_CANDIDATES]);

#endif
