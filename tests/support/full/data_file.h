/* A small file of the data folder, for tests of what keeps one. The folder does not exist before
 * the code under test creates it. */
#ifndef TESTS_SUPPORT_FULL_DATA_FILE_H
#define TESTS_SUPPORT_FULL_DATA_FILE_H

#include "domain/base/arena.h"

struct data_file {
    struct arena arena; /* of this test */
    char above[64];     /* a fresh temporary folder */
    const char *folder; /* the data folder in it */
};

struct data_file data_file_begin(void);
void data_file_end(struct data_file *file);

const char *data_file_path(struct data_file *file, const char *name);
/* The text of the file, in the arena; it must be there. */
char *data_file_read(struct data_file *file, const char *name);
void data_file_write(struct data_file *file, const char *name, const char *text);

#endif
