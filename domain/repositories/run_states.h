/* What a run needs to go on after its process died. It is kept apart from the run log, complete and
 * as it came: the log is redacted and cut. A state is facts (texts by name) and calls (by their
 * path in the run). What is put is queued; commit waits until all that is queued is written, so
 * that it survives a killed process, or forced to disk, so that it survives a power cut as well.
 *
 * A run has one owner at a time: the process that claimed it. A run that is under way and has no
 * owner was interrupted. A store of several machines takes a run away from a process that it has
 * not heard of for some time; nothing that such a process commits is written from then on. */
#ifndef DOMAIN_REPOSITORIES_RUN_STATES_H
#define DOMAIN_REPOSITORIES_RUN_STATES_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include "domain/entities/call_record.h"

struct run_state;
struct run_states;
struct run_claim;

struct run_state_ops {
    /* All mandatory. */
    void (*put_fact)(struct run_state *s, const char *name, const char *text);
    void (*put_call)(struct run_state *s, const struct call_record *call);
    enum err_code (*commit)(struct run_state *s, struct scope *sc, bool to_disk, struct err *err);
    enum err_code (*check)(struct run_state *s, struct err *err);
    void (*close)(struct run_state *s, bool remove);
};

struct run_state {
    const struct run_state_ops *ops;
};

struct run_states_ops {
    /* All mandatory. */
    enum err_code (*claim)(struct run_states *s, struct scope *sc, const char *run_id,
                           struct run_claim **out, struct err *err);
    void (*release)(struct run_states *s, struct run_claim *claim);
    enum err_code (*is_owned)(struct run_states *s, struct scope *sc, const char *run_id, bool *out,
                              struct err *err);
    enum err_code (*create)(struct run_states *s, struct scope *sc, const char *run_id,
                            struct run_state **out, struct err *err);
    enum err_code (*open)(struct run_states *s, struct scope *sc, const char *run_id,
                          struct run_state **out, const struct run_contents **out_contents,
                          struct err *err);
    enum err_code (*list)(struct run_states *s, struct scope *sc, struct arena *arena,
                          const char ***out_ids, size_t *out_n, struct err *err);
    enum err_code (*prune)(struct run_states *s, struct scope *sc, int64_t before_ms,
                           int64_t max_bytes, size_t max_states, size_t *out_removed,
                           struct err *err);
    void (*destroy)(struct run_states *s);
};

struct run_states {
    const struct run_states_ops *ops;
};

/* Both queue a copy, which takes the place of what has the same name or path. */
static inline void run_state_put_fact(struct run_state *s, const char *name, const char *text)
{
    s->ops->put_fact(s, name, text);
}
static inline void run_state_put_call(struct run_state *s, const struct call_record *call)
{
    s->ops->put_call(s, call);
}
/* ERR_UNAVAILABLE: it could not be written. ERR_MISMATCH: nothing was written, since the run was
 * taken away from this process. Any other error: the store is there and refused it. No later commit
 * succeeds either. When the scope ends, only this wait does. */
awaits MUST_CHECK static inline enum err_code run_state_commit(struct run_state *s,
                                                               struct scope *sc, bool to_disk,
                                                               struct err *err)
{
    return s->ops->commit(s, sc, to_disk, err);
}
/* Without a wait: fails as run_state_commit when it is known that something could not be written.
 */
MUST_CHECK
static inline enum err_code run_state_check(struct run_state *s, struct err *err)
{
    return s->ops->check(s, err);
}
/* What is queued is forced to disk first, or all of it is removed; outside of any scope. */
awaits static inline void run_state_close(struct run_state *s, bool remove)
{
    s->ops->close(s, remove);
}

/* From now on this process owns the run. ERR_INVALID: another one does, and the message names it.
 * ERR_UNAVAILABLE: that cannot be noted. */
awaits MUST_CHECK static inline enum err_code run_states_claim(struct run_states *s,
                                                               struct scope *sc, const char *run_id,
                                                               struct run_claim **out,
                                                               struct err *err)
{
    return s->ops->claim(s, sc, run_id, out, err);
}
/* Outside of any scope; the claim is gone afterwards. */
awaits static inline void run_states_release(struct run_states *s, struct run_claim *claim)
{
    s->ops->release(s, claim);
}
/* Whether some process owns the run. ERR_UNAVAILABLE: that cannot be told. */
awaits MUST_CHECK static inline enum err_code run_states_is_owned(struct run_states *s,
                                                                  struct scope *sc,
                                                                  const char *run_id, bool *out,
                                                                  struct err *err)
{
    return s->ops->is_owned(s, sc, run_id, out, err);
}
/* An empty state of a run that the caller has claimed, as with open. ERR_UNAVAILABLE: it cannot be
 * written. */
awaits MUST_CHECK static inline enum err_code run_states_create(struct run_states *s,
                                                                struct scope *sc,
                                                                const char *run_id,
                                                                struct run_state **out,
                                                                struct err *err)
{
    return s->ops->create(s, sc, run_id, out, err);
}
/* The contents, all that was written, live until the state is closed. ERR_NOT_FOUND: none is kept.
 * ERR_INVALID: a newer mistro wrote it. ERR_UNAVAILABLE: it is damaged, and the message says how
 * far it is sound. */
awaits MUST_CHECK static inline enum err_code run_states_open(
    struct run_states *s, struct scope *sc, const char *run_id, struct run_state **out,
    const struct run_contents **out_contents, struct err *err)
{
    return s->ops->open(s, sc, run_id, out, out_contents, err);
}
/* The ids of all runs that have a state, newest first, in the arena. */
awaits MUST_CHECK static inline enum err_code run_states_list(struct run_states *s,
                                                              struct scope *sc, struct arena *arena,
                                                              const char ***out_ids, size_t *out_n,
                                                              struct err *err)
{
    return s->ops->list(s, sc, arena, out_ids, out_n, err);
}
/* Removes the states of runs without an owner that were last written before a moment of the wall
 * clock, and the oldest of them until all states together have at most max_bytes; no more than
 * max_states at once, or all that must go where it is 0. */
awaits MUST_CHECK static inline enum err_code run_states_prune(struct run_states *s,
                                                               struct scope *sc, int64_t before_ms,
                                                               int64_t max_bytes, size_t max_states,
                                                               size_t *out_removed, struct err *err)
{
    return s->ops->prune(s, sc, before_ms, max_bytes, max_states, out_removed, err);
}
/* Every state was closed before. NULL is fine. */
awaits static inline void run_states_destroy(struct run_states *s)
{
    if (s)
        s->ops->destroy(s);
}

#endif
