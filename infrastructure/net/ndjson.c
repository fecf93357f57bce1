#include "infrastructure/net/ndjson.h"
#include <string.h>

void ndjson_init(struct ndjson *ndjson, size_t max_line_bytes)
{
    *ndjson = (struct ndjson){ 0 };
    buf_init(&ndjson->line, max_line_bytes);
}

void ndjson_finish(struct ndjson *ndjson)
{
    buf_finish(&ndjson->line);
}

static bool is_blank(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (line[i] != ' ' && line[i] != '\t')
            return false;
    return true;
}

void ndjson_end(struct ndjson *ndjson, ndjson_line_fn *on_line, void *context)
{
    const char *line = buf_string(&ndjson->line);
    size_t length = ndjson->line.length;
    if (length && line[length - 1] == '\r')
        length--;
    if (!ndjson->stopped && !is_blank(line, length))
        ndjson->stopped = !on_line(context, line, length);
    buf_clear(&ndjson->line);
}

enum err_code ndjson_feed(struct ndjson *ndjson, const char *bytes, size_t length,
                          ndjson_line_fn *on_line, void *context, struct err *err)
{
    while (length && !ndjson->stopped) {
        const char *newline = memchr(bytes, '\n', length);
        size_t part = newline ? (size_t)(newline - bytes) : length;
        if (!buf_append(&ndjson->line, bytes, part))
            return err_set(err, ERR_LIMIT, 0, "a line of the answer is longer than %zu bytes",
                           ndjson->line.max_bytes);
        if (!newline)
            return ERR_NONE;
        ndjson_end(ndjson, on_line, context);
        bytes += part + 1;
        length -= part + 1;
    }
    return ERR_NONE;
}
