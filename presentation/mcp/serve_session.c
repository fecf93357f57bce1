#include "presentation/mcp/serve_session.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define META "io.modelcontextprotocol/"

static const char *const legacy_versions[] = { MCP_NEWEST_LEGACY, "2025-06-18", "2025-03-26",
                                               "2024-11-05" };
static const char *const log_levels[] = { "debug", "info",     "notice", "warning",
                                          "error", "critical", "alert",  "emergency" };

int serve_log_level(const char *name)
{
    for (size_t i = 0; name && i < ARRAY_LENGTH(log_levels); i++)
        if (strcmp(log_levels[i], name) == 0)
            return (int)i;
    return LOG_NEVER;
}

static bool speaks_modern(const struct session *s)
{
    return s->options->eras != SERVE_LEGACY;
}

static bool speaks_legacy(const struct session *s)
{
    return s->options->eras != SERVE_MODERN;
}

static json_t *supported_versions(const struct session *s)
{
    json_t *list = json_array();
    if (speaks_modern(s))
        json_array_append_new(list, json_string(MCP_MODERN));
    for (size_t i = 0; speaks_legacy(s) && i < ARRAY_LENGTH(legacy_versions); i++)
        json_array_append_new(list, json_string(legacy_versions[i]));
    return list;
}

static json_t *server_info(const struct session *s)
{
    return json_pack("{ssss}", "name", s->options->name, "version", s->options->version);
}

json_t *session_complete(const struct session *s, json_t *result, bool is_modern, bool is_cacheable)
{
    if (!is_modern)
        return result;
    json_object_set_new(result, "resultType", json_string("complete"));
    if (is_cacheable) {
        int64_t ttl_ms = s->options->ttl_ms ? s->options->ttl_ms : SERVE_TTL_MS;
        json_object_set_new(result, "ttlMs", json_integer(ttl_ms > 0 ? ttl_ms : 0));
        json_object_set_new(result, "cacheScope",
                            json_string(s->options->is_public ? "public" : "private"));
    }
    json_t *meta = json_object_get(result, "_meta");
    if (!meta) {
        meta = json_object();
        json_object_set_new(result, "_meta", meta);
    }
    json_object_set_new(meta, META "serverInfo", server_info(s));
    return result;
}

static void fail(struct session *s, const struct rpc_message *message, int code, const char *text)
{
    rpc_fail(s->rpc, message->id, code, text, NULL);
}

static void fail_version(struct session *s, const struct rpc_message *message, const char *asked)
{
    json_t *data = json_pack("{so}", "supported", supported_versions(s));
    if (asked)
        json_object_set_new(data, "requested", json_string(asked));
    rpc_fail(s->rpc, message->id, MCP_WRONG_VERSION, "Unsupported protocol version", data);
}

static void add_tasks(json_t *all, bool is_modern)
{
    if (is_modern)
        json_object_set_new(all, "extensions", json_pack("{s:{}}", META "tasks"));
    else
        json_object_set_new(
            all, "tasks",
            json_pack("{s:{}, s:{}, s:{s:{s:{}}}}", "list", "cancel", "requests", "tools", "call"));
}

static json_t *capabilities(const struct session *s, bool is_modern)
{
    struct tool_server_status status = { 0 };
    bool can_change = s->tools->ops->listen != NULL;
    json_t *all = json_pack("{s{sb}s{}}", "tools", "listChanged", can_change, "logging");
    tool_server_status(s->tools, &status);
    if (status.has_resources)
        json_object_set_new(all, "resources",
                            s->tools->ops->watch_resource ? json_pack("{sb}", "subscribe", 1)
                                                          : json_object());
    if (s->tools->ops->complete)
        json_object_set_new(all, "completions", json_object());
    if (status.has_prompts)
        json_object_set_new(all, "prompts", json_object());
    if (s->options->runs_tasks)
        add_tasks(all, is_modern);
    return all;
}

static json_t *with_instructions(const struct session *s, json_t *result)
{
    if (s->options->instructions && *s->options->instructions)
        json_object_set_new(result, "instructions", json_string(s->options->instructions));
    return result;
}

