/* A run of two agents as its events tell it: the files that the originals left behind are views of
 * them. Pure. */
#ifndef APPLICATION_CONSENSUS_CONSENSUS_RECORD_H
#define APPLICATION_CONSENSUS_CONSENSUS_RECORD_H

#include "application/consensus/consensus.h"
#include "domain/entities/event.h"

/* One line of transcript.jsonl: {"time","round","agent","role","envelope",…}; NULL for an event of
 * another kind. Of a turn that could not be read the envelope is that of S0-33. roles: the member
 * `agents` of consensus_started, or NULL. Owned by the caller. */
json_t *consensus_transcript_entry(const struct event *event, const json_t *roles);
/* All of them, a line each, in the arena. */
const char *consensus_transcript(struct arena *arena, const struct event *events, size_t n);

/* final.json; owned by the caller. NULL when the events do not tell how the run ended: it is none
 * of two agents, or it was cut off. */
json_t *consensus_final(const char *run_id, const struct event *events, size_t n);

/* The data of the first event of a kind; NULL: there is none. */
const json_t *consensus_event_data(const struct event *events, size_t n, enum event_kind kind);

#endif
