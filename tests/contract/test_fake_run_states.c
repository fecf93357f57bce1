#include "tests/support/fakes/fake_run_states.h"
#include "tests/support/full/contracts/run_states_contract.h"

static void *open_fake(struct repository_subject *s)
{
    (void)s;
    return fake_run_states_create();
}

int main(void)
{
    return run_run_states_contract(
        &(struct repository_subject){ .open = open_fake,
                                      .run = repository_subject_run_at_once,
                                      .close = repository_subject_close_nothing });
}
