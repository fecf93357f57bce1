/* Starting a server, for all callers that wait for it: the handshake (era.h), what was learned in
 * it and is remembered for the next process, and how often a server that ended is started again. */
#include "application/ports/runtime.h"
#include "infrastructure/mcp/client/client_request.h"
#include "infrastructure/mcp/oauth/oauth.h"
#include "infrastructure/mcp/wire/era_memory.h"
#include <stdlib.h>

/* The channel of the negotiation is the client. */
awaits MUST_CHECK static enum err_code channel_request(void *channel, struct scope *sc,
                                                       struct era_request *asked, struct err *err)
{
    struct client *client = channel;
    json_auto_t *owned_params = asked->params;
    struct request request = { .method = asked->method,
                               .has_text_id = true,
                               .is_binding = true,
                               .silence_ms = asked->silence_ms };
    enum err_code r = client_request_in_session(client, sc, &request, owned_params, err);
    asked->result = request.result;
    asked->error = request.error;
    return request.error ? ERR_NONE : r;
}

static void channel_notify(void *channel, const char *method)
{
    struct client *client = channel;
    connection_notify(client->connection, method, NULL);
}

static void channel_agree(void *channel, const char *version)
{
    struct client *client = channel;
    connection_agree(client->connection, version);
}

awaits MUST_CHECK static enum err_code channel_respawn(void *channel, struct scope *sc,
                                                       struct err *err)
{
    struct client *client = channel;
    connection_close(client->connection, sc);
    return connection_open(client->connection, err);
}

awaits MUST_CHECK static enum err_code channel_reopen(void *channel, struct scope *sc,
                                                      bool is_by_sse, struct err *err)
{
    struct client *client = channel;
    connection_close(client->connection, sc);
    connection_use_sse(client->connection, is_by_sse);
    return connection_open(client->connection, err);
}

static const struct era_channel_ops channel_ops = {
    .request = channel_request,
    .notify = channel_notify,
    .agree = channel_agree,
    .respawn = channel_respawn,
    .reopen = channel_reopen,
};

void restart_window_init(struct restart_window *window, size_t most)
{
    *window = (struct restart_window){ .most = most };
    window->times_ms = calloc(most + 1, sizeof *window->times_ms);
    if (!window->times_ms)
        abort();
}

void restart_window_finish(struct restart_window *window)
{
    free(window->times_ms);
}

static void forget_old(struct restart_window *window, int64_t now_ms)
{
    while (window->n && now_ms - window->times_ms[window->first] >= RESTART_WINDOW_MS) {
        window->first = (window->first + 1) % window->most;
        window->n--;
    }
}

static int64_t delay_after(size_t n_restarts)
{
    int64_t delay_ms = n_restarts ? RESTART_DELAY_MS : 0;
    for (size_t i = 1; i < n_restarts && delay_ms < RESTART_DELAY_MAX_MS; i++)
        delay_ms *= 2;
    return delay_ms < RESTART_DELAY_MAX_MS ? delay_ms : RESTART_DELAY_MAX_MS;
}

bool restart_window_count(struct restart_window *window, int64_t now_ms, int64_t *out_delay_ms)
{
    forget_old(window, now_ms);
    if (window->n >= window->most)
        return false;
    *out_delay_ms = delay_after(window->n);
    window->times_ms[(window->first + window->n) % window->most] = now_ms;
    window->n++;
    return true;
}

/* ERR_UNAVAILABLE after too many. */
static enum err_code count_restart(struct client *client, int64_t *out_delay_ms, struct err *err)
{
    int64_t now_ms = runtime_now_ms(client->runtime);
    if (!restart_window_count(&client->restart_window, now_ms, out_delay_ms)) {
        enum err_code r = err_set(
            err, ERR_UNAVAILABLE, 0, "started %lld times within five minutes; the last: %s",
            (long long)client->context.settings->mcp_max_restarts + 1, client->last_end.message);
        return err_hint(err, r, "see what the server writes on its stderr: mistro -v");
    }
    client->restarts++;
    return ERR_NONE;
}

/* The first start is not held back. */
awaits MUST_CHECK static enum err_code hold_back(struct client *client, struct scope *scope,
                                                 struct err *err)
{
    int64_t delay_ms;
    if (!client->was_started) {
        client->was_started = true;
        return ERR_NONE;
    }
    enum err_code r = count_restart(client, &delay_ms, err);
    if (r || !delay_ms)
        return r;
    struct err why;
    err_set(&why, ERR_UNAVAILABLE, 0, "%s; starting it again in %g s (attempt %zu of %zu)",
            client->last_end.message, (double)delay_ms / 1000, client->restart_window.n,
            client->restart_window.most);
    client_warn(client, &why);
    return runtime_sleep(client->runtime, scope, delay_ms, err);
}

