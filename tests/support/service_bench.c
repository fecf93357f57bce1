#include "tests/support/service_bench.h"
#include <stdlib.h>

struct service_bench *service_bench_create(const char *server, const char *tools)
{
    struct service_bench *bench = calloc(1, sizeof *bench);
    bench->runtime = immediate_runtime();
    bench->scope.deadline_ms = SCOPE_NO_DEADLINE;
    fake_services_init(&bench->services, &bench->runtime.port, SOURCE_DIR);
    bench->server = fake_services_add_server(&bench->services, server, tools);
    return bench;
}

int service_bench_tear_down(void **state)
{
    struct service_bench *bench = *state;
    arena_finish(&bench->arena);
    fake_services_finish(&bench->services);
    free(bench);
    return 0;
}
