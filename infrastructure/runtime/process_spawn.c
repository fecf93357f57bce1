#include "domain/base/arena.h"
#include "domain/base/text.h"
#include "infrastructure/runtime/descriptor.h"
#include "infrastructure/runtime/process_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAILED_STATUS 127
#define USUAL_PATH "/usr/local/bin:/usr/bin:/bin"
#define REPORT_FD 3 /* where the child has the report pipe, right above its three streams */

enum spawn_step { STEP_STREAMS, STEP_LIMITS, STEP_DIRECTORY, STEP_EXECUTE };

/* What the child writes when it cannot become the program; nothing when it could. */
struct report {
    enum spawn_step step;
    int number;
};

struct pipe_ends {
    int read, write;
};

struct plan {
    const char *path, *directory;
    char **arguments, **environment;
    uint64_t memory_bytes, file_bytes; /* 0: no limit of their own */
    struct pipe_ends in, out, err, report;
    pid_t parent;
};

/* The system's functions want pointers to char that they do not change. */
static char *unconst(const char *text)
{
    union {
        const char *in;
        char *out;
    } both = { .in = text };
    return both.out;
}

static int steal_end(int *fd)
{
    int taken = *fd;
    *fd = -1;
    return taken;
}

/* Above the standard streams, which may be closed in us: dup2 must not hit its own source. */
static bool move_up(int *fd)
{
    if (*fd > REPORT_FD)
        return true;
    int moved = fcntl(*fd, F_DUPFD_CLOEXEC, REPORT_FD + 1);
    if (moved < 0)
        return false;
    close(*fd);
    *fd = moved;
    return true;
}

static bool open_pipe(struct pipe_ends *ends)
{
    int both[2];
    if (pipe2(both, O_CLOEXEC) != 0)
        return false;
    *ends = (struct pipe_ends){ both[0], both[1] };
    return move_up(&ends->read) && move_up(&ends->write);
}

static bool open_pipes(struct plan *plan)
{
    plan->in = plan->out = plan->err = plan->report = (struct pipe_ends){ -1, -1 };
    return open_pipe(&plan->in) && open_pipe(&plan->out) && open_pipe(&plan->err) &&
           open_pipe(&plan->report);
}

static void close_pipes(struct plan *plan)
{
    struct pipe_ends *all[] = { &plan->in, &plan->out, &plan->err, &plan->report };
    for (size_t i = 0; i < ARRAY_LENGTH(all); i++) {
        descriptor_close(&all[i]->read);
        descriptor_close(&all[i]->write);
    }
}

static void reset_signals(void)
{
    struct sigaction standard = { .sa_handler = SIG_DFL };
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &standard, NULL); /* refused for SIGKILL and the like, which is right */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool limit(__rlimit_resource_t resource, uint64_t bytes)
{
    struct rlimit both = { .rlim_cur = bytes, .rlim_max = bytes };
    return !bytes || setrlimit(resource, &both) == 0;
}

/* In the child until execve: shares our memory, so it changes nothing and calls only the kernel.
 * The signal mask is full until the handlers, which are ours, are gone. */
static _Noreturn void be_child(const struct plan *plan)
{
    struct report report = { .step = STEP_STREAMS };
    reset_signals();
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != plan->parent)
        _exit(FAILED_STATUS); /* the parent died before it could be asked for */
    if (dup2(plan->in.read, STDIN_FILENO) < 0 || dup2(plan->out.write, STDOUT_FILENO) < 0 ||
        dup2(plan->err.write, STDERR_FILENO) < 0 ||
        dup3(plan->report.write, REPORT_FD, O_CLOEXEC) < 0)
        goto failed;
    if (close_range(REPORT_FD + 1, ~0U, 0) != 0)
        goto failed;
    report.step = STEP_LIMITS;
    if (!limit(RLIMIT_AS, plan->memory_bytes) || !limit(RLIMIT_FSIZE, plan->file_bytes))
        goto failed;
    report.step = STEP_DIRECTORY;
    if (plan->directory && chdir(plan->directory) != 0)
        goto failed;
    report.step = STEP_EXECUTE;
    execve(plan->path, plan->arguments, plan->environment);
failed:
    report.number = errno;
    (void)!write(REPORT_FD, &report, sizeof report);
    _exit(FAILED_STATUS);
}

static __attribute__((noinline)) pid_t start(const struct plan *plan)
{
    pid_t pid = vfork();
    if (pid == 0)
        be_child(plan); /* NOLINT(clang-analyzer-unix.Vfork): POSIX's rule; Linux allows this */
    return pid;
}