/* Before the first start of this process: what an earlier one found out. */
static void recall_era(struct client *client)
{
    struct era_memory *eras = client->context.eras;
    if (client->was_started || !eras || client->config->era != ERA_AUTO)
        return;
    client->remembered = era_memory_find(eras, client->identity.text);
    client->verdict = client->remembered;
}

static bool is_remote(const struct client *client)
{
    return client->config->url != NULL;
}

/* A verdict that did not lead to a session is given up; one that took long to find is kept, and
 * so is one that saves a remote server a request it does not know. */
awaits static void remember_era(struct client *client, const struct scope *scope, enum err_code r)
{
    struct era_memory *eras = client->context.eras;
    bool is_slow = client->start_ms > CLIENT_SLOW_START_MS ||
                   (is_remote(client) && client->verdict != ERA_MODERN);
    if (r && is_remote(client) && r != ERR_PROTOCOL) /* an outage, or a missing token */
        return;
    if (r)
        client->verdict = ERA_AUTO;
    if (!eras || client->config->era != ERA_AUTO || client->verdict == client->remembered ||
        (!is_slow && client->remembered == ERA_AUTO))
        return;
    client->remembered = client->verdict;
    era_memory_keep(eras, scope, client->identity.text, client->verdict);
}

static bool is_ready(const struct client *client)
{
    return client->state == SERVER_READY && connection_is_open(client->connection);
}

static bool wants_logs(const struct client *client)
{
    const struct session *session = &client->session;
    return session->era == ERA_LEGACY && session->has_logging && client->listener.on_log &&
           !client->has_asked_for_logs;
}

/* At the start; one that does not answer has no bearing on it. */
awaits static void await_logging(struct client *client, struct scope *scope)
{
    if (!wants_logs(client))
        return;
    client->has_asked_for_logs = true;
    struct request request = { .method = "logging/setLevel",
                               .silence_ms = client->context.settings->mcp_probe_timeout_ms };
    json_auto_t *params = json_pack("{s:s}", "level", CLIENT_LOG_LEVEL);
    (void)!client_request_in_session(client, scope, &request, params, NULL);
    request_finish(&request);
}

static void on_logging_answered(void *context)
{
    request_finish(context);
}

void client_ask_for_logs(struct client *client)
{
    struct request *request = &client->log_request;
    AUTO(buf) line;
    buf_init(&line, (size_t)client->context.settings->mcp_max_message_bytes);
    if (!is_ready(client) || !wants_logs(client) || request->is_pending)
        return;
    *request = (struct request){ .method = "logging/setLevel",
                                 .on_end = on_logging_answered,
                                 .context = request };
    client->has_asked_for_logs =
        connection_begin(client->connection, request, &line) &&
        buf_puts(&line, ",\"params\":{\"level\":\"" CLIENT_LOG_LEVEL "\"}}\n") &&
        connection_post(client->connection, request, &line, NULL) == ERR_NONE;
}

awaits MUST_CHECK static enum err_code shake_hands(struct client *client, struct scope *scope,
                                                   int64_t timeout_ms, struct err *err)
{
    const struct settings *settings = client->context.settings;
    struct era_options options = {
        .era = client->config->era,
        .verdict = client->verdict,
        .is_remote = is_remote(client),
        .probe_silence_ms = is_remote(client) ? timeout_ms
                            : client->verdict ? settings->mcp_probe_timeout_ms
                                              : settings->mcp_first_probe_timeout_ms,
        .offer = client_offer(client),
        .handshake_silence_ms = timeout_ms,
    };
    int64_t began_ms = runtime_now_ms(client->runtime);
    struct session session;
    connection_use_sse(client->connection, false);
    oauth_prepare(client->oauth, scope);
    enum err_code r = connection_open(client->connection, err);
    if (r == ERR_NONE && client_read_note(client, transport_note(client->transport))) {
        client->start_ms = runtime_now_ms(client->runtime) - began_ms;
        await_logging(client, scope);
        client_watch_resume(client, scope);
        return ERR_NONE;
    }
    if (r == ERR_NONE)
        r = era_negotiate(&channel_ops, client, &options, scope, &session, err);
    if (r)
        return r;
    session_finish(&client->session);
    client->session = session;
    client->verdict = session.is_by_sse ? ERA_SSE : session.era;
    client->start_ms = runtime_now_ms(client->runtime) - began_ms;
    client->is_stale = true;
    connection_set_modern(client->connection, session.era == ERA_MODERN);
    client->has_asked_for_logs = false;
    await_logging(client, scope);
    client_watch_resume(client, scope);
    return ERR_NONE;
}

