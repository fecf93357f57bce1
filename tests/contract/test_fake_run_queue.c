#include "tests/support/fakes/fake_run_queue.h"
#include "tests/support/full/contracts/run_queue_contract.h"
#include "tests/support/full/virtual_runtime.h"

#define LEASE_MS 10000

struct fake_subject {
    struct queue_subject base;
    struct virtual_runtime *runtime; /* NULL: no store is open */
    struct fake_queue_store store;
};

static struct fake_subject *fake_of(struct repository_subject *s)
{
    return (struct fake_subject *)s;
}

static void *open_fake(struct repository_subject *s)
{
    struct fake_subject *fake = fake_of(s);
    if (!fake->runtime) {
        fake->runtime = virtual_runtime_create(1);
        fake_queue_store_init(&fake->store, virtual_runtime_port(fake->runtime), LEASE_MS);
    }
    return fake_run_queue_create(&fake->store);
}

static enum err_code run_task(struct repository_subject *s, task_fn *fn, void *argument)
{
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    return virtual_runtime_run(fake_of(s)->runtime, &scope, fn, argument);
}

static void lapse(struct queue_subject *s, struct scope *scope)
{
    (void)!virtual_wait(((struct fake_subject *)s)->runtime, scope, LEASE_MS, NULL);
}

static void close_store(struct repository_subject *s)
{
    struct fake_subject *fake = fake_of(s);
    virtual_runtime_destroy(fake->runtime);
    fake_queue_store_finish(&fake->store);
    fake->runtime = NULL;
}

int main(void)
{
    struct fake_subject subject = {
        .base = { .base = { .open = open_fake, .run = run_task, .close = close_store },
                  .lapse = lapse }
    };
    return run_run_queue_contract(&subject.base);
}
