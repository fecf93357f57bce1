/* The analyst without a model: no weights, no network. It is the default of a fresh machine and the
 * fallback of `model.fallback: lexical`; what it finds passes the checks that a model's plan
 * passes. Pure, and quick enough not to wait.
 *
 * It cuts a request into actions (lexical_actions.h) and acts on all of them or on none. For each
 * it takes the tools that the finding room ranks first, reads the arguments of each
 * (lexical_slots.h), accounts for the words (lexical_account.h), and computes how likely the best
 * one is meant, and how likely its whole call is right (lexical_score.h). Where both are likely
 * enough that is the call; where only the tool is, the value that is least sure is asked for, and
 * so is the only value that one of several actions lacks. Where two tools are so close that neither
 * is meant, a person is to be asked which; else the request is refused, with the words that no tool
 * covers. A tool that changes something is taken only where a verb of the action means just that,
 * and none is taken whose verb the action does not say, says not to do, or says the opposite of. */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_ANALYST_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_ANALYST_H

#include "application/orchestrators/lexical/lexical_actions.h"
#include "application/orchestrators/lexical/lexical_score.h"
#include "application/ports/tool_index.h"

#define LEXICAL_MAX_CANDIDATES 16 /* tools looked at closely, for each action */
#define LEXICAL_MAX_CHOICES 3     /* of the question which tool is meant */
#define LEXICAL_MAX_CALLS 32

/* What is to be analysed; everything is borrowed. The index must have been built from the same
 * tools. */
struct lexical_request {
    struct tool_index *index;
    const struct tool *const *tools; /* sorted by full name */
    size_t n_tools;
    const char *text;
    double threshold;      /* a probability; below it no tool is chosen */
    int64_t today;         /* days since 1970-01-01 where the person is; 0 when it is not known */
    struct assets *assets; /* everyday words and verbs */
};

struct lexical_candidate {
    const struct tool *tool;
    const struct ranked_tool *ranked;
    struct lexical_slots slots;
    struct lexical_items items;
    struct lexical_account account;
    struct lexical_features features;
    struct lexical_call_features call;
    double strength;      /* logit of the tool by itself */
    bool changes;         /* calling it does something */
    bool may_be_called;   /* false: a verb or a negation of the action is against it */
    bool may_be_proposed; /* only words that limit the action are against it */
};

/* A call that the request asks for. */
struct lexical_call {
    const struct tool *tool;
    json_t *args;               /* object, owned by the arena */
    struct lexical_slot *slots; /* the evidence for each argument, of the action's text */
    size_t n_slots;
    double score; /* probability that it is meant */
};

struct lexical_analysis {
    struct lexical_call *calls; /* in order; none: refused, or to be asked */
    size_t n_calls;
    const struct tool *tool; /* of the first call; NULL without one */
    json_t *args;            /* of the first call; empty without one */
    struct lexical_slot *slots;
    size_t n_slots;
    /* 0..1: that the least likely call is right, or where there is none that is made, that the
     * tool is; tool_score is always about the tool. */
    double score, tool_score;
    double threshold;
    struct lexical_candidate *candidates; /* of the last action looked at, best first */
    size_t n_candidates;
    const struct tool **choices; /* the tools that are too close to tell apart */
    size_t n_choices;
    const char *wanting;     /* the only parameter that has to be said; or NULL */
    size_t wanting_call;     /* of which call it is */
    const char *doubt;       /* why the only call has to be confirmed: a clause; or NULL */
    const char *refusal;     /* why there is neither a call nor a choice: a clause; else NULL */
    const char *explanation; /* lines for -v: words, where they matched, values, threshold */
};

/* A request that fits no tool is not an error. Everything in *out lives in the arena. */
MUST_CHECK
enum err_code lexical_analyse(struct arena *arena, const struct lexical_request *request,
                              struct lexical_analysis *out, struct err *err);

#endif
