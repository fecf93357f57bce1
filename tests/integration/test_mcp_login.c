#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "infrastructure/mcp/oauth/token_store.h"
#include "infrastructure/net/http_client.h"
#include "tests/support/full/authorization_server.h"
#include "tests/support/full/peer.h"
#include "tests/support/full/robot_login.h"
#include "tests/support/full/uv_subject.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A client with a store of its own, and the server it logs in to. */
struct bench {
    struct peer peer;
    struct auth_server server;
    char folder[64];
    /* Outcomes of a login. */
    enum err_code login;
    struct err login_err;
    bool was_in;
    enum err_code refused; /* of a call before the last */
};

static void bench_init(struct bench *bench, struct authorization_server_options options)
{
    *bench = (struct bench){ 0 };
    PEER(&bench->peer, NULL);
    temporary_folder_create(bench->folder);
    auth_server_init(&bench->server, bench->peer.runtime, &options);
    bench->peer.logins = token_store_create(bench->peer.runtime, bench->folder);
    bench->peer.config.command = NULL;
    bench->peer.config.url = auth_server_url(&bench->server);
    bench->peer.config.file = "mcp.json";
}

static void bench_finish(struct bench *bench)
{
    token_store_destroy(bench->peer.logins);
    auth_server_finish(&bench->server);
    peer_finish(&bench->peer);
    temporary_folder_remove(bench->folder);
}

static struct bench *bench_of(void *peer)
{
    return peer;
}

static enum err_code log_in(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct bench *bench = bench_of(argument);
    struct http_client *http = http_client_create(bench->peer.runtime);
    bench->login = robot_login(runtime, http, bench->peer.server, scope, &bench->login_err);
    http_client_destroy(http);
    return bench->login;
}

static enum err_code log_in_and_call(struct runtime *runtime, struct scope *scope, void *argument)
{
    enum err_code r = log_in(runtime, scope, argument);
    return r ? r : peer_call(runtime, scope, argument);
}

static enum err_code call_and_log_in_and_call(struct runtime *runtime, struct scope *scope,
                                              void *argument)
{
    (void)peer_call(runtime, scope, argument);
    return log_in_and_call(runtime, scope, argument);
}

static enum err_code call_after_the_token_is_spent(struct runtime *runtime, struct scope *scope,
                                                   void *argument)
{
    enum err_code r = log_in_and_call(runtime, scope, argument);
    auth_server_expire(&bench_of(argument)->server);
    return r ? r : peer_call(runtime, scope, argument);
}

static enum err_code log_out(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct bench *bench = bench_of(argument);
    (void)runtime;
    return tool_server_log_out(bench->peer.server, scope, &bench->was_in, &bench->login_err);
}

static void assert_let_in(struct bench *bench)
{
    assert_string_equal(bench->login ? bench->login_err.message : "", "");
    assert_string_equal(bench->peer.err.message, "");
    assert_int_equal(bench->peer.code, ERR_NONE);
    assert_string_equal(step_result_text(&bench->peer.arena, &bench->peer.result), "let in");
    assert_null(bench->server.problem);
}

static void assert_kept_out(struct bench *bench, const char *message)
{
    assert_int_equal(bench->peer.code, ERR_AUTH);
    assert_non_null(strstr(bench->peer.err.message, message));
}

static void says_that_a_person_must_log_in(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, (struct authorization_server_options){ 0 });
    peer_run(&bench.peer, peer_call);
    assert_kept_out(&bench, "it needs a login");
    assert_non_null(strstr(bench.peer.err.hint, "mistro servers login"));
    assert_int_equal(bench.server.n_authorized, 0);
    bench_finish(&bench);
}

static void logs_in_and_says_with_whom(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench,
               (struct authorization_server_options){ .scope = "read", .expires_in = 3600 });
    peer_run(&bench.peer, log_in_and_call);
    assert_let_in(&bench);
    assert_true(bench.peer.status.is_logged_in);
    assert_string_equal(bench.server.asked, "read");
    assert_int_equal(bench.server.n_registered, 1);
    bench_finish(&bench);
}

