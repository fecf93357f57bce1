/* The referee between two agents: it says who speaks next and what that one is told, takes what was
 * said, and ends the run. It believes no agent: texts are made canonical and hashed here, statuses
 * and tags are brought into line by safety nets, and every such change is recorded as a remark. It
 * asks no model and never waits, so that any pair of agents can be played against it and a
 * transcript replays to the same end.
 *
 * The game. In round 1 both answer without seeing each other, so that neither leans on the other;
 * from round 2 on agent a speaks, then b, who sees a's envelope of the same round. An agent *stands
 * for* the last acceptable candidate it gave, whatever status it had. It may replace it only with a
 * reason (meta.change_reason; the first candidate needs none), else the change is refused, the
 * envelope becomes PROPOSED at most, its candidate does not count, and the agent is told so. Every
 * change that counts is a flip; taking over what the peer stands for is an *adoption* as well, with
 * or without an answer of one's own before. A candidate that no rule allows goes out of the
 * envelope, so that the peer cannot take it over.
 *
 * Readiness. An agent is ready when its latest envelope has a candidate that counts and is SOLVED
 * or READY_TO_SOLVE (which invites adoption), or is PROPOSED with the very text that the
 * peer stood for when it was written: that is how a proposal is adopted, and how its author
 * confirms it in its own next envelope. Few small models ever say SOLVED, so a text in both
 * envelopes, seen by both, is agreement, whatever they call it. An agent that only waits (WORKING
 * without a text, NEED_PEER) while the peer adopts has confirmed nothing yet, and neither has one
 * whose last answer could not be read. First answers that are equal are both ready, whatever their
 * status but NEED_PEER: neither could have copied.
 *
 * Halt, looked at after every envelope from the end of round 1 on: both are ready with
 * canonically equal texts; both envelopes of equal first answers, and later one that is not SOLVED
 * itself, are rewritten to SOLVED with their tag and marked `promoted`; then both must be
 * SOLVED, tagged, equal in text and in SHA-256, and no rule may refuse the text.
 *
 * No progress: the pair of hashes both stand for at the end of a round is remembered. The second
 * time it is seen both are given the arbiter's hint, the third time the run ends without consensus,
 * with both candidates. Two that have not both an answer yet are at work and not in a loop. Where
 * neither gives anything readable in `max_unreadable` turns in a row the run ends as well: each
 * such turn costs the whole ladder. The last bound is `max_rounds`. */
#ifndef APPLICATION_CONSENSUS_CONTROLLER_H
#define APPLICATION_CONSENSUS_CONTROLLER_H

#include "application/ports/digest.h"
#include "domain/base/arena.h"
#include "domain/consensus/candidate.h"
#include "domain/consensus/envelope.h"
#include "domain/consensus/role_set.h"

#define CONTROLLER_MAX_ROUNDS 100 /* the bound of settings.consensus_max_rounds */
#define CONTROLLER_HINT_AT 2      /* how often a pair of answers was seen */
#define CONTROLLER_LOOP_AT 3

/* X(end, name): how a run ended; RUNNING while it did not */
#define CONSENSUS_ENDS(X)                                                                          \
    X(RUNNING, "running")                                                                          \
    X(CONSENSUS, "consensus")                                                                      \
    X(LOOP, "loop") /* the same pair of answers three times */                                     \
    X(MAX_ROUNDS, "max_rounds")                                                                    \
    X(UNREADABLE, "unreadable")   /* neither gave anything readable, several turns in a row */     \
    X(AGENTS_LOST, "agents_lost") /* an agent could not be reached any more */

enum consensus_end {
#define X(end, name) CONSENSUS_##end,
    CONSENSUS_ENDS(X)
#undef X
};

/* What one agent stands for. */
struct standing {
    bool exists;
    const char *text;             /* as the agent wrote it */
    const char *canonical;        /* in the form that is compared */
    char sha256[DIGEST_HEX_SIZE]; /* of canonical */
    unsigned round;               /* in which it was first given */
    bool adopted;                 /* from the peer */
};

/* X(note, name): something the controller did to an envelope, or noticed: for log, transcript and
 * statistics */
