/* Services of persons in one process, over the composition that the program itself has: what one of
 * them did and allowed is nothing to another. The command that is run here is the test. */
#include "application/agent_tools/agent_tools.h"
#include "application/use_cases/runs/runs.h"
#include "application/use_cases/sessions.h"
#include "domain/base/json.h"
#include "presentation/main/composition.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/uv_subject.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_AT_ONCE 96
#define HASH "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static struct cli *cli;
static char folder[64];

static struct services *services_of(const char *person)
{
    struct services *services = NULL;
    struct err err = { 0 };
    assert_int_equal(cli->host->ops->services_of(cli->host, person, &services, &err), ERR_NONE);
    assert_non_null(services);
    return services;
}

static void release(struct services *services)
{
    cli->host->ops->release_services(cli->host, services);
}

static size_t n_sessions(struct services *services)
{
    struct conversation_summary *all = NULL;
    struct err err = { 0 };
    size_t n = 99;
    assert_int_equal(list_sessions(services, cli->scope, cli->arena, &all, &n, &err), ERR_NONE);
    return n;
}

static size_t n_runs(struct services *services)
{
    struct run *all = NULL;
    struct err err = { 0 };
    size_t n = 99;
    assert_int_equal(list_runs(services, cli->scope, cli->arena, 0, &all, &n, &err), ERR_NONE);
    return n;
}

static const char *ask(struct services *services, const char *request)
{
    struct tool_server *agent = NULL;
    struct step_result result = { 0 };
    struct err err = { 0 };
    json_auto_t *arguments = json_pack("{s:s}", "request", request);
    const struct tool_call call = { .name = "ask", .arguments = arguments };
    assert_int_equal(agent_tools_create(services, &agent, &err), ERR_NONE);
    enum err_code r = tool_server_call(agent, cli->scope, &call, cli->arena, &result, &err);
    tool_server_close(agent, cli->scope);
    tool_server_destroy(agent);
    assert_int_equal(r, ERR_NONE);
    return result.bytes ? result.bytes : "";
}

static void sessions_and_runs_are_seen_by_whose_they_are(void **state)
{
    struct services *ada = services_of("ada"), *bo = services_of("bo"), *own = services_of("");
    (void)state;

    assert_non_null(strstr(ask(ada, "read the file seen.txt"), "plums"));

    assert_int_equal(n_sessions(ada), 1);
    assert_int_equal(n_runs(ada), 1);
    assert_int_equal(n_sessions(bo), 0);
    assert_int_equal(n_runs(bo), 0);
    assert_int_equal(n_sessions(own), 0);
    assert_int_equal(n_runs(own), 0);
    release(ada);
    release(bo);
    release(own);
}

static bool has_approval(struct services *services, const struct approval *approval)
{
    struct approval_repository *approvals = NULL;
    struct err err = { 0 };
    bool has = false;
    assert_int_equal(services_approvals(services, &approvals, &err), ERR_NONE);
    assert_int_equal(approval_repository_has(approvals, cli->scope, approval, &has, &err),
                     ERR_NONE);
    return has;
}

static void an_approval_is_one_persons(void **state)
{
    static const struct approval approval = { APPROVAL_OF_TOOL, "cfg/write", "h" };
    struct services *ada = services_of("ada"), *bo = services_of("bo");
    struct approval_repository *approvals = NULL;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(services_approvals(ada, &approvals, &err), ERR_NONE);

    assert_int_equal(approval_repository_add(approvals, cli->scope, &approval, &err), ERR_NONE);

    assert_true(has_approval(ada, &approval));
    assert_false(has_approval(bo, &approval));
    assert_false(has_approval(services_of(""), &approval));
    release(ada);
    release(bo);
}

