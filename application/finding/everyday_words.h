/* The table of everyday words, files of data/words/ in the tree and in the settings folders. A line
 * is `words -> words`: what people say, and what the names and descriptions of tools say for it, in
 * English. Nothing behind the arrow: the word says nothing of tools. A comma: it begins another
 * clause, as "and" does. Words of several parts are joined by `_` ("turn_on"); `@address`, `@url`,
 * `@file`, `@key` and `@channel` stand for words of that form. `#` begins a comment.
 *
 * A file of two letters is about that language ("de.txt"); any other counts in every language. */
#ifndef APPLICATION_FINDING_EVERYDAY_WORDS_H
#define APPLICATION_FINDING_EVERYDAY_WORDS_H

#include "application/finding/query_words.h"

#define EVERYDAY_FOLDER "data/words"
#define EVERYDAY_MAX_BYTES 65536 /* of one file */
#define EVERYDAY_MAX_FILES 64

/* Guesses the language of the words and gives them their senses; what says nothing is dropped. */
MUST_CHECK
enum err_code everyday_words_apply(struct arena *arena, struct tool_index *index,
                                   struct assets *assets, struct query_words *words,
                                   struct err *err);

#endif
