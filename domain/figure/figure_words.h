/* A text as the checks of a figure read it: words in their order, with what tells a name from a
 * word. Letters of every script are letters; case is known of ASCII alone. Pure. */
#ifndef DOMAIN_FIGURE_FIGURE_WORDS_H
#define DOMAIN_FIGURE_FIGURE_WORDS_H

#include "domain/base/arena.h"
#include <stdbool.h>
#include <stddef.h>

#define FIGURE_MAX_WORDS 50000 /* of one text; what stands behind them is not read */

struct figure_word {
    const char *text; /* as written, in the arena; without a final 's */
    size_t offset;    /* in the text */
    bool is_quoted;   /* all that stood between quotation marks, one "word" */
    bool starts_sentence;
    bool follows_break; /* punctuation stands before it: it belongs to no phrase with the last */
};

struct figure_words {
    struct figure_word *list;
    size_t n;
};

struct figure_words figure_words_read(struct arena *arena, const char *text);
/* "the", "and", "then": says nothing about the matter. */
bool figure_word_is_common(const char *word);
/* Acronym, word with a digit, with an inner capital, or with '_' or '/' in it. */
bool figure_word_is_name(const char *word);
bool figure_word_is_capitalised(const char *word);

/* The words of texts, to be looked up whatever their ending: "parser" knows "parsing". */
struct figure_vocabulary {
    const char **words; /* lower case, sorted */
    size_t n;
};
struct figure_vocabulary figure_vocabulary_of(struct arena *arena, const char *const *texts,
                                              size_t n);
bool figure_vocabulary_knows(const struct figure_vocabulary *vocabulary, const char *word);

#endif
