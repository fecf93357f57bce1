#include "presentation/cli/files.h"
#include "domain/base/buf.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK_BYTES = 8192 };

static enum err_code too_large(const char *path, size_t max_bytes, struct err *err)
{
    return err_set(err, ERR_LIMIT, 0, "%.200s: larger than %zu bytes", path, max_bytes);
}

static enum err_code read_stream(FILE *file, const char *path, struct buf *bytes, struct err *err)
{
    char chunk[CHUNK_BYTES];
    size_t n;
    while ((n = fread(chunk, 1, sizeof chunk, file)) > 0)
        if (!buf_append(bytes, chunk, n))
            return too_large(path, bytes->max_bytes, err);
    if (ferror(file))
        return err_set(err, ERR_INVALID, errno, "%.200s: %s", path, strerror(errno));
    return ERR_NONE;
}

static void hand_over(struct arena *arena, const struct buf *bytes, const char **out_bytes,
                      size_t *out_length)
{
    *out_bytes = arena_strndup(arena, buf_string(bytes), bytes->length);
    *out_length = bytes->length;
}

enum err_code files_read_input(struct console *console, struct scope *scope, struct arena *arena,
                               size_t max_bytes, const char **out_bytes, size_t *out_length,
                               struct err *err)
{
    AUTO(buf) bytes;
    buf_init(&bytes, max_bytes);
    for (;;) {
        char chunk[CHUNK_BYTES];
        size_t n = 0;
        enum err_code r = console_read(console, scope, chunk, sizeof chunk, &n, err);
        if (r)
            return r;
        if (!n)
            break;
        if (!buf_append(&bytes, chunk, n))
            return too_large("standard input", max_bytes, err);
    }
    hand_over(arena, &bytes, out_bytes, out_length);
    return ERR_NONE;
}

enum err_code files_read(struct console *console, struct scope *scope, struct arena *arena,
                         const char *path, size_t max_bytes, const char **out_bytes,
                         size_t *out_length, struct err *err)
{
    if (strcmp(path, "-") == 0)
        return files_read_input(console, scope, arena, max_bytes, out_bytes, out_length, err);
    AUTO(buf) bytes;
    buf_init(&bytes, max_bytes);
    FILE *file = fopen(path, "rbe");
    if (!file)
        return err_set(err, ERR_INVALID, errno, "%.200s: %s", path, strerror(errno));
    enum err_code r = read_stream(file, path, &bytes, err);
    fclose(file);
    if (r)
        return r;
    hand_over(arena, &bytes, out_bytes, out_length);
    return ERR_NONE;
}
