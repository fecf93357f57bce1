/* What most tests of use cases begin with: services that are fakes, one tool server among them, a
 * scope without an end. */
#ifndef TESTS_SUPPORT_SERVICE_BENCH_H
#define TESTS_SUPPORT_SERVICE_BENCH_H

#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"

struct service_bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct fake_tool_server *server;
    struct arena arena;
    struct scope scope;
    struct err err;
};

struct service_bench *service_bench_create(const char *server, const char *tools);
/* For cmocka, with what service_bench_create gave. */
int service_bench_tear_down(void **state);

#endif
