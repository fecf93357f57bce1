#include "infrastructure/mcp/stdio/line_framer.h"
#include <string.h>

void line_framer_init(struct line_framer *framer, size_t max_line_bytes)
{
    buf_init(&framer->partial, max_line_bytes);
}

void line_framer_finish(struct line_framer *framer)
{
    buf_finish(&framer->partial);
}

void line_framer_reset(struct line_framer *framer)
{
    if (framer->partial.capacity > LINE_FRAMER_KEEP_BYTES)
        buf_finish(&framer->partial);
    else
        buf_clear(&framer->partial);
}

static bool hand_on(const char *line, size_t length, line_fn *on_line, void *context)
{
    if (length && line[length - 1] == '\r')
        length--;
    return length == 0 || on_line(context, line, length);
}

/* The line that ends with these bytes; what was kept of it is forgotten. */
static enum line_framer_end end_line(struct line_framer *framer, const char *bytes, size_t length,
                                     line_fn *on_line, void *context)
{
    bool go_on;
    if (length > framer->partial.max_bytes)
        return LINES_TOO_LONG;
    if (framer->partial.length == 0) {
        go_on = hand_on(bytes, length, on_line, context);
    } else {
        if (!buf_append(&framer->partial, bytes, length))
            return LINES_TOO_LONG;
        go_on = hand_on(framer->partial.bytes, framer->partial.length, on_line, context);
        line_framer_reset(framer);
    }
    return go_on ? LINES_DONE : LINES_STOPPED;
}

enum line_framer_end line_framer_feed(struct line_framer *framer, const char *bytes, size_t length,
                                      line_fn *on_line, void *context)
{
    enum line_framer_end end = LINES_DONE;
    const char *newline;
    while (length && (newline = memchr(bytes, '\n', length))) {
        size_t line_length = (size_t)(newline - bytes);
        end = end_line(framer, bytes, line_length, on_line, context);
        if (end) {
            line_framer_reset(framer);
            return end;
        }
        bytes = newline + 1;
        length -= line_length + 1;
    }
    if (length && !buf_append(&framer->partial, bytes, length)) {
        line_framer_reset(framer);
        return LINES_TOO_LONG;
    }
    return LINES_DONE;
}
