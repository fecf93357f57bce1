/* Recovery as a number: seeded conversations of ten turns with a model that damages its answers,
 * half of them with the studio, half with the orchestrator and a tool. What a turn should have
 * given is known, so it is known whether it did. Used by the scenario test, which asserts, and by
 * `./dev bench recovery`, which prints. */
#ifndef TESTS_SUPPORT_RECOVERY_H
#define TESTS_SUPPORT_RECOVERY_H

#include "application/structured/engine.h"
#include "tests/support/noisy_model.h"

#define RECOVERY_TURNS 10
#define RECOVERY_RUNGS (RUNG_LAST + 1)

struct recovery {
    uint64_t turns;   /* taken */
    uint64_t right;   /* ended with what the undamaged answers say */
    uint64_t other;   /* ended well, but with something else */
    uint64_t failed;  /* the person saw an error or a reset */
    uint64_t leaks;   /* pieces of JSON or of a delimiter that were shown, even for a moment */
    uint64_t strays;  /* tool calls that no right answer asks for */
    uint64_t overrun; /* askings with more requests than there are rungs */
    uint64_t requests;
    /* Damaged answers by kind, and how often each rung was the one that then gave the answer;
     * NOISE_KIND_COUNT stands for answers that needed nothing. */
    uint64_t damaged[NOISE_KIND_COUNT], lost[NOISE_KIND_COUNT];
    uint64_t saved[NOISE_KIND_COUNT][RECOVERY_RUNGS];
};

/* Adds the conversations of seeds first … first + n - 1. root: the source tree. */
void recovery_run(struct recovery *recovery, const char *root, uint64_t first, uint64_t n,
                  double damage);

#endif
