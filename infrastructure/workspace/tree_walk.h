/* A folder and what is below it, in the order of names, without following links and within
 * bounds: entries, depth, time. Version-control data (.git) is passed over. */
#ifndef INFRASTRUCTURE_WORKSPACE_TREE_WALK_H
#define INFRASTRUCTURE_WORKSPACE_TREE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define TREE_MAX_DEPTH 32

struct tree_entry {
    const char *path; /* below the workspace root */
    const char *name;
    int folder_fd; /* the folder the name is in */
    struct stat stat;
};

struct tree_walk {
    size_t max_entries;  /* visited, all folders together */
    unsigned max_depth;  /* 1 = only the folder itself; at most TREE_MAX_DEPTH */
    int64_t deadline_ms; /* of workspace_now_ms */
    size_t n_entries;
    bool was_cut; /* a bound was reached */
    /* Returns false to stop. */
    bool (*visit)(void *context, const struct tree_entry *entry);
    void *context;
};

/* folder_fd stays open; path is that of the folder, "." for the root. */
void tree_walk(struct tree_walk *walk, int folder_fd, const char *path);

/* "file", "directory", "link", "other". */
const char *tree_type_name(mode_t mode);

#endif
