/* What the run log and whoever watches hear of the attempts of one asking. */
#ifndef APPLICATION_STRUCTURED_ATTEMPT_EVENTS_H
#define APPLICATION_STRUCTURED_ATTEMPT_EVENTS_H

#include "application/structured/judge.h"

#define ATTEMPT_MAX_NOTES 16 /* told of one reply */

/* One attempt: on which rung it stood and what it cost. */
struct attempt {
    unsigned number; /* 1, 2, … within the asking */
    enum engine_rung rung;
    unsigned requests; /* model calls, repeated transport failures included */
    const char *model; /* NULL while none has answered */
    int64_t prompt_tokens, completion_tokens, duration_ms; /* -1 unknown */
};

void attempt_emit(struct journal *journal, const struct contract *contract,
                  const struct attempt *attempt, const struct verdict *verdict);
/* Takes back what was told of an attempt that failed. */
void attempt_emit_discarded(struct journal *journal, const struct contract *contract,
                            unsigned number);
/* What the endpoint did not take of the request's schema. */
void attempt_emit_notes(struct journal *journal, struct arena *arena,
                        const struct contract *contract, const struct model_reply *reply);

#endif
