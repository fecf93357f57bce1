#include "infrastructure/mcp/client/client.h"
#include "application/ports/runtime.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/client/client_internal.h"
#include "infrastructure/mcp/http/http_transport.h"
#include "infrastructure/mcp/oauth/oauth.h"
#include "infrastructure/mcp/stdio/stdio_transport.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdlib.h>
#include <string.h>

#define LOGGED_BYTES 4096

void client_set_state(struct client *client, enum tool_server_state state)
{
    if (client->state == state || client->state == SERVER_CLOSED)
        return;
    client->state = state;
    if (client->listener.on_state)
        client->listener.on_state(client->listener.context, &client->base);
}

void client_fail(struct client *client, const struct err *why)
{
    client->last_error = *why;
    client_set_state(client, SERVER_FAILED);
}

void client_log(struct client *client, const char *level, const char *text, size_t length)
{
    if (!client->listener.on_log)
        return;
    auto_str copy = strndup(text, text_cut(text, length, LOGGED_BYTES));
    if (!copy)
        abort();
    client->listener.on_log(client->listener.context, &client->base, level, copy);
}

void client_report(struct client *client, const struct err *err)
{
    client->last_error = *err;
    client_log(client, "warning", err->message, strlen(err->message));
}

void client_warn(struct client *client, const struct err *err)
{
    client->last_error = *err;
    if (client->listener.on_warning)
        client->listener.on_warning(client->listener.context, &client->base, err->message);
}

int64_t client_silence_ms(const struct client *client)
{
    int64_t configured_ms = client->config->timeout_ms;
    return configured_ms ? configured_ms : client->context.settings->timeout_seconds * 1000;
}

bool client_goes_on(const struct client *client, const struct scope *scope)
{
    return connection_is_open(client->connection) &&
           scope_check(scope, runtime_now_ms(client->runtime), NULL) == ERR_NONE;
}

struct era_offer client_offer(const struct client *client)
{
    return (struct era_offer){ .roots = client->roots != NULL,
                               .elicitation = client->context.has_person,
                               .sampling = client->has_model };
}

struct era_offer client_offer_of(const struct client *client, const struct answerer *answerer)
{
    struct era_offer offer = client_offer(client);
    offer.elicitation &= question_is_taken(answerer, QUESTION_ELICITATION);
    offer.sampling &= question_is_taken(answerer, QUESTION_SAMPLING);
    return offer;
}

bool client_append_meta(const struct client *client, struct buf *line, struct era_offer offer)
{
    return buf_puts(line, "\"_meta\":{") && era_append_meta(line, offer) &&
           buf_puts(line, client->listener.on_log ? "," CLIENT_LOG_LEVEL_MEMBER "}" : "}");
}

bool client_append_text(struct buf *line, const char **comma, const char *key, const char *text)
{
    if (!text)
        return true;
    bool fits = buf_printf(line, "%s\"%s\":", *comma, key) && jsonrpc_append_string(line, text);
    *comma = ",";
    return fits;
}

bool client_append_call_meta(const struct client *client, struct buf *line,
                             const struct era_offer *offer, const struct tool_call *call,
                             const char **comma)
{
    bool fits = buf_puts(line, ",\"_meta\":{") && (!offer || era_append_meta(line, *offer));
    if (fits && offer && client->listener.on_log)
        fits = buf_puts(line, "," CLIENT_LOG_LEVEL_MEMBER);
    *comma = offer ? "," : "";
    return fits && client_append_text(line, comma, TRACE_PARENT_KEY, call->trace.parent) &&
           client_append_text(line, comma, TRACE_STATE_KEY, call->trace.state);
}

static const char *client_name(struct tool_server *server)
{
    return client_of(server)->config->name;
}

