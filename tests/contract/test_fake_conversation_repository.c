#include "tests/support/contracts/conversation_repository_contract.h"
#include "tests/support/fakes/fake_conversation_repository.h"

static void *open_fake(struct repository_subject *s)
{
    (void)s;
    struct conversation_repository *r = fake_conversation_repository_create();
    ((struct fake_conversation_repository *)r)->max_bytes = CONTRACT_MAX_CONVERSATION_BYTES;
    return r;
}

int main(void)
{
    return run_conversation_repository_contract(
        &(struct repository_subject){ .open = open_fake,
                                      .run = repository_subject_run_at_once,
                                      .close = repository_subject_close_nothing });
}
