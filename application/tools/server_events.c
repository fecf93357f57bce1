#include "application/tools/server_events.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

/* NULL before it is started, which is not worth an event. */
static const char *state_name(enum tool_server_state state)
{
    switch (state) {
    case SERVER_STARTING:
        return "starting";
    case SERVER_READY:
        return "ready";
    case SERVER_FAILED:
        return "failed";
    case SERVER_CLOSED:
        return "closed";
    case SERVER_IDLE:
        break;
    }
    return NULL;
}

/* How it was reached; only known of a server that is ready. */
static void add_reach(json_t *data, const struct tool_server_status *status)
{
    json_object_set_new(data, "transport", json_string(status->transport));
    if (status->era && *status->era)
        json_object_set_new(data, "era", json_string(status->era));
    if (status->protocol_version && *status->protocol_version)
        json_object_set_new(data, "protocol_version", json_string(status->protocol_version));
    if (status->start_ms >= 0)
        json_object_set_new(data, "start_ms", json_integer(status->start_ms));
}

static void on_state(void *context, struct tool_server *server)
{
    struct tool_server_status status = { .start_ms = -1 };
    tool_server_status(server, &status);
    const char *state = state_name(status.state);
    if (!state)
        return;
    json_t *data = json_pack("{s:s, s:s}", "server", tool_server_name(server), "state", state);
    if (status.state == SERVER_READY)
        add_reach(data, &status);
    if (status.state == SERVER_FAILED && status.last_error.code)
        json_object_set_new(data, "message", json_string(status.last_error.message));
    journal_emit(context, EVENT_SERVER_STATE, data);
}

/* Text of a server may be anything: what JSON cannot hold is escaped. */
static json_t *foreign_text(const char *text, size_t length)
{
    AUTO(arena) scratch = { 0 };
    json_t *value = json_stringn(text, length);
    return value ? value : json_string(text_one_line(&scratch, text, length, 4 * length + 1));
}

static void on_log(void *context, struct tool_server *server, const char *level, const char *text)
{
    size_t level_length = text_cut(level, strlen(level), SERVER_EVENTS_MAX_LEVEL_BYTES);
    journal_emit(context, EVENT_SERVER_LOG,
                 json_pack("{s:s, s:o, s:o}", "server", tool_server_name(server), "level",
                           foreign_text(level, level_length), "text",
                           foreign_text(text, strlen(text))));
}

static void on_warning(void *context, struct tool_server *server, const char *text)
{
    journal_warn(context, "server %s: %s", tool_server_name(server), text);
}

static void on_tools_changed(void *context, struct tool_server *server)
{
    journal_emit(context, EVENT_TOOLS_CHANGED,
                 json_pack("{s:s}", "server", tool_server_name(server)));
}

static void on_resource_updated(void *context, struct tool_server *server, const char *uri)
{
    json_t *data = json_pack("{s:s}", "server", tool_server_name(server));
    if (uri)
        json_object_set_new(data, "uri", foreign_text(uri, strlen(uri)));
    journal_emit(context, EVENT_RESOURCE_UPDATED, data);
}

void server_events_listen(struct journal *journal, struct tool_server *const *servers, size_t n,
                          bool wants_logs)
{
    const struct tool_server_listener listener = { .on_tools_changed = on_tools_changed,
                                                   .on_log = wants_logs ? on_log : NULL,
                                                   .on_warning = on_warning,
                                                   .on_state = on_state,
                                                   .on_resource_updated = on_resource_updated,
                                                   .context = journal };
    for (size_t i = 0; i < n; i++)
        tool_server_listen(servers[i], &listener);
}

void server_events_stop(struct tool_server *const *servers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tool_server_listen(servers[i], NULL);
}

void server_watch_begin(struct server_watch *watch, const struct services *services,
                        struct tool_server *const *servers, size_t n)
{
    *watch = (struct server_watch){ .servers = servers, .n = services->observer ? n : 0 };
    journal_init(&watch->journal, services->runtime, NULL, services->digest, services->ids, false);
    if (services->observer)
        journal_add_observer(&watch->journal, services->observer);
    server_events_listen(&watch->journal, servers, watch->n, services->wants_server_logs);
}

void server_watch_end(struct server_watch *watch)
{
    server_events_stop(watch->servers, watch->n);
}
