/* One completion, whatever the dialect: the events are cut out of the bytes (NDJSON, server-sent
 * events, or one JSON text where nothing streams), each is handed to the dialect, which gives back
 * tokens, counts and the end; silence is measured, and an end that was not announced is a failure.
 * What comes without ever becoming a token is bounded as well. */
#ifndef INFRASTRUCTURE_MODELS_ENDPOINT_CHAT_STREAM_H
#define INFRASTRUCTURE_MODELS_ENDPOINT_CHAT_STREAM_H

#include "application/ports/model.h"
#include "infrastructure/models/endpoint/endpoint_client.h"

/* Pings, progress and thoughts make a silence last so many times as long, and no longer. */
#define CHAT_STREAM_PATIENCE 10
#define CHAT_STREAM_LOADING_PAUSE_MS 500 /* between looks at a server that is loading or busy */
/* One event may repeat the whole answer; so much may come between two tokens, and that answer. */
#define CHAT_STREAM_MAX_EVENT_BYTES (4u << 20u)

enum chat_framing { CHAT_NDJSON, CHAT_SSE, CHAT_WHOLE };

struct chat_stream;
/* One JSON event; must not wait. */
typedef void chat_event_fn(struct chat_stream *stream, const json_t *event);

struct chat_stream {
    enum chat_framing framing; /* CHAT_WHOLE: the answer comes at once, after a long silence */
    chat_event_fn *on_event;
    const struct model_request *request;
    const char *path, *body; /* of the POST; JSON text */
    /* What the dialect found, by the functions below or directly. */
    bool ended;         /* the end marker was seen */
    bool refuses_roles; /* it failed because the chat template does not take the messages' roles */
    enum model_stop stop;
    int64_t prompt_tokens, cached_tokens, completion_tokens;
    /* What the endpoint says where it refused a schema rather than the request, in the arena; else
     * NULL. Good after a failure. */
    const char *refusal;
    struct chat_stream_private *inside;
};

/* POSTs the body and runs the stream. On success *out has everything but `model`. */
awaits MUST_CHECK enum err_code chat_stream_run(struct chat_stream *stream,
                                                struct endpoint_client *client,
                                                const struct scope *scope, struct arena *arena,
                                                struct model_reply *out, struct err *err);

/* For the dialect's on_event. */
void chat_stream_token(struct chat_stream *stream, const char *text);
/* An error object in an answer whose status was 200. */
void chat_stream_fail(struct chat_stream *stream, const json_t *event);

#endif
