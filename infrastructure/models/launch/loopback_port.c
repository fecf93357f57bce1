#include "infrastructure/models/launch/loopback_port.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

/* A socket bound to the port (0: any), or -1. What an ended server left in TIME_WAIT is no
 * hindrance, as it is none to servers. */
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
