/* Starts a child on three pipes: vfork, so that it costs the same however much memory we use, then
 * only what POSIX allows in such a child, then execve. Private to process.c.
 *
 * PR_SET_PDEATHSIG follows the *thread* that started the child. Children are started on the loop's
 * thread only, which lives as long as the program. */
#ifndef INFRASTRUCTURE_RUNTIME_PROCESS_SPAWN_H
#define INFRASTRUCTURE_RUNTIME_PROCESS_SPAWN_H

#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include <sys/types.h>

struct process_options;

/* Our ends of the pipes, close-on-exec. The caller closes them and reaps the child. */
struct spawned {
    pid_t pid; /* also the id of its session and process group */
    int in, out, err;
};

/* ERR_NOT_FOUND, ERR_INVALID (no such directory) or ERR_UNAVAILABLE. */
MUST_CHECK
enum err_code process_spawn(const struct process_options *options, struct spawned *out,
                            struct err *err);

#endif
