#include "infrastructure/repositories/stored_file.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_NAME ".lock"
#define TEMPORARY_NAME ".new" /* one is enough: only the holder of the lock writes */
#define LOCK_RETRY_MS 10

static enum err_code failed(const char *doing, const char *folder, const char *name,
                            struct err *err)
{
    int why = errno;
    err_set(err, ERR_UNAVAILABLE, why, "%s %s/%s: %s", doing, folder, name, strerror(why));
    if (why == ENOSPC || why == EDQUOT)
        return err_hint(err, ERR_UNAVAILABLE, "make room on the disk");
    return err_hint(err, ERR_UNAVAILABLE, "check that the folder exists and belongs to you");
}

enum err_code stored_folder_create(const char *folder, struct err *err)
{
    char path[PATH_MAX];
    size_t length = strlen(folder);
    if (length >= sizeof path)
        return err_set(err, ERR_INVALID, 0, "folder name of %zu bytes is too long", length);
    for (size_t i = 1; i <= length; i++) {
        if (folder[i] != '/' && folder[i] != '\0')
            continue;
        memcpy(path, folder, i);
        path[i] = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return failed("create", path, "", err);
    }
    return ERR_NONE;
}

static int open_folder(const char *folder)
{
    return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

enum err_code stored_lock_try(const char *folder, const char *name, int *out_lock, struct err *err)
{
    enum err_code r = stored_folder_create(folder, err);
    if (r)
        return r;
    auto_fd at = open_folder(folder);
    int lock = at < 0 ? -1 : openat(at, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock < 0)
        return failed("open", folder, name, err);
    if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
        *out_lock = lock;
        return ERR_NONE;
    }
    bool is_taken = errno == EWOULDBLOCK || errno == EINTR;
    r = is_taken
            ? err_set(err, ERR_TIMEOUT, 0, "%s/%s: another process holds the lock", folder, name)
            : failed("lock", folder, name, err);
    close(lock);
    return r;
}

enum err_code stored_folder_lock(const char *folder, int *out_lock, struct err *err)
{
    for (int left_ms = STORED_FILE_LOCK_WAIT_MS;; left_ms -= LOCK_RETRY_MS) {
        enum err_code r = stored_lock_try(folder, LOCK_NAME, out_lock, err);
        if (r != ERR_TIMEOUT)
            return r;
        if (left_ms <= 0)
            break;
        nanosleep(&(struct timespec){ .tv_nsec = LOCK_RETRY_MS * 1000000L }, NULL);
    }
    err_set(err, ERR_UNAVAILABLE, EWOULDBLOCK, "lock %s/" LOCK_NAME ": another process holds it",
            folder);
    return err_hint(err, ERR_UNAVAILABLE, "another mistro may hang: end it");
}

static enum err_code read_rest(int fd, struct buf *out, struct err *err)
{
    char piece[8192];
    for (;;) {
        ssize_t n = read(fd, piece, sizeof piece);
        if (n == 0)
            return ERR_NONE;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return ERR_UNAVAILABLE;
        if (!buf_append(out, piece, (size_t)n))
            return err_set(err, ERR_LIMIT, 0, "larger than %zu bytes", out->max_bytes);
    }
}

