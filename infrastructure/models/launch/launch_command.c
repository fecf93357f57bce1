#include "infrastructure/models/launch/launch_command.h"
#include "domain/base/attributes.h"
#include "infrastructure/runtime/process.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORT "{port}"
#define SOCKET "{socket}"

/* No keys and no tokens: a server that downloads from a closed hub is started by hand. */
static const char *const handed_on[] = { "LD_LIBRARY_PATH",        "CUDA_VISIBLE_DEVICES",
                                         "HIP_VISIBLE_DEVICES",    "ROCR_VISIBLE_DEVICES",
                                         "XDG_CACHE_HOME",         "HF_HOME",
                                         "GGML_VK_VISIBLE_DEVICES" };

static bool is_named(const struct model_launch *launch, const char *what)
{
    for (size_t i = 1; i < launch->n_words; i++)
        if (strstr(launch->words[i], what))
            return true;
    return false;
}

bool launch_command_wants_socket(const struct model_launch *launch)
{
    return is_named(launch, SOCKET);
}

static const char *fill_in(struct arena *arena, const char *word, const char *what,
                           const char *value)
{
    const char *filled = "";
    for (const char *at; (at = strstr(word, what)); word = at + strlen(what))
        filled = arena_printf(arena, "%s%.*s%s", filled, (int)(at - word), word, value);
    return arena_printf(arena, "%s%s", filled, word);
}

const char *const *launch_command_arguments(const struct model_launch *launch, int port,
                                            const char *socket, struct arena *arena)
{
    static const char *const host[] = { "--host", "127.0.0.1", "--port" };
    const char *number = arena_printf(arena, "%d", port);
    const char **arguments =
        arena_array(arena, const char *, launch->n_words + ARRAY_LENGTH(host) + 2);
    size_t n = 0;
    for (size_t i = 1; i < launch->n_words; i++)
        arguments[n++] =
            fill_in(arena, fill_in(arena, launch->words[i], PORT, number), SOCKET, socket);
    if (is_named(launch, PORT) || is_named(launch, SOCKET))
        return arguments;
    for (size_t i = 0; i < ARRAY_LENGTH(host); i++)
        arguments[n++] = host[i];
    arguments[n] = number;
    return arguments;
}

char **launch_command_environment(void)
{
    AUTO(arena) scratch = { 0 };
    const char *extra[ARRAY_LENGTH(handed_on)];
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(handed_on); i++) {
        const char *value = getenv(handed_on[i]);
        if (value)
            extra[n++] = arena_printf(&scratch, "%s=%s", handed_on[i], value);
    }
    return process_environment(extra, n);
}

const char *launch_command_program(const struct model_launch *launch)
{
    const char *slash = strrchr(launch->words[0], '/');
    return slash && slash[1] ? slash + 1 : launch->words[0];
}

/* A socket bound to the port (0: any), or -1. What an ended server left in TIME_WAIT does not
 * matter, as it does not matter to servers. */
static int bound_socket(int port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    if (fd < 0)
        return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

int loopback_port_find(void)
{
    struct sockaddr_in address = { 0 };
    socklen_t size = sizeof address;
    int fd = bound_socket(0);
    if (fd < 0)
        return 0;
    bool known = getsockname(fd, (struct sockaddr *)&address, &size) == 0;
    close(fd);
    return known ? ntohs(address.sin_port) : 0;
}

bool loopback_port_is_taken(int port)
{
    int fd = bound_socket(port);
    if (fd < 0)
        return errno == EADDRINUSE;
    close(fd);
    return false;
}
