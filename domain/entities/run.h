/* A run: one job from its start to its end, with the events that tell what happened. */
#ifndef DOMAIN_ENTITIES_RUN_H
#define DOMAIN_ENTITIES_RUN_H

#include "domain/base/err.h"
#include <jansson.h>
#include <stdint.h>

#define RUN_ID_MAX 40
#define RUN_TITLE_MAX 200
#define RUN_LATEST "latest" /* in place of an id: the newest run */

/* X(status, name of the result object) */
#define RUN_STATUSES(X)                                                                            \
    X(RUNNING, "running") /* in the log also of one that died without saying so */                 \
    X(QUEUED, "queued")   /* nothing of it was done yet; a worker is to begin it */                \
    X(COMPLETED, "completed")                                                                      \
    X(DRY, "dry_run") /* checked to its end; nothing was called */                                 \
    X(NEEDS_ANSWER, "needs_answer")                                                                \
    X(FAILED, "failed")                                                                            \
    X(REFUSED, "refused")                                                                          \
    X(LIMIT, "limit")                                                                              \
    X(CANCELLED, "cancelled")                                                                      \
    X(INTERRUPTED, "interrupted") /* running, but no process works at it any more */

enum run_status {
#define X(status, name) RUN_##status,
    RUN_STATUSES(X)
#undef X
};

struct run {
    const char *id;
    const char *kind;       /* "ask", "plan", "run", "call", "chat" */
    const char *session_id; /* or NULL */
    const char *title; /* the request, or the plan's goal; redacted, at most RUN_TITLE_MAX bytes */
    int64_t started_at_ms, finished_at_ms; /* 0 while running */
    enum run_status status;
    const json_t *meta;  /* how it began: the model that it may ask, the folder */
    const json_t *stats; /* what its events count, once it ended (application/runs/run_stats.h) */
    uint64_t n_events;
};

const char *run_status_name(enum run_status status);
enum run_status run_status_parse(const char *name); /* RUN_RUNNING when unknown */
/* COMPLETED for NONE; REFUSED, LIMIT and CANCELLED for their codes; else FAILED. */
enum run_status run_status_of(enum err_code code);

#endif
