/* A conversation repository in memory. It keeps the contract (the same suite as for the files and
 * the database runs on it), holds what it was given as text, and can refuse. */
#ifndef TESTS_SUPPORT_FAKES_FAKE_CONVERSATION_REPOSITORY_H
#define TESTS_SUPPORT_FAKES_FAKE_CONVERSATION_REPOSITORY_H

#include "domain/repositories/conversation_repository.h"

#define FAKE_MAX_CONVERSATIONS 64

struct fake_conversation_repository {
    struct conversation_repository base; /* hand this to the code under test */
    char *texts[FAKE_MAX_CONVERSATIONS]; /* in their stored form; NULL where none is */
    size_t max_bytes;                    /* of one conversation */
    unsigned n_saves;
    enum err_code next_save; /* what the next save reports instead of saving, once */
    unsigned more_refusals;  /* and how many saves after it do, too */
};

void fake_conversation_repository_init(struct fake_conversation_repository *fake);
void fake_conversation_repository_finish(struct fake_conversation_repository *fake);
/* One on the heap, destroyed through the port. */
struct conversation_repository *fake_conversation_repository_create(void);

#endif
