/* The contracts of mistro for a model with random weights: it takes no hint, so whatever a schema
 * leaves open is given an end, and the tools of the turn are those of the built-in workspace. */
#ifndef TESTS_SUPPORT_FULL_CONTRACTS_BOUNDED_CONTRACT_H
#define TESTS_SUPPORT_FULL_CONTRACTS_BOUNDED_CONTRACT_H

#include "domain/base/err.h"
#include "domain/contract/contract.h"

enum bounded_for {
    BOUNDED_FOR_LLAMA_SERVER, /* what a real llama-server enforces: as it is asked for in a turn */
    BOUNDED_FOR_NPM,          /* without what the converter of node-llama-cpp does not look at */
};

/* Loads contract `name`; everything is in the arena. */
MUST_CHECK
enum err_code bounded_contract_load(struct arena *arena, const char *name, enum bounded_for engine,
                                    struct contract *out, struct err *err);

#endif
