/* What the rules that find mentions share: the request they read and the list they add to. */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_FINDER_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_FINDER_H

#include "application/orchestrators/lexical/lexical_mentions.h"

struct finder {
    struct arena *arena;
    const char *request;
    const struct lexical_text *words;
    struct mentions found;
    size_t capacity;
};

/* Adds the tokens first..last, both included; the mention may be changed until the next one. */
struct mention *finder_add(struct finder *finder, enum mention_kind kind, size_t first,
                           size_t last);
/* An empty token behind the end. */
const struct lexical_token *finder_token_at(const struct finder *finder, size_t i);
bool finder_is_article(const struct lexical_token *token);
bool finder_is_preposition(const struct lexical_token *token);
/* True when a phrase cannot go on with this token. */
bool finder_ends_phrase(const struct lexical_token *token);

/* Folders by the words around them, terms to search for, SQL statements (lexical_terms.c). */
void finder_find_terms(struct finder *finder);

#endif
