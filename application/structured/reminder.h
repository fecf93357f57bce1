/* The prompt that asks again: the request as it was, what the model answered, and what to do
 * about it. Instructions repair better than diagnoses, and a fresh prompt better than a growing
 * chat, so nothing of earlier reminders is kept. Pure. */
#ifndef APPLICATION_STRUCTURED_REMINDER_H
#define APPLICATION_STRUCTURED_REMINDER_H

#include "application/structured/engine.h"

#define REMINDER_MAX_QUOTE_BYTES 2000   /* of the bad reply */
#define REMINDER_MAX_INSTRUCTIONS 8     /* more confuse a small model */
#define REMINDER_MAX_BYTES (64u << 20u) /* far above what a request may be */

/* The user text of the reminder, in the arena. */
const char *reminder_text(struct arena *arena, const struct contract *contract, const char *user,
                          const char *reply, struct problems *problems);

#endif