#define CONTROLLER_NOTES(X)                                                                        \
    X(CONTACT_COERCED, "contact_coerced")         /* [CONTACT] made it NEED_PEER */                \
    X(SOLVED_WITHOUT_TEXT, "solved_without_text") /* became WORKING */                             \
    X(SOLVED_WITHOUT_TAG, "solved_without_tag")   /* counts as READY_TO_SOLVE */                   \
    X(TAG_WITHOUT_SOLVED, "tag_without_solved")   /* the tag went */                               \
    X(WORKING_WITH_TEXT, "working_with_text")     /* counts as PROPOSED */                         \
    X(WRONG_HASH, "wrong_hash")                   /* inbound sha256 was not that of the text */    \
    X(CANDIDATE_REFUSED, "candidate_refused")     /* placeholder, echo …; or not of the kind */  \
    X(CHECK_FAILED, "check_failed")               /* the checker ran it and it did not do */       \
    X(CHANGE_REFUSED, "change_refused")           /* another answer without a reason */            \
    X(FLIPPED, "flipped")                         /* another answer with one */                    \
    X(ADOPTED, "adopted")       /* the peer's answer; after FLIPPED, or a first */                 \
    X(PROMOTED, "promoted")     /* it became SOLVED by agreement */                                \
    X(UNREADABLE, "unreadable") /* no envelope came */

enum controller_note {
#define X(note, name) NOTE_##note,
    CONTROLLER_NOTES(X)
#undef X
};

struct controller_remark {
    enum controller_note note;
    const char *text; /* one line for people, and for the agent where it must mend something */
};

#define CONTROLLER_MAX_REMARKS 8 /* of one envelope */

/* What the next one to speak is told. */
struct controller_turn {
    unsigned agent;              /* 0 or 1 */
    unsigned round;              /* from 1 */
    const struct envelope *peer; /* the peer's latest envelope; NULL in round 1 and while it has
                                    none. Its needs are what is asked of this agent */
    const struct standing *own, *peers;
    const char *hint;       /* the arbiter's, or NULL */
    const char *problem;    /* what was wrong with this agent's last envelope, as instructions; or
                               NULL */
    const char *peer_error; /* the peer's last turn could not be read, or NULL */
};

/* What became of an envelope. */
struct controller_verdict {
    struct envelope envelope; /* as it counts: its candidate is in canonical_text, its sha256 the
                                 controller's; for one that could not be read, an error envelope
                                 that asks for the answer again */
    const char *sha256;       /* of its canonical candidate; NULL for none */
    struct controller_remark remarks[CONTROLLER_MAX_REMARKS];
    size_t n_remarks;
    bool counts; /* the candidate was accepted as what this agent stands for */
};

struct controller_rules {
    enum canonical_kind kind;
    const char *task;
    unsigned max_rounds;     /* 1 to CONTROLLER_MAX_ROUNDS */
    unsigned max_unreadable; /* turns in a row; 0: any number, as in records of older runs */
};

struct controller;

/* Everything is borrowed and must live as long; the arena has all it makes. */
struct controller *controller_create(struct arena *arena, struct digest *digest,
                                     const struct controller_rules *rules);
enum consensus_end controller_end(const struct controller *c);
/* Whether it is this agent's turn: a replay asks, because its record may come from anywhere. */
bool controller_may_speak(const struct controller *c, unsigned agent);
/* Who speaks next; only while RUNNING. In round 1 both may be asked at the same time: the answers
 * are taken in any order. */
struct controller_turn controller_next(const struct controller *c);
struct controller_turn controller_first(const struct controller *c, unsigned agent);
/* The candidate of this envelope, canonical, so that it can be checked before it is taken; NULL
 * when there is none or the rules refuse it anyway. */
const char *controller_candidate(const struct controller *c, const struct envelope *envelope);
/* Takes what an agent said. check_failure: what the checker has against its candidate, as an
 * instruction, or NULL. */
struct controller_verdict controller_take(struct controller *c, unsigned agent,
                                          const struct envelope *envelope,
                                          const char *check_failure);
/* No envelope came, after the ladder was spent: the peer gets an error envelope and the run goes
 * on. error: one line. The end is AGENTS_LOST when `lost` (an endpoint that is gone). */
struct controller_verdict controller_take_nothing(struct controller *c, unsigned agent,
                                                  const char *error, bool lost);
/* The hint that the last finished round earned, once; NULL otherwise. */
const char *controller_take_hint(struct controller *c);
const struct standing *controller_standing(const struct controller *c, unsigned agent);
const struct envelope *controller_latest(const struct controller *c, unsigned agent);
unsigned controller_round(const struct controller *c); /* the one that is played, from 1 */
bool controller_was_promoted(const struct controller *c);

/* What happened so far, over both agents. */
struct controller_tally {
    unsigned flips;      /* FLIPPED */
    unsigned adoptions;  /* ADOPTED */
    unsigned coercions;  /* a status or a tag that was brought into line */
    unsigned refused;    /* candidates: refused, failed or changed without a reason */
    unsigned unreadable; /* turns without an envelope */
};
struct controller_tally controller_tally(const struct controller *c);

const char *consensus_end_name(enum consensus_end end);
const char *controller_note_name(enum controller_note note);

#endif
