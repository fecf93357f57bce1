/* A prompt as the messages of a request: the system text, what was said before as messages of who
 * said it, and the present request last. The one gate to a model: control tokens of chat templates
 * are defused in everything but the system text, which is mistro's own, whether or not whoever
 * made the parts did so as well. Pure. */
#ifndef APPLICATION_STRUCTURED_PROMPT_MESSAGES_H
#define APPLICATION_STRUCTURED_PROMPT_MESSAGES_H

#include "application/ports/model.h"
#include "application/structured/prompt.h"

/* *out in the arena; at least two: a system and, at the end, a user message. */
size_t prompt_messages(struct arena *arena, const struct prompt *prompt,
                       const struct model_message **out);

#endif
