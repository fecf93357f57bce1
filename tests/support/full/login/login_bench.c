
#include "tests/support/full/login/login_bench.h"
#include "infrastructure/mcp/oauth/store/token_store.h"
#include "infrastructure/net/http_client.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/login/robot_login.h"
#include "tests/support/full/uv_subject.h"
#include <string.h>

void login_bench_init(struct login_bench *bench, struct authorization_server_options options)
{
    *bench = (struct login_bench){ 0 };
    PEER(&bench->peer, NULL);
    temporary_folder_create(bench->folder);
    auth_server_init(&bench->server, bench->peer.runtime, &options);
    bench->peer.logins = token_store_create(bench->peer.runtime, TOKEN_STORE_FILE, bench->folder);
    bench->peer.config.command = NULL;
    bench->peer.config.url = auth_server_url(&bench->server);
    bench->peer.config.file = "mcp.json";
}

void login_bench_finish(struct login_bench *bench)
{
    token_store_destroy(bench->peer.logins);
    auth_server_finish(&bench->server);
    peer_finish(&bench->peer);
    temporary_folder_remove(bench->folder);
}

struct login_bench *login_bench_of(void *peer)
{
    return peer;
}

enum err_code login_bench_log_in(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct login_bench *bench = login_bench_of(argument);
    struct http_client *http = http_client_create(bench->peer.runtime);
    bench->login = robot_login(runtime, http, bench->peer.server, scope, &bench->login_err);
    http_client_destroy(http);
    return bench->login;
}

enum err_code login_bench_log_in_and_call(struct runtime *runtime, struct scope *scope,
                                          void *argument)
{
    enum err_code r = login_bench_log_in(runtime, scope, argument);
    return r ? r : peer_call(runtime, scope, argument);
}

enum err_code login_bench_call_spent(struct runtime *runtime, struct scope *scope, void *argument)
{
    auth_server_expire(&login_bench_of(argument)->server);
    return peer_call(runtime, scope, argument);
}

enum err_code login_bench_log_in_and_call_spent(struct runtime *runtime, struct scope *scope,
                                                void *argument)
{
    enum err_code r = login_bench_log_in_and_call(runtime, scope, argument);
    return r ? r : login_bench_call_spent(runtime, scope, argument);
}

void login_bench_assert_let_in(struct login_bench *bench)
{
    assert_string_equal(bench->login ? bench->login_err.message : "", "");
    assert_string_equal(bench->peer.err.message, "");
    assert_int_equal(bench->peer.code, ERR_NONE);
    assert_string_equal(step_result_text(&bench->peer.arena, &bench->peer.result), "let in");
    assert_null(bench->server.problem);
}

void login_bench_assert_kept_out(struct login_bench *bench, const char *message)
{
    assert_int_equal(bench->peer.code, ERR_AUTH);
    assert_non_null(strstr(bench->peer.err.message, message));
}
