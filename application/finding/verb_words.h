/* The files of data/verbs/ and what they know of the words of a text (request_verbs.h). */
#ifndef APPLICATION_FINDING_VERB_WORDS_H
#define APPLICATION_FINDING_VERB_WORDS_H

#include "application/finding/word_files.h"

struct verb_token {
    const char *said;  /* as it stands there */
    const char *plain; /* in lower case, without accents; "" for quoted text */
    size_t offset, length;
    bool is_value;     /* quoted text, a path, an address, a number */
    char ends;         /* what ends behind it: '.' or '?' a sentence, ':' or ',' a clause; or 0 */
    const char *deeds; /* of the longest words of a file that begin here; or NULL */
    const char *marks; /* of these words, with a blank around each: " @lead @noun "; or NULL */
    size_t covers;     /* of how many tokens they are, a separable part apart; 0: none */
    size_t part;       /* the token of the separable part; 0: none */
    size_t rank;       /* how well they match, against others */
    bool is_negated;   /* in a request */
};

/* Whether the word has one of these marks: "@article @preposition". */
bool verb_has(const struct verb_token *token, const char *marks);

struct verb_text {
    struct verb_token *tokens;
    size_t n;
    const char *language;
};

/* Splits a text. identifiers: camelCase and snake_case are cut into words. */
struct verb_text verb_text_split(struct arena *arena, const char *text, bool identifiers);

/* Whether the word is a form of an English verb: "merging"; of tools also "deletes". */
bool verb_is_form(const char *word, const char *verb, bool is_tool);
/* Finds what the files know of the tokens. Without a language: the one whose file knows most of
 * them. is_tool: any form of a word counts ("deletes"). */
void verb_words_find(struct arena *arena, const struct word_folder *words, const char *language,
                     bool is_tool, struct verb_text *text);
/* Whether the files say that of the deed: "@reads", "!stop". */
bool verb_words_say(const struct word_folder *words, const char *deed, const char *what);

#endif
