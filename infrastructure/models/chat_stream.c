#include "infrastructure/models/chat_stream.h"
#include "application/ports/runtime.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "infrastructure/net/ndjson.h"
#include "infrastructure/net/sse.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdlib.h>
#include <string.h>

enum {
    LOADING_PAUSE_MS = 500,   /* between looks at a server that loads its model */
    OVERHEAD_PER_BYTE = 400,  /* a token of one byte comes in an event of so many */
    MAX_EVENT_BYTES = 4 << 20 /* one event may repeat the whole answer */
};

struct chat_stream_private {
    struct chat_stream *stream;
    const struct model_request *request;
    struct http_request http;
    int status;
    bool stopped, has_token;
    struct buf text, error_body;
    struct sse sse;
    struct ndjson ndjson;
    enum err_code failed; /* while streaming */
    struct err *err;
};

static bool goes_on(const struct chat_stream_private *inside)
{
    return !inside->failed && !inside->stopped;
}

void chat_stream_token(struct chat_stream *stream, const char *text)
{
    struct chat_stream_private *inside = stream->inside;
    size_t length = strlen(text);
    if (length == 0 || !goes_on(inside))
        return;
    inside->has_token = true;
    inside->http.silence_ms = inside->request->silence_ms;
    if (!buf_append(&inside->text, text, length)) {
        inside->failed = err_set(inside->err, ERR_LIMIT, 0, "the answer is longer than %zu bytes",
                                 inside->text.max_bytes);
        return;
    }
    if (inside->request->on_token)
        inside->stopped = !inside->request->on_token(inside->request->context, text, length);
}

void chat_stream_fail(struct chat_stream *stream, const json_t *event)
{
    struct chat_stream_private *inside = stream->inside;
    char *text = json_print(event);
    if (goes_on(inside))
        inside->failed = endpoint_error(200, text, strlen(text), inside->err);
    free(text);
}

static bool take_event(struct chat_stream_private *inside, const char *text, size_t length)
{
    json_auto_t *event = NULL;
    if (json_parse(text, length, JSON_FOREIGN, &event, NULL)) {
        inside->failed = err_set(inside->err, ERR_PROTOCOL, 0, "its stream is no JSON");
        return false;
    }
    inside->stream->on_event(inside->stream, event);
    return goes_on(inside);
}

static bool on_line(void *context, const char *line, size_t length)
{
    return take_event(context, line, length);
}

/* Events with a name are extras of some servers. */
static bool on_sse_event(void *context, const char *name, const char *data, size_t length)
{
    struct chat_stream_private *inside = context;
    if (name[0] && strcmp(name, "message") != 0 && strcmp(name, "error") != 0)
        return true;
    if (strcmp(data, "[DONE]") == 0) {
        inside->stream->ended = true;
        return true;
    }
    return take_event(inside, data, length);
}

static void on_headers(void *context, int status)
{
    struct chat_stream_private *inside = context;
    inside->status = status;
}

static bool on_bytes(void *context, const char *bytes, size_t length)
{
    struct chat_stream_private *inside = context;
    if (inside->status >= 300)
        return buf_append(&inside->error_body, bytes, length);
    enum err_code r =
        inside->stream->framing == CHAT_SSE
            ? sse_feed(&inside->sse, bytes, length, on_sse_event, inside, inside->err)
            : ndjson_feed(&inside->ndjson, bytes, length, on_line, inside, inside->err);
    if (r && !inside->failed)
        inside->failed = r;
    return goes_on(inside);
}

/* What a transfer that ended, by itself or by us, was worth. */
static enum err_code outcome_of(struct chat_stream_private *inside, enum err_code r,
                                struct err *err)
{
    if (inside->failed)
        return inside->failed;
    if (inside->stopped || (inside->stream->ended && r != ERR_CANCELLED))
        return ERR_NONE;
    if (r == ERR_TIMEOUT && inside->has_token)
        return err_prefix(err, r, "it fell silent in the middle of its answer");
    if (r == ERR_TIMEOUT)
        err_hint(err, r,
                 "a large model may need longer to load: raise "
                 "model.first_token_timeout_seconds");
    if (r)
        return r;
    if (inside->status >= 300)
        return endpoint_error(inside->status, buf_string(&inside->error_body),
                              inside->error_body.length, err);
    return err_set(err, ERR_UNAVAILABLE, 0, "the answer ended without its end marker");
}

awaits static enum err_code run_once(struct chat_stream_private *inside,
                                     struct endpoint_client *client, const struct scope *scope,
                                     struct err *err)
{
    struct http_response response;
    inside->status = 0;
    inside->err = err;
    buf_clear(&inside->error_body);
    enum err_code r = http_client_perform(client->http, scope, &inside->http, &response, err);
    if (!r && inside->stream->framing == CHAT_NDJSON && inside->status < 300)
        ndjson_end(&inside->ndjson, on_line, inside);
    return outcome_of(inside, r, err);
}

/* A model that is still being loaded is waited for as long as for a first token. */
awaits static enum err_code run_until_loaded(struct chat_stream_private *inside,
                                             struct endpoint_client *client,
                                             const struct scope *scope, struct err *err)
{
    struct runtime *runtime = uv_runtime_port(client->runtime);
    int64_t until_ms = runtime_now_ms(runtime) + inside->request->first_token_ms;
    for (;;) {
        enum err_code r = run_once(inside, client, scope, err);
        bool loading =
            r && endpoint_error_is_loading(inside->status, buf_string(&inside->error_body));
        if (!loading || runtime_now_ms(runtime) + LOADING_PAUSE_MS > until_ms)
            return r;
        struct scope pause = scope_child(scope, SCOPE_NO_DEADLINE);
        r = runtime_sleep(runtime, &pause, LOADING_PAUSE_MS, err);
        if (r)
            return r;
    }
}

static void private_init(struct chat_stream_private *inside, const struct settings *settings)
{
    size_t max = (size_t)settings->model_max_response_bytes;
    buf_init(&inside->text, max);
    buf_init(&inside->error_body, ENDPOINT_MAX_ERROR_BYTES);
    sse_init(&inside->sse, MAX_EVENT_BYTES + max);
    ndjson_init(&inside->ndjson, MAX_EVENT_BYTES + max);
    inside->http.max_bytes = MAX_EVENT_BYTES + max * OVERHEAD_PER_BYTE;
}

static void private_finish(struct chat_stream_private *inside)
{
    buf_finish(&inside->text);
    buf_finish(&inside->error_body);
    sse_finish(&inside->sse);
    ndjson_finish(&inside->ndjson);
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
                              const struct scope *scope, const char *path, const char *body,
                              const struct model_request *request, struct arena *arena,
                              struct model_reply *out, struct err *err)
{
    struct runtime *runtime = uv_runtime_port(client->runtime);
    struct chat_stream_private inside = {
        .stream = stream,
        .request = request,
        .http = { .url = arena_printf(arena, "%s%s", client->request_url, path),
                  .body = body,
                  .body_length = strlen(body),
                  .bearer = client->key,
                  .unix_socket = client->unix_socket,
                  .connect_timeout_ms = client->settings->model_connect_timeout_ms,
                  .silence_ms = request->first_token_ms,
                  .on_headers = on_headers,
                  .on_bytes = on_bytes,
                  .context = &inside },
    };
    stream->inside = &inside;
    stream->prompt_tokens = stream->cached_tokens = stream->completion_tokens = -1;
    private_init(&inside, client->settings);
    int64_t start_ms = runtime_now_ms(runtime);
    enum err_code r = run_until_loaded(&inside, client, scope, err);
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
