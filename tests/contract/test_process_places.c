#include "infrastructure/runtime/process_places.h"
#include "tests/support/full/contracts/places_contract.h"
#include "tests/support/full/virtual_runtime.h"

static struct virtual_runtime *virtual;

static void open_places(struct runtime **out_runtime, struct places **out)
{
    virtual = virtual_runtime_create(1);
    *out_runtime = virtual_runtime_port(virtual);
    *out = process_places_create(*out_runtime);
}

static void run(struct scope *scope, task_fn *fn, void *argument)
{
    (void)virtual_runtime_run(virtual, scope, fn, argument);
}

static void close_runtime(void)
{
    virtual_runtime_destroy(virtual);
}

int main(void)
{
    return run_places_contract(&(struct places_subject){ open_places, run, close_runtime });
}
