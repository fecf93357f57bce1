/* Plays the recorded envelopes of a run through a fresh controller: the referee's part of a run is
 * a function of what the agents said, and this shows it. What a checker found is taken from the
 * record, so nothing is run again and no model is asked. */
#ifndef APPLICATION_CONSENSUS_CONSENSUS_REPLAY_H
#define APPLICATION_CONSENSUS_CONSENSUS_REPLAY_H

#include "application/consensus/controller.h"
#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include "domain/entities/event.h"

#define CONSENSUS_REPLAY_MAX_TURNS (ROLE_SET_AGENTS * CONTROLLER_MAX_ROUNDS)

struct consensus_replay {
    unsigned turns;         /* that were played */
    enum consensus_end end; /* of the fresh controller */
    const char *difference; /* the first one from the record, one line; NULL: none */
};

/* In the arena. ERR_INVALID: these events are no run of two agents that came to its end;
 * ERR_UNAVAILABLE: the log kept no texts. */
MUST_CHECK
enum err_code consensus_replay(struct arena *arena, struct digest *digest,
                               const struct event *events, size_t n, struct consensus_replay *out,
                               struct err *err);

#endif
