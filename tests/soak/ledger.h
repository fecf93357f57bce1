/* What became of each call, in a file that the soak and all of its servers map: a byte per call for
 * how often a server received it, one for how often it ended here. Nobody needs to be alive for it
 * to stay true. */
#ifndef TESTS_SOAK_LEDGER_H
#define TESTS_SOAK_LEDGER_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct ledger {
    unsigned char *received, *ended;
    size_t n;
};

static inline bool ledger_open(struct ledger *ledger, const char *path)
{
    struct stat status;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status))
        return false;
    ledger->n = (size_t)status.st_size / 2;
    ledger->received = mmap(NULL, ledger->n * 2, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ledger->ended = ledger->received + ledger->n;
    close(fd);
    return ledger->received != MAP_FAILED;
}

static inline void ledger_note(unsigned char *of, size_t n, size_t call)
{
    if (call < n)
        __atomic_fetch_add(&of[call], 1, __ATOMIC_RELAXED);
}

#endif