static void pins_are_one_persons(void **state)
{
    struct services *ada = services_of("ada"), *bo = services_of("bo");
    struct pin_repository *of_ada = NULL, *of_bo = NULL;
    struct pin pin = { "read", HASH, "{}" };
    const struct pins pins = { .identity = HASH, .server = "s", .list = &pin, .n = 1 };
    struct pins found;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(services_pins(ada, &of_ada, &err), ERR_NONE);
    assert_int_equal(services_pins(bo, &of_bo, &err), ERR_NONE);

    assert_int_equal(pin_repository_save(of_ada, cli->scope, &pins, &err), ERR_NONE);

    assert_int_equal(pin_repository_load(of_ada, cli->scope, HASH, cli->arena, &found, &err),
                     ERR_NONE);
    assert_int_equal(pin_repository_load(of_bo, cli->scope, HASH, cli->arena, &found, &err),
                     ERR_NOT_FOUND);
    release(ada);
    release(bo);
}

static size_t n_started(void)
{
    char text[64];
    FILE *in = fopen("started", "r");
    size_t n = in ? fread(text, 1, sizeof text, in) : 0;
    if (in)
        fclose(in);
    return n;
}

static void list_dev(struct services *services)
{
    struct tool_server **servers = NULL;
    struct tool_catalogue *tools = NULL;
    struct err err = { 0 };
    size_t n = 0, at = 0;
    assert_int_equal(services_servers(services, cli->scope, &servers, &n, &err), ERR_NONE);
    while (at < n && strcmp(tool_server_name(servers[at]), "dev") != 0)
        at++;
    assert_true(at < n);
    assert_int_equal(tool_server_list(servers[at], cli->scope, &tools, &err), ERR_NONE);
    tool_catalogue_unref(tools);
}

static void each_person_has_servers_that_were_started_apart(void **state)
{
    struct services *ada = services_of("ada"), *bo = services_of("bo");
    size_t before = n_started();
    (void)state;

    list_dev(bo);
    size_t one = n_started();
    list_dev(ada);
    list_dev(ada);

    assert_true(one <= before + 1);
    assert_int_equal(n_started(), 2);
    release(ada);
    release(bo);
}

static void nobody_is_there_and_yes_is_not_theirs(void **state)
{
    struct services *ada = services_of("ada");
    (void)state;
    assert_true(services_of("")->approve_all);

    assert_false(ada->approve_all);
    assert_false(user_present(ada->user));
    assert_null(ada->browser);
    assert_null(ada->observer);
    release(ada);
}

static void the_model_is_everybodys(void **state)
{
    struct services *ada = services_of("ada"), *own = services_of("");
    struct model *one = NULL, *other = NULL;
    enum model_choice choice;
    struct err err = { 0 };
    (void)state;

    assert_int_equal(services_model(ada, cli->scope, &one, &choice, &err), ERR_NONE);
    assert_int_equal(services_model(own, cli->scope, &other, &choice, &err), ERR_NONE);

    assert_ptr_equal(one, other);
    release(ada);
}

static void a_name_that_is_none_has_no_services(void **state)
{
    static const char *const bad[] = { "..", ".", "a/b", "../ada", " " };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        struct services *services = NULL;
        struct err err = { 0 };
        assert_int_equal(cli->host->ops->services_of(cli->host, bad[i], &services, &err),
                         ERR_INVALID);
    }
}

static size_t n_cassettes(const char *of)
{
    char pattern[128];
    glob_t found = { 0 };
    snprintf(pattern, sizeof pattern, "%s/state/mistro/%sruns/*.ndjson", folder, of);
    int r = glob(pattern, 0, NULL, &found);
    size_t n = r ? 0 : found.gl_pathc;
    globfree(&found);
    return n;
}

static void a_run_is_kept_to_be_replayed_where_its_person_is(void **state)
{
    (void)state;
    assert_int_equal(n_cassettes("persons/ada/"), 1);
    assert_int_equal(n_cassettes("persons/bo/"), 0);
    assert_int_equal(n_cassettes(""), 0);
}

static void what_is_a_persons_is_in_private_folders_of_theirs(void **state)
{
    static const char *const folders[] = { "data/mistro/persons", "data/mistro/persons/ada",
                                           "state/mistro/persons/ada" };
    char path[128];
    struct stat info;
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(folders); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0700);
    }
    snprintf(path, sizeof path, "%s/data/mistro/persons/ada/approvals.json", folder);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

