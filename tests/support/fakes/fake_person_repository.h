/* A person repository in memory; the same suite as for the file runs on it. */
#ifndef TESTS_SUPPORT_FAKES_FAKE_PERSON_REPOSITORY_H
#define TESTS_SUPPORT_FAKES_FAKE_PERSON_REPOSITORY_H

#include "domain/repositories/person_repository.h"

struct fake_person_repository {
    struct person_repository base; /* hand this to the code under test */
    struct arena arena;
    struct person persons[PERSONS_MAX];
    const char *tokens[PERSONS_MAX];
    size_t n;
    enum err_code next; /* what the next operation reports, once */
};

/* One on the heap, destroyed through the port. */
struct person_repository *fake_person_repository_create(void);

#endif
