
#include "domain/base/text.h"
#include "infrastructure/config/config.h"
#include "tests/support/cmocka.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder of its own with a file mcp.json; the process stands in it. */
struct fixture {
    struct arena arena;
    char root[PATH_MAX];
    struct settings settings;
    struct config_paths paths;
    struct err err;
};

static int open_fixture(void **state)
{
    static struct fixture f;
    char folder[] = "/tmp/mistro_servers.XXXXXX";
    f = (struct fixture){ 0 };
    assert_non_null(mkdtemp(folder));
    assert_non_null(realpath(folder, f.root));
    assert_int_equal(chdir(f.root), 0);
    assert_int_equal(mkdir("notes", 0700), 0);
    setenv("HOME", f.root, 1);
    setenv("NOTES", "notes", 1);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("MISTRO_CONFIG");
    unsetenv("UNSET");
    *state = &f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(chdir("/"), 0);
    const char *command = arena_printf(&f->arena, "rm -rf %s", f->root);
    assert_int_equal(system(command), 0);
    arena_finish(&f->arena);
    return 0;
}

/* The members are those of the server "s". */
static enum err_code load(struct fixture *f, const char *mcp_file, const char *members)
{
    FILE *file = fopen("mcp.json", "w");
    assert_non_null(file);
    assert_true(fprintf(file, "{\"mcpServers\":{\"s\":{\"command\":\"x\",%s}}}", members) > 0);
    assert_int_equal(fclose(file), 0);
    struct config_request request = { .mcp_file = mcp_file };
    f->err = (struct err){ 0 };
    return config_load(&request, yaml_documents(), true, &f->arena, &f->settings, &f->paths,
                       &f->err);
}

static const struct server_config *loads(struct fixture *f, const char *members)
{
    if (load(f, "mcp.json", members))
        fail_msg("%s", f->err.message);
    assert_int_equal(f->settings.n_servers, 1);
    return &f->settings.servers[0];
}

static void refuses(struct fixture *f, const char *members, const char *words)
{
    assert_int_equal(load(f, "mcp.json", members), ERR_INVALID);
    assert_non_null(strstr(f->err.message, words));
}

static void without_the_key_a_server_is_told_no_roots(void **state)
{
    struct fixture *f = *state;
    assert_null(loads(f, "\"args\":[]")->roots);
    assert_null(loads(f, "\"roots\":null")->roots);
}

static void an_empty_list_of_roots_is_a_list(void **state)
{
    const struct server_config *server = loads(*state, "\"roots\":[]");
    assert_non_null(server->roots);
    assert_int_equal(server->n_roots, 0);
}

static void roots_are_absolute_and_meant_from_the_file(void **state)
{
    struct fixture *f = *state;
    const struct server_config *server =
        loads(f, "\"roots\":[\"./${NOTES}\",\"/srv/none\",\"later/x\",\".\"]");
    assert_int_equal(server->n_roots, 4);
    assert_string_equal(server->roots[0], arena_printf(&f->arena, "%s/notes", f->root));
    assert_string_equal(server->roots[1], "/srv/none");
    assert_true(server->roots[2][0] == '/');
    assert_non_null(strstr(server->roots[2], "later/x"));
    assert_string_equal(server->roots[3], f->root);
    assert_int_equal(chdir("notes"), 0);
    struct config_request from_elsewhere = { .mcp_file = "../mcp.json" };
    assert_int_equal(config_load(&from_elsewhere, yaml_documents(), true, &f->arena, &f->settings,
                                 &f->paths, &f->err),
                     ERR_NONE);
    assert_string_equal(f->settings.servers[0].roots[0],
                        arena_printf(&f->arena, "%s/notes", f->root));
    assert_int_equal(chdir(".."), 0);
}

static void roots_that_are_none_are_refused(void **state)
{
    refuses(*state, "\"roots\":\"notes\"", "server \"s\": roots: must be a list");
    refuses(*state, "\"roots\":[{}]", "server \"s\": roots: must be text");
    refuses(*state, "\"roots\":[\"\"]", "server \"s\": roots: the name of a folder is empty");
    refuses(*state, "\"roots\":[\"${UNSET}\"]", "the variable ${UNSET} is not set");
}

static void a_folder_to_start_in_is_meant_from_the_file(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(loads(f, "\"cwd\":\"notes\"")->directory, "./notes");
    assert_string_equal(loads(f, "\"cwd\":\"/\"")->directory, "/");
}

static void values_are_expanded_and_names_are_not(void **state)
{
    struct fixture *f = *state;
    const struct server_config *server = loads(
        f, "\"args\":[\"${NOTES}\",7,true],\"env\":{\"A${NOTES}\":\"${UNSET:-u}${env:NOTES}\"}");
    assert_int_equal(server->n_arguments, 3);
    assert_string_equal(server->arguments[0], "notes");
    assert_string_equal(server->arguments[1], "7");
    assert_string_equal(server->arguments[2], "true");
    assert_int_equal(server->n_environment, 1);
    assert_string_equal(server->environment[0], "A${NOTES}=unotes");
}

static void what_is_wrong_with_a_server_that_is_off_does_not_matter(void **state)
{
    assert_false(loads(*state, "\"enabled\":false,\"args\":[\"${UNSET}\"]")->enabled);
}

static void members_of_a_wrong_kind_are_refused(void **state)
{
    refuses(*state, "\"url\":\"http://h\"", "a server has a command or a url, not both");
    refuses(*state, "\"era\":\"new\"", "must be auto, modern, legacy or sse");
    refuses(*state, "\"approval\":1", "must be default, allow, ask or deny");
    refuses(*state, "\"enabled\":1", "must be true or false");
    refuses(*state, "\"timeout_ms\":0", "must be a whole number");
    refuses(*state, "\"env\":{\"A=B\":\"\"}", "a name is empty or has bytes");
    refuses(*state, "\"args\":{}", "must be a list");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        T(without_the_key_a_server_is_told_no_roots),
        T(an_empty_list_of_roots_is_a_list),
        T(roots_are_absolute_and_meant_from_the_file),
        T(roots_that_are_none_are_refused),
        T(a_folder_to_start_in_is_meant_from_the_file),
        T(values_are_expanded_and_names_are_not),
        T(what_is_wrong_with_a_server_that_is_off_does_not_matter),
        T(members_of_a_wrong_kind_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
