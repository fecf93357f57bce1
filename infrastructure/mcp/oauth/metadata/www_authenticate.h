/* What a refusal asks for: the challenges of WWW-Authenticate (RFC 9110 11.6.1), read for the
 * Bearer scheme (RFC 6750 3, RFC 9728 5.1). A response may have several such headers, and each of
 * them several challenges with parameters in any order. Pure, and forgiving: what cannot be read
 * is left out. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_METADATA_WWW_AUTHENTICATE_H
#define INFRASTRUCTURE_MCP_OAUTH_METADATA_WWW_AUTHENTICATE_H

#include "domain/base/arena.h"
#include <stdbool.h>
#include <stddef.h>

/* The longest value of a parameter; a longer one counts as missing. */
#define CHALLENGE_MAX_VALUE_BYTES 4096

struct challenge {
    bool is_bearer;                                /* there is a Bearer challenge at all */
    const char *resource_metadata, *scope, *error; /* in the arena; NULL where it says none */
};

/* Adds the content of one header; where several Bearer challenges give a parameter, the first one
 * counts. */
void www_authenticate_read(struct challenge *challenge, struct arena *arena, const char *value,
                           size_t length);

#endif
