/* The URL mode of an elicitation: the person sees the whole address before anything is opened, with
 * its host set off and what is odd about it said; nothing is fetched beforehand. What is no web
 * page is declined without asking. */
#ifndef APPLICATION_TOOLS_ELICITATION_PAGE_H
#define APPLICATION_TOOLS_ELICITATION_PAGE_H

#include "application/tools/elicitation.h"

/* As elicitation_ask; the answer has no content. */
awaits MUST_CHECK enum err_code elicitation_page_ask(
    struct services *services, struct journal *journal, const struct asker *asker,
    const struct elicitation *question, struct scope *scope, struct arena *arena,
    struct elicitation_answer *out, struct err *err);

#endif
