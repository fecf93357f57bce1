/* Words in running text, for rules that look for one text inside another. */
#ifndef DOMAIN_BASE_TEXT_WORDS_H
#define DOMAIN_BASE_TEXT_WORDS_H

#include "domain/base/arena.h"
#include <stdbool.h>
#include <stddef.h>

/* A letter, a digit, or part of a character beyond ASCII. */
bool text_is_word_byte(char byte);

/* Of each run of blanks and line breaks one blank, and none at the start. */
const char *text_with_single_blanks(struct arena *arena, const char *text, size_t length);

/* Whether it is one of the words, to the letter. */
bool text_is_one_of(const char *text, const char *const *words, size_t n);

#endif
