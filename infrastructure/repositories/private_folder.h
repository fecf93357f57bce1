/* A folder that only this user may enter: for the socket of a server that mistro starts, or the
 * files of a program that draws. */
#ifndef INFRASTRUCTURE_REPOSITORIES_PRIVATE_FOLDER_H
#define INFRASTRUCTURE_REPOSITORIES_PRIVATE_FOLDER_H

#include "domain/base/attributes.h"
#include "domain/base/err.h"

#define PRIVATE_FOLDER_BYTES 80 /* its path: a socket below it must fit the 108 of the system */

/* "NAME.XXXXXX", with six random characters, in XDG_RUNTIME_DIR, TMPDIR or /tmp: the first of them
 * that is there and short enough. */
MUST_CHECK
enum err_code private_folder_create(const char *name, char out[static PRIVATE_FOLDER_BYTES],
                                    struct err *err);
/* It must be empty. An empty path is fine. */
void private_folder_remove(const char *folder);

#endif
