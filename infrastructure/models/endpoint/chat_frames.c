#include "infrastructure/models/endpoint/chat_frames.h"
#include <string.h>

void chat_frames_init(struct chat_frames *frames, enum chat_framing framing, size_t max_bytes,
                      chat_frame_fn *on_frame, void *context)
{
    *frames = (struct chat_frames){ .framing = framing, .on_frame = on_frame, .context = context };
    sse_init(&frames->sse, max_bytes);
    ndjson_init(&frames->ndjson, max_bytes);
    buf_init(&frames->whole, max_bytes);
}

void chat_frames_finish(struct chat_frames *frames)
{
    sse_finish(&frames->sse);
    ndjson_finish(&frames->ndjson);
    buf_finish(&frames->whole);
}

/* No line of server-sent events that means anything begins like JSON, and nothing like HTML. */
static void look_at_first(struct chat_frames *frames, char first)
{
    bool is_json = frames->framing == CHAT_SSE && (first == '{' || first == '[');
    if (is_json || first == '<')
        frames->framing = CHAT_WHOLE;
    frames->has_begun = true;
}

static bool on_line(void *context, const char *line, size_t length)
{
    const struct chat_frames *frames = context;
    return frames->on_frame(frames->context, line, length);
}

/* Events with a name are extras of some servers. */
static bool on_sse_event(void *context, const char *name, const char *data, size_t length)
{
    struct chat_frames *frames = context;
    if (name[0] && strcmp(name, "message") != 0 && strcmp(name, "error") != 0)
        return true;
    if (strcmp(data, "[DONE]") != 0)
        return frames->on_frame(frames->context, data, length);
    frames->said_done = true;
    return true;
}

enum err_code chat_frames_feed(struct chat_frames *frames, const char *bytes, size_t length,
                               struct err *err)
{
    size_t blanks = 0;
    while (!frames->has_begun && blanks < length && strchr(" \t\r\n", bytes[blanks]))
        blanks++;
    if (!frames->has_begun && blanks < length)
        look_at_first(frames, bytes[blanks]);
    if (frames->framing == CHAT_SSE)
        return sse_feed(&frames->sse, bytes, length, on_sse_event, frames, err);
    if (frames->framing == CHAT_NDJSON)
        return ndjson_feed(&frames->ndjson, bytes, length, on_line, frames, err);
    return buf_append(&frames->whole, bytes, length)
               ? ERR_NONE
               : err_set(err, ERR_LIMIT, 0, "the answer is longer than %zu bytes",
                         frames->whole.max_bytes);
}

void chat_frames_end(struct chat_frames *frames)
{
    if (frames->framing == CHAT_NDJSON)
        ndjson_end(&frames->ndjson, on_line, frames);
    if (frames->framing == CHAT_WHOLE && frames->has_begun)
        frames->on_frame(frames->context, frames->whole.bytes, frames->whole.length);
}
