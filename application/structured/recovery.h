/* What follows an answer that cannot be used: which rung of the ladder comes next, and the text of
 * the request on that rung. Pure.
 *
 * A reminder is the request as it was, and behind it what the model answered and what to do about
 * it. Instructions repair better than diagnoses, and a fresh prompt better than a growing chat, so
 * nothing of earlier reminders is kept.
 *
 * A compaction is the one request that is left when reminders did not help: no history, one
 * sentence with what the user wants, the newest wish first, and the present state with what the
 * user edited. Words and characters are never cut, and what does not fit is the oldest.
 *
 * A contract may have sentences of its own for both. */
#ifndef APPLICATION_STRUCTURED_RECOVERY_H
#define APPLICATION_STRUCTURED_RECOVERY_H

#include "application/structured/engine.h"

/* Requests of one asking, transport failures apart: the first, more budget, reminders, compaction.
 */
#define LADDER_MAX_REQUESTS (1 + 1 + ENGINE_REMINDERS + ENGINE_COMPACTIONS)

/* A zeroed one stands at the bottom. Its counts belong to one asking; nothing is carried over to
 * the next. */
struct ladder {
    bool can_compact; /* there is a wish that a compaction could keep */
    bool budget_used;
    unsigned reminders, compactions;
};

/* The next rung after an answer of this class; RUNG_LAST once nothing else is left. A cut answer
 * costs no reminder: after more budget only a smaller question helps, which is the compaction. */
enum engine_rung ladder_climb(struct ladder *ladder, enum attempt_class class);

#define REMINDER_MAX_QUOTE_BYTES 2000   /* of the bad reply */
#define REMINDER_MAX_INSTRUCTIONS 8     /* more confuse a small model */
#define REMINDER_MAX_BYTES (64u << 20u) /* far above what a contract or a reply may be */

/* Follows the parts of the request; begins with an empty line. number: 1 for the first reminder; no
 * two numbers have the same text, and each shows another bad example. In the arena. */
const char *reminder_text(struct arena *arena, const struct contract *contract, const char *reply,
                          struct problems *problems, unsigned number);

#define COMPACTION_MAX_WISHES_BYTES 1000

struct compaction_input {
    const char *const *wishes; /* what the user said, oldest first */
    size_t n_wishes;
    const char *state; /* what must not be lost: the prompt as the user edited it; may be NULL */
};

/* Words that carry a wish, newest first, without greetings and repetitions, at most max_bytes
 * ("red dragon in the rain" stays as it is); in the arena. */
const char *compaction_wishes(struct arena *arena, const struct compaction_input *input,
                              size_t max_bytes);
/* The text of the request: the contract's own, else «Respond with ONLY JSON (no conversational
 * text): …» and behind it what the user wants: what stands last is what a small model writes about.
 */
const char *compaction_text(struct arena *arena, const struct contract *contract,
                            const struct compaction_input *input);

#endif
