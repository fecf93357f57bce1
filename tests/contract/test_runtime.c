/* The contract of the runtime port on its three adapters. */
#include "infrastructure/runtime/fiber.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/contract/runtime_contract.h"
#include "tests/support/full/virtual_runtime.h"
#include "tests/support/immediate_runtime.h"

static enum err_code run_uv(void *adapter, struct scope *scope, task_fn *fn, void *argument)
{
    return uv_runtime_run(adapter, scope, fn, argument);
}

static enum err_code run_virtual(void *adapter, struct scope *scope, task_fn *fn, void *argument)
{
    return virtual_runtime_run(adapter, scope, fn, argument);
}

static enum err_code run_immediate(void *adapter, struct scope *scope, task_fn *fn, void *argument)
{
    return fn(adapter, scope, argument);
}

static struct runtime_under_test under_test;

static int with_uv(void **state)
{
    struct uv_runtime *runtime = uv_runtime_create();
    under_test = (struct runtime_under_test){ uv_runtime_port(runtime), runtime, run_uv };
    *state = &under_test;
    return 0;
}

static int without_uv(void **state)
{
    (void)state;
    uv_runtime_destroy(under_test.adapter);
    return fiber_count() == 0 ? 0 : -1;
}

static int with_virtual(void **state)
{
    struct virtual_runtime *runtime = virtual_runtime_create(7);
    under_test = (struct runtime_under_test){ virtual_runtime_port(runtime), runtime, run_virtual };
    *state = &under_test;
    return 0;
}

static int without_virtual(void **state)
{
    (void)state;
    virtual_runtime_destroy(under_test.adapter);
    return fiber_count() == 0 ? 0 : -1;
}

static int with_immediate(void **state)
{
    static struct immediate_runtime runtime;
    runtime = immediate_runtime();
    under_test = (struct runtime_under_test){ &runtime.port, &runtime.port, run_immediate };
    *state = &under_test;
    return 0;
}

static int without_immediate(void **state)
{
    (void)state;
    return ((struct immediate_runtime *)under_test.adapter)->tasks == 0 ? 0 : -1;
}

#define ON(test, runtime)                                                                          \
    {                                                                                              \
#runtime ": " #test, test, with_##runtime, without_##runtime, NULL                         \
    }
#define ON_UV(test, concurrent) ON(test, uv),
#define ON_VIRTUAL(test, concurrent) ON(test, virtual),
#define ON_IMMEDIATE(test, concurrent) ON_IMMEDIATE_##concurrent(test)
#define ON_IMMEDIATE_false(test) ON(test, immediate),
#define ON_IMMEDIATE_true(test)

int main(void)
{
    const struct CMUnitTest tests[] = { RUNTIME_CONTRACT(ON_UV) RUNTIME_CONTRACT(ON_VIRTUAL)
                                            RUNTIME_CONTRACT(ON_IMMEDIATE) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
