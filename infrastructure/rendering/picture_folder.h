/* The private folder in which a picture is drawn: made for one run with mode 0700, and gone after
 * it with everything in it. A lock says that it is in use. The kernel releases the lock of a
 * process that died, and the next drawing removes what that process left, because it contains a
 * person's words. */
#ifndef INFRASTRUCTURE_RENDERING_PICTURE_FOLDER_H
#define INFRASTRUCTURE_RENDERING_PICTURE_FOLDER_H

#include "application/ports/renderer.h"
#include "infrastructure/repositories/private_folder.h"

/* A younger folder may be about to get its lock. */
#define PICTURE_FOLDER_LEFT_SECONDS 60

struct picture_folder {
    char path[PRIVATE_FOLDER_BYTES];
    int lock; /* a descriptor; -1: none */
};

MUST_CHECK
enum err_code picture_folder_create(struct picture_folder *out, struct err *err);
/* Removes it and its files; does nothing for one that was not created. */
void picture_folder_finish(struct picture_folder *folder);

/* Its path with a name below it; in the arena. */
const char *picture_folder_file(const struct picture_folder *folder, struct arena *arena,
                                const char *name);
MUST_CHECK
enum err_code picture_folder_write(const struct picture_folder *folder, const char *name,
                                   const char *text, struct err *err);
/* A whole file, NUL-terminated in the arena. ERR_LIMIT when it is larger than max_bytes,
 * ERR_PROTOCOL when it was not written. */
MUST_CHECK
enum err_code picture_folder_read(const struct picture_folder *folder, const char *name,
                                  size_t max_bytes, struct arena *arena, const char **out_bytes,
                                  size_t *out_length, struct err *err);
/* The pictures figure.svg, .png and .pdf, of at most max_bytes together. ERR_PROTOCOL also when one
 * is no picture. */
MUST_CHECK
enum err_code picture_folder_take(const struct picture_folder *folder, size_t max_bytes,
                                  struct arena *arena, struct picture *out, struct err *err);

#endif
