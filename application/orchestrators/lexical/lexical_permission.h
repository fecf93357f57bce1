/* Whether the words of an action allow a tool to be called, however likely it is. A tool that
 * changes something needs a verb that means it and nothing that narrows it; a verb that changes
 * something needs a tool that does it; "find" and "calculate" are not so far from each other. A
 * negation is told by the verb that it is about; one about anything else is not understood. */
#ifndef APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_PERMISSION_H
#define APPLICATION_ORCHESTRATORS_LEXICAL_LEXICAL_PERMISSION_H

#include "application/orchestrators/lexical/lexical_analyst.h"

bool lexical_may_call(const struct lexical_reading *reading,
                      const struct lexical_candidate *candidate);
/* Whether only "last", "sorted", "if" and the like stand against it, so that a person may be asked
 * whether a tool that reads shall do without them. */
bool lexical_may_propose(const struct lexical_reading *reading,
                         const struct lexical_candidate *candidate);

#endif
