/* One visit of a person to an authorization server: the URL it begins with, and the answer that
 * comes back to us (`mcp.md` 5.1.8 and 9). Everything that must be remembered in between is in the
 * value. Pure. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_AUTHORIZATION_H
#define INFRASTRUCTURE_MCP_OAUTH_AUTHORIZATION_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include <stdbool.h>
#include <stddef.h>

#define OAUTH_CALLBACK_PATH "/callback"

struct authorization {
    const char *endpoint, *issuer;
    const char *client_id, *redirect_uri;
    const char *state, *challenge; /* S256 of the verifier */
    const char *resource;
    const char *scope; /* or NULL */
    bool must_name_issuer;
};

/* NULL when it would be too long. In the arena. */
const char *authorization_url(struct arena *arena, const struct authorization *authorization);
/* Whether an answer belongs to this visit. */
bool authorization_is_answer(const struct authorization *authorization, const char *query,
                             size_t length);
/* The code in an answer that belongs to it, in the arena. ERR_AUTH: it says no, or comes from
 * somebody else; then nothing of what it says is shown. */
MUST_CHECK
enum err_code authorization_code(const struct authorization *authorization, const char *query,
                                 size_t length, struct arena *arena, const char **out_code,
                                 struct err *err);

#endif
