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

static enum err_code open_file(const char *folder, const char *name, int *out_fd, off_t *out_size,
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
    *out_size = info.st_size;
    return ERR_NONE;
}

enum err_code stored_file_read(const char *folder, const char *name, struct buf *out,
                               struct err *err)
{
    auto_fd fd = -1;
    off_t size = 0;
    enum err_code r = open_file(folder, name, &fd, &size, err);
    if (r)
        return r;
    if (!buf_reserve(out, (size_t)size))
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
    off_t size = 0;
    enum err_code r = open_file(folder, name, &fd, &size, err);
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

/* A leftover of a killed writer is in the way only once. */
static bool write_temporary(int at, const char *bytes, size_t length)
{
    if (unlinkat(at, TEMPORARY_NAME, 0) != 0 && errno != ENOENT)
        return false;
    auto_fd fd = openat(at, TEMPORARY_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return fd >= 0 && descriptor_write(fd, bytes, length) && fsync(fd) == 0;
}

enum err_code stored_file_replace(const char *folder, const char *name, const char *bytes,
                                  size_t length, struct err *err)
{
    auto_fd at = open_folder(folder);
    if (at < 0)
        return failed("open", folder, "", err);
    if (!write_temporary(at, bytes, length) || renameat(at, TEMPORARY_NAME, at, name) != 0) {
        enum err_code r = failed("write", folder, name, err);
        unlinkat(at, TEMPORARY_NAME, 0);
        return r;
    }
    if (fsync(at) != 0)
        return failed("write", folder, name, err);
    return ERR_NONE;
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
