#include "infrastructure/mcp/client/remote_client.h"
#include "infrastructure/mcp/client/client.h"
#include "infrastructure/mcp/client/server_identity.h"
#include "infrastructure/mcp/http/http_transport.h"
#include "infrastructure/mcp/oauth/oauth.h"
#include "infrastructure/mcp/wire/watched_transport.h"
#include "infrastructure/net/http_address.h"

static struct oauth *login_of(const struct mcp_context *shared, const struct server_config *config)
{
    struct oauth_options options = { .runtime = shared->runtime,
                                     .http = shared->http,
                                     .digest = shared->digest,
                                     .store = shared->logins,
                                     .config = config,
                                     .settings = shared->settings };
    return shared->logins ? oauth_create(&options) : NULL;
}

struct tool_server *mcp_remote_client_create(const struct mcp_context *shared,
                                             const struct server_config *config)
{
    AUTO(arena) scratch = { 0 };
    struct oauth *oauth = login_of(shared, config);
    struct transport *transport =
        http_transport_create(shared->runtime, shared->http, oauth, config, shared->settings);
    if (shared->traffic)
        transport = watched_transport_create(transport, config->name, shared->traffic);
    struct mcp_client_options options = {
        .runtime = shared->runtime,
        .transport = transport,
        .transport_name = "http",
        .command = http_address_shown(&scratch, config->url),
        .identity = server_identity(&scratch, config),
        .oauth = oauth,
        .config = config,
        .settings = shared->settings,
        .eras = shared->eras,
        .has_person = shared->has_person,
        .has_model = shared->has_model && server_may_sample(config, shared->has_consent),
    };
    return mcp_client_create(&options);
}
