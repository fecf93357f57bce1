#include "infrastructure/mcp/client/client_internal.h"
#include "infrastructure/mcp/oauth/oauth.h"

/* Programs that are started take what they need from their environment. */
static enum err_code check(const struct client *client, struct err *err)
{
    const struct server_config *config = client->options.config;
    if (client->options.oauth)
        return ERR_NONE;
    if (!config->url)
        return err_set(err, ERR_INVALID, 0, "only servers behind a url have a login");
    return err_hint(err,
                    err_set(err, ERR_INVALID, 0,
                            "its configuration has an Authorization header, which counts for more "
                            "than a login"),
                    "take the header out of %s first", config->file ? config->file : "mcp.json");
}

enum err_code client_log_in(struct tool_server *server, struct scope *scope,
                            const struct login *login, struct err *err)
{
    struct client *client = client_of(server);
    enum err_code r = check(client, err);
    if (!r)
        r = oauth_log_in(client->options.oauth, scope, login, err);
    hint_cache_drop_private(&client->hints); /* whoever it was before */
    return r;
}

enum err_code client_log_out(struct tool_server *server, struct scope *scope, bool *out_was_in,
                             struct err *err)
{
    struct client *client = client_of(server);
    enum err_code r = check(client, err);
    if (!r)
        r = oauth_log_out(client->options.oauth, scope, out_was_in, err);
    hint_cache_drop_private(&client->hints);
    return r;
}
