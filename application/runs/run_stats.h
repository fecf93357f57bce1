/* Counts what the events of runs say: how runs ended, how tools did, and for each contract and
 * model how many answers each rung of the ladder gave and what it cost. A run counts its own while
 * it goes on and keeps the sums in the log, so that those of many runs are added up without their
 * events. Memory is bounded whatever the log holds: what exceeds a bound is counted under
 * RUN_STATS_OTHERS. Pure. */
#ifndef APPLICATION_RUNS_RUN_STATS_H
#define APPLICATION_RUNS_RUN_STATS_H

#include "application/structured/engine.h"
#include "domain/entities/event.h"
#include "domain/entities/run.h"

#define RUN_STATS_MAX_GROUPS 100 /* pairs of contract and model */
#define RUN_STATS_MAX_TOOLS 1000
#define RUN_STATS_OTHERS "(others)"

#define X(rung, name) +1
enum { RUN_STATS_RUNGS = 0 ENGINE_RUNGS(X) };
#undef X

struct rung_stats {
    int64_t answers;  /* that this rung gave; extract and repair: that would not be one without */
    int64_t requests; /* and what it took, failed attempts included */
    int64_t prompt_tokens, tokens, ms;
};

struct contract_stats {
    const char *contract, *model; /* "" where no model ever answered */
    int64_t asked;
    struct rung_stats rungs[RUN_STATS_RUNGS];
};

struct run_stats {
    struct arena *arena;           /* borrowed */
    json_t *summary;               /* {"runs","status","attempts","tools"} */
    struct contract_stats *groups; /* RUN_STATS_MAX_GROUPS, and one for all others */
    size_t n_groups;
};

void run_stats_init(struct run_stats *stats, struct arena *arena);
void run_stats_run(struct run_stats *stats, enum run_status status);
void run_stats_event(struct run_stats *stats, const struct event *event);
/* Adds what run_stats_json gave for a run. What does not fit its form counts as nothing. */
void run_stats_add(struct run_stats *stats, const json_t *of_run);
/* With "contracts": array of {contract, model, asked, answered, rungs: {generate: {answers,
 * requests, prompt_tokens, tokens, ms}, …}}, rungs that did nothing left out. In the arena. */
const json_t *run_stats_json(struct run_stats *stats);

#endif
