
#include "infrastructure/models/launch/launch_command.h"
#include "infrastructure/runtime/process.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

#define LAUNCH(...) launch_of((const char *const[]){ __VA_ARGS__, NULL })
static struct model_launch launch_of(const char *const *words)
{
    struct model_launch launch = { .words = words };
    while (words[launch.n_words])
        launch.n_words++;
    return launch;
}

/* The arguments, each behind a blank. */
static const char *line(struct arena *arena, const struct model_launch *launch)
{
    const char *const *arguments = launch_command_arguments(launch, 4711, "/run/{port}/s", arena);
    const char *text = "";
    for (; *arguments; arguments++)
        text = arena_printf(arena, "%s %s", text, *arguments);
    return text;
}

static void a_command_that_names_no_address_is_told_one(void **state)
{
    AUTO(arena) arena = { 0 };
    struct model_launch launch = LAUNCH("server", "-m", "x");
    (void)state;
    assert_string_equal(line(&arena, &launch), " -m x --host 127.0.0.1 --port 4711");
    assert_false(launch_command_wants_socket(&launch));
}

static void port_and_socket_are_filled_in_wherever_they_stand(void **state)
{
    AUTO(arena) arena = { 0 };
    struct model_launch port = LAUNCH("env", "HOST=127.0.0.1:{port}", "{port}{port}", "{x}"),
                        socket = LAUNCH("server", "--host={socket}", "-v");
    (void)state;
    assert_string_equal(line(&arena, &port), " HOST=127.0.0.1:4711 47114711 {x}");
    assert_string_equal(line(&arena, &socket), " --host=/run/{port}/s -v");
    assert_true(launch_command_wants_socket(&socket));
}

static bool contains(char **environment, const char *variable)
{
    for (char **e = environment; *e; e++)
        if (strcmp(*e, variable) == 0)
            return true;
    return false;
}

static void libraries_and_devices_are_handed_on_and_keys_are_not(void **state)
{
    (void)state;
    setenv("LD_LIBRARY_PATH", "/opt/lib", 1);
    setenv("CUDA_VISIBLE_DEVICES", "1", 1);
    setenv("OPENAI_API_KEY", "secret", 1);
    unsetenv("HF_HOME");

    char **environment = launch_command_environment();

    assert_true(contains(environment, "LD_LIBRARY_PATH=/opt/lib"));
    assert_true(contains(environment, "CUDA_VISIBLE_DEVICES=1"));
    assert_false(contains(environment, "OPENAI_API_KEY=secret"));
    assert_false(contains(environment, "HF_HOME="));
    process_environment_free(environment);
}

static void people_see_the_program_without_its_folder(void **state)
{
    (void)state;
    const struct model_launch path = LAUNCH("/opt/bin/server"), name = LAUNCH("server"),
                              folder = LAUNCH("/opt/");
    assert_string_equal(launch_command_program(&path), "server");
    assert_string_equal(launch_command_program(&name), "server");
    assert_string_equal(launch_command_program(&folder), "/opt/");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_that_names_no_address_is_told_one),
        cmocka_unit_test(port_and_socket_are_filled_in_wherever_they_stand),
        cmocka_unit_test(libraries_and_devices_are_handed_on_and_keys_are_not),
        cmocka_unit_test(people_see_the_program_without_its_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