static pid_t start_with_signals_blocked(struct plan *plan)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    plan->parent = getpid();
    pid_t pid = start(plan);
    int number = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = number;
    return pid;
}

/* A report, or none: the write end was closed by a successful execve. */
static bool read_report(struct plan *plan, struct report *out)
{
    ssize_t n;
    descriptor_close(&plan->report.write);
    do
        n = read(plan->report.read, out, sizeof *out);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof *out;
}

static const char *shown(struct arena *scratch, const char *text)
{
    return text_one_line(scratch, text, strlen(text), 100);
}

static enum err_code no_such_program(const char *shown, struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, ENOENT, "no such program: '%s'", shown);
}

static enum err_code refuse(const struct process_options *options, const struct report *report,
                            struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *why = strerror(report->number);
    if (report->step == STEP_DIRECTORY)
        return err_set(err, ERR_INVALID, report->number, "cannot start in '%s': %s",
                       shown(&scratch, options->directory), why);
    const char *command = shown(&scratch, options->command);
    if (report->step == STEP_EXECUTE && (report->number == ENOENT || report->number == ENOTDIR))
        return err_hint(err, no_such_program(command, err),
                        "is the path right, and the program of its first line (#!) installed?");
    return err_set(err, ERR_UNAVAILABLE, report->number, "cannot start '%s': %s", command, why);
}

bool program_is_there(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool program_find(const char *path, const char *name, size_t length, char out[static PATH_MAX])
{
    for (const char *at = path ? path : USUAL_PATH, *end; length && *at;
         at = *end ? end + 1 : end) {
        end = strchrnul(at, ':');
        int n = snprintf(out, PATH_MAX, "%.*s/%.*s", (int)(end - at), at, (int)length, name);
        if (*at == '/' && n < PATH_MAX && program_is_there(out))
            return true;
    }
    return false;
}

static const char *search_path(const struct process_options *options)
{
    for (const char *const *e = options->environment; *e; e++)
        if (strncmp(*e, "PATH=", 5) == 0)
            return *e + 5;
    return USUAL_PATH;
}

static enum err_code find_program(const struct process_options *options, char out[static PATH_MAX],
                                  struct err *err)
{
    const char *path = search_path(options), *command = options->command;
    if (program_find(path, command, strlen(command), out))
        return ERR_NONE;
    AUTO(arena) scratch = { 0 };
    enum err_code code = no_such_program(shown(&scratch, command), err);
    return err_hint(err, code, "install it, or give its full path; PATH is %s", path);
}

/* first, unless it is NULL, and the list behind it, ended by NULL. */
static char **pointers_to(const char *first, const char *const *list)
{
    size_t n = 0, at = 0;
    while (list && list[n])
        n++;
    char **pointers = calloc(n + 2, sizeof *pointers);
    if (!pointers)
        abort();
    if (first)
        pointers[at++] = unconst(first);
    for (size_t i = 0; i < n; i++)
        pointers[at++] = unconst(list[i]);
    return pointers;
}

static enum err_code spawn(const struct process_options *options, struct plan *plan,
                           struct spawned *out, struct err *err)
{
    struct report report = { .step = STEP_STREAMS };
    pid_t pid = -1;
    if (open_pipes(plan))
        pid = start_with_signals_blocked(plan);
    if (pid < 0) {
        report.number = errno;
        return refuse(options, &report, err);
    }
    if (read_report(plan, &report)) {
        waitpid(pid, NULL, 0);
        return refuse(options, &report, err);
    }
    *out = (struct spawned){
        .pid = pid,
        .in = steal_end(&plan->in.write),
        .out = steal_end(&plan->out.read),
        .err = steal_end(&plan->err.read),
    };
    return ERR_NONE;
}

enum err_code process_spawn(const struct process_options *options, struct spawned *out,
                            struct err *err)
{
    char found[PATH_MAX];
    struct plan plan = { .path = options->command,
                         .directory = options->directory,
                         .memory_bytes = options->memory_bytes,
                         .file_bytes = options->file_bytes };
    if (!strchr(options->command, '/')) {
        enum err_code code = find_program(options, found, err);
        if (code)
            return code;
        plan.path = found;
    }
    plan.arguments = pointers_to(options->command, options->arguments);
    plan.environment = pointers_to(NULL, options->environment);
    enum err_code code = spawn(options, &plan, out, err);
    close_pipes(&plan);
    free(plan.arguments);
    free(plan.environment);
    return code;
}
