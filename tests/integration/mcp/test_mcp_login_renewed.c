
#include "tests/support/cmocka.h"
#include "tests/support/full/login/login_bench.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum err_code call_and_log_in_and_call(struct runtime *runtime, struct scope *scope,
                                              void *argument)
{
    (void)peer_call(runtime, scope, argument);
    return login_bench_log_in_and_call(runtime, scope, argument);
}

static void renews_a_token_without_a_person(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench, (struct authorization_server_options){ 0 });
    peer_run(&bench.peer, login_bench_log_in_and_call_spent);
    login_bench_assert_let_in(&bench);
    assert_int_equal(bench.server.n_authorized, 1);
    assert_int_equal(bench.server.n_refreshed, 1);
    assert_int_equal(bench.server.n_calls, 2);
    login_bench_finish(&bench);
}

static void renews_a_token_while_a_task_is_looked_at(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench, (struct authorization_server_options){ .makes_tasks = true });
    peer_run(&bench.peer, login_bench_log_in_and_call);
    login_bench_assert_let_in(&bench);
    assert_int_equal(bench.server.n_refreshed, 1);
    assert_int_equal(bench.server.n_calls, 1);
    login_bench_finish(&bench);
}

static void gives_a_task_up_when_its_token_cannot_be_renewed(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench, (struct authorization_server_options){
                                 .makes_tasks = true, .refresh_error = "invalid_grant" });
    peer_run(&bench.peer, login_bench_log_in_and_call);
    login_bench_assert_kept_out(&bench, "its login is over");
    assert_int_equal(bench.server.n_calls, 1);
    login_bench_finish(&bench);
}

static void needs_a_person_when_a_token_cannot_be_renewed(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench,
                     (struct authorization_server_options){ .refresh_error = "invalid_grant" });
    peer_run(&bench.peer, login_bench_log_in_and_call_spent);
    login_bench_assert_kept_out(&bench, "its login is over");
    peer_run(&bench.peer, login_bench_log_in_and_call);
    login_bench_assert_let_in(&bench);
    assert_int_equal(bench.server.n_registered, 1);
    login_bench_finish(&bench);
    login_bench_init(&bench, (struct authorization_server_options){ .no_refresh = true });
    peer_run(&bench.peer, login_bench_log_in_and_call_spent);
    login_bench_assert_kept_out(&bench, "its login is over");
    login_bench_finish(&bench);
}

static void keeps_a_login_that_cannot_be_renewed_now(void **state)
{
    static const struct {
        const char *error;
        int status;
        enum err_code code;
    } answers[] = { { "slow_down", 429, ERR_UNAVAILABLE }, { "", 403, ERR_PROTOCOL } };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(answers); i++) {
        struct login_bench bench;
        login_bench_init(
            &bench, (struct authorization_server_options){ .refresh_error = answers[i].error,
                                                           .refresh_status = answers[i].status });
        peer_run(&bench.peer, login_bench_log_in_and_call_spent);
        assert_int_equal(bench.peer.code, answers[i].code);
        bench.server.options.refresh_error = NULL;
        peer_run(&bench.peer, peer_call);
        login_bench_assert_let_in(&bench);
        assert_int_equal(bench.server.n_authorized, 1);
        assert_int_equal(bench.server.n_refreshed, 1);
        login_bench_finish(&bench);
    }
}

/* Nothing can be written: the disk is full. */
static enum err_code call_on_a_full_disk(struct runtime *runtime, struct scope *scope,
                                         void *argument)
{
    struct login_bench *bench = login_bench_of(argument);
    char in_the_way[100];
    enum err_code r = login_bench_log_in_and_call(runtime, scope, argument);
    snprintf(in_the_way, sizeof in_the_way, "%s/.new", bench->folder);
    if (r || mkdir(in_the_way, 0700))
        return r ? r : ERR_FAILED;
    bench->refused = login_bench_call_spent(runtime, scope, argument);
    r = peer_call(runtime, scope, argument);
    if (r || rmdir(in_the_way))
        return r ? r : ERR_FAILED;
    return login_bench_call_spent(runtime, scope, argument);
}