static enum err_code explain_slow(int64_t timeout_ms, struct err *err)
{
    enum err_code r =
        err_set(err, ERR_TIMEOUT, 0, "not ready within %g s", (double)timeout_ms / 1000);
    return err_hint(err, r, "where it takes longer: start_timeout_ms of its entry in mcp.json");
}

awaits MUST_CHECK static enum err_code start(struct client *client, struct scope *scope,
                                             struct err *err)
{
    int64_t timeout_ms = client->config->start_timeout_ms;
    if (!timeout_ms)
        timeout_ms = client->context.settings->mcp_start_timeout_ms;
    client_set_state(client, SERVER_STARTING);
    connection_close(client->connection, scope);
    recall_era(client);
    enum err_code r = hold_back(client, scope, err);
    if (r)
        return r;
    struct scope bounded = runtime_scope(client->runtime, scope, timeout_ms);
    r = shake_hands(client, &bounded, timeout_ms, err);
    bool gave_up = scope_check(scope, runtime_now_ms(client->runtime), NULL) != ERR_NONE;
    if (r == ERR_TIMEOUT && !gave_up)
        (void)explain_slow(timeout_ms, err);
    if (!gave_up)
        remember_era(client, scope, r);
    if (r == ERR_AUTH) /* it was not started: a login may change that at once */
        client->was_started = false;
    if (r) {
        client->last_end = *err;
        connection_close(client->connection, scope);
    }
    return r;
}

/* Starts it for all callers that wait. A start that ended only because its caller gave up says
 * nothing about the server: the next caller that waits starts it again. */
awaits MUST_CHECK static enum err_code start_for_all(struct client *client, struct scope *scope,
                                                     struct err *err)
{
    struct err why = { 0 };
    struct scope cancellable = scope_child(scope, SCOPE_NO_DEADLINE);
    client->start_scope = &cancellable;
    enum err_code r = start(client, &cancellable, &why);
    client->start_scope = NULL;
    if (r == ERR_UNAVAILABLE && client->config->command)
        err_hint(&why, r,
                 "try its command by hand; of the environment it sees little: what it needs is "
                 "named with env in mcp.json");
    if (r)
        client_fail(client, &why);
    else
        client_set_state(client, SERVER_READY);
    if (r && client->state == SERVER_CLOSED)
        return err_set(err, ERR_UNAVAILABLE, 0, "closed");
    if (r == ERR_NONE || scope_check(scope, runtime_now_ms(client->runtime), NULL) == ERR_NONE) {
        client->n_attempts++;
        client->start_error = why;
        client->start_error.code = r;
    }
    if (r && err)
        *err = why;
    return r;
}

bool client_revision_was_refused(struct client *client, const json_t *error)
{
    struct err why;
    if (client->session.era != ERA_MODERN ||
        jsonrpc_error_code(error) != JSONRPC_UNSUPPORTED_VERSION)
        return false;
    if (!era_is_spoken(error)) {
        err_set(&why, ERR_UNAVAILABLE, 0, "it does not speak " ERA_MODERN_VERSION " any more");
        connection_fail(client->connection, &why);
    }
    return true;
}

enum err_code client_ensure_started(struct client *client, struct scope *scope, struct err *err)
{
    unsigned before = client->n_attempts;
    if (is_ready(client))
        return ERR_NONE;
    enum err_code r = task_lock_take(&client->start_lock, client->context.runtime, scope, err);
    if (r)
        return r;
    if (is_ready(client)) {
        r = ERR_NONE;
    } else if (client->state == SERVER_CLOSED) {
        r = err_set(err, ERR_UNAVAILABLE, 0, "closed");
    } else if (client->n_attempts != before && client->start_error.code) {
        r = client->start_error.code;
        if (err)
            *err = client->start_error;
    } else {
        r = start_for_all(client, scope, err);
    }
    task_lock_release(&client->start_lock);
    return r;
}
