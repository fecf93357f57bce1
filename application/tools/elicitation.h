/* A server asks a person in the middle of a request: with a form, or for a visit to a page of its
 * own (a URL). Who asks is always said. Of a form the server learns what the person typed and saw
 * before it was sent; of a page nothing but that they agreed to open it. Nobody is asked where
 * nobody is present: then it is offered to no server. Told as elicitation_asked and
 * elicitation_answered. */
#ifndef APPLICATION_TOOLS_ELICITATION_H
#define APPLICATION_TOOLS_ELICITATION_H

#include "application/journal.h"
#include "application/ports/tool_server.h"
#include "application/services.h"
#include "application/tools/asker.h"

/* As on_question of struct answerer. A person who leaves without a word is ELICITATION_CANCEL. */
awaits MUST_CHECK enum err_code elicitation_ask(struct services *services, struct journal *journal,
                                                const struct asker *asker,
                                                const struct elicitation *question,
                                                struct scope *scope, struct arena *arena,
                                                struct elicitation_answer *out, struct err *err);

#endif