static void answer_discover(struct session *s, const struct rpc_message *message)
{
    json_t *result = json_pack("{soso}", "supportedVersions", supported_versions(s), "capabilities",
                               capabilities(s, true));
    rpc_reply(s->rpc, message->id, session_complete(s, with_instructions(s, result), true, true));
}

/* The version asked for where it is a legacy one we know, else the newest. */
static const char *negotiate(const char *asked)
{
    for (size_t i = 0; i < ARRAY_LENGTH(legacy_versions); i++)
        if (strcmp(legacy_versions[i], asked) == 0)
            return legacy_versions[i];
    return MCP_NEWEST_LEGACY;
}

static void answer_initialize(struct session *s, const struct rpc_message *message)
{
    const char *asked = json_get_string(message->params, "protocolVersion");
    if (!asked) {
        fail(s, message, MCP_BAD_PARAMS, "initialize needs params.protocolVersion (string)");
        return;
    }
    if (!speaks_legacy(s) || s->era == SESSION_MODERN) {
        fail_version(s, message, asked);
        return;
    }
    s->era = SESSION_LEGACY;
    json_decref(s->capabilities);
    s->capabilities = json_incref(json_object_get(message->params, "capabilities"));
    json_t *result = json_pack("{sssoso}", "protocolVersion", negotiate(asked), "capabilities",
                               capabilities(s, false), "serverInfo", server_info(s));
    rpc_reply(s->rpc, message->id, with_instructions(s, result));
}

/* True when the request carries what every modern one must; else it was answered. */
static bool check_modern(struct session *s, const struct rpc_message *message)
{
    const json_t *meta = json_object_get(message->params, "_meta");
    const char *version = json_get_string(meta, META "protocolVersion");
    if (!version) {
        fail(s, message, MCP_BAD_PARAMS,
             "missing _meta key " META "protocolVersion (or send initialize first)");
        return false;
    }
    if (strcmp(version, MCP_MODERN) != 0) {
        fail_version(s, message, version);
        return false;
    }
    if (!json_is_object(json_object_get(meta, META "clientCapabilities"))) {
        fail(s, message, MCP_BAD_PARAMS, "missing _meta key " META "clientCapabilities (object)");
        return false;
    }
    return true;
}

static void answer_set_level(struct session *s, const struct rpc_message *message)
{
    int level = serve_log_level(json_get_string(message->params, "level"));
    if (level == LOG_NEVER) {
        fail(s, message, MCP_BAD_PARAMS, "unknown log level");
        return;
    }
    s->log_level = level;
    rpc_reply(s->rpc, message->id, json_object());
}

static void answer_legacy(struct session *s, const struct rpc_message *message, bool *out_waits)
{
    if (strcmp(message->method, "logging/setLevel") == 0)
        answer_set_level(s, message);
    else if (serve_is_call(s, message->method, SESSION_LEGACY))
        *out_waits = true;
    else
        fail(s, message, MCP_NO_METHOD, "method not found");
}

static void answer_modern(struct session *s, const struct rpc_message *message, bool *out_waits)
{
    bool is_discover = strcmp(message->method, "server/discover") == 0;
    bool is_listen = strcmp(message->method, "subscriptions/listen") == 0;
    if (!is_discover && !serve_is_call(s, message->method, SESSION_MODERN)) {
        fail(s, message, MCP_NO_METHOD, "method not found");
        return;
    }
    if (!check_modern(s, message))
        return;
    /* A client may ask what there is and then go on in the old way. */
    if (!is_discover)
        s->era = SESSION_MODERN;
    if (is_discover)
        answer_discover(s, message);
    else if (is_listen)
        session_listen(s, message, out_waits);
    else
        *out_waits = true;
}

