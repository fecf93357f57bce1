#include "infrastructure/repositories/private_folder.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool create_in(const char *parent, const char *name, char out[static PRIVATE_FOLDER_BYTES])
{
    if (!parent || parent[0] != '/')
        return false;
    int length = snprintf(out, PRIVATE_FOLDER_BYTES, "%s/%s.XXXXXX", parent, name);
    return length < PRIVATE_FOLDER_BYTES && mkdtemp(out);
}

enum err_code private_folder_create(const char *name, char out[static PRIVATE_FOLDER_BYTES],
                                    struct err *err)
{
    const char *const parents[] = { getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp" };
    for (size_t i = 0; i < ARRAY_LENGTH(parents); i++)
        if (create_in(parents[i], name, out))
            return ERR_NONE;
    out[0] = '\0';
    return err_set(err, ERR_UNAVAILABLE, errno, "no temporary folder can be made: %s",
                   strerror(errno));
}

void private_folder_remove(const char *folder)
{
    if (folder[0])
        rmdir(folder);
}
