/* Files of words, as people and tools use them: data that a person may add to. They are the files
 * of one folder of the tree and of the settings folders, with lines `words -> meanings`; `#` begins
 * a comment. A file of two letters is about that language ("de.txt"); any other counts in every
 * language. */
#ifndef APPLICATION_FINDING_WORD_FILES_H
#define APPLICATION_FINDING_WORD_FILES_H

#include "application/ports/assets.h"
#include <stdbool.h>

#define WORD_FILE_MAX_BYTES 65536
#define WORD_FILES_MAX 64 /* of a folder */

/* The plain names of the files, sorted. ERR_LIMIT when there are too many. */
MUST_CHECK
enum err_code word_files_list(struct arena *arena, struct assets *assets, const char *folder,
                              const char ***out_names, size_t *out_n, struct err *err);
bool word_file_is_language(const char *name);
/* The words and the meanings of a line, without accents and in lower case; both may be written
 * to. */
typedef void word_line_fn(void *context, char *words, char *meanings);
/* ERR_LIMIT for a file that is too large, ERR_INVALID for a line without an arrow. */
MUST_CHECK
enum err_code word_file_read(struct arena *arena, struct assets *assets, const char *folder,
                             const char *name, word_line_fn *on_line, void *context,
                             struct err *err);
/* The text up to one of the ends, which is cut off; NULL behind the last. */
char *word_next_part(char **rest, const char *ends);
/* The text with plain quotes, apostrophes and blanks for those beyond ASCII, filled up to the same
 * length with WORD_FILLER. In the arena. */
#define WORD_FILLER '\x01'
char *word_plain_signs(struct arena *arena, const char *text);

#endif
