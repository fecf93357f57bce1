#include "infrastructure/runtime/stderr_tail.h"
#include <string.h>

void stderr_tail_init(struct stderr_tail *tail, size_t max_bytes)
{
    *tail = (struct stderr_tail){ .max_bytes = max_bytes };
    buf_init(&tail->kept, 2 * max_bytes);
    buf_init(&tail->line, STDERR_LINE_MAX);
}

void stderr_tail_finish(struct stderr_tail *tail)
{
    buf_finish(&tail->kept);
    buf_finish(&tail->line);
}

static void keep(struct stderr_tail *tail, const char *bytes, size_t length)
{
    if (length > tail->max_bytes) {
        bytes += length - tail->max_bytes;
        length = tail->max_bytes;
    }
    size_t total = tail->kept.length + length;
    if (total > 2 * tail->max_bytes)
        buf_consume(&tail->kept, total - tail->max_bytes);
    (void)!buf_append(&tail->kept, bytes, length);
}

static void end_line(struct stderr_tail *tail)
{
    size_t length = tail->line.length;
    if (length > 0 && tail->line.bytes[length - 1] == '\r')
        length--;
    tail->on_line(tail->context, buf_string(&tail->line), length);
    buf_clear(&tail->line);
}

static void add_to_line(struct stderr_tail *tail, const char *bytes, size_t length)
{
    while (length > 0) {
        size_t room = STDERR_LINE_MAX - tail->line.length, part = length < room ? length : room;
        (void)!buf_append(&tail->line, bytes, part);
        bytes += part;
        length -= part;
        if (tail->line.length == STDERR_LINE_MAX)
            end_line(tail);
    }
}

static void split_lines(struct stderr_tail *tail, const char *bytes, size_t length)
{
    const char *newline;
    while ((newline = memchr(bytes, '\n', length))) {
        size_t part = (size_t)(newline - bytes);
        add_to_line(tail, bytes, part);
        end_line(tail);
        bytes += part + 1;
        length -= part + 1;
    }
    add_to_line(tail, bytes, length);
}

void stderr_tail_add(struct stderr_tail *tail, const char *bytes, size_t length)
{
    keep(tail, bytes, length);
    if (tail->on_line)
        split_lines(tail, bytes, length);
}

void stderr_tail_end(struct stderr_tail *tail)
{
    if (tail->on_line && tail->line.length > 0)
        end_line(tail);
}

const char *stderr_tail_text(const struct stderr_tail *tail, size_t *out_length)
{
    size_t length = tail->kept.length,
           skip = length > tail->max_bytes ? length - tail->max_bytes : 0;
    *out_length = length - skip;
    return buf_string(&tail->kept) + skip;
}
