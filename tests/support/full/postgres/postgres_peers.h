/* Several processes on one database, all in this one: each has a connection and a name of its own.
 * They begin with an empty schema. */
#ifndef TESTS_SUPPORT_FULL_POSTGRES_POSTGRES_PEERS_H
#define TESTS_SUPPORT_FULL_POSTGRES_POSTGRES_PEERS_H

#include "domain/repositories/run_queue.h"
#include "domain/repositories/run_states.h"
#include "infrastructure/postgres/postgres_database.h"
#include "infrastructure/postgres/postgres_process.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdio.h>

enum { PEERS_MAX = 6, LONG_LEASE_S = 600, SHORT_LEASE_S = 1 };

struct peer {
    struct peers *all;
    struct postgres_database *db;
    struct postgres_process *process;
    struct run_states *states;
    struct run_queue *queue;
    struct run_claim *claim;
    struct run_state *state;
    const struct run_contents *contents;
};

struct peers {
    struct uv_runtime *runtime;
    struct peer list[PEERS_MAX];
    size_t n;
    struct scope *scope;
    void (*body)(struct peers *p);
    struct arena arena;
    struct err err;
    bool is_wrong;
};

/* Within a task nothing may jump out of it. */
#define CHECK(claim)                                                                               \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #claim, p->err.message);       \
            p->is_wrong = true;                                                                    \
        }                                                                                          \
    } while (0)

/* Runs body as a task. Whether no check of it failed. */
bool peers_run(size_t n, int64_t lease_s, void (*body)(struct peers *p));
/* The same in a child of this process, on the schema as it is. */
bool peers_run_on(size_t n, int64_t lease_s, void (*body)(struct peers *p));
/* All at once, but for the one that is spared, which may be NULL. */
void peers_each(struct peers *p, const struct peer *spared, task_fn *fn);
/* A moment, for those who look again and again. */
void peers_wait(struct peers *p);

#endif