static void needs_no_other_login_in_the_next_process(void **state)
{
    struct bench bench;
    struct stat folder, file;
    char path[100];
    (void)state;
    bench_init(&bench, (struct authorization_server_options){ 0 });
    peer_run(&bench.peer, log_in);
    peer_run(&bench.peer, peer_call);
    assert_let_in(&bench);
    snprintf(path, sizeof path, "%s/logins.json", bench.folder);
    assert_int_equal(stat(bench.folder, &folder), 0);
    assert_int_equal(stat(path, &file), 0);
    assert_int_equal(folder.st_mode & 0777, 0700);
    assert_int_equal(file.st_mode & 0777, 0600);
    bench_finish(&bench);
}

static void proves_itself_in_every_way_a_server_may_want(void **state)
{
    static const char *const methods[] = { "none", "client_secret_basic", "client_secret_post" };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(methods); i++) {
        struct bench bench;
        bench_init(&bench, (struct authorization_server_options){ .auth_method = methods[i] });
        peer_run(&bench.peer, call_after_the_token_is_spent);
        assert_let_in(&bench);
        assert_int_equal(bench.server.n_refreshed, 1);
        bench_finish(&bench);
    }
}

static void renews_a_token_without_a_person(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, (struct authorization_server_options){ 0 });
    peer_run(&bench.peer, call_after_the_token_is_spent);
    assert_let_in(&bench);
    assert_int_equal(bench.server.n_authorized, 1);
    assert_int_equal(bench.server.n_refreshed, 1);
    assert_int_equal(bench.server.n_calls, 2);
    bench_finish(&bench);
}

static void renews_a_token_while_a_task_is_looked_at(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, (struct authorization_server_options){ .makes_tasks = true });
    peer_run(&bench.peer, log_in_and_call);
    assert_let_in(&bench);
    assert_int_equal(bench.server.n_refreshed, 1);
    assert_int_equal(bench.server.n_calls, 1);
    bench_finish(&bench);
}

static void gives_a_task_up_when_its_token_cannot_be_renewed(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, (struct authorization_server_options){ .makes_tasks = true,
                                                              .refresh_error = "invalid_grant" });
    peer_run(&bench.peer, log_in_and_call);
    assert_kept_out(&bench, "its login is over");
    assert_int_equal(bench.server.n_calls, 1);
    bench_finish(&bench);
}

static void needs_a_person_when_a_token_cannot_be_renewed(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, (struct authorization_server_options){ .refresh_error = "invalid_grant" });
    peer_run(&bench.peer, call_after_the_token_is_spent);
    assert_kept_out(&bench, "its login is over");
    peer_run(&bench.peer, log_in_and_call);
    assert_let_in(&bench);
    assert_int_equal(bench.server.n_registered, 1);
    bench_finish(&bench);
    bench_init(&bench, (struct authorization_server_options){ .no_refresh = true });
    peer_run(&bench.peer, call_after_the_token_is_spent);
    assert_kept_out(&bench, "its login is over");
    bench_finish(&bench);
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
        struct bench bench;
        bench_init(&bench,
                   (struct authorization_server_options){ .refresh_error = answers[i].error,
                                                          .refresh_status = answers[i].status });
        peer_run(&bench.peer, call_after_the_token_is_spent);
        assert_int_equal(bench.peer.code, answers[i].code);
        bench.server.options.refresh_error = NULL;
        peer_run(&bench.peer, peer_call);
        assert_let_in(&bench);
        assert_int_equal(bench.server.n_authorized, 1);
        assert_int_equal(bench.server.n_refreshed, 1);
        bench_finish(&bench);
    }
}

static enum err_code call_when_the_token_is_spent(struct runtime *runtime, struct scope *scope,
                                                  void *argument)
{
    auth_server_expire(&bench_of(argument)->server);
    return peer_call(runtime, scope, argument);
}

/* Nothing can be written: the disk is full. */
static enum err_code call_on_a_full_disk(struct runtime *runtime, struct scope *scope,
                                         void *argument)
{
    struct bench *bench = bench_of(argument);
    char in_the_way[100];
    enum err_code r = log_in_and_call(runtime, scope, argument);
    snprintf(in_the_way, sizeof in_the_way, "%s/.new", bench->folder);
    if (r || mkdir(in_the_way, 0700))
        return r ? r : ERR_FAILED;
    bench->refused = call_when_the_token_is_spent(runtime, scope, argument);
    r = peer_call(runtime, scope, argument);
    if (r || rmdir(in_the_way))
        return r ? r : ERR_FAILED;
    return call_when_the_token_is_spent(runtime, scope, argument);
}

