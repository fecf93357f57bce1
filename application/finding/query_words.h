/* A request as words that tools may be found by. It is split into words and into clauses (at
 * punctuation, "and", "then"); its language is guessed; words that say nothing are left out; and
 * each word gets its senses, the words that tools use for it.
 *
 * Languages, words without meaning and senses are data: the files of data/words/ (word_files.h). A
 * line is `words -> words`: what people say, and what the names and descriptions of tools say for
 * it, in English. Nothing behind the arrow: the word says nothing of
 * tools. A comma: it begins another clause, as "and" does. Words of several parts are joined by `_`
 * ("turn_on"); `@address`, `@url`, `@file`, `@key` and `@channel` stand for words of that form. */
#ifndef APPLICATION_FINDING_QUERY_WORDS_H
#define APPLICATION_FINDING_QUERY_WORDS_H

#include "application/ports/assets.h"
#include "application/ports/tool_index.h"
#include <stdint.h>

#define QUERY_MAX_WORDS 80   /* what follows is not searched for */
#define QUERY_MAX_CLAUSES 16 /* the last has the rest */
#define QUERY_WORDS_FOLDER "data/words"

struct query_word {
    const char *said;  /* as it stands in the request */
    const char *plain; /* in lower case, without accents */
    const char *form;  /* "@address", …: it is known by that and not by its letters; or NULL */
    bool is_quoted;    /* "…": more likely a value than a wish */
    bool is_dropped;   /* says nothing of tools */
    bool ends_clause;  /* the next word is of another clause */
    const char **senses;
    size_t n_senses, senses_capacity;
    uint32_t clause;
};

struct query_words {
    const char *language; /* "de" */
    struct query_word *words;
    size_t n;
    size_t n_clauses;
};

/* Everything is in the arena. The index only gives the stems. ERR_INVALID and ERR_LIMIT are about a
 * file of a settings folder. */
MUST_CHECK
enum err_code query_words_read(struct arena *arena, struct tool_index *index, struct assets *assets,
                               const char *text, struct query_words *out, struct err *err);
/* The words in lower case, those of any language; for rules that compare beginnings of words. */
void query_words_split(struct arena *arena, const char *text, struct query_words *out);

#endif
