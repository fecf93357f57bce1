/* A request that waits for its answer is `pending` and has a number, which is its id towards
 * whoever serves, and the name of its stream. Stream 0 is that of GET. The server's answers find
 * the pending request by that number; what was asked under the client's own id is told with that.
 */
#include "infrastructure/mcp/server/http_rpc.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/wire/era.h"
#include "infrastructure/mcp/wire/jsonrpc.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ENVELOPE_BYTES 4096
#define SUBSCRIPTION_ID "io.modelcontextprotocol/subscriptionId"

struct inbox_entry {
    struct inbox_entry *next;
    struct rpc_message message;
};

/* An exchange that is kept open, in the frame that waits for its end. */
struct stand {
    struct web_exchange *x;
    struct completion done;
    bool is_released; /* nothing more comes on it, and its request may be forgotten already */
};

struct pending {
    struct pending *next;
    int64_t number;
    json_t *id;          /* the client's own */
    struct stand *stand; /* NULL: the client is not there at the moment */
    bool is_initialize;
};

struct http_rpc {
    struct rpc base;
    struct uv_runtime *runtime;
    const struct settings *settings;
    char *session_id; /* NULL: modern */
    struct inbox_entry *first, **last;
    size_t n_inbox, n_pending;
    struct pending *pending; /* latest first */
    struct stand *listener;
    struct completion arrived;
    int64_t n_numbers, n_events;
    struct replay replay; /* of a legacy session: for a client that was not there to take it */
    bool is_ended;
};

static struct http_rpc *http_of(const struct rpc *rpc)
{
    return (struct http_rpc *)(uintptr_t)rpc;
}

static struct pending *find(const struct http_rpc *h, const json_t *id)
{
    struct pending *at = h->pending;
    while (at && (!json_is_integer(id) || at->number != json_integer_value(id)))
        at = at->next;
    return at;
}

static void forget(struct http_rpc *h, struct pending *request)
{
    struct pending **at = &h->pending;
    while (*at != request)
        at = &(*at)->next;
    *at = request->next;
    h->n_pending--;
    json_decref(request->id);
    free(request);
}

static void release(struct stand **stand)
{
    if (!*stand)
        return;
    (*stand)->is_released = true;
    completion_complete(&(*stand)->done);
    *stand = NULL;
}

static void init_line(const struct http_rpc *h, struct buf *line)
{
    buf_init(line, (size_t)h->settings->mcp_max_message_bytes + ENVELOPE_BYTES);
}

/* text: one message and the end of its line; "" is an event that only has an id. */
static void send_event(struct http_rpc *h, struct web_exchange *x, int64_t stream, int64_t number,
                       const char *text)
{
    AUTO(buf) event;
    init_line(h, &event);
    bool fits =
        (!h->session_id || buf_printf(&event, "id: %" PRId64 "-%" PRId64 "\n", stream, number)) &&
        buf_puts(&event, "data: ") && buf_puts(&event, text) &&
        buf_puts(&event, *text ? "\n" : "\n\n");
    if (fits)
        web_send(x, event.bytes, event.length);
}

/* Of the clients that could: those of the revision that says how (MCP 2025-11-25). */
static bool knows_resuming(const struct http_rpc *h, const struct web_exchange *x)
{
    const char *version = web_header(x, "MCP-Protocol-Version");
    return h->session_id && version && strcmp(version, ERA_NEWEST_LEGACY_VERSION) >= 0;
}

/* A client that knows of resuming is told an id before anything happens. */
static void begin_stream(struct http_rpc *h, struct web_exchange *x, int64_t stream,
                         bool is_initialize)
{
    const struct web_header headers[] = { { "Cache-Control", "no-cache, no-transform" },
                                          { "X-Accel-Buffering", "no" },
                                          { "Mcp-Session-Id", h->session_id } };
    const struct web_answer head = { .status = 200,
                                     .type = "text/event-stream",
                                     .headers = headers,
                                     .n_headers = is_initialize ? 3 : 2 };
    if (x->is_answered)
        return;
    web_answer(x, &head);
    if (knows_resuming(h, x))
        send_event(h, x, stream, h->n_events, "");
}

/* On the stream of a request, or on that of GET where that is over. */
static void tell(struct http_rpc *h, const json_t *about, const char *line)
{
    struct pending *request = find(h, about);
    struct stand *stand = request ? request->stand : h->session_id ? h->listener : NULL;
    int64_t stream = request ? request->number : 0;
    if (stand)
        begin_stream(h, stand->x, stream, request && request->is_initialize);
    h->n_events++;
    if (h->session_id)
        replay_keep(&h->replay, stream, h->n_events, line);
    if (stand)
        send_event(h, stand->x, stream, h->n_events, line);
}