static void a_rotated_token_that_cannot_be_written_is_used_all_the_same(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench, (struct authorization_server_options){ 0 });
    peer_run(&bench.peer, call_on_a_full_disk);
    login_bench_assert_let_in(&bench);
    assert_int_equal(bench.refused, ERR_UNAVAILABLE);
    assert_int_equal(bench.server.n_refreshed, 2);
    peer_run(&bench.peer, login_bench_call_spent); /* as another process */
    login_bench_assert_let_in(&bench);
    assert_int_equal(bench.server.n_authorized, 1);
    login_bench_finish(&bench);
}

/* Nobody asks anything meanwhile. */
static enum err_code listen_after_the_token_is_spent(struct runtime *runtime, struct scope *scope,
                                                     void *argument)
{
    struct login_bench *bench = login_bench_of(argument);
    int64_t until_ms = runtime_now_ms(runtime) + 5000;
    enum err_code r = login_bench_log_in_and_call(runtime, scope, argument);
    auth_server_expire(&bench->server);
    unsigned n_before = bench->server.n_listens;
    while (!r && bench->server.n_listens == n_before && runtime_now_ms(runtime) < until_ms)
        r = runtime_sleep(runtime, scope, 5, NULL);
    return r;
}

static enum err_code call_and_wait_until_the_login_is_over(struct runtime *runtime,
                                                           struct scope *scope, void *argument)
{
    struct tool_server_status status = { .is_logged_in = true };
    int64_t until_ms = runtime_now_ms(runtime) + 5000;
    enum err_code r = login_bench_log_in_and_call(runtime, scope, argument);
    auth_server_expire(&login_bench_of(argument)->server);
    while (!r && status.is_logged_in && runtime_now_ms(runtime) < until_ms) {
        r = runtime_sleep(runtime, scope, 5, NULL);
        tool_server_status(login_bench_of(argument)->peer.server, &status);
    }
    return r ? r : peer_call(runtime, scope, argument);
}

static void listens_on_with_another_token(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench, (struct authorization_server_options){ .announces = true });
    bench.peer.settings.mcp_list_changed_delay_ms = 20;
    peer_run(&bench.peer, listen_after_the_token_is_spent);
    login_bench_assert_let_in(&bench);
    assert_int_equal(bench.server.n_refreshed, 1);
    assert_int_equal(bench.server.n_calls, 1);
    login_bench_finish(&bench);
}

static void hears_that_nobody_lets_the_listener_in(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench, (struct authorization_server_options){
                                 .announces = true, .refresh_error = "invalid_grant" });
    bench.peer.settings.mcp_list_changed_delay_ms = 1;
    peer_run(&bench.peer, call_and_wait_until_the_login_is_over);
    login_bench_assert_kept_out(&bench, "its login is over");
    assert_int_equal(bench.server.n_refreshed, 0);
    login_bench_finish(&bench);
}

static void asks_for_more_at_the_next_login_where_a_call_wants_more(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(
        &bench, (struct authorization_server_options){ .scope = "read", .call_scope = "write" });
    peer_run(&bench.peer, login_bench_log_in_and_call);
    login_bench_assert_kept_out(&bench, "more scopes");
    peer_run(&bench.peer, login_bench_log_in_and_call); /* as another process */
    login_bench_assert_let_in(&bench);
    assert_string_equal(bench.server.asked, "read write");
    login_bench_finish(&bench);
}

static void asks_once_for_what_does_not_help(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench, (struct authorization_server_options){ .call_scope = "write",
                                                                    .never_enough = true });
    peer_run(&bench.peer, call_and_log_in_and_call);
    login_bench_assert_kept_out(&bench, "more scopes");
    peer_run(&bench.peer, login_bench_log_in_and_call);
    login_bench_assert_kept_out(&bench, "were asked for at the last login");
    assert_null(strstr(bench.peer.err.hint, "login"));
    login_bench_finish(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renews_a_token_without_a_person),
        cmocka_unit_test(renews_a_token_while_a_task_is_looked_at),
        cmocka_unit_test(gives_a_task_up_when_its_token_cannot_be_renewed),
        cmocka_unit_test(needs_a_person_when_a_token_cannot_be_renewed),
        cmocka_unit_test(keeps_a_login_that_cannot_be_renewed_now),
        cmocka_unit_test(a_rotated_token_that_cannot_be_written_is_used_all_the_same),
        cmocka_unit_test(listens_on_with_another_token),
        cmocka_unit_test(hears_that_nobody_lets_the_listener_in),
        cmocka_unit_test(asks_for_more_at_the_next_login_where_a_call_wants_more),
        cmocka_unit_test(asks_once_for_what_does_not_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
