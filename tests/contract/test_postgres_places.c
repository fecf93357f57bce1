#include "infrastructure/postgres/postgres_create.h"
#include "infrastructure/postgres/postgres_database.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/full/contracts/places_contract.h"
#include "tests/support/full/postgres/postgres_server.h"
#include "tests/support/full/test_assets.h"

static struct uv_runtime *uv;
static struct postgres_database *db;

static void open_places(struct runtime **out_runtime, struct places **out)
{
    uv = uv_runtime_create();
    db = postgres_database_create(uv, postgres_server_url(), test_assets());
    *out_runtime = uv_runtime_port(uv);
    *out = postgres_places_create(uv, db);
}

static void run(struct scope *scope, task_fn *fn, void *argument)
{
    (void)uv_runtime_run(uv, scope, fn, argument);
}

static void close_all(void)
{
    postgres_database_destroy(db);
    uv_runtime_destroy(uv);
}

int main(void)
{
    return run_places_contract(&(struct places_subject){ open_places, run, close_all });
}
