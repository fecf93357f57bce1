/* The contracts between the stages of a figure, to the letter of docs/figure.md. They refuse empty
 * strings, references that stand twice or are not strings, an unknown confidence, `true` where a
 * round belongs, an artifact that does not fit the mode, and a stop although a gate failed. Unknown
 * members are allowed, and stand for nothing that is missing. Pure. */
#ifndef DOMAIN_FIGURE_STAGE_CONTRACT_H
#define DOMAIN_FIGURE_STAGE_CONTRACT_H

#include "domain/base/problem.h"
#include "domain/figure/figure_stage.h"

/* Input and output of one stage, and the output against the input: refs from the pool, source and
 * caption the same bytes, an artifact that fits the mode, entities kept. Either may be NULL: then
 * only the other is checked. The step of a problem is "input" or "output", its path a pointer
 * into that. True when there is no problem. */
bool stage_contract_check(enum figure_stage stage, const json_t *input, const json_t *output,
                          struct problems *problems);

#define STAGE_RULE_COMPLETE "complete"

/* Well-formed: every round has its shape and follows from the one before. Complete: it also ended
 * as a log may end, with as many rounds as there may be or with a stop. A log that was cut off is
 * well-formed and not complete. */
struct round_log_verdict {
    bool well_formed, complete;
};

/* max_rounds: the bound it is held against, 0 = its own. Problems of form come first; those that
 * only keep it from being complete have the rule STAGE_RULE_COMPLETE. allow_description_drift: a
 * round need not draw what the one before asked for. Source and caption, where a log repeats them,
 * are the same bytes in every round. */
struct round_log_verdict round_log_check(const json_t *log, unsigned max_rounds,
                                         bool allow_description_drift, struct problems *problems);

#endif
