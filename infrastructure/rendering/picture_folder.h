/* The private folder in which a picture is drawn: made for one run, 0700, and gone after it with
 * all that is in it. A lock on it says that somebody draws there. The kernel lets go of it when
 * they die, and whoever draws next removes what they left: it has words of a person in it. */
#ifndef INFRASTRUCTURE_RENDERING_PICTURE_FOLDER_H
#define INFRASTRUCTURE_RENDERING_PICTURE_FOLDER_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include "infrastructure/repositories/private_folder.h"

/* Younger ones may be about to get their lock. */
#define PICTURE_FOLDER_LEFT_SECONDS 60

struct picture_folder {
    char path[PRIVATE_FOLDER_BYTES];
    int lock; /* a descriptor; -1: none */
};

MUST_CHECK
enum err_code picture_folder_create(struct picture_folder *out, struct err *err);
/* Removes it and its files. One that was not created is fine. */
void picture_folder_finish(struct picture_folder *folder);

/* Its path with a name below it; in the arena. */
const char *picture_folder_file(const struct picture_folder *folder, struct arena *arena,
                                const char *name);
MUST_CHECK
enum err_code picture_folder_write(const struct picture_folder *folder, const char *name,
                                   const char *text, struct err *err);
/* A whole file, NUL-terminated in the arena. ERR_LIMIT when it is larger than max_bytes,
 * ERR_PROTOCOL when nobody wrote it. */
MUST_CHECK
enum err_code picture_folder_read(const struct picture_folder *folder, const char *name,
                                  size_t max_bytes, struct arena *arena, const char **out_bytes,
                                  size_t *out_length, struct err *err);

#endif
