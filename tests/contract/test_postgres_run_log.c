#include "infrastructure/postgres/postgres_create.h"
#include "tests/support/contracts/run_repository_contract.h"
#include "tests/support/full/postgres/postgres_subject.h"

static void *connect_person(struct postgres_subject *s)
{
    return postgres_run_log_create(s->uv.runtime, s->db, "ada");
}

int main(void)
{
    struct postgres_subject subject = postgres_subject(connect_person);
    return run_run_repository_contract(&subject.uv.base);
}
