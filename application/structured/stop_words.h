/* Words that end a text for whoever asked for it: the text is what stands before the first of them.
 * Pure. */
#ifndef APPLICATION_STRUCTURED_STOP_WORDS_H
#define APPLICATION_STRUCTURED_STOP_WORDS_H

#include <stddef.h>

struct stop_words {
    const char *const *list; /* none is empty */
    size_t n;
};

#define STOP_WORDS_NONE ((size_t)-1)

/* Where the first of them begins in the text, no earlier than `from` but for a word that began
 * before it and ends behind it; STOP_WORDS_NONE when there is none. */
size_t stop_words_find(const struct stop_words *words, const char *text, size_t from);

#endif
