/* Two halves: the framing, which cuts events out of bytes and notices at the first byte when a
 * server that was asked to stream sends one JSON text or a page of HTML all the same; and the
 * exchange around it, which measures silence, sends the request again while the server is loading
 * or busy, and says at the end what the exchange was worth. */
#include "infrastructure/models/endpoint/chat_stream.h"
#include "application/ports/runtime.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/net/ndjson.h"
#include "infrastructure/net/sse.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdlib.h>
#include <string.h>

enum {
    OVERHEAD_PER_BYTE = 400, /* a token of one byte comes in an event of so many */
    SHOWN_COLUMNS = 80,      /* of an answer that is not one */
};

struct chat_stream_private {
    struct chat_stream *stream;
    const struct model_request *request;
    struct runtime *runtime;
    struct http_request http;
    int status; /* of the response, or of the error within it */
    bool stopped, has_token;
    bool is_complete;       /* only the end is still missing */
    int64_t token_until_ms; /* whatever comes, without a token it ends then */
    size_t idle_bytes;      /* since the last token */
    struct buf text, error_body;
    enum chat_framing framing; /* as it turned out */
    bool has_begun;            /* the first byte that is not blank was seen: framing is certain */
    bool said_done;            /* "[DONE]", which is not an event */
    struct sse sse;
    struct ndjson ndjson;
    struct buf whole;
    enum err_code failed; /* while streaming */
    struct err *err;
};

static bool goes_on(const struct chat_stream_private *inside)
{
    return !inside->failed && !inside->stopped;
}

static void expect_token(struct chat_stream_private *inside)
{
    inside->idle_bytes = 0;
    inside->token_until_ms =
        runtime_now_ms(inside->runtime) + CHAT_STREAM_PATIENCE * inside->http.silence_ms;
}

static void expect_end(struct chat_stream_private *inside)
{
    if (inside->http.silence_ms > MODEL_GRACE_MS)
        inside->http.silence_ms = MODEL_GRACE_MS;
    inside->token_until_ms = runtime_now_ms(inside->runtime) + MODEL_GRACE_MS;
}

void chat_stream_token(struct chat_stream *stream, const char *text)
{
    struct chat_stream_private *inside = stream->inside;
    size_t length = strlen(text);
    if (length == 0 || !goes_on(inside))
        return;
    inside->has_token = true;
    inside->http.silence_ms = inside->request->silence_ms;
    expect_token(inside);
    if (!buf_append(&inside->text, text, length)) {
        inside->failed = err_set(inside->err, ERR_LIMIT, 0, "the answer is longer than %zu bytes",
                                 inside->text.max_bytes);
        return;
    }
    const struct model_request *request = inside->request;
    if (request->on_token)
        inside->stopped = !request->on_token(request->context, text, length);
    inside->is_complete = request->is_complete && request->is_complete(request->context);
    if (inside->is_complete)
        expect_end(inside);
}

/* Some servers say 200 and tell the status they mean in the error. */
static int status_within(const json_t *event)
{
    int64_t code =
        json_get_int(json_object_get(event, "error"), "code", json_get_int(event, "code", 200));
    return code >= 400 && code < 500 ? (int)code : 200;
}

void chat_stream_fail(struct chat_stream *stream, const json_t *event)
{
    struct chat_stream_private *inside = stream->inside;
    auto_str text = json_print(event);
    if (!goes_on(inside))
        return;
    inside->status = status_within(event);
    buf_clear(&inside->error_body);
    (void)!buf_puts(&inside->error_body, text); /* too long an error is none about a schema */
    inside->failed = endpoint_error(inside->status, text, strlen(text), inside->err);
}

static enum err_code no_answer(const char *what, const char *text, size_t length, struct err *err)
{
    AUTO(arena) arena = { 0 };
    err_set(err, ERR_PROTOCOL, 0, "%s: %s", what,
            text_one_line(&arena, text, length, SHOWN_COLUMNS));
    return err_hint(err, ERR_PROTOCOL, "is model.base_url the address of a model server?");
}

