/* Files of words, as people and tools use them: data that a person may add to. They are the files
 * of one folder of the tree and of the settings folders, with lines `words -> meanings`; `#` begins
 * a comment. A file of two letters is about that language ("de.txt"); any other counts in every
 * language. A folder is read once and kept with the assets, its words without accents and in lower
 * case, so that a change counts from the next start on. */
#ifndef APPLICATION_FINDING_WORD_FILES_H
#define APPLICATION_FINDING_WORD_FILES_H

#include "application/finding/word_table.h"
#include "application/ports/assets.h"

#define WORD_FILES_MAX 64 /* of a folder */

struct word_file {
    const char *language; /* "de"; NULL: all */
    struct word_table table;
};

struct word_folder {
    struct word_file *files; /* by name */
    size_t n;
};

/* folder: a constant. ERR_LIMIT for too many files and for one that is too large, ERR_INVALID for a
 * line without an arrow. */
MUST_CHECK
enum err_code word_folder_read(struct assets *assets, const char *folder,
                               const struct word_folder **out, struct err *err);
/* The text with plain quotes, apostrophes and blanks for those beyond ASCII, filled up to the same
 * length with WORD_FILLER. In the arena. */
#define WORD_FILLER '\x01'
char *word_plain_signs(struct arena *arena, const char *text);

#endif
