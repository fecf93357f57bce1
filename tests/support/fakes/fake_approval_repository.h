/* An approval repository in memory; the same suite as for the file runs on it. */
#ifndef TESTS_SUPPORT_FAKES_FAKE_APPROVAL_REPOSITORY_H
#define TESTS_SUPPORT_FAKES_FAKE_APPROVAL_REPOSITORY_H

#include "domain/repositories/approval_repository.h"
#include <jansson.h>

struct fake_approval_repository {
    struct approval_repository base; /* hand this to the code under test */
    json_t *approved;                /* object: "kind subject hash" → true */
    enum err_code next;              /* what the next operation reports, once */
};

void fake_approval_repository_init(struct fake_approval_repository *fake);
void fake_approval_repository_finish(struct fake_approval_repository *fake);
/* One on the heap, destroyed through the port. */
struct approval_repository *fake_approval_repository_create(void);

#endif