enum err_code stored_file_open(const char *folder, const char *name, int *out_fd, size_t *out_size,
                               struct err *err)
{
    auto_fd at = open_folder(folder);
    int fd = at < 0 ? -1 : openat(at, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        return err_set(err, ERR_NOT_FOUND, ENOENT, "there is no file %s/%s", folder, name);
    struct stat info = { 0 };
    enum err_code r = ERR_NONE;
    if (fd < 0 || fstat(fd, &info) != 0)
        r = failed("read", folder, name, err);
    else if (!S_ISREG(info.st_mode))
        r = err_set(err, ERR_UNAVAILABLE, 0, "read %s/%s: it is not a plain file", folder, name);
    if (r && fd >= 0)
        close(fd);
    if (r)
        return r;
    *out_fd = fd;
    *out_size = (size_t)info.st_size;
    return ERR_NONE;
}

enum err_code stored_file_read(const char *folder, const char *name, struct buf *out,
                               struct err *err)
{
    auto_fd fd = -1;
    size_t size = 0;
    enum err_code r = stored_file_open(folder, name, &fd, &size, err);
    if (r)
        return r;
    if (!buf_reserve(out, size))
        return err_set(err, ERR_LIMIT, 0, "read %s/%s: larger than %zu bytes", folder, name,
                       out->max_bytes);
    r = read_rest(fd, out, err);
    if (r == ERR_UNAVAILABLE)
        return failed("read", folder, name, err);
    return r ? err_prefix(err, r, "read %s/%s", folder, name) : ERR_NONE;
}

enum err_code stored_file_read_start(const char *folder, const char *name, char *out, size_t max,
                                     size_t *out_length, struct err *err)
{
    auto_fd fd = -1;
    size_t size = 0;
    enum err_code r = stored_file_open(folder, name, &fd, &size, err);
    if (r)
        return r;
    size_t length = 0;
    for (ssize_t n = 1; n != 0 && length<max; length += n> 0 ? (size_t)n : 0) {
        n = read(fd, out + length, max - length);
        if (n < 0 && errno != EINTR)
            return failed("read", folder, name, err);
    }
    *out_length = length;
    return ERR_NONE;
}

enum err_code stored_file_read_end(const char *folder, const char *name, size_t max,
                                   struct buf *out, size_t *out_at, struct err *err)
{
    auto_fd fd = -1;
    size_t size = 0;
    enum err_code r = stored_file_open(folder, name, &fd, &size, err);
    if (r)
        return r;
    *out_at = size > max ? size - max : 0;
    if (!buf_reserve(out, size - *out_at))
        return err_set(err, ERR_LIMIT, 0, "read %s/%s: larger than %zu bytes", folder, name,
                       out->max_bytes);
    if (lseek(fd, (off_t)*out_at, SEEK_SET) < 0)
        return failed("read", folder, name, err);
    r = read_rest(fd, out, err);
    if (r == ERR_UNAVAILABLE)
        return failed("read", folder, name, err);
    return r ? err_prefix(err, r, "read %s/%s", folder, name) : ERR_NONE;
}

/* A leftover of a killed writer is in the way only once. */
static enum err_code write_temporary(int at, stored_file_writer *write, void *context,
                                     struct err *err)
{
    if (unlinkat(at, TEMPORARY_NAME, 0) != 0 && errno != ENOENT)
        return ERR_UNAVAILABLE;
    auto_fd fd = openat(at, TEMPORARY_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    enum err_code r = fd < 0 ? ERR_UNAVAILABLE : write(context, fd, err);
    return r ? r : fsync(fd) == 0 ? ERR_NONE : ERR_UNAVAILABLE;
}

enum err_code stored_file_replace_by(const char *folder, const char *name,
                                     stored_file_writer *write, void *context, struct err *err)
{
    auto_fd at = open_folder(folder);
    if (at < 0)
        return failed("open", folder, "", err);
    enum err_code r = write_temporary(at, write, context, err);
    if (!r && renameat(at, TEMPORARY_NAME, at, name) != 0)
        r = ERR_UNAVAILABLE;
    if (r) {
        r = r == ERR_UNAVAILABLE ? failed("write", folder, name, err) : r;
        unlinkat(at, TEMPORARY_NAME, 0);
        return r;
    }
    return fsync(at) == 0 ? ERR_NONE : failed("write", folder, name, err);
}

struct content {
    const char *bytes;
    size_t length;
};

static enum err_code write_content(void *context, int fd, struct err *err)
{
    const struct content *content = context;
    (void)err;
    return descriptor_write(fd, content->bytes, content->length) ? ERR_NONE : ERR_UNAVAILABLE;
}

enum err_code stored_file_replace(const char *folder, const char *name, const char *bytes,
                                  size_t length, struct err *err)
{
    struct content content = { bytes, length };
    return stored_file_replace_by(folder, name, write_content, &content, err);
}

enum err_code stored_file_extend(const char *folder, const char *name, size_t offset,
                                 const char *bytes, size_t length, struct err *err)
{
    auto_fd at = open_folder(folder);
    auto_fd fd = at < 0 ? -1 : openat(at, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 && ftruncate(fd, (off_t)offset) == 0 && lseek(fd, (off_t)offset, SEEK_SET) >= 0 &&
        descriptor_write(fd, bytes, length) && fdatasync(fd) == 0)
        return ERR_NONE;
    enum err_code r = failed("write", folder, name, err);
    if (fd >= 0 && ftruncate(fd, (off_t)offset) != 0)
        err_hint(err, r, "what was written of it counts as not said");
    return r;
}

enum err_code stored_file_remove(const char *folder, const char *name, struct err *err)
{
    auto_fd at = open_folder(folder);
    if (at >= 0 && unlinkat(at, name, 0) == 0 && fsync(at) == 0)
        return ERR_NONE;
    if (errno == ENOENT)
        return err_set(err, ERR_NOT_FOUND, ENOENT, "there is no file %s/%s", folder, name);
    return failed("remove", folder, name, err);
}
