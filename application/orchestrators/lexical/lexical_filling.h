/* What the rules share that fill the parameters of one tool. The rules run one after the other;
 * each leaves alone what an earlier one filled, and the words that an earlier one used. */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_FILLING_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_FILLING_H

#include "application/orchestrators/lexical/lexical_affinity.h"
#include "application/orchestrators/lexical/lexical_slots.h"

struct lexical_filling {
    struct arena *arena;
    const char *text;
    struct lexical_text request;
    struct lexical_text tool_words; /* of the tool's name and title */
    struct mentions mentions;
    size_t n_addresses; /* of mail, among the mentions */
    struct parameter *parameters;
    size_t n;
    struct affinity *affinities; /* by parameter, then mention */
    bool *used; /* tokens that a value was read from, or that no value may be read from */
    bool *led;  /* tokens that are accounted for */
    struct lexical_slots *out;
};

/* Takes value; the tokens first..last gave it, and what leads to them is accounted for. */
void lexical_fill(struct lexical_filling *filling, struct parameter *parameter, json_t *value,
                  size_t first, size_t last, const char *rule, double strength);
/* Marks the tokens of a value, the words before it that say which parameter it is for, and its
 * unit. */
void lexical_account(const struct lexical_filling *filling, const struct parameter *parameter,
                     size_t first, size_t last);
/* No other value is read from the tokens first..last. */
void lexical_use_up(struct lexical_filling *filling, size_t first, size_t last);
/* Whether a value was read from the mention's tokens. A statement may name the file that another
 * parameter wants: the two do not compete. */
bool lexical_is_used(const struct lexical_filling *filling, const struct mention *mention);
/* An empty token behind the end. */
static inline const struct lexical_token *lexical_word(const struct lexical_filling *filling,
                                                       size_t i)
{
    return lexical_token_at(&filling->request, i);
}
/* True for the English word, in any of the five languages. */
bool lexical_says(const struct lexical_filling *filling, size_t i, const char *english);

/* "first 3 lines", "lines 10-20", "line 12". */
void lexical_fill_ranges(struct lexical_filling *filling);
/* "sorted by date", "newest first": notes an order that nothing took. When all is filled. */
void lexical_find_order(struct lexical_filling *filling);
/* "250 CHF in EUR", "at most 5". */
void lexical_fill_units(struct lexical_filling *filling);
/* What schemas call what an everyday word names, "eur" for "euros"; else the English word. */
const char *lexical_code_of(const struct lexical_token *token);
/* The code, currencies in capitals; text when the word has none. */
const char *lexical_code(struct arena *arena, const struct lexical_token *token, const char *text);
json_t *lexical_number(const struct lexical_token *token);
/* Whether all words of a choice stand in the request, in order, and from which token on. */
bool lexical_is_said(const struct lexical_filling *filling, const struct lexical_text *choice,
                     size_t *out_first);
/* What looks like the example that a description shows; then what is one of the examples. */
void lexical_fill_forms(struct lexical_filling *filling);
void lexical_fill_examples(struct lexical_filling *filling);
/* Choices of an enum, booleans and flags. */
void lexical_fill_choices(struct lexical_filling *filling);
/* Free text: "with text X", "comment on T-4: X", up to the next lead. First, so that nothing is
 * read out of it. */
void lexical_fill_texts(struct lexical_filling *filling);
/* Names, titles and search words: "titled X", "search for X", up to what others have read. */
void lexical_fill_clauses(struct lexical_filling *filling);

/* Paths in parts, and "here". */
void lexical_fill_paths(struct lexical_filling *filling);

/* The members of one object, as if they were the parameters of a tool of that schema. */
void lexical_fill_members(struct arena *arena, const struct tool *object, const char *request,
                          int64_t today, struct lexical_slots *out);
/* Lists of objects, which take one. */
void lexical_fill_objects(struct lexical_filling *filling, const struct tool *tool, int64_t today);

#endif
