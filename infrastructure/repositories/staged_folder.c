#include "infrastructure/repositories/staged_folder.h"
#include "domain/base/text.h"
#include "infrastructure/repositories/staged_leftovers.h"
#include "infrastructure/repositories/stored_file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAX_ATTEMPTS = 8, /* at a hidden name of its own: others may sweep in between */
    LIST_MAX_BYTES = STAGED_FOLDER_MAX_FILES * (ARTIFACTS_MAX_NAME + 1),
    FOLDER_MODE = 0777, /* what the umask leaves of it */
    FILE_MODE = 0666,
};

static enum err_code failed(const struct staged_folder *staged, enum err_code code, int why,
                            struct err *err)
{
    (void)err_set(err, code, why, "%.300s/%s: %s", staged->parent_path, staged->name,
                  strerror(why));
    if (why == ENOSPC || why == EDQUOT)
        return err_hint(err, code, "make room on the disk");
    return err_hint(err, code, "choose a folder that you may write to");
}

static enum err_code check_name(const char *name, struct err *err)
{
    size_t length = strlen(name);
    enum err_code r = ERR_NONE;
    if (!length || length > ARTIFACTS_MAX_NAME)
        r = err_set(err, ERR_INVALID, 0, "a name of %zu bytes", length);
    else if (name[0] == '.' || strchr(name, '/'))
        r = err_set(err, ERR_INVALID, 0, "not a plain name: \"%.60s\"", name);
    for (size_t i = 0; i < length && !r; i++)
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
            r = err_set(err, ERR_INVALID, 0, "a control character in a name");
    return r ? err_hint(err, r, "use 1 to %d characters without \"/\", not beginning with a dot",
                        ARTIFACTS_MAX_NAME)
             : r;
}

static int open_part(const struct staged_folder *staged, int above, const char *name)
{
    struct stat found;
    int no_link = staged->follows_no_links ? O_NOFOLLOW : 0;
    int part = openat(above, name, O_PATH | O_DIRECTORY | O_CLOEXEC | no_link);
    int why = errno;
    if (part < 0 && no_link && fstatat(above, name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISLNK(found.st_mode))
        why = ELOOP;
    errno = why;
    return part;
}

static int make_part(struct staged_folder *staged, int above, const char *name, size_t end)
{
    if (mkdirat(above, name, FOLDER_MODE) == 0)
        staged->first_created = staged->first_created ? staged->first_created : end;
    else if (errno != EEXIST)
        return -1;
    return open_part(staged, above, name);
}

/* The folder that the first length bytes of parent_path name, made where it is missing: a
 * descriptor of O_PATH, or -1 and errno. Every part is opened relative to the one above it, so that
 * a part that is exchanged for a link meanwhile is seen to be one. */
static int walk(struct staged_folder *staged, size_t length, bool makes)
{
    char *path = staged->parent_path;
    int folder = open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    size_t at = strspn(path, "/"), end;
    for (; folder >= 0 && at < length; at = end + strspn(path + end, "/")) {
        end = at + strcspn(path + at, "/");
        char was = path[end];
        path[end] = '\0';
        int next = open_part(staged, folder, path + at);
        if (next < 0 && errno == ENOENT && makes)
            next = make_part(staged, folder, path + at, end);
        path[end] = was;
        descriptor_close(&folder);
        folder = next;
    }
    return folder;
}

static enum err_code open_parent(struct staged_folder *staged, struct err *err)
{
    auto_fd folder = walk(staged, strlen(staged->parent_path), true);
    if (folder >= 0)
        staged->parent = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (staged->parent >= 0)
        return ERR_NONE;
    if (errno != ELOOP || !staged->follows_no_links)
        return failed(staged, ERR_INVALID, errno, err);
    (void)err_set(err, ERR_INVALID, ELOOP, "%.300s: a symbolic link on the way is not followed",
                  staged->parent_path);
    return err_hint(err, ERR_INVALID, "give a folder that is reached without symbolic links");
}

/* Deepest first; a folder that has other content by now stays, and so do those above it. */
static void remove_parents(struct staged_folder *staged)
{
    char *path = staged->parent_path;
    size_t first = staged->first_created;
    for (size_t end = strlen(path), at; first && end >= first; end = at - 1) {
        path[end] = '\0';
        const char *slash = strrchr(path, '/');
        at = slash ? (size_t)(slash - path) + 1 : 0;
        auto_fd above = walk(staged, at, false);
        bool is_gone = at == end || unlinkat(above, path + at, AT_REMOVEDIR) == 0;
        if (!is_gone || at == 0)
            return;
    }
}

static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = list; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strncmp(line, name, length) == 0 && line[length] == '\n')
            return true;
    return false;
}

