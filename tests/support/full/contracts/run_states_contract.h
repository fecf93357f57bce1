/* The suite that every store of run states passes: SQLite and the fake. */
#ifndef TESTS_SUPPORT_FULL_CONTRACTS_RUN_STATES_CONTRACT_H
#define TESTS_SUPPORT_FULL_CONTRACTS_RUN_STATES_CONTRACT_H

#include "tests/support/repository_subject.h"

/* Returns what main returns. */
int run_run_states_contract(struct repository_subject *subject);

#endif