static void a_rotated_token_that_cannot_be_written_is_used_all_the_same(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, (struct authorization_server_options){ 0 });
    peer_run(&bench.peer, call_on_a_full_disk);
    assert_let_in(&bench);
    assert_int_equal(bench.refused, ERR_UNAVAILABLE);
    assert_int_equal(bench.server.n_refreshed, 2);
    peer_run(&bench.peer, call_when_the_token_is_spent); /* as another process */
    assert_let_in(&bench);
    assert_int_equal(bench.server.n_authorized, 1);
    bench_finish(&bench);
}

/* Nobody asks anything meanwhile. */
static enum err_code listen_after_the_token_is_spent(struct runtime *runtime, struct scope *scope,
                                                     void *argument)
{
    struct bench *bench = bench_of(argument);
    int64_t until_ms = runtime_now_ms(runtime) + 5000;
    enum err_code r = log_in_and_call(runtime, scope, argument);
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
    enum err_code r = log_in_and_call(runtime, scope, argument);
    auth_server_expire(&bench_of(argument)->server);
    while (!r && status.is_logged_in && runtime_now_ms(runtime) < until_ms) {
        r = runtime_sleep(runtime, scope, 5, NULL);
        tool_server_status(bench_of(argument)->peer.server, &status);
    }
    return r ? r : peer_call(runtime, scope, argument);
}

static void listens_on_with_another_token(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, (struct authorization_server_options){ .announces = true });
    bench.peer.settings.mcp_list_changed_delay_ms = 20;
    peer_run(&bench.peer, listen_after_the_token_is_spent);
    assert_let_in(&bench);
    assert_int_equal(bench.server.n_refreshed, 1);
    assert_int_equal(bench.server.n_calls, 1);
    bench_finish(&bench);
}

static void hears_that_nobody_lets_the_listener_in(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, (struct authorization_server_options){ .announces = true,
                                                              .refresh_error = "invalid_grant" });
    bench.peer.settings.mcp_list_changed_delay_ms = 1;
    peer_run(&bench.peer, call_and_wait_until_the_login_is_over);
    assert_kept_out(&bench, "its login is over");
    assert_int_equal(bench.server.n_refreshed, 0);
    bench_finish(&bench);
}

static void asks_for_more_at_the_next_login_where_a_call_wants_more(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench,
               (struct authorization_server_options){ .scope = "read", .call_scope = "write" });
    peer_run(&bench.peer, log_in_and_call);
    assert_kept_out(&bench, "more scopes");
    peer_run(&bench.peer, log_in_and_call); /* as another process */
    assert_let_in(&bench);
    assert_string_equal(bench.server.asked, "read write");
    bench_finish(&bench);
}

static void asks_once_for_what_does_not_help(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, (struct authorization_server_options){ .call_scope = "write",
                                                              .never_enough = true });
    peer_run(&bench.peer, call_and_log_in_and_call);
    assert_kept_out(&bench, "more scopes");
    peer_run(&bench.peer, log_in_and_call);
    assert_kept_out(&bench, "were asked for at the last login");
    assert_null(strstr(bench.peer.err.hint, "login"));
    bench_finish(&bench);
}

static void lets_a_program_in_by_its_secret(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, (struct authorization_server_options){ .auth_method = "client_secret_basic",
                                                              .scope = "read" });
    bench.peer.config.oauth =
        (struct server_oauth){ .client_id = "robot", .client_secret = "hush", .is_machine = true };
    peer_run(&bench.peer, peer_call);
    assert_let_in(&bench);
    assert_int_equal(bench.server.n_authorized, 0);
    auth_server_expire(&bench.server);
    peer_run(&bench.peer, peer_call);
    assert_let_in(&bench);
    assert_int_equal(bench.server.n_tokens, 2);
    bench_finish(&bench);
}

