/* States of runs in memory. It keeps the contract of domain/repositories/run_states.h (the same
 * suite as for SQLite runs on it), and its process can be killed: what was not written is gone
 * then, after a power cut also what was not forced to disk. */
#ifndef TESTS_SUPPORT_FAKES_FAKE_RUN_STATES_H
#define TESTS_SUPPORT_FAKES_FAKE_RUN_STATES_H

#include "domain/base/arena.h"
#include "domain/repositories/run_states.h"

#define FAKE_RUN_STATES_MAX 20

/* What was put, in order: a fact, or a call where its name is NULL. */
struct fake_put {
    struct run_fact fact;
    struct call_record call;
};

struct fake_run_state {
    struct run_state base;
    struct fake_run_states *states;
    const char *run_id; /* NULL: not in use */
    bool is_owned, is_kept, is_open;
    struct fake_put *puts;
    size_t n, capacity, n_written, n_synced;
    struct run_contents contents;
};

struct fake_run_states {
    struct run_states base; /* hand this to the code under test */
    struct arena arena;
    struct fake_run_state states[FAKE_RUN_STATES_MAX];
    unsigned n_commits, n_syncs; /* of the latter, those to disk */
    enum err_code commit_fails, create_fails, owner_fails;
    /* May be NULL. Called before a commit or an opening does anything, and after; may wait. */
    enum err_code (*on_use)(void *context, struct scope *scope, struct err *err);
    void *context;
};

void fake_run_states_init(struct fake_run_states *fake);
void fake_run_states_finish(struct fake_run_states *fake);
/* One on the heap, destroyed through the port. */
struct run_states *fake_run_states_create(void);
/* The process is gone. */
void fake_run_states_die(struct fake_run_states *fake, bool by_power_cut);
/* The states that are kept. */
size_t fake_run_states_kept(const struct fake_run_states *fake);

#endif
