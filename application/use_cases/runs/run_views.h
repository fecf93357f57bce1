/* `runs export` and `runs replay`: what a run left in the log, in the forms that the originals of
 * its job had, and a run of two agents played once more without them. */
#ifndef APPLICATION_USE_CASES_RUNS_RUN_VIEWS_H
#define APPLICATION_USE_CASES_RUNS_RUN_VIEWS_H

#include "application/consensus/consensus_record.h"
#include "application/services.h"

/* X(form, name) */
#define RUN_FORMS(X)                                                                               \
    X(RUN, "run")               /* any: the run with all its events, one object */                 \
    X(TRANSCRIPT, "transcript") /* of two agents: JSON Lines, one envelope each */                 \
    X(FINAL, "final")           /* … how it ended, one object */                                 \
    X(ROUND_LOG, "round_log")   /* of a figure: seed 001's log of the rounds */

enum run_form {
#define X(form, name) RUN_FORM_##form,
    RUN_FORMS(X)
#undef X
};

bool run_form_parse(const char *name, enum run_form *out);

/* The text of the file, in the arena. ERR_INVALID: the run is of a kind that has no such form, or
 * was cut off before it had one. */
awaits MUST_CHECK enum err_code export_run(struct services *services, struct scope *scope,
                                           struct arena *arena, const char *id, enum run_form form,
                                           const char **out_text, struct err *err);
/* Fails as consensus_replay does; a difference is none of it. */
awaits MUST_CHECK enum err_code replay_run(struct services *services, struct scope *scope,
                                           struct arena *arena, const char *id,
                                           struct consensus_replay *out, struct err *err);

#endif