static bool read_list(int folder, struct buf *list)
{
    auto_fd fd = openat(folder, STAGED_FOLDER_LIST, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char piece[4096];
    ssize_t n = 0;
    if (fd < 0)
        return false;
    do {
        n = read(fd, piece, sizeof piece);
    } while (n > 0 && buf_append(list, piece, (size_t)n));
    return n == 0;
}

/* The first entry that is not on the folder's own list; "" when there is none. */
static void find_stranger(DIR *entries, char out_name[static NAME_MAX + 1])
{
    AUTO(buf) list;
    buf_init(&list, LIST_MAX_BYTES);
    if (!read_list(dirfd(entries), &list))
        buf_clear(&list);
    out_name[0] = '\0';
    for (struct dirent *entry; !out_name[0] && (entry = readdir(entries));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
            strcmp(name, STAGED_FOLDER_LIST) != 0 && !is_listed(buf_string(&list), name))
            snprintf(out_name, NAME_MAX + 1, "%s", name);
    }
}

/* What stands under the name may be replaced when mistro made all of it. */
static enum err_code check_target(const struct staged_folder *staged, bool *out_exists,
                                  struct err *err)
{
    char stranger[NAME_MAX + 1];
    int folder =
        openat(staged->parent, staged->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    *out_exists = folder >= 0;
    if (folder < 0 && errno == ENOENT)
        return ERR_NONE;
    if (folder < 0)
        return failed(staged, ERR_INVALID, errno == ELOOP ? ENOTDIR : errno, err);
    DIR *entries = fdopendir(folder);
    if (!entries) {
        close(folder);
        return failed(staged, ERR_INVALID, ENOMEM, err);
    }
    find_stranger(entries, stranger);
    closedir(entries);
    if (!stranger[0])
        return ERR_NONE;
    enum err_code r =
        err_set(err, ERR_INVALID, EEXIST, "%.250s/%s: \"%.60s\" in it is not mistro's",
                staged->parent_path, staged->name, stranger);
    return err_hint(err, r, "move it away, or choose another name");
}

static bool is_still_there(const struct staged_folder *staged)
{
    struct stat named, open;
    return fstatat(staged->parent, staged->hidden, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           fstat(staged->folder, &open) == 0 && named.st_ino == open.st_ino &&
           named.st_dev == open.st_dev;
}

/* The hidden folder, locked, with an empty list: 0, or the errno. */
static int make_hidden(struct staged_folder *staged)
{
    for (unsigned attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        staged_name_make(staged->name, staged->hidden, sizeof staged->hidden);
        if (mkdirat(staged->parent, staged->hidden, FOLDER_MODE) != 0) {
            if (errno != EEXIST)
                return errno;
            continue;
        }
        staged->folder = staged_claim(staged->parent, staged->hidden);
        if (staged->folder >= 0 && is_still_there(staged)) {
            auto_fd list = openat(staged->folder, STAGED_FOLDER_LIST,
                                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
            return list < 0 ? errno : 0;
        }
        if (staged->folder >= 0)
            close(staged->folder);
        staged->folder = -1;
    }
    return EEXIST;
}

static enum err_code open_staged(struct staged_folder *staged, struct err *err)
{
    bool exists;
    enum err_code r = open_parent(staged, err);
    if (!r)
        r = check_target(staged, &exists, err);
    if (r)
        return r;
    staged_sweep(staged->parent);
    int why = make_hidden(staged);
    return why ? failed(staged, ERR_INVALID, why, err) : ERR_NONE;
}

enum err_code staged_folder_open(struct staged_folder *staged, const struct artifact_place *place,
                                 struct err *err)
{
    const char *parent = place->parent, *name = place->name;
    *staged = (struct staged_folder){ .parent = -1,
                                      .folder = -1,
                                      .follows_no_links = place->follows_no_links };
    buf_init(&staged->names, LIST_MAX_BYTES);
    enum err_code r = check_name(name, err);
    if (r)
        return r;
    strcpy(staged->name, name);
    if (strlen(parent) + ARTIFACTS_MAX_NAME + 2 > sizeof staged->parent_path)
        return err_set(err, ERR_INVALID, ENAMETOOLONG, "a folder name of %zu bytes",
                       strlen(parent));
    strcpy(staged->parent_path, *parent ? parent : ".");
    r = open_staged(staged, err);
    if (r)
        staged_folder_finish(staged);
    return r;
}

static bool write_file(int folder, const char *name, const void *bytes, size_t length)
{
    auto_fd fd =
        openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
    return fd >= 0 && descriptor_write(fd, bytes, length) && fsync(fd) == 0;
}

enum err_code staged_folder_put(struct staged_folder *staged, const char *name, const void *bytes,
                                size_t length, struct err *err)
{
    enum err_code r = check_name(name, err);
    if (r)
        return r;
    bool is_new = !is_listed(buf_string(&staged->names), name);
    if (is_new && staged->n_names >= STAGED_FOLDER_MAX_FILES)
        return err_set(err, ERR_LIMIT, 0, "%s: more than %d files", staged->name,
                       STAGED_FOLDER_MAX_FILES);
    if (!write_file(staged->folder, name, bytes, length))
        return failed(staged, ERR_FAILED, errno, err);
    if (!is_new)
        return ERR_NONE;
    staged->n_names++;
    return buf_printf(&staged->names, "%s\n", name) ? ERR_NONE : ERR_LIMIT;
}

/* Where no two names can be exchanged in one step: the old folder is out of the way for a moment,
 * and comes back when the new one cannot take its place. It is locked meanwhile, so that no other
 * process takes it for left behind. */
static bool replace_in_steps(struct staged_folder *staged, int parent)
{
    char aside[STAGED_FOLDER_HIDDEN_BYTES + 1];
    auto_fd old = staged_claim(parent, staged->name);
    staged_name_aside(staged->hidden, aside, sizeof aside);
    if (renameat(parent, staged->name, parent, aside) != 0)
        return false;
    if (renameat(parent, staged->hidden, parent, staged->name) == 0) {
        staged_remove(parent, aside);
        return true;
    }
    int why = errno;
    (void)renameat(parent, aside, parent, staged->name);
    errno = why;
    return false;
}

static bool replace(struct staged_folder *staged, int parent)
{
    if (!staged->cannot_exchange &&
        renameat2(parent, staged->hidden, parent, staged->name, RENAME_EXCHANGE) == 0) {
        staged_remove(parent, staged->hidden);
        return true;
    }
    if (!staged->cannot_exchange && errno != EINVAL && errno != ENOSYS)
        return false;
    return replace_in_steps(staged, parent);
}

enum err_code staged_folder_commit(struct staged_folder *staged, struct err *err)
{
    bool exists;
    int parent = staged->parent;
    if (!write_file(staged->folder, STAGED_FOLDER_LIST, buf_string(&staged->names),
                    staged->names.length) ||
        fsync(staged->folder) != 0)
        return failed(staged, ERR_FAILED, errno, err);
    enum err_code r = check_target(staged, &exists, err); /* it may have changed meanwhile */
    if (r)
        return r;
    bool is_there = exists ? replace(staged, parent)
                           : renameat(parent, staged->hidden, parent, staged->name) == 0;
    if (!is_there)
        return failed(staged, ERR_FAILED, errno, err);
    staged->hidden[0] = '\0';
    staged->first_created = 0;
    (void)fsync(parent); /* some file systems cannot; the files themselves are on disk */
    return ERR_NONE;
}

void staged_folder_finish(struct staged_folder *staged)
{
    if (staged->hidden[0] && staged->folder >= 0)
        staged_remove(staged->parent, staged->hidden);
    if (staged->folder >= 0)
        close(staged->folder);
    if (staged->parent >= 0)
        close(staged->parent);
    remove_parents(staged);
    buf_finish(&staged->names);
    *staged = (struct staged_folder){ .parent = -1, .folder = -1 };
}