static void gives_tokens_back_and_forgets_them(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, (struct authorization_server_options){ 0 });
    peer_run(&bench.peer, log_in);
    peer_run(&bench.peer, log_out);
    assert_true(bench.was_in);
    assert_int_equal(bench.server.n_revoked, 2);
    peer_run(&bench.peer, peer_call);
    assert_kept_out(&bench, "it needs a login");
    peer_run(&bench.peer, log_out);
    assert_false(bench.was_in);
    bench_finish(&bench);
}

static void assert_no_login(struct authorization_server_options options, enum err_code code,
                            const char *words)
{
    struct bench bench;
    bench_init(&bench, options);
    bench.peer.settings.mcp_login_seconds = 1;
    peer_run(&bench.peer, log_in);
    assert_int_equal(bench.login, code);
    assert_non_null(strstr(bench.login_err.message, words));
    assert_int_equal(bench.server.n_tokens, 0);
    bench_finish(&bench);
}

static void takes_no_answer_of_another_issuer(void **state)
{
    (void)state;
    assert_no_login((struct authorization_server_options){ .iss = "https://evil" }, ERR_AUTH,
                    "does not come from");
}

static void says_what_the_page_said(void **state)
{
    (void)state;
    assert_no_login((struct authorization_server_options){ .error = "access_denied" }, ERR_AUTH,
                    "refuses: access_denied");
}

static void logs_in_nowhere_without_pkce(void **state)
{
    (void)state;
    assert_no_login((struct authorization_server_options){ .no_s256 = true }, ERR_PROTOCOL, "S256");
}

static void says_what_to_configure_where_it_cannot_register(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, (struct authorization_server_options){ .no_registration = true });
    peer_run(&bench.peer, log_in);
    assert_int_equal(bench.login, ERR_AUTH);
    assert_non_null(strstr(bench.login_err.hint, "mcp.json: \"oauth\": {\"client_id\""));
    bench.peer.config.oauth.client_id = "known";
    bench.login_err = (struct err){ 0 };
    peer_run(&bench.peer, log_in_and_call);
    assert_let_in(&bench);
    bench_finish(&bench);
}

/* Nobody opens the page. */
static enum err_code log_in_alone(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct bench *bench = bench_of(argument);
    struct login login = { 0 };
    (void)runtime;
    return bench->login = tool_server_log_in(bench->peer.server, scope, &login, &bench->login_err);
}

static void waits_for_a_person_for_a_time_only(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, (struct authorization_server_options){ 0 });
    bench.peer.settings.mcp_login_seconds = 1;
    peer_run(&bench.peer, log_in_alone);
    assert_int_equal(bench.login, ERR_TIMEOUT);
    assert_non_null(strstr(bench.login_err.message, "nobody came back within 1 s"));
    bench_finish(&bench);
}

/* The page may have said that nobody knows the client any more. */
static void registers_again_when_nobody_came_back_and_keeps_what_there_was(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench,
               (struct authorization_server_options){ .auth_method = "client_secret_basic" });
    peer_run(&bench.peer, log_in_and_call);
    bench.peer.settings.mcp_login_seconds = 1;
    peer_run(&bench.peer, log_in_alone);
    assert_int_equal(bench.login, ERR_TIMEOUT);
    assert_int_equal(bench.server.n_registered, 1);
    bench.login = ERR_NONE;
    peer_run(&bench.peer, call_when_the_token_is_spent);
    assert_let_in(&bench);
    assert_int_equal(bench.server.n_refreshed, 1);
    peer_run(&bench.peer, log_in_and_call);
    assert_int_equal(bench.server.n_registered, 2);
    bench_finish(&bench);
}

static void shows_a_secret_to_no_other_authorization_server(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench,
               (struct authorization_server_options){ .auth_method = "client_secret_basic" });
    bench.peer.config.oauth =
        (struct server_oauth){ .client_id = "robot", .client_secret = "hush", .is_machine = true };
    peer_run(&bench.peer, peer_call);
    assert_let_in(&bench);
    bench.server.options.issuer_path = "/evil";
    peer_run(&bench.peer, call_when_the_token_is_spent);
    assert_kept_out(&bench, "/evil'");
    assert_non_null(strstr(bench.peer.err.hint, "mcp.json: \"oauth\": {\"issuer\": …}"));
    assert_int_equal(bench.server.n_tokens, 1);
    bench_finish(&bench);
}

