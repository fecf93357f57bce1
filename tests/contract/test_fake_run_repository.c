#include "tests/support/contracts/run_repository_contract.h"
#include "tests/support/fakes/fake_run_repository.h"

static void *open_fake(struct repository_subject *s)
{
    (void)s;
    return fake_run_repository_create();
}

int main(void)
{
    return run_run_repository_contract(
        &(struct repository_subject){ .open = open_fake,
                                      .run = repository_subject_run_at_once,
                                      .close = repository_subject_close_nothing });
}
