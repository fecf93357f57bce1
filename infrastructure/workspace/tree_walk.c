#include "infrastructure/workspace/tree_walk.h"
#include "domain/base/arena.h"
#include "infrastructure/workspace/confined_path.h"
#include "infrastructure/workspace/workspace_job.h"
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

const char *tree_type_name(mode_t mode)
{
    if (S_ISREG(mode))
        return "file";
    if (S_ISDIR(mode))
        return "directory";
    return S_ISLNK(mode) ? "link" : "other";
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_passed_over(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, ".git") == 0;
}

/* The names of a folder, sorted; as many as may still be visited. */
static char **read_names(struct tree_walk *walk, int folder_fd, struct arena *arena, size_t *out_n)
{
    char **names = NULL;
    size_t n = 0, capacity = 0, room = walk->max_entries - walk->n_entries;
    int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    *out_n = 0;
    if (!folder) {
        descriptor_close(&fd);
        return NULL;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (is_passed_over(entry->d_name))
            continue;
        if (n == room) {
            walk->cut = TREE_CUT_BY_ENTRIES;
            break;
        }
        *arena_push(arena, names, n, capacity) = arena_strdup(arena, entry->d_name);
    }
    closedir(folder);
    if (n)
        qsort(names, n, sizeof *names, by_name);
    *out_n = n;
    return names;
}

static bool walk_folder(struct tree_walk *walk, int folder_fd, const char *path, unsigned depth);

static bool walk_below(struct tree_walk *walk, const struct tree_entry *entry, unsigned depth)
{
    auto_fd fd = openat(entry->folder_fd, entry->name,
                        O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    return fd < 0 || walk_folder(walk, fd, entry->path, depth);
}

/* Whether an entry may still be visited, or counted at least. */
static bool goes_on(struct tree_walk *walk)
{
    int64_t over_ms = workspace_now_ms() - walk->deadline_ms;
    bool is_full = walk->n_entries >= walk->max_entries;
    if (over_ms > 0)
        walk->cut = TREE_CUT_BY_TIME;
    else if (is_full)
        walk->cut = TREE_CUT_BY_ENTRIES;
    return !is_full && over_ms <= TREE_COUNT_MS;
}

static bool visit(struct tree_walk *walk, const struct tree_entry *entry)
{
    walk->n_entries++;
    if (walk->cut != TREE_CUT_BY_TIME)
        return walk->visit(walk->context, entry);
    walk->n_unseen += !S_ISDIR(entry->stat.st_mode);
    return true;
}

/* False when the walk is over. Recursion is bounded by max_depth. */
static bool walk_folder(struct tree_walk *walk, int folder_fd, const char *path, unsigned depth)
{
    AUTO(arena) arena = { 0 };
    size_t n;
    char **names = read_names(walk, folder_fd, &arena, &n);
    for (size_t i = 0; i < n; i++) {
        struct tree_entry entry = { .name = names[i], .folder_fd = folder_fd };
        if (!goes_on(walk))
            return false;
        if (fstatat(folder_fd, names[i], &entry.stat, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        entry.path =
            strcmp(path, ".") == 0 ? names[i] : arena_printf(&arena, "%s/%s", path, names[i]);
        if (!visit(walk, &entry))
            return false;
        bool is_folder = S_ISDIR(entry.stat.st_mode);
        if (is_folder && depth == TREE_MAX_DEPTH && !walk->cut)
            walk->cut = TREE_CUT_BY_DEPTH;
        if (is_folder && depth < walk->max_depth && !walk_below(walk, &entry, depth + 1))
            return false;
    }
    return true;
}

void tree_walk(struct tree_walk *walk, int folder_fd, const char *path)
{
    if (walk->max_depth > TREE_MAX_DEPTH)
        walk->max_depth = TREE_MAX_DEPTH;
    (void)walk_folder(walk, folder_fd, path, 1);
}
