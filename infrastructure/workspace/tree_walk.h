/* A folder and what is below it, in the order of names, without following links and within
 * bounds: entries, depth, time. Version-control data (.git) is passed over. What time leaves over
 * is still counted, which takes much less of it than reading does: a person then knows how much of
 * an answer is missing. */
#ifndef INFRASTRUCTURE_WORKSPACE_TREE_WALK_H
#define INFRASTRUCTURE_WORKSPACE_TREE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define TREE_MAX_DEPTH 32
#define TREE_COUNT_MS 500 /* behind the deadline, for counting */

struct tree_entry {
    const char *path; /* below the workspace root */
    const char *name;
    int folder_fd; /* the folder the name is in */
    struct stat stat;
};

/* The bound that was reached. */
enum tree_cut { TREE_WHOLE, TREE_CUT_BY_DEPTH, TREE_CUT_BY_ENTRIES, TREE_CUT_BY_TIME };

struct tree_walk {
    size_t max_entries;  /* visited, all folders together */
    unsigned max_depth;  /* 1 = only the folder itself; at most TREE_MAX_DEPTH */
    int64_t deadline_ms; /* of workspace_now_ms */
    size_t n_entries;
    enum tree_cut cut;
    size_t n_unseen; /* when time ended it: other entries than folders that were counted only */
    /* Returns false to stop. */
    bool (*visit)(void *context, const struct tree_entry *entry);
    void *context;
};

/* folder_fd stays open; path is that of the folder, "." for the root. */
void tree_walk(struct tree_walk *walk, int folder_fd, const char *path);

/* "file", "directory", "link", "other". */
const char *tree_type_name(mode_t mode);

#endif
