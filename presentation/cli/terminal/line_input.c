#include "presentation/cli/terminal/line_input.h"
#include <string.h>

enum err_code line_input_read(struct console *console, struct scope *scope, struct buf *pending,
                              struct arena *arena, const char **out_line, struct err *err)
{
    const char *newline;
    while (!(newline = memchr(buf_string(pending), '\n', pending->length))) {
        char chunk[1024];
        size_t n = 0, room = pending->max_bytes - pending->length;
        if (!room)
            return err_set(err, ERR_LIMIT, 0, "a line longer than %zu bytes", pending->max_bytes);
        enum err_code r =
            console_read(console, scope, chunk, room < sizeof chunk ? room : sizeof chunk, &n, err);
        if (r)
            return r;
        if (!n)
            return err_set(err, ERR_CANCELLED, 0, "end of input");
        (void)!buf_append(pending, chunk, n); /* there is room */
    }
    size_t end = (size_t)(newline - buf_string(pending));
    size_t length = end - (end && newline[-1] == '\r');
    const char *line = arena_strndup(arena, buf_string(pending), length);
    buf_consume(pending, end + 1);
    if (strlen(line) != length)
        return err_set(err, ERR_INVALID, 0, "a line with a NUL byte is not text");
    *out_line = line;
    return ERR_NONE;
}
