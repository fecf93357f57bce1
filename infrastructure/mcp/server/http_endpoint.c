#include "infrastructure/mcp/server/http_endpoint.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/server/http_rpc.h"
#include "infrastructure/mcp/server/request_headers.h"
#include "infrastructure/mcp/server/rpc_message.h"
#include "infrastructure/mcp/wire/era.h"
#include "infrastructure/mcp/wire/http_headers.h"
#include "infrastructure/mcp/wire/jsonrpc.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define META "io.modelcontextprotocol/"
#define NO_SESSION (-32001) /* as the official SDKs say it */

enum { TIDY_MS = 1000, ID_BYTES = 24, ID_TEXT = 2 * ID_BYTES + 1 };

/* A legacy client, or all modern ones together (id ""). */
struct http_session {
    struct http_session *next;
    struct http_endpoint *endpoint;
    struct rpc *rpc;
    struct task *task;
    char id[ID_TEXT];
    int64_t used_ms;
    size_t n_users; /* exchanges that have the rpc in hand */
    bool is_ending, is_over;
};

struct http_endpoint {
    struct rpc_endpoint base;
    struct rpc_endpoint_options options;
    struct uv_runtime *uv;
    const struct settings *settings;
    struct replay_store *replays;
    struct runtime *runtime;
    struct http_session *sessions; /* with the modern one */
    size_t n_legacy;
    int64_t tidied_ms;
    bool has_ended;     /* a session, since then */
    struct scope scope; /* of sessions: they outlive any request */
};

static enum err_code run_session(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct http_session *session = argument;
    const struct rpc_endpoint_options *options = &session->endpoint->options;
    (void)runtime;
    options->serve(options->context, scope, session->rpc);
    session->is_ending = true;
    http_rpc_abandon(session->rpc);
    session->is_over = session->endpoint->has_ended = true;
    return ERR_NONE;
}

