/* authorization_server.h as a program: prints the URL of its MCP server, then goes on until it is
 * ended. `login_server [EXPIRES_IN [CALL_SCOPE]]`. SIGUSR1: the access token is good no more.
 * SIGTERM ends it, and it prints what it saw. */
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/full/login/authorization_server.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

struct program {
    struct auth_server server;
    uv_signal_t expire, end;
};

static void on_expire(uv_signal_t *handle, int number)
{
    struct program *program = handle->data;
    (void)number;
    auth_server_expire(&program->server);
}

static void on_end(uv_signal_t *handle, int number)
{
    (void)number;
    uv_stop(handle->loop);
}

static void watch(uv_loop_t *loop, uv_signal_t *handle, uv_signal_cb fn, int number, void *data)
{
    uv_signal_init(loop, handle);
    handle->data = data;
    uv_signal_start(handle, fn, number);
}

int main(int n_arguments, char **arguments)
{
    struct program program;
    struct uv_runtime *runtime = uv_runtime_create();
    uv_loop_t *loop = uv_runtime_loop(runtime);
    struct authorization_server_options options = {
        .expires_in = n_arguments > 1 ? strtoll(arguments[1], NULL, 10) : 0,
        .call_scope = n_arguments > 2 ? arguments[2] : NULL,
    };
    auth_server_init(&program.server, runtime, &options);
    watch(loop, &program.expire, on_expire, SIGUSR1, &program);
    watch(loop, &program.end, on_end, SIGTERM, &program);
    printf("%s\n", auth_server_url(&program.server));
    fflush(stdout);
    uv_run(loop, UV_RUN_DEFAULT);
    const struct auth_server *server = &program.server;
    printf("logins %u refreshed %u registered %u revoked %u calls %u problem %s\n",
           server->n_authorized, server->n_refreshed, server->n_registered, server->n_revoked,
           server->n_calls, server->problem ? server->problem : "none");
    uv_close((uv_handle_t *)&program.expire, NULL);
    uv_close((uv_handle_t *)&program.end, NULL);
    auth_server_finish(&program.server);
    uv_runtime_destroy(runtime);
    return 0;
}
