/* The use case of a consensus among fakes: the real prompts, packs and role sets, two mocks or
 * scripted models, a run log in memory. A test says who answers and what, reaches, and looks. */
#ifndef TESTS_SUPPORT_CONSENSUS_BENCH_H
#define TESTS_SUPPORT_CONSENSUS_BENCH_H

#include "application/use_cases/reach_consensus.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"

struct consensus_bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct arena arena;
    struct scope scope;
    struct consensus_request request; /* "2+2" by the role set "math", both models */
    struct reached_consensus reached;
    struct err err;
};

/* For cmocka. */
int consensus_bench_set_up(void **state);
int consensus_bench_tear_down(void **state);

enum err_code consensus_bench_reach(struct consensus_bench *bench);
/* An envelope as a model writes it: status and final text; more may be "" or further members that
 * begin with a comma. In the arena. */
const char *consensus_bench_envelope(struct consensus_bench *bench, const char *status,
                                     const char *text, const char *more);
/* The data of the n-th event of a kind; NULL when there is none. */
const json_t *consensus_bench_event(const struct consensus_bench *bench, enum event_kind kind,
                                    size_t n);

#endif
