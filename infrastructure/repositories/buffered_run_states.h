/* What a store of run states does before its database has anything to do. What is put waits in
 * memory until a task commits, until there is much of it, or for RUN_STATE_GATHER_MS; each commit
 * is one job of a worker, which does them in order. The first that fails ends the keeping of that
 * state: every later one says the same, so that nothing is ever written behind a gap.
 *
 * A database is a table of functions. Who owns a run is its own matter: a store sets claim,
 * release, is_owned and destroy of the port itself, and the others to the functions below. */
#ifndef INFRASTRUCTURE_REPOSITORIES_BUFFERED_RUN_STATES_H
#define INFRASTRUCTURE_REPOSITORIES_BUFFERED_RUN_STATES_H

#include "domain/base/arena.h"
#include "domain/repositories/run_states.h"

/* How long what no task waits for may lie in memory, and how much of it. */
enum {
    RUN_STATE_GATHER_MS = 50,
    RUN_STATE_GATHER_ENTRIES = 64,
    RUN_STATE_GATHER_BYTES = 256 * 1024,
};

struct buffered_run_states;
struct uv_runtime;
struct worker;

/* A fact or a call that is to be written. */
struct run_state_entry {
    struct run_state_entry *next;
    struct run_fact fact; /* its name is NULL for a call */
    struct call_record call;
};

/* All mandatory. "kept" is what the database knows of one open state. */
struct run_state_database_ops {
    /* On the loop. */
    struct worker *(*worker)(struct buffered_run_states *s);
    void *(*make)(struct buffered_run_states *s, const char *run_id);
    void (*discard)(void *kept);
    /* In jobs of the worker. open and write fail as run_states_open and run_state_commit do; a
     * state that could not be opened is not closed. The entries of a write are one transaction. */
    enum err_code (*open)(void *kept, bool is_new, struct arena *arena, struct run_contents *out,
                          struct err *err);
    enum err_code (*write)(void *kept, const struct run_state_entry *entries, bool to_disk,
                           struct err *err);
    void (*close)(void *kept, bool remove);
    enum err_code (*list)(struct buffered_run_states *s, struct arena *arena, const char ***out_ids,
                          size_t *out_n, struct err *err);
    enum err_code (*prune)(struct buffered_run_states *s, int64_t before_ms, int64_t max_bytes,
                           size_t max_states, size_t *out_removed, struct err *err);
};

struct buffered_run_states {
    struct run_states base;
    struct uv_runtime *runtime;
    const struct run_state_database_ops *database;
};

/* For the table of the port (struct run_states_ops). */
awaits MUST_CHECK enum err_code buffered_run_states_create(struct run_states *s,
                                                           struct scope *scope, const char *run_id,
                                                           struct run_state **out, struct err *err);
awaits MUST_CHECK enum err_code buffered_run_states_open(struct run_states *s, struct scope *scope,
                                                         const char *run_id, struct run_state **out,
                                                         const struct run_contents **out_contents,
                                                         struct err *err);
awaits MUST_CHECK enum err_code buffered_run_states_list(struct run_states *s, struct scope *scope,
                                                         struct arena *arena, const char ***out_ids,
                                                         size_t *out_n, struct err *err);
awaits MUST_CHECK enum err_code buffered_run_states_prune(struct run_states *s, struct scope *scope,
                                                          int64_t before_ms, int64_t max_bytes,
                                                          size_t max_states, size_t *out_removed,
                                                          struct err *err);

#endif