/* A modern client reads from the status too what became of its request (MCP 2026-07-28). */
static unsigned status_of(const struct http_rpc *h, int code)
{
    if (h->session_id)
        return 200;
    return code == JSONRPC_METHOD_NOT_FOUND                                         ? 404
           : code <= JSONRPC_HEADER_MISMATCH && code >= JSONRPC_UNSUPPORTED_VERSION ? 400
                                                                                    : 200;
}

/* Answers a request, which is forgotten. */
static void settle(struct http_rpc *h, struct pending *request, unsigned status, struct buf *line)
{
    const struct web_header session = { "Mcp-Session-Id", h->session_id };
    const struct stand *stand = request->stand;
    if (stand && !stand->x->is_answered && !stand->x->is_gone) {
        const struct web_answer answer = { .status = status,
                                           .type = "application/json",
                                           .headers = &session,
                                           .n_headers = request->is_initialize,
                                           .bytes = line->bytes,
                                           .length = line->length };
        web_answer(stand->x, &answer);
    } else {
        json_auto_t *number = json_integer(request->number);
        tell(h, number, buf_string(line));
    }
    release(&request->stand);
    forget(h, request);
}

static void send_error(struct http_rpc *h, struct pending *request, int code, const char *message,
                       const json_t *data)
{
    AUTO(buf) line;
    init_line(h, &line);
    if (!jsonrpc_append_error(&line, request->id, code, message, data)) {
        buf_clear(&line);
        if (!jsonrpc_append_error(&line, request->id, JSONRPC_INTERNAL_ERROR,
                                  "the error is too long to be sent", NULL))
            return;
    }
    settle(h, request, status_of(h, code), &line);
}

static void refuse(struct rpc *rpc, const json_t *id, int code, const char *message, json_t *data)
{
    struct pending *request = find(http_of(rpc), id);
    if (request)
        send_error(http_of(rpc), request, code, message, data);
    json_decref(data);
}

static void reply_text(struct rpc *rpc, const json_t *id, const char *result, size_t length)
{
    struct http_rpc *h = http_of(rpc);
    struct pending *request = find(h, id);
    AUTO(buf) line;
    init_line(h, &line);
    if (request && jsonrpc_append_result(&line, request->id, result, length))
        settle(h, request, 200, &line);
    else if (request)
        send_error(h, request, JSONRPC_INTERNAL_ERROR,
                   "the result is longer than mcp.max_message_bytes", NULL);
}

/* A subscription is named by the id of the request that began it. */
static void name_subscription(const struct http_rpc *h, const json_t *id, json_t *content)
{
    const struct pending *request = find(h, id);
    json_t *meta = json_object_get(content, "_meta");
    if (request && json_object_get(meta, SUBSCRIPTION_ID))
        json_object_set(meta, SUBSCRIPTION_ID, request->id);
}

static void reply(struct rpc *rpc, const json_t *id, json_t *result)
{
    json_auto_t *owned = result;
    name_subscription(http_of(rpc), id, result);
    auto_str text = json_print(owned);
    reply_text(rpc, id, text, strlen(text));
}

static void notify(struct rpc *rpc, const json_t *about, const char *method, json_t *params)
{
    struct http_rpc *h = http_of(rpc);
    json_auto_t *owned = params;
    AUTO(buf) line;
    init_line(h, &line);
    name_subscription(h, about, owned);
    if (jsonrpc_append_notification(&line, method, owned))
        tell(h, about, line.bytes);
}

static void ask(struct rpc *rpc, const json_t *about, int64_t id, const char *method,
                json_t *params)
{
    struct http_rpc *h = http_of(rpc);
    json_auto_t *owned = params;
    AUTO(buf) line;
    init_line(h, &line);
    if (jsonrpc_append_request(&line, (struct jsonrpc_id){ .number = id }, method, owned))
        tell(h, about, line.bytes);
}

static void let_go(struct rpc *rpc, const json_t *about, int64_t ms)
{
    struct http_rpc *h = http_of(rpc);
    struct pending *request = find(h, about);
    struct web_exchange *x = request && request->stand ? request->stand->x : NULL;
    AUTO(buf) line;
    init_line(h, &line);
    if (!x || !knows_resuming(h, x) || !buf_printf(&line, "retry: %" PRId64 "\n\n", ms))
        return;
    begin_stream(h, x, request->number, request->is_initialize);
    web_send(x, line.bytes, line.length);
    release(&request->stand);
}

static enum err_code next(struct rpc *rpc, struct scope *scope, struct rpc_message *out,
                          struct err *err)
{
    struct http_rpc *h = http_of(rpc);
    enum err_code r = ERR_NONE;
    while (!r && !h->first && !h->is_ended) {
        h->arrived = completion_of(h->runtime);
        r = completion_await(&h->arrived, scope, err);
    }
    struct inbox_entry *entry = h->first;
    if (r || !entry)
        return r ? r : err_set(err, ERR_UNAVAILABLE, 0, "the client has gone");
    h->first = entry->next;
    if (!h->first)
        h->last = &h->first;
    h->n_inbox--;
    *out = entry->message;
    free(entry);
    return ERR_NONE;
}

