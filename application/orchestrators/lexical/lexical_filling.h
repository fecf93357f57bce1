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
    struct parameter *parameters;
    size_t n;
    double *affinities; /* by parameter, then mention */
    bool *used;         /* tokens that a value was read from, or that no value may be read from */
    bool *led;          /* tokens that are accounted for */
    struct lexical_slots *out;
};

/* Takes value; the tokens first..last gave it, and what leads to them is accounted for. */
void lexical_fill(struct lexical_filling *filling, struct parameter *parameter, json_t *value,
                  size_t first, size_t last, const char *rule, double strength);
/* No other value is read from the tokens first..last. */
void lexical_use_up(struct lexical_filling *filling, size_t first, size_t last);
/* An empty token behind the end. */
static inline const struct lexical_token *lexical_word(const struct lexical_filling *filling,
                                                       size_t i)
{
    return lexical_token_at(&filling->request, i);
}
/* True for the English word, in any of the five languages. */
bool lexical_says(const struct lexical_filling *filling, size_t i, const char *english);

/* "first 3 lines", "lines 10-20", "at most 5". */
void lexical_fill_ranges(struct lexical_filling *filling);
/* Choices of an enum, booleans and flags. */
void lexical_fill_choices(struct lexical_filling *filling);
/* "with subject X and text Y", "titled X", "task: X": all of the text, up to the next lead. */
void lexical_fill_clauses(struct lexical_filling *filling);

#endif
