#include "infrastructure/repositories/repository_create.h"
#include "tests/support/full/contracts/run_states_contract.h"
#include "tests/support/full/test_assets.h"
#include "tests/support/full/uv_subject.h"
#include <stdio.h>

static void *connect_sqlite(struct uv_subject *s)
{
    char folder[128];
    snprintf(folder, sizeof folder, "%s/deeper/runs", s->folder);
    return sqlite_run_states_create(s->runtime, folder, test_assets());
}

int main(void)
{
    struct uv_subject subject = uv_subject(connect_sqlite);
    return run_run_states_contract(&subject.base);
}
