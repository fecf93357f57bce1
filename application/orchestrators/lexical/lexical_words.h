/* A text cut into tokens, as the lexical analyst reads it: words with their stems, numbers,
 * quoted spans. Case, position and the punctuation before a token are kept, because capitals make
 * names, commas make lists and the offset is the evidence. English word endings are taken off by
 * rule; everything else is compared as it is, in any script. */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_WORDS_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_WORDS_H

#include "application/orchestrators/lexical/lexical_senses.h"
#include "domain/base/arena.h"
#include <stdbool.h>
#include <stddef.h>

enum lexical_kind { LEXICAL_WORD, LEXICAL_NUMBER, LEXICAL_QUOTED };

struct lexical_token {
    enum lexical_kind kind;
    const char *text;  /* as written; without the quotes */
    const char *lower; /* in lower case */
    const char *stem;
    size_t offset, length; /* in the text, quotes included */
    double number;         /* of numbers and number words */
    bool is_number;        /* also for "seven" */
    bool is_whole;
    bool is_percent;
    bool is_capital;  /* starts with an upper-case letter */
    bool is_function; /* a word that says nothing about the matter: "the", "calculate" */
    enum lexical_sense sense;
    char before; /* the last punctuation before it, 0 when there is none */
};

struct lexical_text {
    struct lexical_token *tokens;
    size_t n;
};

/* At most max_tokens are read. identifiers: camelCase and snake_case are cut into words. */
struct lexical_text lexical_read(struct arena *arena, const char *text, size_t max_tokens,
                                 bool identifiers);
/* True when both are the same word, in whatever form. */
bool lexical_same_word(const struct lexical_token *a, const struct lexical_token *b);
bool lexical_is_one_of(const char *word, const char *const *words, size_t n);
#define LEXICAL_ONE_OF(word, words) lexical_is_one_of((word), (words), ARRAY_LENGTH(words))

#endif
