/* The client a login is made as, and the port it comes back to: the two belong together, because a
 * registration names the URL that leads back. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_REGISTRATION_H
#define INFRASTRUCTURE_MCP_OAUTH_REGISTRATION_H

#include "infrastructure/mcp/oauth/callback_listener.h"
#include "infrastructure/mcp/oauth/oauth_internal.h"

struct registration {
    struct client_identity client;
    bool is_dynamic;                    /* it registered itself, now or earlier */
    bool is_kept;                       /* earlier */
    struct callback_listener *listener; /* the caller destroys it, also after a failure */
    const char *redirect_uri;
};

/* Configured, kept from earlier, or registered now and kept. Text lives in the arena. ERR_AUTH,
 * with what to configure: there is no way to become a client there. */
awaits MUST_CHECK enum err_code registration_get(struct oauth *oauth, const struct scope *scope,
                                                 const struct authorization_server *server,
                                                 struct arena *arena, struct registration *out,
                                                 struct err *err);
/* The issuer does not know it any more, or may not: the next login registers another. Logins that
 * were made with it go on. */
awaits void registration_forget(struct oauth *oauth, const char *issuer,
                                const struct registration *registration);

#endif
