/* Why the lexical analyst did what it did: the lines of `-v`, and the clause that a refusal says.
 */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_EXPLAIN_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_EXPLAIN_H

#include "application/orchestrators/lexical/lexical_analyst.h"

/* A bounded number of lines; what a request says is shown without control characters. */
const char *lexical_explain(struct arena *arena, const struct lexical_reading *reading,
                            const struct lexical_analysis *analysis);
/* best: the strongest candidate, NULL when no tool has a word of the action. */
const char *lexical_refusal(struct arena *arena, const struct lexical_reading *reading,
                            const struct lexical_candidate *best);

#endif
