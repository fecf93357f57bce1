#include "infrastructure/workspace/confined_path.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* openat2 refuses O_PATH together with flags that mean nothing to it. */
static int with_usual_flags(int flags)
{
    return flags | O_CLOEXEC | (flags & O_PATH ? 0 : O_NOCTTY | O_NONBLOCK);
}

enum err_code confined_root_init(struct confined_root *out, const char *path, struct err *err)
{
    *out = (struct confined_root){ .fd = -1 };
    char *resolved = realpath(path, NULL);
    int fd = resolved ? open(resolved, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int reason = errno;
    if (fd < 0) {
        free(resolved);
        enum err_code code = reason == ENOENT ? ERR_NOT_FOUND : ERR_INVALID;
        return err_set(err, code, reason, "folder '%.200s': %s", path, strerror(reason));
    }
    out->fd = fd;
    out->path = resolved;
    return ERR_NONE;
}

void confined_root_finish(struct confined_root *root)
{
    descriptor_close(&root->fd);
    free(root->path);
    root->path = NULL;
}

/* What is left of an absolute path below the root; NULL when it is elsewhere. */
static const char *below_root(const struct confined_root *root, const char *path)
{
    size_t length = strlen(root->path);
    while (length && root->path[length - 1] == '/')
        length--;
    if (strncmp(path, root->path, length) != 0 || (path[length] && path[length] != '/'))
        return NULL;
    return path + length;
}

static enum err_code outside(const char *path, struct err *err)
{
    enum err_code r =
        err_set(err, ERR_DENIED, 0, "'%.200s' is outside the folder these tools may use", path);
    return err_hint(err, r, "paths are relative to that folder; list_directory shows it");
}

enum err_code confined_normalise(const struct confined_root *root, const char *path,
                                 char out_path[static CONFINED_MAX_PATH + 1], struct err *err)
{
    size_t length = strlen(path), n = 0, depth = 0, starts[CONFINED_MAX_COMPONENTS];
    const char *at = *path == '/' ? below_root(root, path) : path;
    char text[CONFINED_MAX_PATH + 1];
    if (!length)
        return err_set(err, ERR_INVALID, 0, "the path is empty");
    if (length > CONFINED_MAX_PATH)
        return err_set(err, ERR_INVALID, 0, "the path is longer than %d bytes", CONFINED_MAX_PATH);
    if (!at)
        return outside(path, err);
    while (*at) {
        size_t part = strcspn(at, "/");
        bool is_up = part == 2 && at[0] == '.' && at[1] == '.';
        bool is_nothing = part == 0 || (part == 1 && at[0] == '.');
        if (is_up && depth == 0)
            return outside(path, err);
        if (!is_up && !is_nothing && depth == CONFINED_MAX_COMPONENTS)
            return err_set(err, ERR_INVALID, 0, "the path has more than %d parts",
                           CONFINED_MAX_COMPONENTS);
        if (is_up) {
            n = starts[--depth];
        } else if (!is_nothing) {
            starts[depth++] = n;
            if (n)
                text[n++] = '/';
            memcpy(text + n, at, part);
            n += part;
        }
        at += part + (at[part] == '/');
    }
    text[n] = '\0';
    strcpy(out_path, n ? text : ".");
    return ERR_NONE;
}

static enum err_code open_error(const char *path, int reason, struct err *err)
{
    switch (reason) {
    case ENOENT:
    case ENOTDIR:
        return err_set(err, ERR_NOT_FOUND, reason, "no such file or folder: '%.200s'", path);
    case EXDEV:
        return outside(path, err);
    case ELOOP:
        return err_set(err, ERR_DENIED, reason, "'%.200s' is a link that is not followed", path);
    case ENXIO:
        return err_set(err, ERR_INVALID, reason, "'%.200s' is not a regular file", path);
    default:
        return err_set(err, ERR_FAILED, reason, "'%.200s': %s", path, strerror(reason));
    }
}

/* One folder after the other; a link is met with ELOOP (or ENOTDIR, which is the same here). */
static int open_by_walk(int root, const char *path, int flags)
{
    char name[NAME_MAX + 1];
    auto_fd folder = -1;
    for (;;) {
        size_t part = strcspn(path, "/");
        int from = folder >= 0 ? folder : root;
        if (part > NAME_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(name, path, part);
        name[part] = '\0';
        if (!path[part])
            return openat(from, name, with_usual_flags(flags) | O_NOFOLLOW);
        int next = openat(from, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (next < 0)
            return -1;
        descriptor_close(&folder);
        folder = next;
        path += part + 1;
    }
}

static int open_by_kernel(int root, const char *path, int flags)
{
    struct open_how how = {
        .flags = (unsigned)with_usual_flags(flags),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    int fd;
    /* EAGAIN: something on the way was renamed meanwhile, and the kernel cannot be sure. */
    for (int attempt = 0; attempt < 8; attempt++) {
        fd = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
        if (fd >= 0 || errno != EAGAIN)
            break;
    }
    return fd;
}

enum err_code confined_open(const struct confined_root *root, const char *path, int flags,
                            int *out_fd, struct err *err)
{
    int fd = root->by_walk ? -1 : open_by_kernel(root->fd, path, flags);
    /* A sandbox that does not know the call answers EPERM as often as ENOSYS. */
    if (root->by_walk || (fd < 0 && (errno == ENOSYS || errno == EPERM)))
        fd = open_by_walk(root->fd, path, flags);
    if (fd < 0)
        return open_error(path, errno, err);
    *out_fd = fd;
    return ERR_NONE;
}

/* Opens for reading and looks at what it is. */
static enum err_code open_and_look(const struct confined_root *root, const char *path, int *out_fd,
                                   struct stat *out_stat, struct err *err)
{
    enum err_code r = confined_open(root, path, O_RDONLY, out_fd, err);
    return r || fstat(*out_fd, out_stat) == 0 ? r : open_error(path, errno, err);
}

enum err_code confined_open_file(const struct confined_root *root, const char *path, int *out_fd,
                                 struct stat *out_stat, struct err *err)
{
    auto_fd fd = -1;
    enum err_code r = open_and_look(root, path, &fd, out_stat, err);
    if (r)
        return r;
    if (S_ISDIR(out_stat->st_mode)) {
        r = err_set(err, ERR_INVALID, 0, "'%.200s' is a folder", path);
        return err_hint(err, r, "list_directory shows what is in it");
    }
    if (!S_ISREG(out_stat->st_mode))
        return err_set(err, ERR_INVALID, 0, "'%.200s' is not a regular file", path);
    *out_fd = fd;
    fd = -1;
    return ERR_NONE;
}

enum err_code confined_open_folder(const struct confined_root *root, const char *path, int *out_fd,
                                   struct err *err)
{
    auto_fd fd = -1;
    struct stat found;
    enum err_code r = open_and_look(root, path, &fd, &found, err);
    if (r)
        return r;
    if (!S_ISDIR(found.st_mode))
        return err_set(err, ERR_INVALID, 0, "'%.200s' is not a folder", path);
    *out_fd = fd;
    fd = -1;
    return ERR_NONE;
}

enum err_code confined_open_parent(const struct confined_root *root, const char *path, int *out_fd,
                                   const char **out_name, struct err *err)
{
    char folder[CONFINED_MAX_PATH + 1] = ".";
    const char *slash = strrchr(path, '/');
    if (strcmp(path, ".") == 0)
        return err_set(err, ERR_INVALID, 0, "the path names the folder itself");
    if (slash) {
        memcpy(folder, path, (size_t)(slash - path));
        folder[slash - path] = '\0';
    }
    enum err_code r = confined_open_folder(root, folder, out_fd, err);
    if (!r)
        *out_name = slash ? slash + 1 : path;
    return r;
}
