/* Plans as tools: which are offered, what may be said of them, whom a call asks. In the texts `
 * stands for a double quote. */
#include "application/agent_tools/agent_tools.h"
#include "application/agent_tools/plan_tools.h"
#include "application/tools/consent.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/service_bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS                                                                                      \
    "[{\"name\":\"look\",\"inputSchema\":{\"type\":\"object\"},\"annotations\":{\"readOnlyHint\":" \
    "true}},{\"name\":\"send\",\"inputSchema\":{\"type\":\"object\"}}]"
#define PLAN(step) "{`version`:2,`steps`:[" step "]}"
#define LOOK PLAN("{`tool`:`web/look`}")

/* A folder in memory, each of whose files is there until it has no text. */
struct fake_folder {
    struct plan_folder base;
    struct plan_folder_file files[4];
    enum err_code fails;
    unsigned n_read, n_warnings;
    char warning[300]; /* the latest */
};

struct bench {
    struct service_bench *services;
    struct documents documents;
    struct fake_folder folder;
    struct tool_server *plans;
    unsigned n_changes;
    struct step_result result;
    struct err err;
};

static const char *quoted(struct arena *arena, const char *text)
{
    char *copy = arena_strdup(arena, text);
    for (char *at = copy; (at = strchr(at, '`')); at++)
        *at = '"';
    return copy;
}

static enum err_code parse(struct documents *documents, const char *text, size_t length,
                           struct arena *keeper, struct problems *problems, struct document *out,
                           struct err *err)
{
    json_t *value = NULL;
    (void)documents;
    (void)problems;
    enum err_code r = json_parse(text, length, JSON_FOREIGN, &value, err);
    if (!r)
        *out = (struct document){ .value = arena_keep_json(keeper, value) };
    return r;
}

static bool place(struct documents *documents, const struct document *document, const char *path,
                  bool of_key, int *out_line, int *out_column)
{
    (void)documents;
    (void)document;
    (void)path;
    (void)of_key;
    (void)out_line;
    (void)out_column;
    return false;
}

static enum err_code stamp(struct plan_folder *port, struct arena *keeper, const char **out,
                           struct err *err)
{
    const struct fake_folder *folder = (const struct fake_folder *)port;
    *out = "";
    for (size_t i = 0; i < ARRAY_LENGTH(folder->files); i++)
        if (folder->files[i].text)
            *out = arena_printf(keeper, "%s%s %s\n", *out, folder->files[i].name,
                                folder->files[i].text);
    return folder->fails ? err_set(err, folder->fails, 0, "it is away") : ERR_NONE;
}

static enum err_code read_all(struct plan_folder *port, struct scope *scope, struct arena *keeper,
                              struct plan_folder_file **out, size_t *out_n, struct err *err)
{
    (void)scope;
    struct fake_folder *folder = (struct fake_folder *)port;
    *out = arena_array(keeper, struct plan_folder_file, ARRAY_LENGTH(folder->files));
    *out_n = 0;
    folder->n_read++;
    for (size_t i = 0; i < ARRAY_LENGTH(folder->files); i++)
        if (folder->files[i].text && !folder->fails)
            (*out)[(*out_n)++] = folder->files[i];
    return folder->fails ? err_set(err, folder->fails, 0, "it is away") : ERR_NONE;
}

static void put(struct bench *bench, size_t at, const char *name, const char *text)
{
    const char *kept = text ? quoted(&bench->services->arena, text) : NULL;
    bench->folder.files[at] =
        (struct plan_folder_file){ .name = name, .text = kept, .length = kept ? strlen(kept) : 0 };
}

static void left_out(struct plan_folder *port, const char *what, const char *why)
{
    struct fake_folder *folder = (struct fake_folder *)port;
    snprintf(folder->warning, sizeof folder->warning, "%s: %s", what, why);
    folder->n_warnings++;
}

static void offer(struct bench *bench, const char *name, struct tool_server *beside)
{
    const struct plan_tools_options options = { .name = name,
                                                .prefix = beside ? PLAN_TOOLS_PREFIX : "",
                                                .folder = &bench->folder.base,
                                                .beside = beside };
    bench->plans = plan_tools_create(&bench->services->services.base, &options);
}

