/* The suite every approval repository passes: the file, PostgreSQL and the fake; and what tests of
 * one of them go on with. */
#ifndef TESTS_SUPPORT_CONTRACTS_APPROVAL_REPOSITORY_CONTRACT_H
#define TESTS_SUPPORT_CONTRACTS_APPROVAL_REPOSITORY_CONTRACT_H

#include "domain/repositories/approval_repository.h"
#include "tests/support/repository_subject.h"

/* Returns what main returns. */
int run_approval_repository_contract(struct repository_subject *subject);

struct approval_fixture {
    struct repository_subject *subject;
    struct approval_repository *repository;
    struct err err;
};

int approval_fixture_open(void **state, struct repository_subject *subject);
int approval_fixture_close(void **state);

enum err_code approval_add(struct approval_fixture *f, const char *kind, const char *subject,
                           const char *hash);
enum err_code approval_ask(struct approval_fixture *f, const char *kind, const char *subject,
                           const char *hash, bool *out_has);
/* Fails the test where asking fails. */
bool approval_has(struct approval_fixture *f, const char *kind, const char *subject,
                  const char *hash);

#endif
