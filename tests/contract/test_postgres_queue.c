#include "infrastructure/postgres/postgres_create.h"
#include "infrastructure/postgres/postgres_process.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/full/contracts/run_queue_contract.h"
#include "tests/support/full/postgres/postgres_server.h"
#include "tests/support/full/test_assets.h"
#include <stdlib.h>

enum { PROCESSES = 2, LEASE_S = 600 };

struct postgres_queues {
    struct queue_subject subject;
    struct uv_runtime *runtime; /* NULL: none is open */
    struct postgres_database *databases[PROCESSES];
    struct postgres_process *processes[PROCESSES];
    size_t n;
};

static struct postgres_queues *queues_of(struct repository_subject *s)
{
    return (struct postgres_queues *)s;
}

static void *open_process(struct repository_subject *s)
{
    struct postgres_queues *queues = queues_of(s);
    if (!queues->runtime) {
        postgres_server_empty();
        queues->runtime = uv_runtime_create();
        queues->n = 0;
    }
    size_t i = queues->n++;
    if (i >= PROCESSES)
        abort();
    queues->databases[i] =
        postgres_database_create(queues->runtime, postgres_server_url(), test_assets());
    queues->processes[i] = postgres_process_create(queues->runtime, queues->databases[i], LEASE_S);
    return postgres_queue_create(queues->runtime, queues->processes[i], "ada");
}

static enum err_code run_task(struct repository_subject *s, task_fn *fn, void *argument)
{
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    return uv_runtime_run(queues_of(s)->runtime, &scope, fn, argument);
}

static void close_all(struct repository_subject *s)
{
    struct postgres_queues *queues = queues_of(s);
    for (size_t i = 0; i < queues->n; i++) {
        postgres_process_destroy(queues->processes[i]);
        postgres_database_destroy(queues->databases[i]);
    }
    uv_runtime_destroy(queues->runtime);
    queues->runtime = NULL;
}

static void lapse(struct queue_subject *s, struct scope *scope)
{
    (void)s;
    (void)scope;
    postgres_server_silence();
}

int main(void)
{
    struct postgres_queues queues = {
        .subject = { .base = { .open = open_process, .run = run_task, .close = close_all },
                     .lapse = lapse }
    };
    return run_run_queue_contract(&queues.subject);
}