static int set_up(void **state)
{
    static const struct documents_ops documents_ops = { .parse = parse, .place = place };
    struct bench *bench = calloc(1, sizeof *bench);
    bench->services = service_bench_create("web", TOOLS);
    bench->documents.ops = &documents_ops;
    bench->services->services.base.documents = &bench->documents;
    bench->folder.base = (struct plan_folder){ stamp, read_all, left_out, NULL };
    offer(bench, PLAN_TOOLS_NAME, NULL);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    void *services = bench->services;
    tool_server_close(bench->plans, &bench->services->scope);
    tool_server_destroy(bench->plans);
    service_bench_tear_down(&services);
    free(bench);
    return 0;
}

static struct tool_catalogue *list(struct bench *bench)
{
    struct tool_catalogue *catalogue = NULL;
    assert_int_equal(
        tool_server_list(bench->plans, &bench->services->scope, &catalogue, &bench->err), ERR_NONE);
    return catalogue;
}

static const struct tool *tool_named(struct bench *bench, const char *name)
{
    struct tool_catalogue *catalogue = list(bench);
    const struct tool *tool = tool_catalogue_find(catalogue, name);
    tool_catalogue_unref(catalogue); /* the server has it still */
    return tool;
}

static enum err_code call(struct bench *bench, const char *name)
{
    const struct tool_call request = { .name = name };
    return tool_server_call(bench->plans, &bench->services->scope, &request,
                            &bench->services->arena, &bench->result, &bench->err);
}

static void assert_warned(struct bench *bench, const char *words)
{
    if (!strstr(bench->folder.warning, words))
        fail_msg("\"%s\" is not in: %s", words, bench->folder.warning);
}

static void a_plan_only_reads_once_a_person_agreed_that_its_tools_do(void **state)
{
    struct bench *bench = *state;
    struct services *services = &bench->services->services.base;
    put(bench, 0, "look.json", LOOK);
    assert_int_equal(tool_named(bench, "look")->read_only, HINT_NO);

    const struct tool *tool = tool_catalogue_find(bench->services->server->catalogue, "look");
    assert_int_equal(consent_store_repeat(services, &bench->services->server->base,
                                          &bench->services->scope, &bench->services->arena, tool,
                                          NULL),
                     ERR_NONE);
    put(bench, 1, "both.json", PLAN("{`tool`:`web/look`},{`tool`:`web/send`}"));
    put(bench, 2, "used.json", PLAN("{`tool`:`web/nothing`}"));

    assert_int_equal(tool_named(bench, "look")->read_only, HINT_YES);
    assert_int_equal(tool_named(bench, "look")->open_world, HINT_YES);
    assert_int_equal(tool_named(bench, "both")->read_only, HINT_NO);
    assert_int_equal(tool_named(bench, "both")->destructive, HINT_YES);
    assert_int_equal(tool_named(bench, "used")->read_only, HINT_NO);
}

static void a_plan_of_built_in_readers_stays_at_home(void **state)
{
    struct bench *bench = *state;
    bench->services->server->is_builtin = true;
    put(bench, 0, "look.json", LOOK);
    assert_int_equal(tool_named(bench, "look")->read_only, HINT_YES);
    assert_int_equal(tool_named(bench, "look")->open_world, HINT_NO);
}

static void the_folder_is_read_again_only_when_it_changed(void **state)
{
    struct bench *bench = *state;
    put(bench, 0, "look.json", LOOK);
    put(bench, 1, "data.json", "{}");
    tool_catalogue_unref(list(bench));
    tool_catalogue_unref(list(bench));
    assert_int_equal(bench->folder.n_read, 1);
    assert_int_equal(bench->folder.n_warnings, 1);
    assert_warned(bench, "data.json: it is no plan");
    put(bench, 1, "data.json", LOOK);
    assert_non_null(tool_named(bench, "data"));
    assert_int_equal(bench->folder.n_read, 2);
    assert_int_equal(bench->folder.n_warnings, 1);
}

static void on_change(void *context, struct tool_server *server)
{
    struct bench *bench = context;
    (void)server;
    bench->n_changes++;
}

static void who_listens_hears_of_a_change_that_a_call_finds(void **state)
{
    struct bench *bench = *state;
    const struct tool_server_listener listener = { .on_tools_changed = on_change,
                                                   .context = bench };
    tool_server_listen(bench->plans, &listener);
    put(bench, 0, "look.json", LOOK);
    tool_catalogue_unref(list(bench));
    assert_int_equal(bench->n_changes, 0);
    put(bench, 0, "look.json", NULL);
    assert_int_equal(call(bench, "look"), ERR_NOT_FOUND);
    assert_int_equal(call(bench, "look"), ERR_NOT_FOUND);
    assert_int_equal(bench->n_changes, 1);
}

