/* A server asks a person in the middle of a call: the question is shown as a form that says who
 * asks, and what came of it goes back. What a server may learn this way is what the person typed
 * and saw before it was sent, or that they declined. Nobody is asked where nobody is present: then
 * the call offers it to no server. Told as elicitation_asked and elicitation_answered. */
#ifndef APPLICATION_TOOLS_ELICITATION_H
#define APPLICATION_TOOLS_ELICITATION_H

#include "application/journal.h"
#include "application/ports/tool_server.h"
#include "application/services.h"

/* In whose name it is asked. */
struct elicitation_asker {
    const struct tool *tool;
    const char *step_id; /* may be NULL */
};

/* As on_question of struct tool_call. A person who leaves without a word is ELICITATION_CANCEL. */
awaits MUST_CHECK enum err_code elicitation_ask(struct services *services, struct journal *journal,
                                                const struct elicitation_asker *asker,
                                                const struct elicitation *question,
                                                struct scope *scope, struct arena *arena,
                                                struct elicitation_answer *out, struct err *err);

#endif
