/* The URLs of authorization: what they are made of, where metadata is looked for, and whether a
 * token's resource covers a server. Issuers and resources are compared and sent as they were
 * written, byte for byte; nothing here normalises one. Pure, and strict as http_address.h is. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_OAUTH_URL_H
#define INFRASTRUCTURE_MCP_OAUTH_OAUTH_URL_H

#include "domain/base/arena.h"
#include <stdbool.h>
#include <stddef.h>

#define OAUTH_MAX_URL_BYTES 16384

struct oauth_url {
    bool is_secure;
    const char *host; /* in the text; with its brackets */
    size_t host_length;
    unsigned port;
    size_t origin_length; /* of the text: scheme, host and port */
    size_t path_length;   /* after it, up to a query or fragment; "/" or more, or 0 */
    bool has_query, has_fragment;
};

/* False unless it is an absolute http or https URL in visible ASCII, without user info. */
bool oauth_url_read(const char *text, struct oauth_url *out);
/* localhost, 127.*, ::1 and names below localhost. */
bool oauth_url_is_loopback(const char *text);
/* https; or http where that goes to this machine. */
bool oauth_url_is_private(const char *text);
bool oauth_url_same_origin(const char *a, const char *b);
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
