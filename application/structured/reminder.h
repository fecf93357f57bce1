/* What is added to a request to ask again: what the model answered, and what to do about it.
 * Instructions repair better than diagnoses, and a fresh prompt better than a growing chat, so
 * nothing of earlier reminders is kept (S4-28 … S4-31; a contract may have a sentence of its own).
 * Pure. */
#ifndef APPLICATION_STRUCTURED_REMINDER_H
#define APPLICATION_STRUCTURED_REMINDER_H

#include "application/structured/engine.h"

#define REMINDER_MAX_QUOTE_BYTES 2000   /* of the bad reply */
#define REMINDER_MAX_INSTRUCTIONS 8     /* more confuse a small model */
#define REMINDER_MAX_BYTES (64u << 20u) /* far above what a contract or a reply may be */

/* Follows the parts of the request; begins with an empty line. In the arena. */
const char *reminder_text(struct arena *arena, const struct contract *contract, const char *reply,
                          struct problems *problems);

#endif
