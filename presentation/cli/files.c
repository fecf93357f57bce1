#include "presentation/cli/files.h"
#include "domain/base/buf.h"
#include "domain/base/text.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static enum err_code read_file(FILE *file, const char *path, struct buf *bytes, struct err *err)
{
    if (!file)
        return err_set(err, ERR_INVALID, errno, "%.200s: %s", path, strerror(errno));
    enum err_code r = read_stream(file, path, bytes, err);
    fclose(file);
    return r;
}

static enum err_code keep(const struct file_reader *reader, const struct buf *bytes,
                          enum err_code r, const char **out_bytes, size_t *out_length)
{
    if (r)
        return r;
    *out_bytes = arena_strndup(reader->arena, buf_string(bytes), bytes->length);
    *out_length = bytes->length;
    return ERR_NONE;
}

enum err_code files_read(const struct file_reader *reader, const char *path, const char **out_bytes,
                         size_t *out_length, struct err *err)
{
    AUTO(buf) bytes;
    buf_init(&bytes, reader->max_bytes);
    enum err_code r = strcmp(path, "-") == 0 ? read_input(reader, &bytes, err)
                                             : read_file(fopen(path, "rbe"), path, &bytes, err);
    return keep(reader, &bytes, r, out_bytes, out_length);
}

/* Looked at before it is opened: opening a pipe that nobody writes to would wait, and no signal
 * would end that. */
static bool is_plain(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISREG(info.st_mode);
}

enum err_code files_read_plain(const struct file_reader *reader, const char *path,
                               const char **out_bytes, size_t *out_length, struct err *err)
{
    AUTO(buf) bytes;
    buf_init(&bytes, reader->max_bytes);
    enum err_code r = is_plain(path)
                          ? read_file(fopen(path, "rbe"), path, &bytes, err)
                          : err_set(err, ERR_INVALID, 0, "%.200s: not a plain file", path);
    return keep(reader, &bytes, r, out_bytes, out_length);
}

static bool has_ending(const char *name, const char *const *endings, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (name[0] != '.' && text_ends_with(name, endings[i]))
            return true;
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum err_code files_list(struct arena *arena, const char *folder, const char *const *endings,
                         size_t n_endings, const char ***out_names, size_t *out_n, struct err *err)
{
    const char **names = NULL;
    size_t n = 0, capacity = 0;
    enum err_code r = ERR_NONE;
    DIR *dir = opendir(folder);
    if (!dir)
        return err_set(err, ERR_INVALID, errno, "%.200s: %s", folder, strerror(errno));
    for (struct dirent *entry; !r && (entry = readdir(dir));) {
        if (!has_ending(entry->d_name, endings, n_endings))
            continue;
        if (n == FILES_MAX_NAMES)
            r = err_set(err, ERR_LIMIT, 0, "%.200s: more than %d files", folder, FILES_MAX_NAMES);
        else
            *arena_push(arena, names, n, capacity) = arena_strdup(arena, entry->d_name);
    }
    closedir(dir);
    if (n)
        qsort(names, n, sizeof *names, by_name);
    *out_names = names;
    *out_n = n;
    return r;
}

/* Whether another file may take the place of what has the path, whose own name is then in real. A
 * name in /dev or /proc may lead to a plain file that somebody else has open. */
static bool is_replaceable(const char *path, char *real, struct stat *was)
{
    struct stat link;
    *was = (struct stat){ 0 };
    if (text_starts_with(path, "/dev/") || text_starts_with(path, "/proc/"))
        return false;
    if (!realpath(path, real))
        return errno == ENOENT && lstat(path, &link) != 0 &&
               snprintf(real, PATH_MAX, "%s", path) < PATH_MAX;
    return stat(real, was) == 0 && S_ISREG(was->st_mode) && was->st_uid == geteuid();
}

static bool may_write(const char *path)
{
    char real[PATH_MAX];
    struct stat was;
    bool is_replaced = is_replaceable(path, real, &was);
    char *slash = is_replaced ? strrchr(real, '/') : NULL;
    if (slash)
        slash[slash == real] = '\0';
    if (is_replaced && *path && access(slash ? real : ".", W_OK | X_OK) == 0)
        return true;
    int why = is_replaced ? errno : 0; /* of the folder */
    if (stat(path, &was) != 0) {
        errno = why ? why : errno;
        return errno == ENOENT && !is_replaced; /* a link to what is not there yet */
    }
    errno = S_ISDIR(was.st_mode) ? EISDIR : errno;
    return !S_ISDIR(was.st_mode) && access(path, W_OK) == 0;
}

enum err_code files_may_write(const char *path, struct err *err)
{
    return may_write(path) ? ERR_NONE
                           : err_set(err, ERR_INVALID, errno, "%.200s: %s", path, strerror(errno));
}

static bool write_whole(FILE *file, const char *bytes, size_t length, bool forces)
{
    bool written = fwrite(bytes, 1, length, file) == length && fflush(file) == 0 &&
                   (!forces || fsync(fileno(file)) == 0);
    int why = errno;
    bool closed = fclose(file) == 0;
    if (!written)
        errno = why;
    return written && closed;
}

static bool write_straight(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wbe");
    return file && write_whole(file, bytes, length, false);
}

static bool replace(const char *real, const struct stat *was, const char *bytes, size_t length)
{
    char other[PATH_MAX];
    const char *name = strrchr(real, '/');
    int folder = name ? (int)(name + 1 - real) : 0;
    int n = snprintf(other, sizeof other, "%.*s.mistro-%d.new", folder, real, (int)getpid());
    if (n >= (int)sizeof other)
        return write_straight(real, bytes, length);
    (void)unlink(other); /* of a process that was killed and had the same number */
    FILE *file = fopen(other, "wbxe");
    if (!file)
        return write_straight(real, bytes, length);
    bool replaced = !was->st_mode || fchmod(fileno(file), was->st_mode & 07777) == 0;
    replaced = write_whole(file, bytes, length, true) && replaced && rename(other, real) == 0;
    int why = errno;
    if (!replaced)
        (void)unlink(other);
    errno = why;
    return replaced;
}

enum err_code files_create(const char *path, const char *bytes, size_t length, struct err *err)
{
    FILE *file = fopen(path, "wbxe");
    if (file && write_whole(file, bytes, length, true))
        return ERR_NONE;
    int why = errno;
    if (file)
        (void)unlink(path);
    return err_set(err, ERR_INVALID, why, "%.200s: %s", path, strerror(why));
}

enum err_code files_write(const char *path, const char *bytes, size_t length, struct err *err)
{
    char real[PATH_MAX];
    struct stat was;
    bool written = is_replaceable(path, real, &was) ? replace(real, &was, bytes, length)
                                                    : write_straight(path, bytes, length);
    return written ? ERR_NONE
                   : err_set(err, ERR_INVALID, errno, "%.200s: %s", path, strerror(errno));
}
