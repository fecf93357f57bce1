/* Addresses of MCP servers and of those who let people in to them: what one is made of, where a
 * redirect may lead, and how one is shown. Pure, and stricter than it must be: an authority with
 * unusual characters is refused rather than read in one way here and in another by the library
 * that connects. */
#ifndef INFRASTRUCTURE_NET_HTTP_ADDRESS_H
#define INFRASTRUCTURE_NET_HTTP_ADDRESS_H

#include "domain/base/arena.h"
#include <stdbool.h>
#include <stddef.h>

#define HTTP_MAX_ADDRESS_BYTES 16384
#define HTTP_MAX_LOCATION_BYTES 8192

struct http_address {
    bool is_secure;
    const char *host; /* in the text; with its brackets */
    size_t host_length;
    unsigned port;
    size_t origin_length; /* of the text: scheme, host and port */
    size_t path_length;   /* after it, up to a query or fragment; "/" or more, or 0 */
    bool has_query, has_fragment;
};

/* False unless it is an absolute http or https URL in visible ASCII, without user info. */
bool http_address_read(const char *text, struct http_address *out);
bool http_address_same_origin(const char *a, const char *b);
/* localhost, 127.*, ::1 and names below localhost. */
bool http_address_is_loopback(const char *text);

/* The address a Location leads to, in the arena; NULL unless it lies within the origin (scheme,
 * host and port) of the base. */
const char *http_address_follow(struct arena *arena, const char *base, const char *location,
                                size_t length);
/* Without what may be secret: no user, no password, and no more of a query than that there is one.
 */
const char *http_address_shown(struct arena *arena, const char *url);

#endif
