#include "infrastructure/runtime/exit_watch.h"
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void exit_watch_end(const struct exit_watch *watch)
{
    if (!watch->by_signal)
        close(watch->pidfd);
}

static void stop(struct exit_watch *watch)
{
    if (watch->by_signal)
        uv_signal_stop(&watch->handle.signal);
    else
        uv_poll_stop(&watch->handle.poll);
}

static void look(struct exit_watch *watch)
{
    siginfo_t info = { .si_pid = 0 };
    if (watch->ended || waitid(P_PID, (id_t)watch->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid != watch->pid)
        return;
    watch->ended = true;
    bool exited = info.si_code == CLD_EXITED;
    stop(watch);
    watch->on_exit(watch->context, exited ? info.si_status : 0, exited ? 0 : info.si_status);
}

static void on_pidfd(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    look(poll->data);
}

static void on_sigchld(uv_signal_t *signal, int number)
{
    (void)number;
    look(signal->data);
}

/* The signal may have come before somebody listened; looking at once would call back before
 * exit_watch_start has returned, so the loop is made to deliver one more. */
static void watch_by_signal(struct exit_watch *watch, uv_loop_t *loop)
{
    watch->by_signal = true;
    uv_signal_init(loop, &watch->handle.signal);
    uv_signal_start(&watch->handle.signal, on_sigchld, SIGCHLD);
    raise(SIGCHLD);
}

void exit_watch_start(struct exit_watch *watch, uv_loop_t *loop, pid_t pid,
                      void (*on_exit)(void *context, int status, int signal), void *context)
{
    *watch = (struct exit_watch){ .pid = pid, .on_exit = on_exit, .context = context };
    watch->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (watch->pidfd < 0) {
        watch_by_signal(watch, loop);
    } else {
        uv_poll_init(loop, &watch->handle.poll, watch->pidfd);
        uv_poll_start(&watch->handle.poll, UV_READABLE, on_pidfd);
    }
    watch->handle.any.data = watch;
}
