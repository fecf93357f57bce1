/* Folders of results in memory; the contract of application/ports/artifacts.h runs on it as on the
 * real one. What a test reads: which folders appeared, with which files. */
#ifndef TESTS_SUPPORT_FAKES_FAKE_ARTIFACTS_H
#define TESTS_SUPPORT_FAKES_FAKE_ARTIFACTS_H

#include "application/ports/artifacts.h"
#include <jansson.h>

struct fake_artifacts {
    struct artifacts base;     /* hand this to the code under test */
    json_t *folders;           /* path → {name → text}; bytes after a U+0000 are not kept */
    struct arena arena;        /* what was put, as it was put */
    unsigned n_open;           /* neither committed nor discarded yet */
    unsigned n_calls, fail_at; /* the call with that number fails, from 1; 0: none */
    enum err_code fails_with;  /* ERR_FAILED when not set */
};

void fake_artifacts_init(struct fake_artifacts *fake);
void fake_artifacts_finish(struct fake_artifacts *fake);
/* The text of a committed file, or NULL. */
const char *fake_artifacts_text(const struct fake_artifacts *fake, const char *path,
                                const char *name);

#endif
