/* The suite every run repository passes: SQLite and the fake. */
#ifndef TESTS_SUPPORT_CONTRACTS_RUN_REPOSITORY_CONTRACT_H
#define TESTS_SUPPORT_CONTRACTS_RUN_REPOSITORY_CONTRACT_H

#include "tests/support/repository_subject.h"

/* Returns what main returns. */
int run_run_repository_contract(struct repository_subject *subject);

#endif
