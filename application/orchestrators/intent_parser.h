/* What does the user want? The model fills the contract `intent`: a goal, the tools it needs (an
 * enum of the shortlist, `none` among them), the parameters the request gives. It decides nothing
 * else: how sure mistro may be is computed afterwards (rules/confidence.h). */
#ifndef APPLICATION_ORCHESTRATORS_INTENT_PARSER_H
#define APPLICATION_ORCHESTRATORS_INTENT_PARSER_H

#include "application/orchestrators/turn.h"

#define INTENT_MAX_TOKENS 768

/* Sets turn->intent. The shortlist must be there. */
awaits MUST_CHECK enum err_code intent_parser_parse(struct turn *turn, struct scope *scope,
                                                    struct err *err);
/* The same by the lexical analyst: at most one tool, no waiting. */
MUST_CHECK
enum err_code intent_parser_parse_lexically(struct turn *turn, struct err *err);
/* Fits the parameters to the tools and computes the confidence. */
void intent_parser_score(struct turn *turn);

#endif