/* The text of one event, which should be JSON. False: enough. */
static bool take_event(struct chat_stream_private *inside, const char *text, size_t length)
{
    json_auto_t *event = NULL;
    if (json_parse(text, length, JSON_FOREIGN, &event, NULL)) {
        inside->failed = no_answer("its stream is not JSON", text, length, inside->err);
        return false;
    }
    inside->stream->on_event(inside->stream, event);
    bool is_all = inside->framing == CHAT_WHOLE;
    if (is_all && goes_on(inside) && !inside->stream->ended)
        inside->failed =
            no_answer("there is no completion in its answer", text, length, inside->err);
    return goes_on(inside);
}

static bool on_line(void *context, const char *line, size_t length)
{
    return take_event(context, line, length);
}

/* Some servers send events of their own, with a name. */
static bool on_sse_event(void *context, const char *name, const char *data, size_t length)
{
    struct chat_stream_private *inside = context;
    if (name[0] && strcmp(name, "message") != 0 && strcmp(name, "error") != 0)
        return true;
    if (strcmp(data, "[DONE]") != 0)
        return take_event(inside, data, length);
    inside->said_done = true;
    return true;
}

static enum err_code feed(struct chat_stream_private *inside, const char *bytes, size_t length)
{
    size_t blanks = 0;
    while (!inside->has_begun && blanks < length && strchr(" \t\r\n", bytes[blanks]))
        blanks++;
    if (!inside->has_begun && blanks < length) {
        /* A line of server-sent events that means anything does not begin like JSON, and neither
         * framing begins like HTML. */
        char first = bytes[blanks];
        if (first == '<' || (inside->framing == CHAT_SSE && (first == '{' || first == '[')))
            inside->framing = CHAT_WHOLE;
        inside->has_begun = true;
    }
    if (inside->framing == CHAT_SSE)
        return sse_feed(&inside->sse, bytes, length, on_sse_event, inside, inside->err);
    if (inside->framing == CHAT_NDJSON)
        return ndjson_feed(&inside->ndjson, bytes, length, on_line, inside, inside->err);
    return buf_append(&inside->whole, bytes, length)
               ? ERR_NONE
               : err_set(inside->err, ERR_LIMIT, 0, "the answer is longer than %zu bytes",
                         inside->whole.max_bytes);
}

/* The response is over: hands over what only its end completes. */
static void end_frames(struct chat_stream_private *inside)
{
    if (inside->framing == CHAT_NDJSON)
        ndjson_end(&inside->ndjson, on_line, inside);
    if (inside->framing == CHAT_WHOLE && inside->has_begun)
        (void)take_event(inside, inside->whole.bytes, inside->whole.length);
}

static void on_headers(void *context, int status)
{
    struct chat_stream_private *inside = context;
    inside->status = status;
}

/* Signs of life keep the connection from counting as silent, but not for ever. */
static enum err_code check_patience(struct chat_stream_private *inside, size_t length)
{
    size_t most = CHAT_STREAM_MAX_EVENT_BYTES + inside->text.max_bytes;
    inside->idle_bytes += length;
    if (inside->idle_bytes > most)
        return err_set(inside->err, ERR_LIMIT, 0, "%zu bytes came without a token", most);
    if (runtime_now_ms(inside->runtime) < inside->token_until_ms)
        return ERR_NONE;
    return err_set(inside->err, ERR_TIMEOUT, 0, "no token for %.3g s, though the connection lives",
                   (double)(CHAT_STREAM_PATIENCE * inside->http.silence_ms) / 1000.0);
}

static bool on_bytes(void *context, const char *bytes, size_t length)
{
    struct chat_stream_private *inside = context;
    enum err_code r = check_patience(inside, length);
    if (!r && inside->status >= 300)
        return buf_append(&inside->error_body, bytes, length);
    if (!r)
        r = feed(inside, bytes, length);
    if (r && !inside->failed)
        inside->failed = r;
    return goes_on(inside);
}

