/* `runs replay` of a plan or a turn: what was kept of it runs once more, while every port gives
 * what was recorded, and leaves the same events as then. They are compared step by step, as steps
 * that run side by side end in any order; times, durations and ids are not, nor the state of
 * servers.
 *
 * Reading comes first, from the log and the state of the run. Then the caller puts the cassette of
 * the run in the place of servers and models, and lets it run. */
#ifndef APPLICATION_USE_CASES_REPLAY_KEPT_H
#define APPLICATION_USE_CASES_REPLAY_KEPT_H

#include "application/services.h"
#include "application/use_cases/plan_state.h"
#include "application/use_cases/turn_state.h"

struct kept_replay {
    const struct run *run;
    const json_t *events; /* what is compared: object of arrays, by step */
    bool is_turn;
    struct kept_job turn; /* or */
    struct given_plan plan;
};

/* Where a replay leaves the log. */
struct replay_difference {
    const char *text;    /* the step and the first difference; NULL where there is none */
    const json_t *event; /* of the replay; NULL where it has none there */
};

/* ERR_INVALID: the run cannot be replayed, and the message says why: it is not of a plan
 * or a turn, it is not over, it was resumed, the log has hashes, or a call became a task.
 * ERR_NOT_FOUND: no such run, or nothing is kept of it. */
awaits MUST_CHECK enum err_code replay_kept_read(struct services *services, struct scope *scope,
                                                 struct arena *arena, const char *id,
                                                 struct kept_replay *out, struct err *err);
/* *out: in the arena. Fails only where the scope ends. */
awaits MUST_CHECK enum err_code replay_kept(struct services *services, struct scope *scope,
                                            struct arena *arena, const struct kept_replay *replay,
                                            struct replay_difference *out, struct err *err);

#endif
