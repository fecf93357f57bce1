/* The characters of consensus_pairs.h: what each says in a turn, by chance alone. */
#ifndef TESTS_SUPPORT_CONSENSUS_AGENTS_H
#define TESTS_SUPPORT_CONSENSUS_AGENTS_H

#include "tests/support/consensus_pairs.h"

struct chance {
    uint64_t state;
};

uint64_t chance_below(struct chance *chance, uint64_t n);
bool chance_of(struct chance *chance, unsigned percent);

struct character {
    enum pair_character kind;
    unsigned answer; /* which of the answers it holds right */
};

/* One turn: an envelope, or none. */
struct move {
    unsigned agent;
    bool is_envelope;
    struct envelope envelope;
    bool lost;                 /* no envelope, and there will be none */
    const char *check_failure; /* or NULL */
};

/* Whether it is one of the answers that a pair may agree on. */
bool pair_is_answer(struct arena *arena, enum canonical_kind kind, const char *canonical);
const char *pair_task(enum canonical_kind kind);
struct move pair_answer(struct arena *arena, struct chance *chance, enum canonical_kind kind,
                        struct character *character, const struct controller_turn *turn);

#endif