void session_answer(struct session *s, const struct rpc_message *message, bool *out_waits)
{
    *out_waits = false;
    const json_t *meta = json_object_get(message->params, "_meta");
    bool is_modern = json_object_get(meta, META "protocolVersion");
    bool may_be_legacy = speaks_legacy(s) && s->era != SESSION_MODERN && !is_modern;
    if (!is_modern && strcmp(message->method, "initialize") == 0)
        answer_initialize(s, message);
    else if (may_be_legacy && strcmp(message->method, "ping") == 0)
        rpc_reply(s->rpc, message->id, json_object());
    else if (s->era == SESSION_LEGACY)
        answer_legacy(s, message, out_waits);
    else if (speaks_modern(s))
        answer_modern(s, message, out_waits);
    else if (serve_is_call(s, message->method, SESSION_LEGACY))
        fail(s, message, MCP_INVALID_REQUEST, "initialize first");
    else
        fail(s, message, MCP_NO_METHOD, "method not found");
}

static void cancel_request(struct session *s, const json_t *id)
{
    for (size_t i = json_array_size(s->subscriptions); i-- > 0;)
        if (json_equal(json_object_get(json_array_get(s->subscriptions, i), "id"), id))
            json_array_remove(s->subscriptions, i);
    for (size_t i = 0; i < s->n_calls; i++) {
        struct serve_call *call = s->calls[i];
        if (call->is_cancelled || serve_is_answered(call) || !json_equal(call->message.id, id))
            continue;
        call->is_cancelled = true;
        runtime_cancel(s->runtime, &call->scope);
    }
}

void session_notified(struct session *s, const struct rpc_message *message)
{
    const json_t *id = json_object_get(message->params, "requestId");
    if (strcmp(message->method, "notifications/initialized") == 0)
        s->is_initialized = s->era == SESSION_LEGACY;
    else if (id && strcmp(message->method, "notifications/cancelled") == 0)
        cancel_request(s, id);
}

void session_tools_changed(struct session *s)
{
    static const char method[] = "notifications/tools/list_changed";
    if (s->is_initialized)
        rpc_notify(s->rpc, NULL, method, NULL);
    for (size_t i = 0; i < json_array_size(s->subscriptions); i++) {
        const json_t *subscription = json_array_get(s->subscriptions, i);
        if (json_get_bool(subscription, "tools", false))
            rpc_notify(s->rpc, json_object_get(subscription, "id"), method,
                       session_subscription_meta(json_object_get(subscription, "id")));
    }
}

static void send_log(struct session *s, const json_t *about, const char *level, const char *text)
{
    rpc_notify(s->rpc, about, "notifications/message",
               json_pack("{ssssss}", "level", level, "logger", s->options->name, "data", text));
}

/* The request that works, where it is the only one. */
static const json_t *only_request(const struct session *s)
{
    const json_t *id = NULL;
    size_t n = 0;
    for (size_t i = 0; i < s->n_calls; i++)
        if (s->calls[i]->task && !serve_is_answered(s->calls[i]) && ++n == 1)
            id = s->calls[i]->message.id;
    return n == 1 ? id : NULL;
}

/* Nothing says which request a log line belongs to: a modern client hears it with the first that
 * asked for such lines, a legacy one with the only one there is, or else by itself. */
void session_log(struct session *s, const char *level, const char *text)
{
    int least =
        serve_log_level(level) == LOG_NEVER ? serve_log_level("info") : serve_log_level(level);
    AUTO(arena) arena = { 0 };
    size_t length = strlen(text);
    if (!text_is_utf8(text, length))
        text = text_one_line(&arena, text, length, length);
    if (serve_log_level(level) == LOG_NEVER)
        level = "info";
    if (s->era == SESSION_LEGACY && s->is_initialized && least >= s->log_level)
        send_log(s, only_request(s), level, text);
    for (size_t i = 0; s->era == SESSION_MODERN && i < s->n_calls; i++) {
        const struct serve_call *call = s->calls[i];
        if (!call->task || serve_is_answered(call) || call->log_level > least)
            continue;
        send_log(s, call->message.id, level, text);
        return;
    }
}

void session_end(struct session *s)
{
    for (size_t i = 0; i < json_array_size(s->subscriptions); i++) {
        const json_t *id = json_object_get(json_array_get(s->subscriptions, i), "id");
        rpc_reply(s->rpc, id, session_complete(s, session_subscription_meta(id), true, false));
    }
    json_array_clear(s->subscriptions);
}
