#include "infrastructure/config/config_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

const char *config_current_folder(struct arena *arena)
{
    char folder[PATH_MAX];
    return arena_strdup(arena, getcwd(folder, sizeof folder) ? folder : "/");
}

const char *config_whole_path(struct arena *arena, const char *path)
{
    char whole[PATH_MAX];
    if (realpath(path, whole))
        return arena_strdup(arena, whole);
    return path[0] == '/' ? path : arena_printf(arena, "%s/%s", config_current_folder(arena), path);
}

const char *config_home_folder(struct arena *arena)
{
    const char *home = getenv("HOME");
    uv_passwd_t user;
    if (home && home[0] == '/')
        return home;
    if (uv_os_get_passwd(&user))
        return "";
    home = user.homedir && user.homedir[0] == '/' ? arena_strdup(arena, user.homedir) : "";
    uv_os_free_passwd(&user);
    return home;
}

const char *config_xdg_folder(struct arena *arena, const char *variable, const char *below_home)
{
    const char *folder = getenv(variable);
    if (folder && folder[0] == '/') /* XDG: a relative path counts as none */
        return arena_printf(arena, "%s/mistro", folder);
    const char *home = config_home_folder(arena);
    return *home ? arena_printf(arena, "%s/%s/mistro", home, below_home) : "";
}

const char *config_beside(struct arena *arena, const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');
    if (path[0] == '/')
        return path;
    return arena_printf(arena, "%.*s/%s", slash ? (int)(slash - file) : 1, slash ? file : ".",
                        path);
}

bool config_is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

const char *config_project_root(struct arena *arena)
{
    char *folder = arena_strdup(arena, config_current_folder(arena));
    for (;;) {
        const char *root = strcmp(folder, "/") == 0 ? "" : folder;
        if (config_is_file(arena_printf(arena, "%s/%s", root, CONFIG_SETTINGS_PATH)))
            return folder;
        char *slash = strrchr(folder, '/');
        if (!slash || !folder[1])
            return NULL;
        slash[slash == folder] = '\0';
    }
}

enum err_code config_data_file(const struct config_paths *paths, const char *name,
                               struct arena *arena, const char **out, struct err *err)
{
    const char *file = *out = arena_printf(arena, "%s/%s", paths->data_dir, name);
    size_t length = strlen(file), end = paths->data_root ? strlen(paths->data_root) : length;
    struct stat found;
    while (end < length) {
        end += 1 + strcspn(file + end + 1, "/");
        const char *part = arena_strndup(arena, file, end);
        if (lstat(part, &found) || !S_ISLNK(found.st_mode))
            continue;
        enum err_code r = err_set(err, ERR_INVALID, ELOOP,
                                  "%s: a project's data is not kept behind a symbolic link", part);
        return err_hint(err, r,
                        "remove the link, or name the folder with storage.dir in your own "
                        "settings");
    }
    return ERR_NONE;
}

struct config_paths config_paths_of_person(const struct config_paths *own, const char *name,
                                           struct arena *arena)
{
    struct config_paths paths = *own;
    const char *below = arena_printf(arena, "persons/%s", name);
    paths.data_dir = arena_printf(arena, "%s/%s", own->data_dir, below);
    paths.state_dir = arena_printf(arena, "%s/%s", own->state_dir, below);
    if (!own->approvals)
        return paths;
    const char *folder = config_beside(arena, own->approvals, below);
    paths.approvals = arena_printf(arena, "%s/approvals.json", folder);
    paths.pins = arena_printf(arena, "%s/pins", folder);
    paths.logins = arena_printf(arena, "%s/logins", folder);
    return paths;
}

static enum err_code read_all(int file, struct buf *out, struct err *err)
{
    struct stat info;
    if (fstat(file, &info) || !S_ISREG(info.st_mode))
        return err_set(err, ERR_INVALID, 0, "not a regular file");
    for (;;) {
        if (!buf_reserve(out, 4096))
            return err_set(err, ERR_LIMIT, 0, "larger than %d bytes", CONFIG_MAX_FILE_BYTES);
        ssize_t n = read(file, out->bytes + out->length, 4096);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(err, ERR_INVALID, errno, "%s", strerror(errno));
        if (n == 0)
            return ERR_NONE;
        out->length += (size_t)n;
        buf_terminate(out);
    }
}

enum err_code config_read_file(const char *path, struct arena *arena, const char **out_text,
                               size_t *out_length, struct err *err)
{
    AUTO(buf) text;
    buf_init(&text, CONFIG_MAX_FILE_BYTES + 4096);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return err_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_INVALID, errno, "%s: %s", path,
                       strerror(errno));
    enum err_code r = read_all(file, &text, err);
    close(file);
    if (r)
        return err_prefix(err, r, "%s", path);
    *out_text = arena_strndup(arena, buf_string(&text), text.length);
    *out_length = text.length;
    return ERR_NONE;
}
