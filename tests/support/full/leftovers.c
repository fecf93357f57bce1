#include "tests/support/full/leftovers.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS = 50, LOOK_EVERY_MS = 10, MAX_ENVIRONMENT = 65536 };

size_t leftover_descriptors(void)
{
    size_t n = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        n++;
    if (folder)
        closedir(folder);
    return n;
}

bool leftover_children(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

/* A zombie has no environment any more. */
static bool has_variable(const char *process, const char *variable)
{
    static char text[MAX_ENVIRONMENT + 1];
    char path[64];
    snprintf(path, sizeof path, "/proc/%.20s/environ", process);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, MAX_ENVIRONMENT);
    if (fd >= 0)
        close(fd);
    text[n < 0 ? 0 : n] = '\0';
    for (const char *at = text; at < text + n; at += strlen(at) + 1)
        if (strcmp(at, variable) == 0)
            return true;
    return false;
}

static size_t count_processes(const char *variable)
{
    size_t n = 0;
    struct dirent *entry;
    DIR *folder = opendir("/proc");
    while (folder && (entry = readdir(folder)))
        n += isdigit((unsigned char)entry->d_name[0]) && has_variable(entry->d_name, variable);
    if (folder)
        closedir(folder);
    return n;
}

size_t leftover_processes(const char *variable)
{
    struct timespec pause = { .tv_nsec = LOOK_EVERY_MS * 1000000 };
    size_t n = count_processes(variable);
    for (int i = 0; n && i < LOOKS; i++) {
        nanosleep(&pause, NULL);
        n = count_processes(variable);
    }
    return n;
}