/* The endpoint was silent for too long; or the caller had no more time, which says nothing
 * about it. */
static enum err_code explain_timeout(const struct chat_stream_private *inside,
                                     const struct scope *scope, struct err *err)
{
    if (scope_check(scope, runtime_now_ms(inside->runtime), NULL))
        return ERR_TIMEOUT;
    if (inside->has_token)
        return err_prefix(err, ERR_TIMEOUT, "it fell silent in the middle of its answer");
    return err_hint(err, ERR_TIMEOUT,
                    "a large model may need longer to load: raise "
                    "model.first_token_timeout_seconds");
}

/* What a transfer that ended, by itself or by us, was worth. */
static enum err_code outcome_of(struct chat_stream_private *inside, const struct scope *scope,
                                enum err_code r, struct err *err)
{
    bool in_time = !scope_check(scope, runtime_now_ms(inside->runtime), NULL);
    enum err_code why = inside->failed ? inside->failed : r;
    inside->stopped = inside->stopped || (inside->is_complete && why == ERR_TIMEOUT && in_time);
    if (inside->failed && !inside->stopped)
        return inside->failed;
    bool ended = inside->stream->ended || inside->said_done;
    if (inside->stopped || (ended && r != ERR_CANCELLED))
        return ERR_NONE;
    if (r == ERR_TIMEOUT)
        return explain_timeout(inside, scope, err);
    if (r == ERR_UNAVAILABLE && inside->status)
        return err_hint(err, r, ENDPOINT_GAVE_UP_HINT);
    if (r)
        return r;
    if (inside->status >= 300)
        return endpoint_error(inside->status, buf_string(&inside->error_body),
                              inside->error_body.length, err);
    err_set(err, ERR_UNAVAILABLE, 0, "the answer ended without its end marker");
    return err_hint(err, ERR_UNAVAILABLE, ENDPOINT_GAVE_UP_HINT);
}

awaits static enum err_code run_once(struct chat_stream_private *inside,
                                     struct endpoint_client *client, const struct scope *scope,
                                     int64_t *out_retry_after_ms, struct err *err)
{
    struct http_response response;
    inside->status = 0;
    inside->err = err;
    expect_token(inside);
    buf_clear(&inside->error_body);
    enum err_code r = http_client_perform(client->http, scope, &inside->http, &response, err);
    if (!r && goes_on(inside) && inside->status < 300)
        end_frames(inside);
    *out_retry_after_ms = response.retry_after_ms;
    return outcome_of(inside, scope, r, err);
}

/* When to ask again: while the model is being loaded, or as the server says itself ("at once" is no
 * invitation to a storm of requests). -1: never, nor when the answer had begun. */
static int64_t pause_after(const struct chat_stream_private *inside, int64_t retry_after_ms)
{
    if (inside->failed || (inside->status != 429 && inside->status != 503))
        return -1;
    if (retry_after_ms >= 0)
        return retry_after_ms > CHAT_STREAM_LOADING_PAUSE_MS ? retry_after_ms
                                                             : CHAT_STREAM_LOADING_PAUSE_MS;
    return endpoint_error_is_loading(inside->status, buf_string(&inside->error_body))
               ? CHAT_STREAM_LOADING_PAUSE_MS
               : -1;
}

/* Both are waited for as long as for a first token. */
awaits static enum err_code run_until_ready(struct chat_stream_private *inside,
                                            struct endpoint_client *client,
                                            const struct scope *scope, struct err *err)
{
    int64_t until_ms = runtime_now_ms(inside->runtime) + inside->request->first_token_ms;
    for (;;) {
        int64_t retry_after_ms;
        enum err_code r = run_once(inside, client, scope, &retry_after_ms, err);
        int64_t pause_ms = r && r != ERR_CANCELLED ? pause_after(inside, retry_after_ms) : -1;
        if (pause_ms < 0 || runtime_now_ms(inside->runtime) + pause_ms > until_ms)
            return r;
        struct scope pause = scope_child(scope, SCOPE_NO_DEADLINE);
        r = runtime_sleep(inside->runtime, &pause, pause_ms, err);
        if (r)
            return r;
    }
}

