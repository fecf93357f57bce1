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

static enum err_code read_input(const struct file_reader *reader, struct buf *bytes,
                                struct err *err)
{
    for (;;) {
        char chunk[CHUNK_BYTES];
        size_t n = 0;
        enum err_code r =
            console_read(reader->console, reader->scope, chunk, sizeof chunk, &n, err);
        if (r || !n)
            return r;
        if (!buf_append(bytes, chunk, n))
            return too_large("standard input", bytes->max_bytes, err);
    }
}

static enum err_code read_file(const char *path, struct buf *bytes, struct err *err)
{
    FILE *file = fopen(path, "rbe");
    if (!file)
        return err_set(err, ERR_INVALID, errno, "%.200s: %s", path, strerror(errno));
    enum err_code r = read_stream(file, path, bytes, err);
    fclose(file);
    return r;
}

enum err_code files_read(const struct file_reader *reader, const char *path, const char **out_bytes,
                         size_t *out_length, struct err *err)
{
    AUTO(buf) bytes;
    buf_init(&bytes, reader->max_bytes);
    enum err_code r =
        strcmp(path, "-") == 0 ? read_input(reader, &bytes, err) : read_file(path, &bytes, err);
    if (r)
        return r;
    *out_bytes = arena_strndup(reader->arena, buf_string(&bytes), bytes.length);
    *out_length = bytes.length;
    return ERR_NONE;
}
