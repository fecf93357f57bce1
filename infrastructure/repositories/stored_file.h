/* Files that are read whole and replaced whole. A replacement is written beside the old file,
 * forced to disk, renamed over it, and the folder is forced to disk: a reader at any moment, also
 * after a crash, finds the old or the new bytes. Writers of one folder take turns with a lock on
 * its `.lock` file, which the kernel releases when its holder dies. Folders are 0700, files 0600.
 *
 * Everything here blocks: it is called in jobs of a worker. */
#ifndef INFRASTRUCTURE_REPOSITORIES_STORED_FILE_H
#define INFRASTRUCTURE_REPOSITORIES_STORED_FILE_H

#include "domain/base/attributes.h"
#include "domain/base/buf.h"
#include "domain/base/err.h"
#include "infrastructure/runtime/descriptor.h"

#define STORED_FILE_LOCK_WAIT_MS 5000

/* The folder and those above it; an existing one is left as it is. */
MUST_CHECK
enum err_code stored_folder_create(const char *folder, struct err *err);

/* Creates the folder if it is missing, and locks it. *out_lock is a descriptor whose closing
 * releases the lock (auto_fd). ERR_UNAVAILABLE: another process held it for
 * STORED_FILE_LOCK_WAIT_MS. */
MUST_CHECK
enum err_code stored_folder_lock(const char *folder, int *out_lock, struct err *err);

/* Takes a lock of another name in the folder, without waiting: ERR_TIMEOUT when another process
 * holds it. */
MUST_CHECK
enum err_code stored_lock_try(const char *folder, const char *name, int *out_lock, struct err *err);

/* Appends the content to out, whose maximum is the bound: ERR_LIMIT above it. ERR_NOT_FOUND when
 * there is no such file, ERR_UNAVAILABLE when it cannot be read or is not a plain file. */
MUST_CHECK
enum err_code stored_file_read(const char *folder, const char *name, struct buf *out,
                               struct err *err);

/* The file to be read, piece by piece; fails as stored_file_read does. */
MUST_CHECK
enum err_code stored_file_open(const char *folder, const char *name, int *out_fd, size_t *out_size,
                               struct err *err);

/* Reads the first max bytes at most. */
MUST_CHECK
enum err_code stored_file_read_start(const char *folder, const char *name, char *out, size_t max,
                                     size_t *out_length, struct err *err);

/* The caller holds the lock of the folder. */
MUST_CHECK
enum err_code stored_file_replace(const char *folder, const char *name, const char *bytes,
                                  size_t length, struct err *err);
/* The same with what `write` writes to the descriptor. Where that fails it returns
 * ERR_UNAVAILABLE, and errno says why; other errors are its own, and it fills err. */
typedef enum err_code stored_file_writer(void *context, int fd, struct err *err);
MUST_CHECK
enum err_code stored_file_replace_by(const char *folder, const char *name,
                                     stored_file_writer *write, void *context, struct err *err);
/* Overwrites or appends from the offset on, which becomes the end before anything is written: what
 * is behind it goes. On disk when it returns; after an error nothing is behind the offset. The
 * caller holds the lock. */
MUST_CHECK
enum err_code stored_file_extend(const char *folder, const char *name, size_t offset,
                                 const char *bytes, size_t length, struct err *err);
/* Reads the last max bytes at most; *out_at is the offset of the first of them. */
MUST_CHECK
enum err_code stored_file_read_end(const char *folder, const char *name, size_t max,
                                   struct buf *out, size_t *out_at, struct err *err);
/* ERR_NOT_FOUND when there is no such file. The caller holds the lock. */
MUST_CHECK
enum err_code stored_file_remove(const char *folder, const char *name, struct err *err);

#endif