/* Every answer has its exchange, which sees to it that it is sent. */
static enum err_code flush(struct rpc *rpc, struct scope *scope, struct err *err)
{
    (void)rpc;
    (void)scope;
    (void)err;
    return ERR_NONE;
}

static void deliver(struct http_rpc *h, struct rpc_message *message)
{
    struct inbox_entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        abort();
    entry->message = *message;
    *message = (struct rpc_message){ 0 };
    *h->last = entry;
    h->last = &entry->next;
    h->n_inbox++;
    completion_complete(&h->arrived);
}

void http_rpc_refuse(struct web_exchange *x, unsigned status, const json_t *id, int code,
                     const char *why, json_t *data)
{
    json_auto_t *owned = data;
    const struct web_header later = { "Retry-After", "1" };
    AUTO(buf) line;
    buf_init(&line, ENVELOPE_BYTES * 16);
    if (!jsonrpc_append_error(&line, id, code, why, owned)) {
        buf_clear(&line);
        (void)!jsonrpc_append_error(&line, NULL, code, why, owned);
    }
    const struct web_answer answer = { .status = status,
                                       .type = "application/json",
                                       .headers = &later,
                                       .n_headers = status == 429,
                                       .bytes = buf_string(&line),
                                       .length = line.length };
    web_answer(x, &answer);
}

static bool is_about_cancelling(const struct rpc_message *message)
{
    return message->method && !message->id &&
           strcmp(message->method, "notifications/cancelled") == 0;
}

/* Hands on that a legacy client wants a request cancelled, by its number; it will not be answered,
 * so its exchange ends. A modern client goes away instead: its ids may be those of another client
 * as well. */
static void take_cancelling(struct http_rpc *h, struct rpc_message *message)
{
    const json_t *id = json_object_get(message->params, "requestId");
    struct pending *request = h->session_id ? h->pending : NULL;
    while (request && !json_equal(request->id, id))
        request = request->next;
    if (!request)
        return;
    json_object_set_new(message->params, "requestId", json_integer(request->number));
    deliver(h, message);
    if (request->stand)
        begin_stream(h, request->stand->x, request->number, request->is_initialize);
    release(&request->stand);
    forget(h, request);
}

static void take_notice(struct http_rpc *h, struct web_exchange *x, struct rpc_message *message)
{
    const struct web_answer taken = { .status = 202, .bytes = "" };
    if (is_about_cancelling(message))
        take_cancelling(h, message);
    else
        deliver(h, message);
    web_answer(x, &taken);
}

static void cancel(struct http_rpc *h, const struct pending *request)
{
    json_t *whole =
        json_pack("{s:s, s:s, s:{s:I}}", "jsonrpc", "2.0", "method", "notifications/cancelled",
                  "params", "requestId", (json_int_t)request->number);
    struct rpc_message message = { .method = json_get_string(whole, "method"),
                                   .params = json_object_get(whole, "params"),
                                   .whole = whole };
    deliver(h, &message);
}

/* Waits on an exchange until it is released, or its client has gone (false); comments keep its
 * stream alive meanwhile, unless it is one without an end whose client is not to be here any more.
 */
awaits static bool stay(struct http_rpc *h, struct stand *stand, int64_t stream, bool is_initialize)
{
    struct runtime *runtime = uv_runtime_port(h->runtime);
    enum err_code r = ERR_TIMEOUT;
    while (r == ERR_TIMEOUT && !stand->is_released) {
        int64_t until = runtime_now_ms(runtime) + HTTP_RPC_COMMENT_MS;
        r = completion_await_until(&stand->done, stand->x->scope, &until, NULL);
        if (r != ERR_TIMEOUT || (stand->x->may_end && !web_may_stay(stand->x)))
            break;
        begin_stream(h, stand->x, stream, is_initialize);
        web_send(stand->x, ":\n\n", 3);
    }
    return stand->is_released;
}

awaits static void stand_by(struct http_rpc *h, struct pending *request, struct web_exchange *x)
{
    struct stand stand = { .x = x, .done = completion_of(h->runtime) };
    request->stand = &stand;
    if (stay(h, &stand, request->number, request->is_initialize))
        return;
    request->stand = NULL;
    if (h->session_id)
        return;
    cancel(h, request);
    forget(h, request);
}

