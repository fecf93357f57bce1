/* The analyst without a model: no weights, no network. It chooses at most one tool for a request
 * (lexical_match.h) and reads its arguments out of the request (lexical_slots.h). It is the
 * default of a fresh machine and the fallback of `model.fallback: lexical`; the same confidence
 * gate stands behind it as behind a model. Pure, and quick enough not to wait. */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_ANALYST_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_ANALYST_H

#include "application/orchestrators/lexical/lexical_match.h"
#include "application/orchestrators/lexical/lexical_slots.h"
#include "application/settings.h"

struct lexical_analysis {
    const struct tool *tool; /* NULL: nothing reaches the threshold */
    double score;            /* of the best candidate, 0..1, also when it was refused */
    double threshold;
    struct lexical_candidate *candidates; /* best first */
    size_t n_candidates;
    json_t *args;               /* object, owned by the arena; empty when tool is NULL */
    struct lexical_slot *slots; /* the evidence for each argument */
    size_t n_slots;
    const char *explanation; /* lines for -v: words, where they matched, weights, threshold */
};

/* The index must have been built from the same tools. A request that fits no tool is no error.
 * Everything in *out lives in the arena. */
MUST_CHECK
enum err_code lexical_analyse(struct arena *arena, struct tool_index *index,
                              const struct tool *const *tools, size_t n_tools, const char *request,
                              const struct settings *settings, struct lexical_analysis *out,
                              struct err *err);

#endif
