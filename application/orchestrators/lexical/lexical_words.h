/* A text cut into tokens, as the lexical analyst reads it: words with their stems and senses,
 * numbers, quoted spans. Case, position and the punctuation before a token are kept, because
 * capitals make names, commas make lists and the offset is the evidence. English word endings are
 * taken off by rule; everyday words of four more languages are known by their English word;
 * everything else is compared as it is, in any script. */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_WORDS_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_WORDS_H

#include "domain/base/arena.h"
#include "domain/base/embedded_file.h"
#include <stdbool.h>
#include <stddef.h>

#define LEXICAL_MAX_WORDS 400    /* of a request; what follows is not read */
#define LEXICAL_MAX_SYNONYMS 256 /* words of all senses together */

/* Words of everyday requests that mean much the same: "show", "print" and "open" ask for what
 * "read" names. General knowledge of English, of no tool in particular. */
enum lexical_sense {
    SENSE_NONE, /* means only itself */
    SENSE_READ,
    SENSE_SEARCH,
    SENSE_LIST,
    SENSE_COUNT,
    SENSE_SIZE,
    SENSE_FILE,
    SENSE_FOLDER,
    SENSE_CREATE,
    SENSE_DELETE,
    SENSE_MOVE,
    SENSE_CHANGE,
    SENSE_FETCH,
    SENSE_SUM,
    SENSE_SEND,
    N_SENSES,
};

/* Whether the sense is something to do, as against what it is done to. */
bool lexical_is_action(enum lexical_sense sense);
/* The words of a sense, NULL behind the last. */
const char *const *lexical_words_of(enum lexical_sense sense);

enum lexical_kind { LEXICAL_WORD, LEXICAL_NUMBER, LEXICAL_QUOTED };

struct lexical_token {
    enum lexical_kind kind;
    const char *text;      /* as written; without the quotes */
    const char *lower;     /* in lower case, without accents */
    const char *english;   /* the English word for it; lower when it is English or unknown */
    const char *stem;      /* of the English word */
    size_t offset, length; /* in the text, quotes included */
    double number;         /* of numbers and number words */
    bool is_number;        /* also for "seven" */
    bool is_whole;
    bool is_percent;
    bool is_capital;  /* starts with an upper-case letter */
    bool is_function; /* a word that says nothing about the subject: "the", "calculate" */
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
/* The files of data/glossary/, without accents: "erste ersten -> first". */
extern const struct embedded_file lexical_glossaries[];

/* Reads a request, at most LEXICAL_MAX_WORDS of it, in any of the five languages. */
struct lexical_text lexical_read_request(struct arena *arena, const char *text);
/* Sets the English word of the tokens that are not English; the reader does the rest. */
void lexical_gloss(struct arena *arena, const struct lexical_text *text);
/* True when both are forms of one word. */
bool lexical_same_word(const struct lexical_token *a, const struct lexical_token *b);
/* Whether one of the first n tokens of the text is a form of the word. */
bool lexical_holds(const struct lexical_text *text, size_t n, const struct lexical_token *word);
/* "and", in any language. */
bool lexical_joins(const char *lower);
/* list: " a b c ", in lower case. Words of more than 48 bytes are in none. */
bool lexical_listed(const char *list, const char *word);
bool lexical_is_one_of(const char *word, const char *const *words, size_t n);
#define LEXICAL_ONE_OF(word, words) lexical_is_one_of((word), (words), ARRAY_LENGTH(words))

#endif
