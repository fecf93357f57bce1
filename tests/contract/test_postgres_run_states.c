#include "infrastructure/postgres/postgres_create.h"
#include "infrastructure/postgres/postgres_process.h"
#include "tests/support/full/contracts/run_states_contract.h"
#include "tests/support/full/postgres/postgres_subject.h"

static struct postgres_process *process;

static void *connect_person(struct postgres_subject *s)
{
    process = postgres_process_create(s->uv.runtime, s->db, 30);
    return postgres_run_states_create(s->uv.runtime, process, "ada");
}

static void (*close_server)(struct repository_subject *s);

static void close_all(struct repository_subject *s)
{
    postgres_process_destroy(process);
    close_server(s);
}

int main(void)
{
    struct postgres_subject subject = postgres_subject(connect_person);
    close_server = subject.uv.base.close;
    subject.uv.base.close = close_all;
    return run_run_states_contract(&subject.uv.base);
}
