/* Who starts a keeper waits for the byte that says that it can be reached, and then asks it: where
 * another one was faster, or it could not listen, the answer to that tells. */
#include "infrastructure/mcp/keeper/keeper.h"
#include "infrastructure/mcp/keeper/lease.h"
#include "infrastructure/runtime/descriptor.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

#define READY_WAIT_MS 8000
#define CONNECT_MS 1000

/* In a session of its own, so that no terminal ends it, and in no folder of anybody's; what it
 * writes is whether it is ready. */
static int spawn(const char *program, const char *const *words, int said)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t pid;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addchdir_np(&actions, "/");
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, said, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    union {
        const char *const *in;
        char *const *out; /* which is not changed */
    } all = { .in = words };
    int number = posix_spawn(&pid, program, &actions, &attributes, all.out, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return number;
}

static void await_ready(int said)
{
    struct pollfd look = { .fd = said, .events = POLLIN };
    char byte;
    int n;
    do
        n = poll(&look, 1, READY_WAIT_MS);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        (void)!read(said, &byte, 1);
}

enum err_code keeper_start(const char *folder, const char *program, const char *const *words,
                           int64_t idle_ms, struct err *err)
{
    int said[2] = { -1, -1 };
    int64_t n;
    auto_fd there = -1;
    enum err_code r = keeper_connect(folder, CONNECT_MS, &there, err);
    if (r == ERR_NOT_FOUND) {
        if (pipe2(said, O_CLOEXEC))
            return err_set(err, ERR_UNAVAILABLE, errno, "no pipe: %s", strerror(errno));
        int number = spawn(program, words, said[1]);
        descriptor_close(&said[1]);
        if (number == 0)
            await_ready(said[0]);
        descriptor_close(&said[0]);
        if (number)
            return err_set(err, ERR_UNAVAILABLE, number, "the keeper cannot be started: %s",
                           strerror(number));
        r = ERR_NONE;
    }
    descriptor_close(&there);
    if (!r)
        r = lease_ask(folder, json_pack("{s:I}", "idle_ms", (json_int_t)idle_ms), "servers", &n,
                      err);
    if (r == ERR_NOT_FOUND)
        r = err_hint(err, err_set(err, ERR_UNAVAILABLE, 0, "the keeper did not start"),
                     "with --foreground it says why");
    return r;
}

enum err_code keeper_stop(const char *folder, int64_t *out_n, struct err *err)
{
    return lease_ask(folder, json_pack("{s:b}", "stop", 1), "stopped", out_n, err);
}
