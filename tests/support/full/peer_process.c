#include "tests/support/full/peer_process.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void become_peer(const struct peer *peer, int out)
{
    const char *arguments[PEER_MAX_ARGUMENTS + 3] = { peer->config.command, "--http" };
    for (size_t i = 0; i < peer->config.n_arguments; i++)
        arguments[i + 2] = peer->config.arguments[i];
    setpgid(0, 0);
    dup2(out, STDOUT_FILENO);
    dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
    execv(peer->config.command, (char *const *)(uintptr_t)arguments);
    _exit(127);
}

void peer_process_start(struct peer_process *process, struct peer *peer)
{
    int ends[2], port = 0;
    if (pipe(ends))
        abort();
    process->pid = fork();
    if (process->pid == 0)
        become_peer(peer, ends[1]);
    close(ends[1]);
    FILE *said = fdopen(ends[0], "r");
    if (process->pid < 0 || !said || fscanf(said, "%d", &port) != 1)
        abort();
    fclose(said);
    snprintf(process->url, sizeof process->url, "http://127.0.0.1:%d/mcp", port);
    peer->config.command = NULL;
    peer->config.url = process->url;
    peer->config.file = "mcp.json";
}

void peer_process_end(struct peer_process *process)
{
    kill(-process->pid, SIGKILL);
    waitpid(process->pid, NULL, 0);
}
