/* What a request mentions that could be an argument: numbers, lists, quoted text, dates, paths,
 * names, and the phrases behind prepositions. Mentions overlap; a mention that is used uses up
 * its tokens. */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_MENTIONS_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_MENTIONS_H

#include "application/orchestrators/lexical/lexical_words.h"
#include <stdint.h>

enum mention_kind {
    MENTION_NUMBER,
    MENTION_NUMBERS, /* "3, 4 and 5" */
    MENTION_QUOTED,
    MENTION_DATE,
    MENTION_TIME,
    MENTION_PATH,
    MENTION_EMAIL,
    MENTION_ID,     /* "T-88", "trk_4be1", "msg-13": a word with a digit */
    MENTION_GLOB,   /* "*.c" */
    MENTION_FOLDER, /* a plain word that names a folder: "the notes folder" */
    MENTION_SQL,    /* a SELECT statement */
    MENTION_NAME,   /* a run of capitalised words */
    MENTION_TERM,   /* what is to be searched for, or said */
    MENTION_PHRASE, /* words behind a preposition */
};

struct mention {
    enum mention_kind kind;
    const char *text;   /* as it is to stand in a string argument */
    const char *iso;    /* of a date: YYYY-MM-DD, or NULL; of a time: HH:MM */
    const char *lead;   /* the preposition before it, "" when there is none */
    bool is_said;       /* of a term: all that is behind "echo" */
    bool is_relative;   /* of a date: as seen from today */
    bool is_marked;     /* of a term: "the word x", "TODO" */
    size_t first, last; /* tokens, both included */
};

struct mentions {
    struct mention *list;
    size_t n;
};

/* True when a word looks like the path or the name of a file. */
bool lexical_is_path(const char *word);
/* An empty token behind the end. */
const struct lexical_token *lexical_token_at(const struct lexical_text *words, size_t i);
/* True for prepositions and articles: "from", "called", "the". */
bool lexical_is_lead(const struct lexical_token *token);
/* today: days since 1970-01-01 where the person is; 0: "tomorrow" is not known. */
struct mentions lexical_mentions(struct arena *arena, const char *request,
                                 const struct lexical_text *words, int64_t today);

#endif