static void a_header_of_the_configuration_counts_for_more(void **state)
{
    static const char *const headers[] = { "authorization: Bearer mine" };
    struct bench bench;
    (void)state;
    bench_init(&bench, (struct authorization_server_options){ 0 });
    peer_run(&bench.peer, log_in);
    bench.peer.config.headers = headers;
    bench.peer.config.n_headers = 1;
    peer_run(&bench.peer, peer_call);
    assert_kept_out(&bench, "HTTP 401");
    peer_run(&bench.peer, log_in);
    assert_int_equal(bench.login, ERR_INVALID);
    assert_non_null(strstr(bench.login_err.hint, "take the header out of mcp.json"));
    bench_finish(&bench);
}

static void a_server_that_wants_none_has_no_login(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, (struct authorization_server_options){ 0 });
    struct mock_endpoint *other = mock_endpoint_create(bench.peer.runtime);
    mock_endpoint_add(other, (struct mock_answer){ .path = "/mcp", .body = "{}" });
    bench.peer.config.url = arena_printf(&bench.server.arena, "%s/mcp", mock_endpoint_url(other));
    peer_run(&bench.peer, log_in);
    assert_int_equal(bench.login, ERR_INVALID);
    assert_non_null(strstr(bench.login_err.message, "asks for no login"));
    mock_endpoint_destroy(other);
    bench_finish(&bench);
}

static void a_token_follows_no_redirect_out_of_its_resource(void **state)
{
    struct bench bench;
    const struct mock_request *requests;
    (void)state;
    bench_init(&bench, (struct authorization_server_options){ 0 });
    peer_run(&bench.peer, log_in);
    bench.server.options.redirect = "/moved/mcp";
    peer_run(&bench.peer, peer_call);
    size_t n = mock_endpoint_requests(bench.server.endpoint, &requests), n_moved = 0;
    for (size_t i = 0; i < n; i++)
        if (strncmp(requests[i].path, "/moved", 6) == 0) {
            n_moved++;
            assert_string_equal(requests[i].authorization, "");
        }
    assert_int_not_equal(n_moved, 0);
    bench_finish(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_that_a_person_must_log_in),
        cmocka_unit_test(logs_in_and_says_with_whom),
        cmocka_unit_test(needs_no_other_login_in_the_next_process),
        cmocka_unit_test(proves_itself_in_every_way_a_server_may_want),
        cmocka_unit_test(renews_a_token_without_a_person),
        cmocka_unit_test(renews_a_token_while_a_task_is_looked_at),
        cmocka_unit_test(gives_a_task_up_when_its_token_cannot_be_renewed),
        cmocka_unit_test(needs_a_person_when_a_token_cannot_be_renewed),
        cmocka_unit_test(keeps_a_login_that_cannot_be_renewed_now),
        cmocka_unit_test(a_rotated_token_that_cannot_be_written_is_used_all_the_same),
        cmocka_unit_test(registers_again_when_nobody_came_back_and_keeps_what_there_was),
        cmocka_unit_test(shows_a_secret_to_no_other_authorization_server),
        cmocka_unit_test(listens_on_with_another_token),
        cmocka_unit_test(hears_that_nobody_lets_the_listener_in),
        cmocka_unit_test(asks_for_more_at_the_next_login_where_a_call_wants_more),
        cmocka_unit_test(asks_once_for_what_does_not_help),
        cmocka_unit_test(lets_a_program_in_by_its_secret),
        cmocka_unit_test(gives_tokens_back_and_forgets_them),
        cmocka_unit_test(takes_no_answer_of_another_issuer),
        cmocka_unit_test(says_what_the_page_said),
        cmocka_unit_test(logs_in_nowhere_without_pkce),
        cmocka_unit_test(says_what_to_configure_where_it_cannot_register),
        cmocka_unit_test(waits_for_a_person_for_a_time_only),
        cmocka_unit_test(a_header_of_the_configuration_counts_for_more),
        cmocka_unit_test(a_server_that_wants_none_has_no_login),
        cmocka_unit_test(a_token_follows_no_redirect_out_of_its_resource),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