static const char *numbered(int i)
{
    return arena_printf(cli->arena, "p%d", i);
}

/* Those of the tests before have nothing running: they give way. */
static void who_came_first_gives_way_and_nobody_who_has_something_running(void **state)
{
    struct services *all[MOST_AT_ONCE], *more = NULL;
    struct err err = { 0 };
    (void)state;
    for (int i = 0; i < MOST_AT_ONCE; i++)
        all[i] = services_of(numbered(i));

    assert_int_equal(cli->host->ops->services_of(cli->host, "more", &more, &err), ERR_LIMIT);
    assert_string_not_equal(err.hint, "");
    assert_ptr_equal(services_of("p3"), all[3]);
    release(all[3]);
    assert_int_equal(cli->host->ops->services_of(cli->host, "more", &more, &err), ERR_LIMIT);
    release(all[5]);
    release(all[3]);

    more = services_of("more");

    assert_ptr_equal(services_of("p3"), all[3]);
    assert_int_equal(cli->host->ops->services_of(cli->host, "p5", &all[5], &err), ERR_LIMIT);
    for (int i = 0; i < MOST_AT_ONCE; i++)
        if (i != 5)
            release(all[i]);
    release(more);
}

static void a_person_who_gave_way_finds_all_again(void **state)
{
    static const struct approval approval = { APPROVAL_OF_TOOL, "cfg/write", "h" };
    struct services *ada = services_of("ada");
    (void)state;

    assert_int_equal(n_sessions(ada), 1);
    assert_int_equal(n_runs(ada), 1);
    assert_true(has_approval(ada, &approval));
    release(ada);
}

static int judge(struct cli *running)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_and_runs_are_seen_by_whose_they_are),
        cmocka_unit_test(an_approval_is_one_persons),
        cmocka_unit_test(pins_are_one_persons),
        cmocka_unit_test(each_person_has_servers_that_were_started_apart),
        cmocka_unit_test(nobody_is_there_and_yes_is_not_theirs),
        cmocka_unit_test(the_model_is_everybodys),
        cmocka_unit_test(a_name_that_is_none_has_no_services),
        cmocka_unit_test(a_run_is_kept_to_be_replayed_where_its_person_is),
        cmocka_unit_test(what_is_a_persons_is_in_private_folders_of_theirs),
        cmocka_unit_test(who_came_first_gives_way_and_nobody_who_has_something_running),
        cmocka_unit_test(a_person_who_gave_way_finds_all_again),
    };
    cli = running;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static void write_file(const char *name, const char *text)
{
    FILE *out = fopen(name, "w");
    if (!out || fputs(text, out) < 0 || fclose(out))
        abort();
}

static void point_to(const char *variable, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (setenv(variable, path, 1))
        abort();
}

int main(void)
{
    static const struct command command = { .name = "serve", .run = judge };
    AUTO(arena) arena = { 0 };
    struct arguments arguments;
    const char *const words[] = { "test",         "-m",    "none",  "--config",
                                  "settings.yml", "--yes", "serve", "agent" };
    temporary_folder_create(folder);
    point_to("HOME", "home");
    point_to("XDG_DATA_HOME", "data");
    point_to("XDG_STATE_HOME", "state");
    point_to("XDG_CONFIG_HOME", "config");
    if (chdir(folder) || mkdir("config", 0700) || mkdir("config/mistro", 0700))
        abort();
    write_file("settings.yml", "mistral_orchestrator: {runs: {keep_state: always}}\n");
    write_file("seen.txt", "plums\n");
    write_file("tools.yml", "tools:\n  - {name: add, description: Adds two numbers.}\n");
    write_file(
        "config/mistro/mcp.json",
        "{\"mcpServers\":{\"dev\":{\"command\":\"sh\",\"args\":[\"-c\",\"printf x >>started; "
        "exec " BUILD_DIR "/mistro serve mock --fixture tools.yml\"]}}}");
    if (arguments_parse(&arena, ARRAY_LENGTH(words), words, &arguments, NULL))
        abort();
    int status = compose_and_run(&arguments, &command);
    temporary_folder_remove(folder);
    return status;
}