void http_rpc_post(struct rpc *rpc, struct web_exchange *x, struct rpc_message *message)
{
    struct http_rpc *h = http_of(rpc);
    bool is_request = message->method && message->id;
    if (h->is_ended || h->n_inbox + h->n_pending >= HTTP_RPC_MAX_WAITING) {
        http_rpc_refuse(x, 503, message->id, -32000, "too many requests at once", NULL);
        rpc_message_finish(message);
        return;
    }
    if (!is_request) {
        take_notice(h, x, message);
        rpc_message_finish(message);
        return;
    }
    struct pending *request = calloc(1, sizeof *request);
    if (!request)
        abort();
    *request = (struct pending){ .next = h->pending,
                                 .number = ++h->n_numbers,
                                 .id = json_incref(message->id),
                                 .is_initialize = strcmp(message->method, "initialize") == 0 };
    h->pending = request;
    h->n_pending++;
    x->may_end = strcmp(message->method, "subscriptions/listen") == 0;
    json_object_set_new(message->whole, "id", json_integer(request->number));
    message->id = json_object_get(message->whole, "id");
    deliver(h, message);
    stand_by(h, request, x);
}

/* "STREAM-NUMBER" of an event that this session has sent. */
static bool read_event_id(const struct http_rpc *h, const char *text, int64_t *out_stream,
                          int64_t *out_number)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    *out_stream = strtoll(text, &end, 10);
    if (*end != '-' || end[1] < '0' || end[1] > '9')
        return false;
    *out_number = strtoll(end + 1, &end, 10);
    return *end == '\0' && *out_stream <= h->n_numbers && *out_number <= h->n_events;
}

static void send_missed(struct http_rpc *h, struct web_exchange *x, int64_t stream, int64_t after)
{
    for (const struct replay_event *at = h->replay.first; at; at = at->next)
        if (at->stream == stream && at->number > after)
            send_event(h, x, stream, at->number, at->text);
}

/* What belongs to no request. */
awaits static void listen(struct http_rpc *h, struct web_exchange *x)
{
    struct stand stand = { .x = x, .done = completion_of(h->runtime) };
    h->listener = &stand;
    x->may_end = true;
    if (!stay(h, &stand, 0, false))
        h->listener = NULL;
}

void http_rpc_listen(struct rpc *rpc, struct web_exchange *x, const char *last_event_id)
{
    struct http_rpc *h = http_of(rpc);
    int64_t stream = 0, after = h->n_events;
    if (last_event_id && !read_event_id(h, last_event_id, &stream, &after)) {
        http_rpc_refuse(x, 400, NULL, JSONRPC_INVALID_REQUEST, "no event has this Last-Event-ID",
                        NULL);
        return;
    }
    if (!last_event_id && h->listener) {
        http_rpc_refuse(x, 409, NULL, -32000, "this stream is open already", NULL);
        return;
    }
    json_auto_t *number = json_integer(stream);
    struct pending *request = stream ? find(h, number) : NULL;
    /* Whoever names an event has lost the stream, whether that was noticed here or not. */
    if (!stream)
        release(&h->listener);
    else if (request)
        release(&request->stand);
    begin_stream(h, x, stream, false);
    send_missed(h, x, stream, after);
    if (request)
        stand_by(h, request, x);
    else if (!stream && !h->is_ended)
        listen(h, x);
}

void http_rpc_end(struct rpc *rpc)
{
    struct http_rpc *h = http_of(rpc);
    h->is_ended = true;
    completion_complete(&h->arrived);
    release(&h->listener);
}

void http_rpc_abandon(struct rpc *rpc)
{
    struct http_rpc *h = http_of(rpc);
    http_rpc_end(rpc);
    for (struct pending *at = h->pending, *after; at; at = after) {
        after = at->next;
        send_error(h, at, -32000, "the session has ended", NULL);
    }
}

static void destroy(struct rpc *rpc)
{
    struct http_rpc *h = http_of(rpc);
    while (h->first) {
        struct inbox_entry *entry = h->first;
        h->first = entry->next;
        rpc_message_finish(&entry->message);
        free(entry);
    }
    if (h->session_id)
        replay_finish(&h->replay);
    free(h->session_id);
    free(h);
}

struct rpc *http_rpc_create(struct uv_runtime *runtime, const struct settings *settings,
                            const char *session_id, struct replay_store *replays)
{
    static const struct rpc_ops ops = { .next = next,
                                        .reply = reply,
                                        .reply_text = reply_text,
                                        .refuse = refuse,
                                        .notify = notify,
                                        .ask = ask,
                                        .pause = let_go,
                                        .flush = flush,
                                        .destroy = destroy };
    struct http_rpc *h = calloc(1, sizeof *h);
    if (!h)
        abort();
    h->base.ops = &ops;
    h->runtime = runtime;
    h->settings = settings;
    h->last = &h->first;
    h->arrived = completion_of(runtime);
    if (!session_id)
        return &h->base;
    if (!(h->session_id = strdup(session_id)))
        abort();
    replay_init(&h->replay, replays, (size_t)settings->http_replay_events);
    return &h->base;
}
