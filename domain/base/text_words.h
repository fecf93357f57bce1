/* Words made comparable: in lower case and without the accents of Latin letters, and small numbers
 * in words. Pure. */
#ifndef DOMAIN_BASE_TEXT_WORDS_H
#define DOMAIN_BASE_TEXT_WORDS_H

#include "domain/base/arena.h"

/* "Größe" is "grosse", "Œuvre" is "oeuvre"; other scripts stay as they are. In the arena. */
char *text_unaccented(struct arena *arena, const char *bytes, size_t length);

/* 0 to 12 as a word of English, German, French, Spanish or Italian, in any case; -1 for others. */
int text_number_word(const char *word, size_t length);
/* Those words for a number, with one blank around each; "" for others. */
const char *text_number_words(double number);

#endif
