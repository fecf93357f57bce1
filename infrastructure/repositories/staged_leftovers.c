#include "infrastructure/repositories/staged_leftovers.h"
#include "infrastructure/repositories/staged_folder.h"
#include "infrastructure/repositories/stored_file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#define INFIX ".mistro-"
#define ASIDE_MARK "~"

enum { RANDOM_DIGITS = 16 };

void staged_name_make(const char *name, char *out, size_t size)
{
    unsigned long long random = 0;
    /* A name that is not random may be taken; making the folder then fails, and is tried again. */
    if (getrandom(&random, sizeof random, 0) < 0)
        random = (unsigned long long)getpid();
    snprintf(out, size, ".%s" INFIX "%0*llx", name, RANDOM_DIGITS, random);
}

void staged_name_aside(const char *hidden, char *out, size_t size)
{
    snprintf(out, size, "%s" ASIDE_MARK, hidden);
}

/* Whether the name is a hidden one; and if so the name it stands for, and whether it was put aside.
 */
static bool is_hidden_name(const char *entry, char out_name[static NAME_MAX + 1],
                           bool *out_is_aside)
{
    size_t length = strlen(entry);
    *out_is_aside = length && entry[length - 1] == ASIDE_MARK[0];
    length -= *out_is_aside ? 1 : 0;
    size_t tail = strlen(INFIX) + RANDOM_DIGITS;
    if (entry[0] != '.' || length < tail + 2 || length > NAME_MAX)
        return false;
    const char *infix = entry + length - tail;
    if (memcmp(infix, INFIX, strlen(INFIX)) != 0 ||
        strspn(infix + strlen(INFIX), "0123456789abcdef") != RANDOM_DIGITS)
        return false;
    snprintf(out_name, NAME_MAX + 1, "%.*s", (int)(length - tail - 1), entry + 1);
    return true;
}

int staged_claim(int parent, const char *name)
{
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0 || flock(folder, LOCK_EX | LOCK_NB) == 0)
        return folder;
    close(folder);
    return -1;
}

static DIR *open_entries(int parent, const char *name)
{
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *entries = folder < 0 ? NULL : fdopendir(folder);
    if (folder >= 0 && !entries)
        close(folder);
    return entries;
}

/* The list goes last: without it the rest would not be taken for mistro's. */
void staged_remove(int parent, const char *name)
{
    DIR *entries = open_entries(parent, name);
    bool is_empty = true;
    if (!entries)
        return;
    for (struct dirent *entry; (entry = readdir(entries));) {
        const char *file = entry->d_name;
        if (strcmp(file, ".") == 0 || strcmp(file, "..") == 0 ||
            strcmp(file, STAGED_FOLDER_LIST) == 0)
            continue;
        if (unlinkat(dirfd(entries), file, 0) != 0 && errno != ENOENT)
            is_empty = false;
    }
    if (is_empty)
        (void)unlinkat(dirfd(entries), STAGED_FOLDER_LIST, 0);
    closedir(entries);
    (void)unlinkat(parent, name, AT_REMOVEDIR);
}

static void sweep_one(int parent, const char *entry, const char *name, bool is_aside)
{
    auto_fd folder = staged_claim(parent, entry);
    if (folder < 0)
        return;
    if (is_aside && faccessat(parent, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
        (void)renameat(parent, entry, parent, name);
    else if (faccessat(folder, STAGED_FOLDER_LIST, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        staged_remove(parent, entry);
    else /* its maker died before it made the list: it is empty, or not mistro's */
        (void)unlinkat(parent, entry, AT_REMOVEDIR);
}

void staged_sweep(int parent)
{
    char name[NAME_MAX + 1];
    bool is_aside;
    DIR *entries = open_entries(parent, ".");
    if (!entries)
        return;
    for (struct dirent *entry; (entry = readdir(entries));)
        if (is_hidden_name(entry->d_name, name, &is_aside))
            sweep_one(parent, entry->d_name, name, is_aside);
    closedir(entries);
}
