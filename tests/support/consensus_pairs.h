/* Random pairs of agents against the real controller. A seed makes a whole game: kind of text,
 * task, bound, two characters and everything they say. It is played, held against what must be
 * true of every game, and its transcript is played again by a fresh controller. */
#ifndef TESTS_SUPPORT_CONSENSUS_PAIRS_H
#define TESTS_SUPPORT_CONSENSUS_PAIRS_H

#include "application/consensus/controller.h"
#include <stdint.h>

/* X(character, name) */
#define PAIR_CHARACTERS(X)                                                                         \
    X(VALID, "valid")             /* answers, and changes its mind for a reason */                 \
    X(STUBBORN, "stubborn")       /* never changes its answer */                                   \
    X(ADOPTING, "adopting")       /* says what the peer says */                                    \
    X(WAITING, "waiting")         /* has an answer and only asks */                                \
    X(FLIPPING, "flipping")       /* another answer every turn, with a reason or none */           \
    X(PLACEHOLDER, "placeholder") /* "<NUMBER>", status words, the template, nothing */            \
    X(ECHOING, "echoing")         /* says the task back */                                         \
    X(HASH_LYING, "hash-lying")   /* valid, with wrong hashes and missing tags */                  \
    X(SILENT, "silent")           /* never an answer */                                            \
    X(GARBAGE, "garbage")         /* mostly unreadable, now and then gone for good */              \
    X(CHAOS, "chaos")             /* any member is anything */

enum pair_character {
#define X(character, name) PAIR_##character,
    PAIR_CHARACTERS(X)
#undef X
};
#define X(character, name) +1
enum { PAIR_CHARACTER_COUNT = 0 PAIR_CHARACTERS(X) };
#undef X

struct pair_result {
    enum pair_character agents[ROLE_SET_AGENTS];
    enum consensus_end end;
    unsigned rounds, turns;
    bool promoted;
    struct controller_tally tally;
    const char *violation; /* what is not as it must be; NULL: all is well */
};

void pair_play(uint64_t seed, struct digest *digest, struct pair_result *out);
const char *pair_character_name(enum pair_character character);

#endif
