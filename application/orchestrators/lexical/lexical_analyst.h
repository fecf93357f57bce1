/* The analyst without a model: no weights, no network. It chooses at most one tool for a request
 * and reads its arguments out of the request (lexical_slots.h). It is the default of a fresh
 * machine and the fallback of `model.fallback: lexical`; its result passes the confidence gate that
 * a model's passes. Pure, and quick enough not to wait.
 *
 * Words of the request are looked up in the tool index; a tool's score blends the share of the
 * request's weight (rare words weigh more) that the tool explains with the share of the tool's own
 * name that the request says. The score lies between 0 and 1 and is comparable from request to
 * request, so that one threshold (settings lexical.threshold) can refuse. */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_ANALYST_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_ANALYST_H

#include "application/orchestrators/lexical/lexical_slots.h"
#include "application/ports/tool_index.h"

#define LEXICAL_MAX_CANDIDATES 16 /* tools looked at closely */

/* What is to be analysed; everything is borrowed. The index must have been built from the same
 * tools. */
struct lexical_request {
    struct tool_index *index;
    const struct tool *const *tools;
    size_t n_tools;
    const char *text;
    double threshold; /* below it no tool is chosen */
    int64_t today;    /* days since 1970-01-01 where the person is; 0 when it is not known */
};

/* One word of the request as the match saw it. */
struct lexical_word_match {
    const char *word;  /* lower case, as in the request */
    const char *where; /* "name", "description", "parameter" or NULL when the tool lacks it */
    double weight;
};

struct lexical_candidate {
    size_t tool;  /* index into the tools */
    double score; /* 0..1 */
    struct lexical_word_match *words;
    size_t n_words;
};

struct lexical_analysis {
    const struct tool *tool; /* NULL: no tool reaches the threshold */
    double score;            /* of the best candidate, 0..1, also when it was refused */
    double threshold;
    struct lexical_candidate *candidates; /* best first */
    size_t n_candidates;
    json_t *args;               /* object, owned by the arena; empty when tool is NULL */
    struct lexical_slot *slots; /* the evidence for each argument */
    size_t n_slots;
    const char *explanation; /* lines for -v: words, where they matched, weights, threshold */
};

/* A request that fits no tool is not an error. Everything in *out lives in the arena. */
MUST_CHECK
enum err_code lexical_analyse(struct arena *arena, const struct lexical_request *request,
                              struct lexical_analysis *out, struct err *err);

#endif
