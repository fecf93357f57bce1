/* The files of data/verbs/ and what they know of the words of a text (request_verbs.h). */
#ifndef APPLICATION_FINDING_VERB_WORDS_H
#define APPLICATION_FINDING_VERB_WORDS_H

#include "application/finding/word_files.h"

enum verb_mark {
    MARK_NOUN = 1 << 0,
    MARK_LIGHT = 1 << 1,
    MARK_SAYS = 1 << 2,
    MARK_TOLD = 1 << 3,
    MARK_ARTICLE = 1 << 4,
    MARK_PREPOSITION = 1 << 5,
    MARK_PRONOUN = 1 << 6,
    MARK_PERSON = 1 << 7,
    MARK_LEAD = 1 << 8,
    MARK_AND = 1 << 9,
    MARK_THEN = 1 << 10,
    MARK_NOT = 1 << 11,
    MARK_NOT_BEHIND = 1 << 12,
    MARK_QUESTION = 1 << 13,
    MARK_WHOLE_QUESTION = 1 << 14,
    MARK_VALUE = 1 << 15,
    MARK_TEXT = 1 << 16,
    MARK_THAT = 1 << 17,
    MARK_TO = 1 << 18,
    MARK_OR = 1 << 19,
};

struct verb_token {
    const char *said;  /* as it stands there */
    const char *plain; /* in lower case, without accents; "" for quoted text */
    size_t offset, length;
    bool is_value;     /* quoted text, a path, an address, a number */
    char ends;         /* what ends behind it: '.' or '?' a sentence, ':' or ',' a clause; or 0 */
    const char *deeds; /* of the longest words of a file that begin here; or NULL */
    unsigned marks;    /* of these words */
    size_t covers;     /* of how many tokens they are, a separable part apart; 0: none */
    size_t part;       /* the token of the separable part; 0: none */
    size_t rank;       /* how well they match, against others */
    bool is_negated, is_verb; /* in a request */
};

struct verb_text {
    struct verb_token *tokens;
    size_t n;
    const char *language;
};

/* Splits a text. identifiers: camelCase and snake_case are cut into words. */
struct verb_text verb_text_split(struct arena *arena, const char *text, bool identifiers);

struct verb_words;
MUST_CHECK
enum err_code verb_words_load(struct arena *arena, struct assets *assets,
                              const struct verb_words **out, struct err *err);
/* Whether the word is a form of an English verb: "merging"; of tools also "deletes". */
bool verb_is_form(const char *word, const char *verb, bool is_tool);
/* Finds what the files know of the tokens. Without a language: the one whose file knows most of
 * them. is_tool: any form of a word counts ("deletes"). */
void verb_words_find(struct arena *arena, const struct verb_words *words, const char *language,
                     bool is_tool, struct verb_text *text);
/* Whether the files say that of the deed: "@reads", "!stop". */
bool verb_words_say(const struct verb_words *words, const char *deed, const char *what);

#endif
