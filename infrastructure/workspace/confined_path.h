/* Names inside one folder, and nothing outside it. Every file the workspace touches is opened
 * here, relative to a descriptor of the root, so that neither `..` nor an absolute path nor a
 * link, nor a folder that is exchanged for a link meanwhile, leads out.
 *
 * The kernel confines where it can (openat2, RESOLVE_BENEATH): links that stay inside work. Where
 * it cannot (before Linux 5.6, under valgrind, in some sandboxes) the path is walked folder by
 * folder and no link is followed at all. Used from worker jobs: nothing here is shared but the
 * descriptor and constants. */
#ifndef INFRASTRUCTURE_WORKSPACE_CONFINED_PATH_H
#define INFRASTRUCTURE_WORKSPACE_CONFINED_PATH_H

#include "domain/base/err.h"
#include "infrastructure/runtime/descriptor.h"
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#define CONFINED_MAX_PATH 4095
#define CONFINED_MAX_COMPONENTS 256

struct confined_root {
    int fd;
    char *path;   /* absolute, resolved */
    bool by_walk; /* do not ask the kernel */
};

/* ERR_NOT_FOUND or ERR_INVALID when path is not a folder. */
MUST_CHECK
enum err_code confined_root_init(struct confined_root *out, const char *path, struct err *err);
void confined_root_finish(struct confined_root *root);

/* The path as it is shown and used: relative, "." for the root, without "." and "..", which may
 * not climb above the root. An absolute path is accepted where it begins with the root's.
 * ERR_INVALID (empty, too long), ERR_DENIED (outside). */
MUST_CHECK
enum err_code confined_normalise(const struct confined_root *root, const char *path,
                                 char out_path[static CONFINED_MAX_PATH + 1], struct err *err);

/* Opens a normalised path; O_CLOEXEC is added and, without O_PATH, O_NOCTTY and O_NONBLOCK.
 * ERR_NOT_FOUND, ERR_DENIED (leads outside, or a link that may not be followed), ERR_FAILED. */
MUST_CHECK
enum err_code confined_open(const struct confined_root *root, const char *path, int flags,
                            int *out_fd, struct err *err);
/* As confined_open, but only what it should be: a regular file, or a folder. Anything else
 * (devices, FIFOs, sockets) is ERR_INVALID and never read. */
MUST_CHECK
enum err_code confined_open_file(const struct confined_root *root, const char *path, int *out_fd,
                                 struct stat *out_stat, struct err *err);
MUST_CHECK
enum err_code confined_open_folder(const struct confined_root *root, const char *path, int *out_fd,
                                   struct err *err);
/* The folder of a path, and the last component (points into path). ERR_INVALID for the root. */
MUST_CHECK
enum err_code confined_open_parent(const struct confined_root *root, const char *path, int *out_fd,
                                   const char **out_name, struct err *err);

#endif
