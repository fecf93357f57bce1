
#include "tests/support/cmocka.h"
#include "tests/support/full/login/login_bench.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static enum err_code log_out(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct login_bench *bench = login_bench_of(argument);
    (void)runtime;
    return tool_server_log_out(bench->peer.server, scope, &bench->was_in, &bench->login_err);
}

static void says_that_a_person_must_log_in(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench, (struct authorization_server_options){ 0 });
    peer_run(&bench.peer, peer_call);
    login_bench_assert_kept_out(&bench, "it needs a login");
    assert_non_null(strstr(bench.peer.err.hint, "mistro servers login"));
    assert_int_equal(bench.server.n_authorized, 0);
    login_bench_finish(&bench);
}

static void logs_in_and_says_with_whom(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench,
                     (struct authorization_server_options){ .scope = "read", .expires_in = 3600 });
    peer_run(&bench.peer, login_bench_log_in_and_call);
    login_bench_assert_let_in(&bench);
    assert_true(bench.peer.status.is_logged_in);
    assert_string_equal(bench.server.asked, "read");
    assert_int_equal(bench.server.n_registered, 1);
    login_bench_finish(&bench);
}

static void needs_no_other_login_in_the_next_process(void **state)
{
    struct login_bench bench;
    struct stat folder, file;
    char path[100];
    (void)state;
    login_bench_init(&bench, (struct authorization_server_options){ 0 });
    peer_run(&bench.peer, login_bench_log_in);
    peer_run(&bench.peer, peer_call);
    login_bench_assert_let_in(&bench);
    snprintf(path, sizeof path, "%s/logins.json", bench.folder);
    assert_int_equal(stat(bench.folder, &folder), 0);
    assert_int_equal(stat(path, &file), 0);
    assert_int_equal(folder.st_mode & 0777, 0700);
    assert_int_equal(file.st_mode & 0777, 0600);
    login_bench_finish(&bench);
}

static void proves_itself_in_every_way_a_server_may_want(void **state)
{
    static const char *const methods[] = { "none", "client_secret_basic", "client_secret_post" };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(methods); i++) {
        struct login_bench bench;
        login_bench_init(&bench,
                         (struct authorization_server_options){ .auth_method = methods[i] });
        peer_run(&bench.peer, login_bench_log_in_and_call_spent);
        login_bench_assert_let_in(&bench);
        assert_int_equal(bench.server.n_refreshed, 1);
        login_bench_finish(&bench);
    }
}

static void lets_a_program_in_by_its_secret(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench, (struct authorization_server_options){
                                 .auth_method = "client_secret_basic", .scope = "read" });
    bench.peer.config.oauth =
        (struct server_oauth){ .client_id = "robot", .client_secret = "hush", .is_machine = true };
    peer_run(&bench.peer, peer_call);
    login_bench_assert_let_in(&bench);
    assert_int_equal(bench.server.n_authorized, 0);
    auth_server_expire(&bench.server);
    peer_run(&bench.peer, peer_call);
    login_bench_assert_let_in(&bench);
    assert_int_equal(bench.server.n_tokens, 2);
    login_bench_finish(&bench);
}

static void gives_tokens_back_and_forgets_them(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench, (struct authorization_server_options){ 0 });
    peer_run(&bench.peer, login_bench_log_in);
    peer_run(&bench.peer, log_out);
    assert_true(bench.was_in);
    assert_int_equal(bench.server.n_revoked, 2);
    peer_run(&bench.peer, peer_call);
    login_bench_assert_kept_out(&bench, "it needs a login");
    peer_run(&bench.peer, log_out);
    assert_false(bench.was_in);
    login_bench_finish(&bench);
}

static void assert_no_login(struct authorization_server_options options, enum err_code code,
                            const char *words)
{
    struct login_bench bench;
    login_bench_init(&bench, options);
    bench.peer.settings.mcp_login_seconds = 1;
    peer_run(&bench.peer, login_bench_log_in);
    assert_int_equal(bench.login, code);
    assert_non_null(strstr(bench.login_err.message, words));
    assert_int_equal(bench.server.n_tokens, 0);
    login_bench_finish(&bench);
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

/* The server is on this machine, so this machine is within its reach. */
static void sends_a_person_to_no_address_that_a_server_may_not_name(void **state)
{
    static const char *const pages[] = { "https://10.0.0.1/auth", "https://[fe80::1]/auth",
                                         "https://169.254.169.254/", "https://167772161/auth" };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(pages); i++) {
        struct login_bench bench;
        login_bench_init(&bench, (struct authorization_server_options){ .page = pages[i] });
        peer_run(&bench.peer, login_bench_log_in);
        assert_int_equal(bench.login, ERR_DENIED);
        assert_non_null(strstr(bench.login_err.hint, "\"oauth\": {\"issuer\""));
        assert_int_equal(bench.server.n_registered, 0);
        login_bench_finish(&bench);
    }
}

static void says_what_to_configure_where_it_cannot_register(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench, (struct authorization_server_options){ .no_registration = true });
    peer_run(&bench.peer, login_bench_log_in);
    assert_int_equal(bench.login, ERR_AUTH);
    assert_non_null(strstr(bench.login_err.hint, "mcp.json: \"oauth\": {\"client_id\""));
    bench.peer.config.oauth.client_id = "known";
    bench.login_err = (struct err){ 0 };
    peer_run(&bench.peer, login_bench_log_in_and_call);
    login_bench_assert_let_in(&bench);
    login_bench_finish(&bench);
}

