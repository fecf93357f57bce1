/* The suite that all places pass: those of one process, and those of all on one database. */
#ifndef TESTS_SUPPORT_FULL_CONTRACTS_PLACES_CONTRACT_H
#define TESTS_SUPPORT_FULL_CONTRACTS_PLACES_CONTRACT_H

#include "application/ports/places.h"
#include "application/ports/runtime.h"

struct places_subject {
    /* A runtime, and places on it of which none is taken. */
    void (*open)(struct runtime **out_runtime, struct places **out);
    void (*run)(struct scope *scope, task_fn *fn, void *argument);
    /* The places were destroyed. */
    void (*close)(void);
};

/* Returns what main returns. */
int run_places_contract(const struct places_subject *subject);

#endif
