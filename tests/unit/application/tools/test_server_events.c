#include "application/runs/run_session.h"
#include "application/tools/server_events.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include <stdio.h>
#include <string.h>

/* The events of servers, each as its name and data on a line. */
struct spy {
    struct observer base;
    char text[2000];
};

static void note(struct observer *observer, const struct event *event)
{
    struct spy *spy = (struct spy *)observer;
    size_t used = strlen(spy->text);
    auto_str data = json_print(event->data);
    if (event->kind == EVENT_SERVER_STATE || event->kind == EVENT_SERVER_LOG ||
        event->kind == EVENT_TOOLS_CHANGED || event->kind == EVENT_RUN_FINISHED)
        snprintf(spy->text + used, sizeof spy->text - used, "%s %s\n", event_kind_name(event->kind),
                 event->kind == EVENT_RUN_FINISHED ? "" : data);
}

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct fake_tool_server *server;
    struct spy spy;
    struct arena arena;
    struct scope scope;
    struct run_session session;
};

static const struct run_options call = { .kind = "call", .title = "x" };

static int set_up(void **state)
{
    static const struct observer_ops ops = { note };
    struct bench *bench = calloc(1, sizeof *bench);
    struct err err = { 0 };
    bench->runtime = immediate_runtime();
    bench->scope.deadline_ms = SCOPE_NO_DEADLINE;
    bench->spy.base.ops = &ops;
    fake_services_init(&bench->services, &bench->runtime.port, SOURCE_DIR);
    bench->server = fake_services_add_server(
        &bench->services, "files", "[{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}}]");
    bench->services.base.wants_server_logs = true;
    bench->services.base.observer = &bench->spy.base;
    if (run_session_begin(&bench->session, &bench->services.base, &bench->scope, &bench->arena,
                          &call, &err) ||
        run_session_open_tools(&bench->session, NULL, &err))
        return -1;
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    fake_services_finish(&bench->services);
    arena_finish(&bench->arena);
    free(bench);
    return 0;
}

static void a_run_tells_the_states_of_its_servers(void **state)
{
    struct bench *bench = *state;
    const struct tool_server_listener *listener = &bench->server->listener;
    bench->server->state = SERVER_STARTING;
    listener->on_state(listener->context, &bench->server->base);
    bench->server->state = SERVER_READY;
    listener->on_state(listener->context, &bench->server->base);
    bench->server->state = SERVER_FAILED;
    listener->on_state(listener->context, &bench->server->base);
    run_session_end(&bench->session, RUN_COMPLETED, NULL);
    assert_string_equal(bench->spy.text,
                        "server_state {\"server\":\"files\",\"state\":\"starting\"}\n"
                        "server_state {\"server\":\"files\",\"state\":\"ready\",\"transport\":"
                        "\"in process\",\"start_ms\":1}\n"
                        "server_state {\"server\":\"files\",\"state\":\"failed\"}\n"
                        "run_finished \n");
}

static void a_run_passes_on_what_servers_log_without_its_secrets(void **state)
{
    struct bench *bench = *state;
    const struct tool_server_listener *listener = &bench->server->listener;
    listener->on_log(listener->context, &bench->server->base, "info", "api_key=abcdef123456");
    listener->on_log(listener->context, &bench->server->base,
                     "a-level-that-is-much-longer-than-levels-are", "\xff\x1b");
    listener->on_tools_changed(listener->context, &bench->server->base);
    run_session_end(&bench->session, RUN_COMPLETED, NULL);
    assert_string_equal(
        bench->spy.text,
        "server_log {\"server\":\"files\",\"level\":\"info\",\"text\":\"api_key=[redacted]\"}\n"
        "server_log {\"server\":\"files\",\"level\":\"a-level-that-is-much-longer-than\",\"text\":"
        "\"\\\\xff\\\\x1b\"}\n"
        "tools_changed {\"server\":\"files\"}\n"
        "run_finished \n");
    assert_int_equal(fake_services_count(&bench->services, EVENT_SERVER_LOG), 0);
    assert_int_equal(fake_services_count(&bench->services, EVENT_TOOLS_CHANGED), 1);
}

static void nobody_listens_once_the_run_is_over(void **state)
{
    struct bench *bench = *state;
    assert_non_null(bench->server->listener.on_state);
    run_session_end(&bench->session, RUN_COMPLETED, NULL);
    assert_null(bench->server->listener.on_state);
    assert_null(bench->server->listener.on_log);
    assert_null(bench->server->listener.on_tools_changed);
}

static void whoever_only_looks_is_told_as_well_and_nothing_is_kept(void **state)
{
    struct bench *bench = *state;
    struct server_watch watch;
    run_session_end(&bench->session, RUN_COMPLETED, NULL);
    size_t before = fake_services_count(&bench->services, EVENT_TOOLS_CHANGED);
    bench->services.base.wants_server_logs = false;
    server_watch_begin(&watch, &bench->services.base, bench->services.server_ports, 1);
    const struct tool_server_listener *listener = &bench->server->listener;
    assert_null(listener->on_log);
    listener->on_tools_changed(listener->context, &bench->server->base);
    server_watch_end(&watch);
    assert_string_equal(bench->spy.text, "run_finished \ntools_changed {\"server\":\"files\"}\n");
    assert_int_equal(fake_services_count(&bench->services, EVENT_TOOLS_CHANGED), before);
    assert_null(listener->on_tools_changed);
}

static size_t n_many;

/* The one server of the bench, n_many times. */
static enum err_code give_many(struct services *services, struct scope *scope,
                               struct tool_server ***out, size_t *out_n, struct err *err)
{
    static struct tool_server *many[TOOLBOX_MAX_SERVERS + 1];
    (void)scope;
    (void)err;
    for (size_t i = 0; i < n_many; i++)
        many[i] = ((struct fake_services *)services)->server_ports[0];
    *out = many;
    *out_n = n_many;
    return ERR_NONE;
}

static enum err_code open_many(struct bench *bench, size_t n_servers, struct err *err)
{
    struct run_session session;
    n_many = n_servers;
    enum err_code r = run_session_begin(&session, &bench->services.base, &bench->scope,
                                        &bench->arena, &call, err);
    assert_int_equal(r, ERR_NONE);
    r = run_session_open_tools(&session, NULL, err);
    run_session_end(&session, r ? RUN_FAILED : RUN_COMPLETED, r ? err : NULL);
    return r;
}

static void a_run_uses_a_bounded_number_of_servers(void **state)
{
    struct bench *bench = *state;
    struct services_ops ops = *bench->services.base.ops;
    struct err err = { 0 };
    run_session_end(&bench->session, RUN_COMPLETED, NULL);
    ops.servers = give_many;
    bench->services.base.ops = &ops;
    assert_int_equal(open_many(bench, TOOLBOX_MAX_SERVERS, &err), ERR_NONE);
    assert_int_equal(open_many(bench, TOOLBOX_MAX_SERVERS + 1, &err), ERR_LIMIT);
    assert_string_equal(err.message, "1004 servers are configured, at most 1003 can be used");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_run_tells_the_states_of_its_servers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_run_passes_on_what_servers_log_without_its_secrets,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(whoever_only_looks_is_told_as_well_and_nothing_is_kept,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(nobody_listens_once_the_run_is_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_run_uses_a_bounded_number_of_servers, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