/* Nobody opens the page. */
static enum err_code log_in_alone(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct login_bench *bench = login_bench_of(argument);
    struct login login = { 0 };
    (void)runtime;
    return bench->login = tool_server_log_in(bench->peer.server, scope, &login, &bench->login_err);
}

static void waits_for_a_person_for_a_time_only(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench, (struct authorization_server_options){ 0 });
    bench.peer.settings.mcp_login_seconds = 1;
    peer_run(&bench.peer, log_in_alone);
    assert_int_equal(bench.login, ERR_TIMEOUT);
    assert_non_null(strstr(bench.login_err.message, "no browser came back within 1 s"));
    login_bench_finish(&bench);
}

/* The page may have said that nobody knows the client any more. */
static void registers_again_when_nobody_came_back_and_keeps_what_there_was(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench,
                     (struct authorization_server_options){ .auth_method = "client_secret_basic" });
    peer_run(&bench.peer, login_bench_log_in_and_call);
    bench.peer.settings.mcp_login_seconds = 1;
    peer_run(&bench.peer, log_in_alone);
    assert_int_equal(bench.login, ERR_TIMEOUT);
    assert_int_equal(bench.server.n_registered, 1);
    bench.login = ERR_NONE;
    peer_run(&bench.peer, login_bench_call_spent);
    login_bench_assert_let_in(&bench);
    assert_int_equal(bench.server.n_refreshed, 1);
    peer_run(&bench.peer, login_bench_log_in_and_call);
    assert_int_equal(bench.server.n_registered, 2);
    login_bench_finish(&bench);
}

static void shows_a_secret_to_no_other_authorization_server(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench,
                     (struct authorization_server_options){ .auth_method = "client_secret_basic" });
    bench.peer.config.oauth =
        (struct server_oauth){ .client_id = "robot", .client_secret = "hush", .is_machine = true };
    peer_run(&bench.peer, peer_call);
    login_bench_assert_let_in(&bench);
    bench.server.options.issuer_path = "/evil";
    peer_run(&bench.peer, login_bench_call_spent);
    login_bench_assert_kept_out(&bench, "/evil'");
    assert_non_null(strstr(bench.peer.err.hint, "mcp.json: \"oauth\": {\"issuer\": …}"));
    assert_int_equal(bench.server.n_tokens, 1);
    login_bench_finish(&bench);
}

static void a_header_of_the_configuration_counts_for_more(void **state)
{
    static const char *const headers[] = { "authorization: Bearer mine" };
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench, (struct authorization_server_options){ 0 });
    peer_run(&bench.peer, login_bench_log_in);
    bench.peer.config.headers = headers;
    bench.peer.config.n_headers = 1;
    peer_run(&bench.peer, peer_call);
    login_bench_assert_kept_out(&bench, "HTTP 401");
    peer_run(&bench.peer, login_bench_log_in);
    assert_int_equal(bench.login, ERR_INVALID);
    assert_non_null(strstr(bench.login_err.hint, "take the header out of mcp.json"));
    login_bench_finish(&bench);
}

static void a_server_that_wants_none_has_no_login(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench, (struct authorization_server_options){ 0 });
    struct mock_endpoint *other = mock_endpoint_create(bench.peer.runtime);
    mock_endpoint_add(other, (struct mock_answer){ .path = "/mcp", .body = "{}" });
    bench.peer.config.url = arena_printf(&bench.server.arena, "%s/mcp", mock_endpoint_url(other));
    peer_run(&bench.peer, login_bench_log_in);
    assert_int_equal(bench.login, ERR_INVALID);
    assert_non_null(strstr(bench.login_err.message, "asks for no login"));
    mock_endpoint_destroy(other);
    login_bench_finish(&bench);
}

static void a_token_follows_no_redirect_out_of_its_resource(void **state)
{
    struct login_bench bench;
    const struct mock_request *requests;
    (void)state;
    login_bench_init(&bench, (struct authorization_server_options){ 0 });
    peer_run(&bench.peer, login_bench_log_in);
    bench.server.options.redirect = "/moved/mcp";
    peer_run(&bench.peer, peer_call);
    size_t n = mock_endpoint_requests(bench.server.endpoint, &requests), n_moved = 0;
    for (size_t i = 0; i < n; i++)
        if (strncmp(requests[i].path, "/moved", 6) == 0) {
            n_moved++;
            assert_string_equal(requests[i].authorization, "");
        }
    assert_int_not_equal(n_moved, 0);
    login_bench_finish(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_that_a_person_must_log_in),
        cmocka_unit_test(logs_in_and_says_with_whom),
        cmocka_unit_test(needs_no_other_login_in_the_next_process),
        cmocka_unit_test(proves_itself_in_every_way_a_server_may_want),
        cmocka_unit_test(registers_again_when_nobody_came_back_and_keeps_what_there_was),
        cmocka_unit_test(shows_a_secret_to_no_other_authorization_server),
        cmocka_unit_test(lets_a_program_in_by_its_secret),
        cmocka_unit_test(gives_tokens_back_and_forgets_them),
        cmocka_unit_test(takes_no_answer_of_another_issuer),
        cmocka_unit_test(says_what_the_page_said),
        cmocka_unit_test(logs_in_nowhere_without_pkce),
        cmocka_unit_test(sends_a_person_to_no_address_that_a_server_may_not_name),
        cmocka_unit_test(says_what_to_configure_where_it_cannot_register),
        cmocka_unit_test(waits_for_a_person_for_a_time_only),
        cmocka_unit_test(a_header_of_the_configuration_counts_for_more),
        cmocka_unit_test(a_server_that_wants_none_has_no_login),
        cmocka_unit_test(a_token_follows_no_redirect_out_of_its_resource),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
