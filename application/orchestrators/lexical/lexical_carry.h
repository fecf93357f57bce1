/* What an action takes from the one before it: "it" is what that was done to, "the first match" the
 * first of what it gives. */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_CARRY_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_CARRY_H

#include "application/orchestrators/lexical/lexical_analyst.h"

/* The first required parameter without a value; NULL: there is none. Borrowed from the schema. */
const char *lexical_missing(const struct lexical_call *call);
/* Gives the call, the number-th of its list and counted from 1, what the one before it has, or a
 * reference to its result. False where neither is there, or something is missing still. */
bool lexical_carry_over(struct arena *arena, enum lexical_back back, struct lexical_call *call,
                        size_t number);

#endif