static void private_init(struct chat_stream_private *inside, const struct settings *settings)
{
    size_t max = (size_t)settings->model_max_response_bytes;
    buf_init(&inside->text, max);
    buf_init(&inside->error_body, ENDPOINT_MAX_ERROR_BYTES);
    inside->framing = inside->stream->framing;
    sse_init(&inside->sse, CHAT_STREAM_MAX_EVENT_BYTES + max);
    ndjson_init(&inside->ndjson, CHAT_STREAM_MAX_EVENT_BYTES + max);
    buf_init(&inside->whole, CHAT_STREAM_MAX_EVENT_BYTES + max);
    inside->http.max_bytes = CHAT_STREAM_MAX_EVENT_BYTES + max * OVERHEAD_PER_BYTE;
}

static void private_finish(struct chat_stream_private *inside)
{
    buf_finish(&inside->text);
    buf_finish(&inside->error_body);
    sse_finish(&inside->sse);
    ndjson_finish(&inside->ndjson);
    buf_finish(&inside->whole);
}

static void fill_reply(const struct chat_stream *stream, struct arena *arena, int64_t duration_ms,
                       struct model_reply *out)
{
    const struct chat_stream_private *inside = stream->inside;
    *out = (struct model_reply){
        .text = arena_strndup(arena, buf_string(&inside->text), inside->text.length),
        .stop = inside->stopped ? MODEL_STOP_EARLY : stream->stop,
        .prompt_tokens = stream->prompt_tokens,
        .cached_tokens = stream->cached_tokens,
        .completion_tokens = stream->completion_tokens,
        .duration_ms = duration_ms,
    };
}

static const char *refusal_of(const struct chat_stream_private *inside, struct arena *arena)
{
    const char *body = buf_string(&inside->error_body);
    if (!endpoint_error_is_about_schema(inside->status, body))
        return NULL;
    json_auto_t *json = NULL;
    if (json_parse(body, inside->error_body.length, JSON_FOREIGN, &json, NULL))
        json = NULL;
    const char *text = endpoint_error_text(json);
    return arena_strdup(arena, text ? text : body);
}

enum err_code chat_stream_run(struct chat_stream *stream, struct endpoint_client *client,
                              const struct scope *scope, struct arena *arena,
                              struct model_reply *out, struct err *err)
{
    const struct model_request *request = stream->request;
    struct runtime *runtime = uv_runtime_port(client->runtime);
    bool streams = stream->framing != CHAT_WHOLE;
    struct chat_stream_private inside = {
        .stream = stream,
        .request = request,
        .runtime = runtime,
        .http = { .url = arena_printf(arena, "%s%s", client->request_url, stream->path),
                  .body = stream->body,
                  .body_length = strlen(stream->body),
                  .bearer = client->key,
                  .unix_socket = client->unix_socket,
                  .connect_timeout_ms = client->settings->model_connect_timeout_ms,
                  .silence_ms = request->first_token_ms + (streams ? 0 : request->silence_ms),
                  .on_headers = on_headers,
                  .on_bytes = on_bytes,
                  .context = &inside },
    };
    stream->inside = &inside;
    stream->prompt_tokens = stream->cached_tokens = stream->completion_tokens = -1;
    private_init(&inside, client->settings);
    int64_t start_ms = runtime_now_ms(runtime);
    enum err_code r = run_until_ready(&inside, client, scope, err);
    if (r)
        stream->refusal = refusal_of(&inside, arena);
    stream->refuses_roles =
        r && endpoint_error_is_about_roles(inside.status, buf_string(&inside.error_body));
    if (!r)
        fill_reply(stream, arena, runtime_now_ms(runtime) - start_ms, out);
    private_finish(&inside);
    stream->inside = NULL;
    return r;
}
