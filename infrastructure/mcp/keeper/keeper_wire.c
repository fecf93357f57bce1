#include "infrastructure/mcp/keeper/keeper_wire.h"
#include "domain/base/json.h"
#include "infrastructure/runtime/descriptor.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define SOCKET_NAME "keeper.socket"
#define BACKLOG 64

enum err_code keeper_folder_open(const char *folder, int *out_fd, struct err *err)
{
    struct stat status;
    auto_fd fd = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status))
        return err_set(err, ERR_NOT_FOUND, errno, "%s: %s", folder, strerror(errno));
    if (status.st_uid != geteuid() || (status.st_mode & 077))
        return err_hint(err,
                        err_set(err, ERR_DENIED, 0,
                                "%s is not yours alone, so nothing is kept or taken there", folder),
                        "remove that folder");
    *out_fd = fd;
    fd = -1;
    return ERR_NONE;
}

/* The address by the descriptor of the folder, which stays short however long its path is. */
static struct sockaddr_un address_in(int folder_fd)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder_fd,
             SOCKET_NAME);
    return address;
}

void keeper_unlisten(int folder_fd)
{
    (void)unlinkat(folder_fd, SOCKET_NAME, 0);
}

enum err_code keeper_listen(int folder_fd, int *out_fd, struct err *err)
{
    struct sockaddr_un address = address_in(folder_fd);
    auto_fd fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    keeper_unlisten(folder_fd);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, BACKLOG))
        return err_set(err, ERR_UNAVAILABLE, errno, "cannot listen: %s", strerror(errno));
    *out_fd = fd;
    fd = -1;
    return ERR_NONE;
}

bool keeper_peer_is_ours(int fd)
{
    struct ucred peer = { 0 };
    socklen_t length = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

enum err_code keeper_connect(const char *folder, int wait_ms, int *out_fd, struct err *err)
{
    auto_fd folder_fd = -1;
    enum err_code r = keeper_folder_open(folder, &folder_fd, err);
    if (r)
        return r;
    struct sockaddr_un address = address_in(folder_fd);
    const struct timeval wait = { wait_ms / 1000, wait_ms % 1000 * 1000L };
    auto_fd fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) ||
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait) ||
        connect(fd, (struct sockaddr *)&address, sizeof address))
        return err_set(err, ERR_NOT_FOUND, errno, "no keeper runs");
    if (!keeper_peer_is_ours(fd))
        return err_set(err, ERR_DENIED, 0, "the keeper runs as another user");
    *out_fd = fd;
    fd = -1;
    return ERR_NONE;
}

union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int) * KEEPER_PIPES)];
};

/* Descriptors that a message can bring: the space for those of a server is padded. */
#define MAX_BROUGHT (CMSG_SPACE(sizeof(int) * KEEPER_PIPES) / sizeof(int))

enum err_code keeper_send(int fd, const json_t *message, const int *pipes, struct err *err)
{
    auto_str text = json_print(message);
    struct iovec all = { .iov_base = text, .iov_len = strlen(text) };
    struct msghdr packet = { .msg_iov = &all, .msg_iovlen = 1 };
    union control control = { 0 };
    ssize_t n;
    if (all.iov_len > KEEPER_MAX_PACKET_BYTES)
        return err_set(err, ERR_LIMIT, 0, "more than %d bytes for the keeper",
                       KEEPER_MAX_PACKET_BYTES);
    if (pipes) {
        packet.msg_control = &control;
        packet.msg_controllen = sizeof control;
        struct cmsghdr *header = CMSG_FIRSTHDR(&packet);
        *header = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
                                    .cmsg_type = SCM_RIGHTS,
                                    .cmsg_len = CMSG_LEN(sizeof(int) * KEEPER_PIPES) };
        memcpy(CMSG_DATA(header), pipes, sizeof(int) * KEEPER_PIPES);
    }
    do
        n = sendmsg(fd, &packet, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n < 0 ? err_set(err, ERR_UNAVAILABLE, errno, "the keeper: %s", strerror(errno))
                 : ERR_NONE;
}

/* Too few, too many, or of another kind are none. */
static void take_pipes(struct msghdr *packet, int pipes[static KEEPER_PIPES])
{
    struct cmsghdr *header = CMSG_FIRSTHDR(packet);
    for (int i = 0; i < KEEPER_PIPES; i++)
        pipes[i] = -1;
    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
        return;
    int brought[MAX_BROUGHT];
    size_t n = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(brought, CMSG_DATA(header), n * sizeof(int));
    if (n == KEEPER_PIPES)
        memcpy(pipes, brought, sizeof(int) * KEEPER_PIPES);
    for (size_t i = 0; i < n && n != KEEPER_PIPES; i++)
        descriptor_close(&brought[i]);
}

bool keeper_receive(int fd, json_t **out, int pipes[static KEEPER_PIPES], bool *out_again)
{
    auto_str text = malloc(KEEPER_MAX_PACKET_BYTES);
    if (!text)
        abort();
    struct iovec all = { .iov_base = text, .iov_len = KEEPER_MAX_PACKET_BYTES };
    union control control = { 0 };
    struct msghdr packet = {
        .msg_iov = &all, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
    };
    ssize_t n;
    do
        n = recvmsg(fd, &packet, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (out_again)
        *out_again = n < 0 && errno == EAGAIN;
    if (n < 0)
        return false;
    take_pipes(&packet, pipes);
    if (n && !(packet.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) &&
        !json_parse(text, (size_t)n, JSON_FOREIGN, out, NULL))
        return true;
    for (int i = 0; i < KEEPER_PIPES; i++)
        descriptor_close(&pipes[i]);
    return false;
}