static void as_many_are_offered_as_the_settings_say(void **state)
{
    struct bench *bench = *state;
    bench->services->services.settings.plans_max = 2;
    put(bench, 0, "a.json", LOOK);
    put(bench, 1, "b.json", "[]"); /* does not count */
    put(bench, 2, "c.json", LOOK);
    struct tool_catalogue *catalogue = list(bench);
    assert_int_equal(catalogue->n_tools, 2);
    tool_catalogue_unref(catalogue);
    assert_int_equal(bench->folder.n_warnings, 1);

    put(bench, 3, "d.json", LOOK);
    assert_null(tool_named(bench, "d"));
    assert_warned(bench, "d.json: there are more than 2 (plans.max)");
}

static void its_calls_are_not_consented_to_by_the_call_of_the_plan(void **state)
{
    struct bench *bench = *state;
    put(bench, 0, "send.json", PLAN("{`tool`:`web/send`}"));
    assert_int_equal(call(bench, "send"), ERR_NONE);
    assert_true(bench->result.is_error);
    assert_non_null(strstr(step_result_text(&bench->services->arena, &bench->result),
                           "web/send needs approval"));
    assert_int_equal(bench->services->server->n_calls, 0);

    bench->services->services.base.approve_all = true;
    fake_tool_server_reply(bench->services->server,
                           (struct fake_tool_reply){ .tool = "send", .text = "sent" });
    assert_int_equal(call(bench, "send"), ERR_NONE);
    assert_false(bench->result.is_error);
    assert_string_equal(step_result_text(&bench->services->arena, &bench->result), "sent");
    const json_t *meta = json_object_get(step_result_value(&bench->result), "_meta");
    assert_non_null(json_get_string(meta, PLAN_TOOLS_RUN_ID));
}

static void plans_do_not_see_the_tools_that_plans_are(void **state)
{
    struct bench *bench = *state;
    struct fake_services *services = &bench->services->services;
    services->base.approve_all = true;
    services->server_ports[services->n_servers++] = bench->plans;
    put(bench, 0, "look.json", LOOK);
    put(bench, 1, "bare.json", PLAN("{`tool`:`again`}"));
    put(bench, 2, "again.json", PLAN("{`tool`:`plan/look`}"));
    assert_null(tool_named(bench, "again"));
    assert_warned(bench, "again.json: it calls a tool of the server plan");
    assert_int_equal(call(bench, "bare"), ERR_NONE);
    assert_true(bench->result.is_error);
    services->n_servers--;
}

static void another_servers_tools_are_there_whatever_becomes_of_the_folder(void **state)
{
    struct bench *bench = *state;
    struct tool_server *agent = NULL;
    tool_server_destroy(bench->plans);
    assert_int_equal(agent_tools_create(&bench->services->services.base, &agent, NULL), ERR_NONE);
    offer(bench, AGENT_TOOLS_NAME, agent);
    put(bench, 0, "look.json", LOOK);
    assert_non_null(tool_named(bench, "ask"));
    assert_non_null(tool_named(bench, "plan.look"));

    bench->folder.fails = ERR_INVALID;
    assert_non_null(tool_named(bench, "ask"));
    assert_null(tool_named(bench, "plan.look"));
    assert_warned(bench, "the folder of plans: it is away");
    assert_int_equal(call(bench, "plan"), ERR_NONE);
    assert_true(bench->result.is_error);
    assert_non_null(strstr(step_result_text(&bench->services->arena, &bench->result), "/request"));
}

static void a_folder_that_is_away_has_no_plans_and_says_so_once(void **state)
{
    struct bench *bench = *state;
    put(bench, 0, "look.json", LOOK);
    bench->folder.fails = ERR_INVALID;
    assert_null(tool_named(bench, "look"));
    assert_null(tool_named(bench, "look"));
    assert_int_equal(bench->folder.n_warnings, 1);
    assert_warned(bench, "the folder of plans: it is away");
    bench->folder.fails = ERR_NONE;
    assert_non_null(tool_named(bench, "look"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        T(a_plan_only_reads_once_a_person_agreed_that_its_tools_do),
        T(a_plan_of_built_in_readers_stays_at_home),
        T(the_folder_is_read_again_only_when_it_changed),
        T(who_listens_hears_of_a_change_that_a_call_finds),
        T(as_many_are_offered_as_the_settings_say),
        T(its_calls_are_not_consented_to_by_the_call_of_the_plan),
        T(plans_do_not_see_the_tools_that_plans_are),
        T(another_servers_tools_are_there_whatever_becomes_of_the_folder),
        T(a_folder_that_is_away_has_no_plans_and_says_so_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
