/* The suite every pin repository passes: files, PostgreSQL and the fake; and what tests of one of
 * them go on with. */
#ifndef TESTS_SUPPORT_CONTRACTS_PIN_REPOSITORY_CONTRACT_H
#define TESTS_SUPPORT_CONTRACTS_PIN_REPOSITORY_CONTRACT_H

#include "domain/repositories/pin_repository.h"
#include "tests/support/repository_subject.h"

#define PIN_CONTRACT_ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* Returns what main returns. */
int run_pin_repository_contract(struct repository_subject *subject);

extern struct pin pin_examples[2];

struct pin_fixture {
    struct repository_subject *subject;
    struct pin_repository *repository;
    struct arena arena;
    struct err err;
};

int pin_fixture_open(void **state, struct repository_subject *subject);
int pin_fixture_close(void **state);

enum err_code pin_save_all(struct pin_fixture *f, const char *identity, struct pins_head head,
                           struct pin *list, size_t n);
/* Under one offer, "". */
enum err_code pin_save(struct pin_fixture *f, const char *identity, int64_t revision,
                       const char *fingerprint, struct pin *list, size_t n);
enum err_code pin_look(struct pin_fixture *f, const char *identity, struct pins_head *out);
enum err_code pin_load(struct pin_fixture *f, const char *identity, struct pins *out);

#endif
