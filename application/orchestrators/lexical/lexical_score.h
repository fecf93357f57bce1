/* How likely an action means a tool, and how likely the whole call is right: its tool, each of its
 * values, and nothing left out. Both are logistic functions of what speaks for and against it,
 * fitted on requests whose calls are known (bench_lexical measures and cross-validates them). */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_SCORE_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_SCORE_H

#include "application/orchestrators/lexical/lexical_account.h"

enum lexical_feature {
    FEATURE_ONE,             /* always 1 */
    FEATURE_NAME,            /* share of the tool's name, or title, that the action says */
    FEATURE_NAME_AT_ALL,     /* a third of it and more is 1 */
    FEATURE_DESCRIPTION,     /* share of the description that the action says */
    FEATURE_HITS,            /* words that the tool has; 4 and more are 1 */
    FEATURE_LEFT_SHORT,      /* anything left over of a short action */
    FEATURE_MISSING_NUMBERS, /* share of required parameters without a number to take */
    FEATURE_MISSING,         /* share of required parameters that stay open */
    FEATURE_REQUIRED,        /* share of them that something but its place speaks for */
    FEATURE_OPTIONAL,        /* values of others; 2 and more are 1 */
    FEATURE_EVIDENT, /* values that something but their place speaks for; 3 and more are 1 */
    FEATURE_SUITED,  /* a path for a tool that takes paths; 2 and more are 1 */
    FEATURE_LEAD,    /* how much better than all others the index finds it; alone: a half */
    LEXICAL_FEATURES,
};

struct lexical_features {
    double of[LEXICAL_FEATURES];
};

struct lexical_features lexical_features_of(struct arena *arena,
                                            const struct lexical_reading *reading,
                                            const struct ranked_tool *tool,
                                            const struct lexical_slots *slots,
                                            const struct lexical_account *account);
/* Whether nothing led to the value but its place. */
bool lexical_is_weak(const struct lexical_slot *slot);

enum lexical_call_feature {
    CALL_ONE,         /* always 1 */
    CALL_TOOL,        /* the logit of the tool; 8 and more are 1 */
    CALL_NEXT,        /* how much likelier it is than the next tool, a logit; 4 and more are 1 */
    CALL_LEFT,        /* words left over; 3 and more are 1 */
    CALL_LEFT_VALUES, /* numbers, names and quoted texts left over; 2 and more are 1 */
    CALL_WEAK,        /* a required value whose evidence is weak */
    CALL_QUESTION,
    LEXICAL_CALL_FEATURES,
};

struct lexical_call_features {
    double of[LEXICAL_CALL_FEATURES];
};

/* strength, next: the logits of the tool, and of the likeliest other. */
struct lexical_call_features lexical_call_features_of(const struct lexical_reading *reading,
                                                      const struct lexical_slots *slots,
                                                      const struct lexical_account *account,
                                                      const struct tool *tool, double strength,
                                                      double next);
/* The probability that the call is right. */
double lexical_call_probability(const struct lexical_call_features *features);
/* The logit of the probability: which of several tools is likeliest. */
double lexical_strength(const struct lexical_features *features);
/* The probability that the tool is the right one. */
double lexical_probability(double strength);

#endif