static const char *era_name(enum server_era era)
{
    return era == ERA_MODERN ? "modern" : era == ERA_LEGACY ? "legacy" : "";
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static void client_status(struct tool_server *server, struct tool_server_status *out)
{
    struct client *client = client_of(server);
    const struct session *session = &client->session;
    struct oauth_status login;
    oauth_get_status(client->oauth, &login);
    *out = (struct tool_server_status){
        .name = client->config->name,
        .state = client->state,
        .transport = session->is_by_sse    ? "sse"
                     : client->config->url ? "http"
                                           : "stdio",
        .command = client->command,
        .era = era_name(session->era),
        .protocol_version = or_empty(session->version),
        .server_name = or_empty(session->server_name),
        .server_version = or_empty(session->server_version),
        .instructions = or_empty(session->instructions),
        .start_ms = client->start_ms,
        .n_tools = client->catalogue ? client->catalogue->n_tools : 0,
        .restarts = client->restarts,
        .has_resources = session->has_resources,
        .has_prompts = session->has_prompts,
        .login_issuer = login.issuer,
        .login_scope = login.scope,
        .login_until_ms = login.until_ms,
        .is_logged_in = login.is_in,
        .identity = client->identity.text,
        .identity_without_folder = client->identity.without_folder,
        .folder_path = client->identity.path,
        .offer = era_offer_name(client_offer(client)),
        .last_error = client->last_error,
    };
}

static void client_listen(struct tool_server *server, const struct tool_server_listener *listener)
{
    struct client *client = client_of(server);
    client->listener = listener ? *listener : (struct tool_server_listener){ 0 };
    connection_set_logging(client->connection, client->listener.on_log != NULL);
    client_ask_for_logs(client);
}

static void on_log(void *context, const char *level, const char *text, size_t length)
{
    client_log(context, level, text, length);
}

static void on_closed(void *context, const struct err *why)
{
    struct client *client = context;
    hint_cache_drop_all(&client->hints);
    client_watch_reset(client);
    client->is_stale = true;
    client->last_end = *why;
    if (client->state == SERVER_READY)
        client_fail(client, why);
}

static void client_close(struct tool_server *server, struct scope *scope)
{
    struct client *client = client_of(server);
    bool is_ready = client->state == SERVER_READY;
    client_set_state(client, SERVER_CLOSED);
    if (client->start_scope)
        runtime_cancel(client->runtime, client->start_scope);
    client_watch_stop(client);
    (void)!task_lock_take(&client->start_lock, client->context.runtime, NULL, NULL);
    if (is_ready && transport_is_lent(client->transport) && client_watch_leaves_nothing(client) &&
        connection_is_at_rest(client->connection))
        transport_hand_over(client->transport, client_note(client));
    connection_close(client->connection, scope);
    task_lock_release(&client->start_lock);
}

static void client_destroy(struct tool_server *server)
{
    struct client *client = client_of(server);
    client_watch_finish(client);
    hint_cache_finish(&client->hints);
    connection_destroy(client->connection);
    transport_destroy(client->transport);
    oauth_destroy(client->oauth);
#ifndef MISTRO_RELEASE
    tool_catalogue_unref(client->catalogue); /* else it goes back with the process: see compose.c */
#endif
    session_finish(&client->session);
    restart_window_finish(&client->restart_window);
    arena_finish(&client->kept);
    free(client);
}

/* Programs that are started take what they need from their environment. */
static enum err_code check_login(const struct client *client, struct err *err)
{
    const struct server_config *config = client->config;
    if (client->oauth)
        return ERR_NONE;
    if (!config->url)
        return err_set(err, ERR_INVALID, 0, "only servers behind a url have a login");
    return err_hint(err,
                    err_set(err, ERR_INVALID, 0,
                            "its configuration has an Authorization header, which counts for more "
                            "than a login"),
                    "take the header out of %s first", config->file ? config->file : "mcp.json");
}

static enum err_code client_log_in(struct tool_server *server, struct scope *scope,
                                   const struct login *login, struct err *err)
{
    struct client *client = client_of(server);
    enum err_code r = check_login(client, err);
    if (!r)
        r = oauth_log_in(client->oauth, scope, login, err);
    hint_cache_drop_private(&client->hints); /* the login may be another one's */
    return r;
}

static enum err_code client_log_out(struct tool_server *server, struct scope *scope,
                                    bool *out_was_in, struct err *err)
{
    struct client *client = client_of(server);
    enum err_code r = check_login(client, err);
    if (!r)
        r = oauth_log_out(client->oauth, scope, out_was_in, err);
    hint_cache_drop_private(&client->hints);
    return r;
}

static const struct tool_server_ops client_ops = {
    .name = client_name,
    .list = client_list,
    .call = client_call,
    .status = client_status,
    .listen = client_listen,
    .offerings = client_offerings,
    .read_resource = client_read_resource,
    .get_prompt = client_get_prompt,
    .complete = client_complete,
    .log_in = client_log_in,
    .log_out = client_log_out,
    .watch_resource = client_watch_resource,
    .close = client_close,
    .destroy = client_destroy,
    .holds_calls = true,
};

static struct oauth *create_login(const struct mcp_context *context,
                                  const struct server_config *config)
{
    struct oauth_options options = { .runtime = context->runtime,
                                     .http = context->http,
                                     .digest = context->digest,
                                     .store = context->logins,
                                     .config = config,
                                     .settings = context->settings };
    return config->url && context->logins ? oauth_create(&options) : NULL;
}

static struct transport *create_transport(struct client *client)
{
    const struct mcp_context *context = &client->context;
    const struct stdio_keeper keeper = {
        .access = context->keeper,
        .offer =
            arena_printf(&client->kept, "%d %s %s", (int)client->config->era,
                         era_offer_name(client_offer(client)), client->roots ? client->roots : ""),
    };
    if (client->config->url)
        return http_transport_create(context->runtime, context->http, client->oauth, client->config,
                                     context->settings);
    return stdio_transport_create(context->runtime, client->config, context->settings, &keeper);
}

struct tool_server *mcp_client_create(const struct mcp_context *context,
                                      const struct server_config *config)
{
    struct client *client = calloc(1, sizeof *client);
    if (!client)
        abort();
    const struct settings *settings = context->settings;
    client->base.ops = &client_ops;
    client->context = *context;
    client->config = config;
    client->has_model = context->has_model && server_may_sample(config, context->has_consent);
    client->oauth = create_login(context, config);
    client->command = server_command(&client->kept, config);
    client->identity = server_identity(&client->kept, config);
    client->roots = server_roots(&client->kept, config);
    client->runtime = uv_runtime_port(context->runtime);
    client->transport = create_transport(client);
    struct connection_options bounds = {
        .max_message_bytes = (size_t)settings->mcp_max_message_bytes,
        .max_values = (size_t)settings->mcp_max_values,
        .max_junk_lines = settings->mcp_max_junk_lines,
        .roots = client->roots,
        .takes_elicitation = context->has_person,
        .takes_sampling = client->has_model,
        .traffic = context->traffic,
        .server = config->name,
    };
    struct connection_events events = {
        .on_notification = client_on_notification,
        .on_log = on_log,
        .on_closed = on_closed,
        .context = client,
    };
    client->connection = connection_create(context->runtime, client->transport, &bounds, &events);
    client_watch_init(client);
    restart_window_init(&client->restart_window, (size_t)settings->mcp_max_restarts);
    client->start_ms = -1;
    client->is_stale = true;
    return &client->base;
}
