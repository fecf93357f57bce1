#include "application/use_cases/tools/list_servers.h"
#include "application/tools/server_events.h"
#include "application/tools/toolbox.h"
#include "domain/base/err.h"
#include "domain/base/text.h"

const char *tool_server_state_name(enum tool_server_state state)
{
    static const char *const names[] = { [SERVER_IDLE] = "idle",
                                         [SERVER_STARTING] = "starting",
                                         [SERVER_READY] = "ready",
                                         [SERVER_FAILED] = "failed",
                                         [SERVER_CLOSED] = "closed" };
    return names[state];
}

static const char *kept(struct arena *arena, const char *text)
{
    return text ? arena_strdup(arena, text) : "";
}

static struct tool_server_status status_of(struct arena *arena, struct tool_server *server)
{
    struct tool_server_status status = { .start_ms = -1 };
    tool_server_status(server, &status);
    status.name = arena_strdup(arena, tool_server_name(server));
    status.transport = kept(arena, status.transport);
    status.command = kept(arena, status.command);
    status.era = kept(arena, status.era);
    status.protocol_version = kept(arena, status.protocol_version);
    status.server_name = kept(arena, status.server_name);
    status.server_version = kept(arena, status.server_version);
    status.instructions = kept(arena, status.instructions);
    status.login_issuer = kept(arena, status.login_issuer);
    status.login_scope = kept(arena, status.login_scope);
    status.identity = kept(arena, status.identity);
    status.identity_without_folder = status.folder_path = NULL;
    return status;
}

/* A server may be well by its own account and still not have given its tools. One that is not says
 * why without its name, which stands beside it here. */
static void note_failures(const struct toolbox *toolbox, struct server_listing *listing)
{
    const struct toolbox_failure *failures = toolbox_failures(toolbox, &listing->n_failed);
    for (size_t f = 0; f < listing->n_failed; f++)
        for (size_t i = 0; i < listing->n_servers; i++)
            if (text_equal(listing->servers[i].name, failures[f].server)) {
                struct tool_server_status *status = &listing->servers[i];
                if (status->state != SERVER_FAILED || !status->last_error.code)
                    status->last_error = failures[f].err;
                status->state = SERVER_FAILED;
            }
}

static void note_quarantine(struct arena *arena, const struct toolbox *toolbox,
                            struct server_listing *listing)
{
    size_t n = 0;
    const struct quarantined_server *servers = quarantine_count(arena, toolbox, &n);
    listing->quarantined =
        arena_array(arena, const struct quarantined_server *, listing->n_servers + 1);
    for (size_t i = 0; i < listing->n_servers; i++)
        for (size_t s = 0; s < n; s++)
            if (text_equal(listing->servers[i].name, servers[s].server))
                listing->quarantined[i] = &servers[s];
}

enum err_code list_servers(struct services *services, struct scope *scope, struct arena *arena,
                           struct server_listing *out, struct err *err)
{
    struct tool_server **servers = NULL;
    struct server_listing listing = { 0 };
    struct server_watch watch;
    enum err_code r = services_servers(services, scope, &servers, &listing.n_servers, err);
    if (r)
        return r;
    struct toolbox *toolbox = toolbox_create(services, servers, listing.n_servers);
    /* Dead servers are part of the listing; a scope that ended is noticed below. */
    server_watch_begin(&watch, services, servers, listing.n_servers);
    enum err_code ignored = toolbox_refresh(toolbox, scope, NULL, NULL);
    (void)ignored;
    server_watch_end(&watch);
    listing.servers = arena_array(arena, struct tool_server_status, listing.n_servers + 1);
    for (size_t i = 0; i < listing.n_servers; i++)
        listing.servers[i] = status_of(arena, servers[i]);
    note_failures(toolbox, &listing);
    note_quarantine(arena, toolbox, &listing);
    toolbox_destroy(toolbox);
    r = scope_check(scope, runtime_now_ms(services->runtime), err);
    if (r)
        return r;
    *out = listing;
    return ERR_NONE;
}

static json_t *status_to_json(const struct tool_server_status *status)
{
    json_t *value = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:{s:s, s:s}, s:I, s:i, s:b}", "name",
                              status->name, "state", tool_server_state_name(status->state),
                              "transport", status->transport, "command", status->command, "era",
                              status->era, "protocol_version", status->protocol_version, "server",
                              "name", status->server_name, "version", status->server_version,
                              "tools", (json_int_t)status->n_tools, "restarts",
                              (int)status->restarts, "builtin", status->is_builtin);
    if (status->start_ms >= 0)
        json_object_set_new(value, "start_ms", json_integer(status->start_ms));
    if (status->is_logged_in)
        json_object_set_new(
            value, "login",
            json_pack("{s:s, s:s}", "issuer", status->login_issuer, "scope", status->login_scope));
    if (status->last_error.code)
        json_object_set_new(value, "error", err_to_json(&status->last_error));
    return value;
}

json_t *server_listing_to_json(const struct server_listing *listing)
{
    json_t *array = json_array();
    for (size_t i = 0; i < listing->n_servers; i++) {
        json_t *entry = status_to_json(&listing->servers[i]);
        const struct quarantined_server *waiting =
            listing->quarantined ? listing->quarantined[i] : NULL;
        if (waiting)
            json_object_set_new(entry, "quarantined",
                                json_pack("{s:I, s:I}", "changed", (json_int_t)waiting->n_changed,
                                          "new", (json_int_t)waiting->n_new));
        json_array_append_new(array, entry);
    }
    return json_pack("{s:i, s:o}", "version", SERVER_LISTING_VERSION, "servers", array);
}
