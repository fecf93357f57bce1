/* A run of two agents as its events tell it: the transcript, the final result, and a replay that
 * shows that the referee's part of a run is a function of what the agents said. Pure.
 *
 * The replay plays the recorded envelopes through a fresh controller. What a checker found is taken
 * from the record, so nothing is run again and no model is asked. */
#ifndef APPLICATION_CONSENSUS_CONSENSUS_RECORD_H
#define APPLICATION_CONSENSUS_CONSENSUS_RECORD_H

#include "application/consensus/consensus.h"
#include "domain/entities/event.h"

/* One line of transcript.jsonl: {"time","round","agent","role","envelope",…}; NULL for an event of
 * another kind. A turn that could not be read has the error envelope of the controller. roles: the
 * member `agents` of consensus_started, or NULL. Owned by the caller. */
json_t *consensus_transcript_entry(const struct event *event, const json_t *roles);
/* All of them, a line each, in the arena. */
const char *consensus_transcript(struct arena *arena, const struct event *events, size_t n);

/* final.json; owned by the caller. NULL when the events do not tell how the run ended: it is not a
 * run of two agents, or it was cut off. */
json_t *consensus_final(const char *run_id, const struct event *events, size_t n);

/* The data of the first event of a kind; NULL: there is none. */
const json_t *consensus_event_data(const struct event *events, size_t n, enum event_kind kind);

#define CONSENSUS_REPLAY_MAX_TURNS (ROLE_SET_AGENTS * CONTROLLER_MAX_ROUNDS)

struct consensus_replay {
    unsigned turns;         /* that were played */
    enum consensus_end end; /* of the fresh controller */
    const char *difference; /* the first one from the record, one line; NULL: none */
};

/* In the arena. ERR_INVALID: these events are not a run of two agents that came to its end;
 * ERR_UNAVAILABLE: the log kept no texts. */
MUST_CHECK
enum err_code consensus_replay(struct arena *arena, struct digest *digest,
                               const struct event *events, size_t n, struct consensus_replay *out,
                               struct err *err);

#endif
