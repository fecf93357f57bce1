
#include "infrastructure/mcp/wire/era_memory.h"
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/runtime/system_ports.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/data_file.h"
#include <string.h>
#include <unistd.h>

#define FILE_NAME "eras.json"

/* One process after the other with the same folder: each makes a memory, does its steps in a task
 * and goes. A step keeps an era, or (without one) finds it. */
struct step {
    const char *identity;
    bool keeps;
    enum server_era era; /* to keep, or what was found */
};

struct process {
    struct data_file *bench;
    struct uv_runtime *runtime;
    struct step *steps;
    size_t n;
};

static enum err_code take_steps(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct process *process = argument;
    struct era_memory *memory =
        json_era_memory_create(process->runtime, system_digest(), process->bench->folder);
    (void)runtime;
    for (size_t i = 0; i < process->n; i++) {
        struct step *step = &process->steps[i];
        if (step->keeps)
            era_memory_keep(memory, scope, step->identity, step->era);
        else
            step->era = era_memory_find(memory, step->identity);
    }
    era_memory_destroy(memory);
    return ERR_NONE;
}

static void run(struct data_file *bench, struct step *steps, size_t n)
{
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    struct process process = { bench, uv_runtime_create(), steps, n };
    (void)uv_runtime_run(process.runtime, &scope, take_steps, &process);
    uv_runtime_destroy(process.runtime);
}

static void keep(struct data_file *bench, const char *identity, enum server_era era)
{
    struct step step = { identity, true, era };
    run(bench, &step, 1);
}

static enum server_era find(struct data_file *bench, const char *identity)
{
    struct step step = { identity, false, ERA_AUTO };
    run(bench, &step, 1);
    return step.era;
}

static int set_up(void **state)
{
    static struct data_file bench;
    bench = data_file_begin();
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    data_file_end(*state);
    return 0;
}

static void asking_leaves_nothing_behind(void **state)
{
    struct data_file *bench = *state;
    assert_int_equal(find(bench, "a"), ERA_AUTO);
    assert_int_not_equal(access(bench->folder, F_OK), 0);
}

static void the_next_process_knows_what_one_kept(void **state)
{
    struct data_file *bench = *state;
    keep(bench, "a", ERA_LEGACY);
    keep(bench, "b", ERA_MODERN);
    assert_int_equal(find(bench, "a"), ERA_LEGACY);
    assert_int_equal(find(bench, "b"), ERA_MODERN);
    assert_int_equal(find(bench, "c"), ERA_AUTO);
    keep(bench, "a", ERA_MODERN);
    assert_int_equal(find(bench, "a"), ERA_MODERN);
    keep(bench, "a", ERA_AUTO);
    assert_int_equal(find(bench, "a"), ERA_AUTO);
    assert_int_equal(find(bench, "b"), ERA_MODERN);
}

static void the_identity_is_not_in_the_file(void **state)
{
    struct data_file *bench = *state;
    keep(bench, "command TOKEN=secret", ERA_LEGACY);
    assert_null(strstr(data_file_read(bench, FILE_NAME), "secret"));
    assert_non_null(strstr(data_file_read(bench, FILE_NAME), "\"legacy\""));
}

static void a_file_that_is_none_is_an_empty_one(void **state)
{
    static const char *const texts[] = { "", "{", "[]", "{\"version\":2,\"eras\":{}}",
                                         "{\"version\":1,\"eras\":[]}" };
    struct data_file *bench = *state;
    keep(bench, "a", ERA_LEGACY);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        data_file_write(bench, FILE_NAME, texts[i]);
        assert_int_equal(find(bench, "a"), ERA_AUTO);
        keep(bench, "a", ERA_MODERN);
        assert_int_equal(find(bench, "a"), ERA_MODERN);
    }
}

static void an_old_verdict_does_not_count(void **state)
{
    struct data_file *bench = *state;
    keep(bench, "a", ERA_LEGACY);
    char *text = data_file_read(bench, FILE_NAME), *at = strstr(text, "\"at\": 1");
    assert_non_null(at);
    at[strlen("\"at\": ")] = '0' + 9; /* in the future */
    data_file_write(bench, FILE_NAME, text);
    assert_int_equal(find(bench, "a"), ERA_AUTO);
    memcpy(at, "\"at\": 1}}}", strlen("\"at\": 1}}}") + 1);
    data_file_write(bench, FILE_NAME, text);
    assert_int_equal(find(bench, "a"), ERA_AUTO);
}

static void keeps_so_many_servers_and_no_more(void **state)
{
    struct data_file *bench = *state;
    static struct step steps[ERA_MEMORY_MAX_SERVERS + 1];
    for (size_t i = 0; i <= ERA_MEMORY_MAX_SERVERS; i++)
        steps[i] = (struct step){ arena_printf(&bench->arena, "server %zu", i), true, ERA_LEGACY };
    run(bench, steps, ERA_MEMORY_MAX_SERVERS);
    assert_int_equal(find(bench, "server 0"), ERA_LEGACY);
    run(bench, &steps[ERA_MEMORY_MAX_SERVERS], 1);
    assert_int_equal(find(bench, "server 0"), ERA_AUTO);
    assert_int_equal(find(bench, "server 1"), ERA_LEGACY);
    assert_int_equal(find(bench, steps[ERA_MEMORY_MAX_SERVERS].identity), ERA_LEGACY);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(asking_leaves_nothing_behind),    T(the_next_process_knows_what_one_kept),
        T(the_identity_is_not_in_the_file), T(a_file_that_is_none_is_an_empty_one),
        T(an_old_verdict_does_not_count),   T(keeps_so_many_servers_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
