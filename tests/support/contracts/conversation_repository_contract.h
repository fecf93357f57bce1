/* The suite every conversation repository passes: JSON files, SQLite and the fake. */
#ifndef TESTS_SUPPORT_CONTRACTS_CONVERSATION_REPOSITORY_CONTRACT_H
#define TESTS_SUPPORT_CONTRACTS_CONVERSATION_REPOSITORY_CONTRACT_H

#include "tests/support/repository_subject.h"

/* The subject's repositories must keep conversations of up to this many bytes, and not more. */
#define CONTRACT_MAX_CONVERSATION_BYTES 65536

/* Returns what main returns. */
int run_conversation_repository_contract(struct repository_subject *subject);

#endif
