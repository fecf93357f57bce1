/* Files of the tree that are part of the binary (cmake/Embed.cmake). An array of them ends with an
 * entry whose path is NULL. */
#ifndef DOMAIN_BASE_EMBEDDED_FILE_H
#define DOMAIN_BASE_EMBEDDED_FILE_H

#include <stddef.h>
#include <string.h>

struct embedded_file {
    const char *path; /* relative to the tree: "config/prompts/intent.txt" */
    const char *text; /* NUL-terminated */
    size_t length;
};

/* NULL when none has that path. */
static inline const struct embedded_file *embedded_file_find(const struct embedded_file *files,
                                                             const char *path)
{
    while (files->path && strcmp(files->path, path) != 0)
        files++;
    return files->path ? files : NULL;
}

#endif
