/* A pin repository in memory; the same suite as for the files runs on it. */
#ifndef TESTS_SUPPORT_FAKES_FAKE_PIN_REPOSITORY_H
#define TESTS_SUPPORT_FAKES_FAKE_PIN_REPOSITORY_H

#include "domain/repositories/pin_repository.h"
#include <jansson.h>

struct fake_pin_repository {
    struct pin_repository base; /* hand this to the code under test */
    json_t *pinned;             /* object: identity → {server, revision, offers, pins} */
    enum err_code next;         /* what the next operation reports, once */
    enum err_code next_save;    /* … the next save */
    bool is_old;                /* what is there was written before folders counted */
    unsigned n_looks, n_loads, n_saves;
};

void fake_pin_repository_init(struct fake_pin_repository *fake);
void fake_pin_repository_finish(struct fake_pin_repository *fake);
/* One on the heap, destroyed through the port. */
struct pin_repository *fake_pin_repository_create(void);

#endif
