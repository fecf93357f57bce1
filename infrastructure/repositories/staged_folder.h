/* A folder that appears whole or not at all. It is made under a hidden name beside the one it will
 * have (".tcp.mistro-0123456789abcdef"), filled, and then takes that name in one step; what stood
 * there before takes the hidden one and goes. A list within (".mistro-files") says what was put
 * into it, so that a later one replaces what mistro made and nothing that a person added.
 *
 * A lock on the hidden folder says that a process still works in it: the kernel releases it when
 * the process dies, and the next one that opens a folder in the same place removes what was left.
 * Modes are those of the user's umask: this is output that a person asked for, nothing private.
 *
 * Everything here blocks: it is called in jobs of a worker, one at a time. */
#ifndef INFRASTRUCTURE_REPOSITORIES_STAGED_FOLDER_H
#define INFRASTRUCTURE_REPOSITORIES_STAGED_FOLDER_H

#include "application/ports/artifacts.h"
#include "domain/base/buf.h"
#include <limits.h>

#define STAGED_FOLDER_LIST ".mistro-files"
#define STAGED_FOLDER_MAX_FILES 1000
#define STAGED_FOLDER_HIDDEN_BYTES (ARTIFACTS_MAX_NAME + 40)

struct staged_folder {
    int parent, folder; /* descriptors; -1 once there is none */
    char parent_path[PATH_MAX];
    bool follows_no_links; /* on parent_path */
    size_t first_created;  /* length of the shortest part of parent_path that was not there; 0 */
    char name[ARTIFACTS_MAX_NAME + 1];
    char hidden[STAGED_FOLDER_HIDDEN_BYTES];
    struct buf names; /* of its files, each followed by a newline */
    size_t n_names;
    bool cannot_exchange; /* the file system swaps no two names in one step */
};

/* The folders above it are made where they are missing. ERR_INVALID when the name is not
 * a plain one, when nothing can be written there, or when something stands there that mistro did
 * not make. */
MUST_CHECK
enum err_code staged_folder_open(struct staged_folder *staged, const struct artifact_place *place,
                                 struct err *err);
MUST_CHECK
enum err_code staged_folder_put(struct staged_folder *staged, const char *name, const void *bytes,
                                size_t length, struct err *err);
/* After ERR_NONE all of it is on disk under its name. */
MUST_CHECK
enum err_code staged_folder_commit(struct staged_folder *staged, struct err *err);
/* Removes what was not committed, with the folders that were made for it. */
void staged_folder_finish(struct staged_folder *staged);

#endif
