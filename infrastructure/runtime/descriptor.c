#include "infrastructure/runtime/descriptor.h"
#include <errno.h>
#include <unistd.h>

bool descriptor_write(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t n = write(fd, bytes, length);
        if (n < 0 && errno != EINTR)
            return false;
        bytes += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

void descriptor_close(int *fd)
{
    int why = errno;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    errno = why;
}
