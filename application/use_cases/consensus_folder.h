/* `mistro consensus --out DIR`: transcript.jsonl and final.json of the run that is about to be
 * played. It watches the run, so that nothing depends on a run log, and the folder appears whole
 * or not at all; one that cannot be written is an error before anything is asked. */
#ifndef APPLICATION_USE_CASES_CONSENSUS_FOLDER_H
#define APPLICATION_USE_CASES_CONSENSUS_FOLDER_H

#include "application/consensus/consensus.h"
#include "application/services.h"

struct consensus_folder {
    struct observer base;
    struct services *services;
    struct observer *watcher;       /* who watches beside it; may be NULL */
    struct arena *arena;            /* what is kept of the run */
    struct artifact_folder *folder; /* NULL: nothing is written */
    struct event *events;           /* of the two agents */
    size_t n, capacity;
};

/* path NULL: nothing is written, and close does nothing. From then on consensus_folder_close must
 * be called; the services' observer is this one until then. */
awaits MUST_CHECK enum err_code consensus_folder_open(struct consensus_folder *f,
                                                      struct services *services,
                                                      struct scope *scope, struct arena *arena,
                                                      const char *path, struct err *err);
/* Writes both files. result NULL: the run failed, and nothing is left behind. */
awaits MUST_CHECK enum err_code consensus_folder_close(struct consensus_folder *f,
                                                       struct scope *scope,
                                                       const struct consensus_result *result,
                                                       const char *run_id, enum canonical_kind kind,
                                                       struct err *err);

#endif
