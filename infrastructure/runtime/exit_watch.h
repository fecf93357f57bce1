/* Tells when a child has ended, without reaping it: until it is reaped its id, which is also the
 * id of its process group, cannot be given to anybody else. By pidfd; by SIGCHLD where the system
 * has none. Private to process.c. */
#ifndef INFRASTRUCTURE_RUNTIME_EXIT_WATCH_H
#define INFRASTRUCTURE_RUNTIME_EXIT_WATCH_H

#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

struct exit_watch {
    pid_t pid;
    bool by_signal;
    int pidfd; /* -1: by_signal */
    bool ended;
    union {
        uv_handle_t any;
        uv_poll_t poll;
        uv_signal_t signal;
    } handle;
    /* Once, on the loop's stack. signal is 0 when the child exited by itself. */
    void (*on_exit)(void *context, int status, int signal);
    void *context;
};

void exit_watch_start(struct exit_watch *watch, uv_loop_t *loop, pid_t pid,
                      void (*on_exit)(void *context, int status, int signal), void *context);
/* After the handle was closed (child_output.h). */
void exit_watch_end(const struct exit_watch *watch);

#endif
