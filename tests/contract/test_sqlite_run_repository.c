#include "infrastructure/repositories/repository_create.h"
#include "tests/support/contracts/run_repository_contract.h"
#include "tests/support/full/test_assets.h"
#include "tests/support/full/uv_subject.h"
#include <stdio.h>

static void *connect_sqlite(struct uv_subject *s)
{
    char file[128];
    snprintf(file, sizeof file, "%s/deeper/runs.db", s->folder);
    return sqlite_run_repository_create(s->runtime, file, test_assets());
}

int main(void)
{
    struct uv_subject subject = uv_subject(connect_sqlite);
    return run_run_repository_contract(&subject.base);
}
