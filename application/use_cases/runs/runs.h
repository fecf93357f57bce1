/* `runs list|show|events|stats|prune`: the run log. Each fails with ERR_UNAVAILABLE
 * when runs.enabled is off. Results are in the arena. */
#ifndef APPLICATION_USE_CASES_RUNS_RUNS_H
#define APPLICATION_USE_CASES_RUNS_RUNS_H

#include "application/consensus/consensus_record.h"
#include "application/services.h"

#define RUNS_LIST_MAX 1000
#define RUNS_EVENTS_PAGE 500 /* events fetched at once */
#define RUNS_STATS_PAGE 50   /* the same where they are only counted */
#define RUNS_REMOVED_AT_ONCE 500

/* Newest first, at most max (0 = RUNS_LIST_MAX). */
awaits MUST_CHECK enum err_code list_runs(struct services *services, struct scope *scope,
                                          struct arena *arena, size_t max, struct run **out,
                                          size_t *out_n, struct err *err);
/* Those of a range, one (id: or a unique prefix), and events, as the log has them but that a run
 * which nobody works at is INTERRUPTED. */
awaits MUST_CHECK enum err_code find_runs(struct services *services, struct scope *scope,
                                          struct arena *arena, const struct run_range *range,
                                          struct run **out, size_t *out_n, struct err *err);
awaits MUST_CHECK enum err_code find_run(struct services *services, struct scope *scope,
                                         struct arena *arena, const char *id, struct run **out,
                                         struct err *err);
awaits MUST_CHECK enum err_code find_events(struct services *services, struct scope *scope,
                                            struct arena *arena, const struct event_range *range,
                                            struct event **out, size_t *out_n, struct err *err);
/* All that were interrupted, newest first, from however long a log: their ids and kinds. */
awaits MUST_CHECK enum err_code list_interrupted_runs(struct services *services,
                                                      struct scope *scope, struct arena *arena,
                                                      struct run **out, size_t *out_n,
                                                      struct err *err);
/* The ids of runs that have a state, no owner, and no run in the log, which could not be written or
 * has lost them; newest first. Their states tell whether they were interrupted. */
awaits MUST_CHECK enum err_code list_unlogged_runs(struct services *services, struct scope *scope,
                                                   struct arena *arena, const char ***out_ids,
                                                   size_t *out_n, struct err *err);
struct recorded_run {
    struct run *run;
    struct event *events;
    size_t n_events;
};

/* Whether the data are those of a tool_call and its tool_result, or of two attempts at one call. */
bool recorded_is_same_call(const json_t *a, const json_t *b);
/* Of a member of all events of that kind; what is negative stands for unknown. */
int64_t recorded_sum(const struct recorded_run *recorded, enum event_kind kind, const char *key);
/* id: or a unique prefix. A tool_call that has no tool_result says "outcome":"unknown", here and in
 * visit_run_events. */
awaits MUST_CHECK enum err_code show_run(struct services *services, struct scope *scope,
                                         struct arena *arena, const char *id,
                                         struct recorded_run *out, struct err *err);
/* Every event of a run in order, page by page; visit returns false to stop. */
awaits MUST_CHECK enum err_code visit_run_events(
    struct services *services, struct scope *scope, const char *id,
    bool (*visit)(void *context, const struct event *event), void *context, struct err *err);
/* How model answers were had, over the newest RUNS_LIST_MAX runs: {"runs":…,"status":{…},
 * "attempts":{"ok":…,"invalid_json":…},"tools":{"files/read_file":{"calls","errors"}},
 * "contracts":[…]} (application/runs/run_stats.h). */
awaits MUST_CHECK enum err_code summarise_runs(struct services *services, struct scope *scope,
                                               struct arena *arena, const json_t **out,
                                               struct err *err);
struct removed_runs {
    size_t runs;   /* of the log */
    size_t states; /* what was kept of runs, to resume or replay them */
};

/* Removes what the bounds of the log no longer allow, however much it is. */
awaits MUST_CHECK enum err_code remove_old_runs(struct services *services, struct scope *scope,
                                                struct removed_runs *out, struct err *err);
/* Owned by the caller. */
json_t *run_to_json(const struct run *run);

/* `runs export` and `runs replay`: what a run left in the log, in the forms that the originals of
 * its job had, and a run of two agents played once more without them. */

/* X(form, name) */
#define RUN_FORMS(X)                                                                               \
    X(RUN, "run")               /* any: the run with all its events, one object */                 \
    X(TRANSCRIPT, "transcript") /* of two agents: JSON Lines, one envelope each */                 \
    X(FINAL, "final")           /* of two agents: how it ended, one object */                      \
    X(ROUND_LOG, "round_log")   /* of a figure: the log of its rounds */                           \
    X(OTLP_JSON, "otlp-json")   /* any: a trace, one line of JSON (otlp_trace.h) */

enum run_form {
#define X(form, name) RUN_FORM_##form,
    RUN_FORMS(X)
#undef X
};

bool run_form_parse(const char *name, enum run_form *out);

/* The text of the file, in the arena. with_texts: of a trace, where they are left out else.
 * ERR_INVALID: the run is of a kind that has no such form, or was cut off before it had one. */
awaits MUST_CHECK enum err_code export_run(struct services *services, struct scope *scope,
                                           struct arena *arena, const char *id, enum run_form form,
                                           bool with_texts, const char **out_text, struct err *err);
/* Fails as consensus_replay does; a difference is none of it. */
awaits MUST_CHECK enum err_code replay_run(struct services *services, struct scope *scope,
                                           struct arena *arena, const char *id,
                                           struct consensus_replay *out, struct err *err);

#endif
