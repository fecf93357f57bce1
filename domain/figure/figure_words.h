/* A text as the checks of a figure read it: words in their order, with what tells a name from a
 * word. Letters of every script count as letters; case is only known for ASCII. Pure. */
#ifndef DOMAIN_FIGURE_FIGURE_WORDS_H
#define DOMAIN_FIGURE_FIGURE_WORDS_H

#include "domain/base/arena.h"
#include <stdbool.h>
#include <stddef.h>

#define FIGURE_MAX_WORDS 50000 /* of one text; the rest is not read */

struct figure_word {
    const char *text; /* as written, in the arena; without a final 's */
    size_t offset;    /* in the text */
    bool is_quoted;   /* everything between two quotation marks is one word */
    bool starts_sentence;
    bool follows_break; /* punctuation stands before it, so it begins another phrase */
};

struct figure_words {
    struct figure_word *list;
    size_t n;
};

struct figure_words figure_words_read(struct arena *arena, const char *text);
/* "the", "and", "then": words that say nothing about the matter. */
bool figure_word_is_common(const char *word);
/* An acronym, or a word with a digit, an inner capital, '_' or '/' in it. */
bool figure_word_is_name(const char *word);
bool figure_word_is_capitalised(const char *word);

/* The words of texts, to be looked up whatever their ending is: with "parser" it knows "parsing".
 */
struct figure_vocabulary {
    const char **words; /* lower case, sorted */
    size_t n;
};
struct figure_vocabulary figure_vocabulary_of(struct arena *arena, const char *const *texts,
                                              size_t n);
bool figure_vocabulary_knows(const struct figure_vocabulary *vocabulary, const char *word);

/* Whether the texts differ in white space only, which a text made elsewhere may have wrapped. */
bool figure_same_words(const char *a, const char *b);
/* The text with its ASCII letters in lower case; in the arena. */
const char *figure_lower_case(struct arena *arena, const char *text, size_t length);

#endif
