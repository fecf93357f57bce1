/* The events of an answer, cut out of its bytes whatever the framing: NDJSON, server-sent events,
 * or one JSON text where nothing streams. A server that was asked to stream and sends one JSON text
 * or a page of HTML all the same is noticed at its first byte. Bounded; pure. */
#ifndef INFRASTRUCTURE_MODELS_ENDPOINT_CHAT_FRAMES_H
#define INFRASTRUCTURE_MODELS_ENDPOINT_CHAT_FRAMES_H

#include "infrastructure/net/ndjson.h"
#include "infrastructure/net/sse.h"

enum chat_framing { CHAT_NDJSON, CHAT_SSE, CHAT_WHOLE };

/* The text of one event, which should be JSON; borrowed. False: enough. */
typedef bool chat_frame_fn(void *context, const char *text, size_t length);

struct chat_frames {
    enum chat_framing framing;
    bool has_begun; /* the first byte that is no blank was seen, and framing is certain */
    bool said_done; /* "[DONE]", which is no event */
    struct sse sse;
    struct ndjson ndjson;
    struct buf whole;
    chat_frame_fn *on_frame;
    void *context;
};

/* max_bytes: of one event. */
void chat_frames_init(struct chat_frames *frames, enum chat_framing framing, size_t max_bytes,
                      chat_frame_fn *on_frame, void *context);
void chat_frames_finish(struct chat_frames *frames);
/* ERR_LIMIT when an event is too long. */
MUST_CHECK
enum err_code chat_frames_feed(struct chat_frames *frames, const char *bytes, size_t length,
                               struct err *err);
/* The response is over: hands over what only its end completes. */
void chat_frames_end(struct chat_frames *frames);

#endif
