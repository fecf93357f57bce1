/* Where runs and their events are kept. append only queues: the events of many runs are written
 * in groups, and sync waits until everything queued before it is on disk. */
#ifndef DOMAIN_REPOSITORIES_RUN_REPOSITORY_H
#define DOMAIN_REPOSITORIES_RUN_REPOSITORY_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include "domain/entities/event.h"
#include "domain/entities/run.h"

#define RUN_MEDIAN_CALLS 50

struct run_repository;

/* What becomes of old runs; both bounds hold. */
struct run_retention {
    int64_t keep_ms;    /* runs that ended earlier are removed; 0 keeps all */
    int64_t max_bytes;  /* oldest runs are removed until the store is smaller; 0 is no bound */
    size_t max_runs;    /* removed at once, and not many large ones; 0: all that must go */
    const char *spared; /* a run that stays, as it is still to end; or NULL */
};

/* Events of one run: with a number above `after`, at most `max`, and only of some kinds where they
 * are given. */
struct event_range {
    const char *run_id;
    uint64_t after;
    size_t max;
    const enum event_kind *kinds;
    size_t n_kinds; /* 0: all */
};

/* At most `max` runs, those behind `before` in the order of the list, of which id and started_at_ms
 * count; NULL: from its begin. What else is set narrows the list. */
struct run_range {
    size_t max;
    const struct run *before;
    unsigned statuses; /* a bit (1 << RUN_…) for each; 0: all */
    bool may_wait;     /* only what may wait for a person: RUNNING, as it may be interrupted;
                        * NEEDS_ANSWER, unless its session went on with a run that did not fail,
                        * hit a limit or was cancelled; REFUSED where a yes was asked for */
    const char *kind, *session_id;
    const char *words; /* that the title has, whichever case ASCII letters have */
};

struct run_repository_ops {
    /* All mandatory. begin and finish queue like append. */
    void (*begin)(struct run_repository *r, const struct run *run);
    void (*append)(struct run_repository *r, const struct event *event);
    void (*finish)(struct run_repository *r, const struct run *run);
    enum err_code (*sync)(struct run_repository *r, struct scope *sc, struct err *err);
    enum err_code (*list)(struct run_repository *r, struct scope *sc, const struct run_range *range,
                          struct arena *arena, struct run **out, size_t *out_n, struct err *err);
    enum err_code (*get)(struct run_repository *r, struct scope *sc, const char *id,
                         struct arena *arena, struct run **out, struct err *err);
    enum err_code (*events)(struct run_repository *r, struct scope *sc,
                            const struct event_range *range, struct arena *arena,
                            struct event **out, size_t *out_n, struct err *err);
    enum err_code (*median_ms)(struct run_repository *r, struct scope *sc, const char *tool,
                               int64_t *out_ms, struct err *err);
    enum err_code (*prune)(struct run_repository *r, struct scope *sc,
                           const struct run_retention *keep, int64_t now_ms, size_t *out_removed,
                           struct err *err);
    void (*destroy)(struct run_repository *r);
};

struct run_repository {
    const struct run_repository_ops *ops;
};

/* Queues; copies what it needs. A failure to write comes out of the next sync. Of a finished run
 * only id, status, stats and finished_at_ms count; the rest is as it was begun. */
static inline void run_repository_begin(struct run_repository *r, const struct run *run)
{
    r->ops->begin(r, run);
}
static inline void run_repository_append(struct run_repository *r, const struct event *event)
{
    r->ops->append(r, event);
}
static inline void run_repository_finish(struct run_repository *r, const struct run *run)
{
    r->ops->finish(r, run);
}

/* Returns once everything queued before the call is on disk. ERR_UNAVAILABLE when it is not. */
awaits MUST_CHECK static inline enum err_code run_repository_sync(struct run_repository *r,
                                                                  struct scope *sc, struct err *err)
{
    return r->ops->sync(r, sc, err);
}

/* Newest first. */
awaits MUST_CHECK static inline enum err_code run_repository_list(
    struct run_repository *r, struct scope *sc, const struct run_range *range, struct arena *arena,
    struct run **out, size_t *out_n, struct err *err)
{
    return r->ops->list(r, sc, range, arena, out, out_n, err);
}

/* The id, a unique prefix, or RUN_LATEST. ERR_NOT_FOUND, or ERR_INVALID when the prefix fits
 * several runs, some of which the hint names. */
awaits MUST_CHECK static inline enum err_code run_repository_get(struct run_repository *r,
                                                                 struct scope *sc, const char *id,
                                                                 struct arena *arena,
                                                                 struct run **out, struct err *err)
{
    return r->ops->get(r, sc, id, arena, out, err);
}

/* The events of the range, in order; data lives in the arena. */
awaits MUST_CHECK static inline enum err_code run_repository_events(
    struct run_repository *r, struct scope *sc, const struct event_range *range,
    struct arena *arena, struct event **out, size_t *out_n, struct err *err)
{
    return r->ops->events(r, sc, range, arena, out, out_n, err);
}

/* Median duration of the last RUN_MEDIAN_CALLS successful calls of a tool (full name), as their
 * tool_result events tell it ({tool, duration_ms, is_error: false}); -1 when unknown. */
awaits MUST_CHECK static inline enum err_code run_repository_median_ms(
    struct run_repository *r, struct scope *sc, const char *tool, int64_t *out_ms, struct err *err)
{
    return r->ops->median_ms(r, sc, tool, out_ms, err);
}

/* Looks at the runs that are stored: what was begun or finished since the last sync may be left for
 * the next time. */
awaits MUST_CHECK static inline enum err_code run_repository_prune(
    struct run_repository *r, struct scope *sc, const struct run_retention *keep, int64_t now_ms,
    size_t *out_removed, struct err *err)
{
    return r->ops->prune(r, sc, keep, now_ms, out_removed, err);
}

/* Writes what is queued (waiting for the disk, outside of any scope) and closes. */
static inline void run_repository_destroy(struct run_repository *r)
{
    if (r)
        r->ops->destroy(r);
}

#endif
