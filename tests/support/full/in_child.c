#include "tests/support/full/in_child.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void be_child(void (*fn)(void), int stderr_pipe)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    dup2(stderr_pipe, STDERR_FILENO);
    fn();
    _exit(0);
}

struct child_end in_child(void (*fn)(void))
{
    struct child_end end = { 0 };
    int ends[2], status;
    fflush(NULL);
    if (pipe(ends) != 0)
        abort();
    pid_t child = fork();
    if (child == 0)
        be_child(fn, ends[1]);
    close(ends[1]);
    size_t length = 0;
    char spill[256];
    for (ssize_t n = 1; n > 0;) {
        size_t room = sizeof end.stderr_text - 1 - length;
        n = read(ends[0], room ? end.stderr_text + length : spill, room ? room : sizeof spill);
        if (room && n > 0)
            length += (size_t)n;
    }
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child)
        abort();
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    return end;
}
