/* The one request that is left when reminders did not help: no history, one sentence of what the
 * user wants, the newest wish first, and the present state with what the user edited (S4-33 …
 * S4-39). Words and characters are never cut, and what does not fit is the oldest. Pure. */
#ifndef APPLICATION_STRUCTURED_COMPACTION_H
#define APPLICATION_STRUCTURED_COMPACTION_H

#include "domain/contract/contract.h"

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
/* The text of the request: the contract's own, else S4-35's «User wants: …. Respond with ONLY JSON
 * (no conversational text): …». */
const char *compaction_text(struct arena *arena, const struct contract *contract,
                            const struct compaction_input *input);

#endif
