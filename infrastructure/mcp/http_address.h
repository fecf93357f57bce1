/* Addresses of MCP servers: where a redirect may lead, and how an address is shown. Pure, and
 * stricter than it must be: an authority with unusual characters is refused rather than read in
 * one way here and in another by whoever connects. */
#ifndef INFRASTRUCTURE_MCP_HTTP_ADDRESS_H
#define INFRASTRUCTURE_MCP_HTTP_ADDRESS_H

#include "domain/base/arena.h"
#include <stdbool.h>
#include <stddef.h>

#define HTTP_MAX_ADDRESS_BYTES 8192

/* The address a Location leads to, in the arena; NULL unless it lies within the origin (scheme,
 * host and port) of the base. */
const char *http_address_follow(struct arena *arena, const char *base, const char *location,
                                size_t length);
/* Without what may be secret: no user, no password, and no more of a query than that there is one.
 */
const char *http_address_shown(struct arena *arena, const char *url);

#endif