static void make_id(char out[static ID_TEXT])
{
    unsigned char bytes[ID_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        abort();
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static struct http_session *begin_session(struct http_endpoint *e, bool is_legacy)
{
    struct http_session *session = calloc(1, sizeof *session);
    if (!session)
        abort();
    session->endpoint = e;
    if (is_legacy)
        make_id(session->id);
    session->rpc = http_rpc_create(e->uv, e->settings, is_legacy ? session->id : NULL, e->replays);
    session->next = e->sessions;
    e->sessions = session;
    e->n_legacy += is_legacy;
    session->task = runtime_spawn(e->runtime, &e->scope, run_session, session);
    return session;
}

static void end_session(struct http_session *session)
{
    session->is_ending = true;
    http_rpc_end(session->rpc);
}

/* Takes away what has ended, and ends what nobody came back to; not for every request. */
static void tidy(struct http_endpoint *e)
{
    int64_t now = runtime_now_ms(e->runtime);
    int64_t late = now - e->settings->http_session_seconds * 1000;
    if (!e->has_ended && now - e->tidied_ms < TIDY_MS)
        return;
    e->has_ended = false;
    e->tidied_ms = now;
    for (struct http_session **at = &e->sessions; *at;) {
        struct http_session *session = *at;
        if (*session->id && !session->is_ending && !session->n_users && session->used_ms < late)
            end_session(session);
        if (!session->is_over || session->n_users) {
            e->has_ended |= session->is_over;
            at = &session->next;
            continue;
        }
        *at = session->next;
        e->n_legacy -= *session->id != '\0';
        (void)runtime_wait(e->runtime, session->task);
        rpc_destroy(session->rpc);
        free(session);
    }
}

static struct http_session *find(const struct http_endpoint *e, const char *id)
{
    struct http_session *at = e->sessions;
    while (at && (at->is_ending || strcmp(at->id, id) != 0))
        at = at->next;
    return at;
}

/* False: as many as may be are in use. */
static bool make_room(struct http_endpoint *e)
{
    struct http_session *oldest = NULL;
    if (e->n_legacy < (size_t)e->settings->http_max_sessions)
        return true;
    for (struct http_session *at = e->sessions; at; at = at->next)
        if (*at->id && !at->is_ending && !at->n_users && (!oldest || at->used_ms < oldest->used_ms))
            oldest = at;
    if (oldest)
        end_session(oldest);
    return oldest != NULL;
}

static void fail(struct web_exchange *x, unsigned status, const json_t *id, int code,
                 const char *why)
{
    http_rpc_refuse(x, status, id, code, why, NULL);
}

/* Whether one more may be begun that waits; else it was answered that it may not. */
static bool may_wait(struct web_exchange *x, const json_t *id)
{
    if (x->is_beyond_share)
        http_rpc_refuse(
            x, 429, id, -32000,
            "too many requests of yours are being answered (http.requests_at_once)",
            json_pack("{s:s}", "hint", "send it again when one of them has been answered"));
    return !x->is_beyond_share;
}

awaits static void use(struct http_session *session, struct web_exchange *x,
                       struct rpc_message *message)
{
    struct http_endpoint *e = session->endpoint;
    session->n_users++;
    http_rpc_post(session->rpc, x, message);
    session->n_users--;
    session->used_ms = runtime_now_ms(e->runtime);
}

/* The version that a legacy session was told is not kept: any that there was will do. */
static bool is_legacy_version(const char *version)
{
    static const char *const known[] = { ERA_NEWEST_LEGACY_VERSION, "2025-06-18", "2025-03-26",
                                         "2024-11-05" };
    for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
        if (strcmp(known[i], version) == 0)
            return true;
    return false;
}

/* The session that a request names; NULL: it was answered. */
static struct http_session *named_session(struct http_endpoint *e, struct web_exchange *x,
                                          const json_t *id)
{
    const char *name = web_header(x, "Mcp-Session-Id");
    const char *version = web_header(x, "MCP-Protocol-Version");
    struct http_session *session = name && *name ? find(e, name) : NULL;
    if (!name)
        fail(x, 400, id, JSONRPC_INVALID_REQUEST,
             "the header Mcp-Session-Id is missing: send initialize first, or be modern");
    else if (!session)
        fail(x, 404, id, NO_SESSION, "there is no such session: send initialize");
    else if (version && !is_legacy_version(version))
        fail(x, 400, id, JSONRPC_INVALID_REQUEST, "MCP-Protocol-Version is not one of a session");
    else
        return session;
    return NULL;
}

static void fail_version(const struct http_endpoint *e, struct web_exchange *x, const json_t *id,
                         const char *asked)
{
    json_t *data = json_pack("{s:[], s:s}", "supported", "requested", asked);
    json_t *supported = json_object_get(data, "supported");
    if (e->options.is_modern)
        json_array_append_new(supported, json_string(ERA_MODERN_VERSION));
    if (e->options.is_legacy)
        json_array_append_new(supported, json_string(ERA_NEWEST_LEGACY_VERSION));
    http_rpc_refuse(x, 400, id, JSONRPC_UNSUPPORTED_VERSION, "Unsupported protocol version", data);
}

awaits static void initialize(struct http_endpoint *e, struct web_exchange *x,
                              struct rpc_message *message)
{
    const char *asked = json_get_string(message->params, "protocolVersion");
    if (!e->options.is_legacy)
        fail_version(e, x, message->id, asked ? asked : "");
    else if (!make_room(e))
        fail(x, 503, message->id, -32000, "too many sessions at once");
    else
        use(begin_session(e, true), x, message);
}

/* The input schema of the tool that is called, where there is one; a reference. */
awaits static json_t *called_schema(struct http_endpoint *e, const struct web_exchange *x,
                                    const struct rpc_message *message)
{
    const char *name = json_get_string(message->params, "name");
    struct tool_catalogue *catalogue;
    json_t *schema = NULL;
    if (strcmp(message->method, "tools/call") != 0 || !name ||
        tool_server_list(e->options.tools, x->scope, &catalogue, NULL))
        return NULL;
    for (size_t i = 0; i < catalogue->n_tools && !schema; i++)
        if (strcmp(catalogue->tools[i].name, name) == 0)
            schema = json_incref(json_object_get(catalogue->tools[i].definition, "inputSchema"));
    tool_catalogue_unref(catalogue);
    return schema;
}

/* Why a modern request cannot be served, whatever it asks; NULL once it was answered, and *out_why
 * where it may go on. */
static const char *missing_meta(const struct rpc_message *message)
{
    const json_t *meta = json_object_get(message->params, "_meta");
    if (!json_get_string(meta, META "protocolVersion"))
        return "missing _meta key " META "protocolVersion";
    return json_is_object(json_object_get(meta, META "clientCapabilities"))
               ? NULL
               : "missing _meta key " META "clientCapabilities (object)";
}

awaits static void answer_modern(struct http_endpoint *e, struct web_exchange *x,
                                 struct rpc_message *message)
{
    AUTO(arena) arena = { 0 };
    const json_t *meta = json_object_get(message->params, "_meta");
    const char *version = json_get_string(meta, META "protocolVersion");
    const char *missing = message->id ? missing_meta(message) : NULL;
    json_auto_t *schema = missing ? NULL : called_schema(e, x, message);
    const char *fault =
        missing || !message->id ? NULL : request_headers_fault(&arena, x, message, schema);
    if (missing)
        fail(x, 400, message->id, JSONRPC_INVALID_PARAMS, missing);
    else if (fault)
        fail(x, 400, message->id, JSONRPC_HEADER_MISMATCH, fault);
    else if (version && strcmp(version, ERA_MODERN_VERSION) != 0)
        fail_version(e, x, message->id, version);
    else {
        struct http_session *session = find(e, "");
        use(session ? session : begin_session(e, false), x, message);
    }
}

/* What tells a modern request from one that lacks a session. */
static bool looks_modern(const struct web_exchange *x, const struct rpc_message *message)
{
    const char *version = web_header(x, "MCP-Protocol-Version");
    const json_t *meta = json_object_get(message->params, "_meta");
    return json_object_get(meta, META "protocolVersion") ||
           (version && !is_legacy_version(version));
}

awaits static void answer_message(struct http_endpoint *e, struct web_exchange *x,
                                  struct rpc_message *message)
{
    const char *version = web_header(x, "MCP-Protocol-Version");
    bool is_call = message->method != NULL;
    bool is_modern = is_call && looks_modern(x, message);
    if (is_call && message->id && !may_wait(x, message->id))
        return;
    if (is_call && message->id && strcmp(message->method, "initialize") == 0 && !is_modern) {
        initialize(e, x, message);
    } else if (is_modern && e->options.is_modern) {
        answer_modern(e, x, message);
    } else if (is_modern) {
        fail_version(e, x, message->id, version ? version : ERA_MODERN_VERSION);
    } else if (!e->options.is_legacy) {
        fail(x, 400, message->id, JSONRPC_INVALID_PARAMS,
             "missing _meta key " META "protocolVersion");
    } else {
        struct http_session *session = named_session(e, x, message->id);
        if (session)
            use(session, x, message);
    }
}

static bool accepts(const struct web_exchange *x, const char *type)
{
    const char *accept = web_header(x, "Accept");
    return accept && (strcasestr(accept, type) || strstr(accept, "*/*"));
}

static bool is_json(const struct web_exchange *x)
{
    const char *type = web_header(x, "Content-Type");
    return type && http_media_of(type, strlen(type)) == HTTP_MEDIA_JSON;
}

awaits static void post(struct http_endpoint *e, struct web_exchange *x)
{
    struct rpc_message message;
    struct rpc_objection objection;
    struct err why;
    json_t *value = NULL;
    if (!is_json(x)) {
        fail(x, 415, NULL, JSONRPC_INVALID_REQUEST, "Content-Type must be application/json");
        return;
    }
    if (!accepts(x, "application/json") || !accepts(x, "text/event-stream")) {
        fail(x, 406, NULL, JSONRPC_INVALID_REQUEST,
             "Accept must name application/json and text/event-stream");
        return;
    }
    if (!text_is_utf8(x->body, x->length)) {
        fail(x, 400, NULL, JSONRPC_PARSE_ERROR, "the body is not UTF-8");
        return;
    }
    enum err_code r =
        json_parse_message(x->body, x->length, (size_t)e->settings->mcp_max_values, &value, &why);
    if (r) {
        fail(x, 400, NULL, r == ERR_LIMIT ? JSONRPC_INVALID_REQUEST : JSONRPC_PARSE_ERROR,
             why.message);
    } else if (json_is_array(value)) {
        json_decref(value);
        fail(x, 400, NULL, JSONRPC_INVALID_REQUEST, "one message in each request: no batches");
    } else if (!rpc_message_take(value, &message, &objection)) {
        fail(x, 400, objection.id, objection.code ? objection.code : JSONRPC_INVALID_REQUEST,
             objection.code ? objection.why : "params must be an object");
        json_decref(objection.id);
    } else {
        answer_message(e, x, &message);
        rpc_message_finish(&message);
    }
}

awaits static void get(struct http_endpoint *e, struct web_exchange *x)
{
    if (!accepts(x, "text/event-stream")) {
        fail(x, 406, NULL, JSONRPC_INVALID_REQUEST, "Accept must name text/event-stream");
        return;
    }
    struct http_session *session = named_session(e, x, NULL);
    if (!session || !may_wait(x, NULL))
        return;
    session->n_users++;
    http_rpc_listen(session->rpc, x, web_header(x, "Last-Event-ID"));
    session->n_users--;
    session->used_ms = runtime_now_ms(e->runtime);
}

static void delete (struct http_endpoint *e, struct web_exchange *x)
{
    const struct web_answer gone = { .status = 204, .bytes = "" };
    struct http_session *session = named_session(e, x, NULL);
    if (!session)
        return;
    end_session(session);
    web_answer(x, &gone);
}

static void refuse_method(const struct http_endpoint *e, struct web_exchange *x)
{
    static const char why[] = "MCP is spoken by POST here\n";
    const struct web_header allow = { "Allow",
                                      e->options.is_legacy ? "POST, GET, DELETE" : "POST" };
    const struct web_answer answer = { .status = 405,
                                       .type = "text/plain",
                                       .headers = &allow,
                                       .n_headers = 1,
                                       .bytes = why,
                                       .length = sizeof why - 1 };
    web_answer(x, &answer);
}

static void answer(struct rpc_endpoint *endpoint, struct web_exchange *x)
{
    struct http_endpoint *e = (struct http_endpoint *)endpoint;
    const char *version = web_header(x, "MCP-Protocol-Version");
    bool is_legacy = e->options.is_legacy && (!version || strcmp(version, ERA_MODERN_VERSION) != 0);
    tidy(e);
    if (strcmp(x->method, "POST") == 0)
        post(e, x);
    else if (is_legacy && strcmp(x->method, "GET") == 0)
        get(e, x);
    else if (is_legacy && strcmp(x->method, "DELETE") == 0)
        delete (e, x);
    else
        refuse_method(e, x);
}

static void close_endpoint(struct rpc_endpoint *endpoint)
{
    struct http_endpoint *e = (struct http_endpoint *)endpoint;
    for (struct http_session *at = e->sessions; at; at = at->next)
        end_session(at);
    for (struct http_session *at = e->sessions, *next; at; at = next) {
        next = at->next;
        (void)runtime_wait(e->runtime, at->task);
        rpc_destroy(at->rpc);
        free(at);
    }
    free(e);
}

struct rpc_endpoint *http_endpoint_create(struct uv_runtime *runtime,
                                          const struct settings *settings,
                                          struct replay_store *replays,
                                          const struct rpc_endpoint_options *options)
{
    static const struct rpc_endpoint_ops ops = { .answer = answer, .close = close_endpoint };
    struct http_endpoint *e = calloc(1, sizeof *e);
    if (!e)
        abort();
    e->base.ops = &ops;
    e->options = *options;
    e->uv = runtime;
    e->settings = settings;
    e->replays = replays;
    e->runtime = uv_runtime_port(runtime);
    e->scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    return &e->base;
}
