/* A client with a store of its own, and the server it logs in to. The bench is the argument of its
 * tasks, and the peer its first member. */
#ifndef TESTS_SUPPORT_FULL_LOGIN_LOGIN_BENCH_H
#define TESTS_SUPPORT_FULL_LOGIN_LOGIN_BENCH_H

#include "tests/support/full/login/authorization_server.h"
#include "tests/support/full/peer.h"

struct login_bench {
    struct peer peer;
    struct auth_server server;
    char folder[64];
    /* Outcomes of a login. */
    enum err_code login;
    struct err login_err;
    bool was_in;
    enum err_code refused; /* of a call before the last */
};

void login_bench_init(struct login_bench *bench, struct authorization_server_options options);
void login_bench_finish(struct login_bench *bench);
/* Of the argument of a task of its peer. */
struct login_bench *login_bench_of(void *peer);

/* Tasks for peer_run: fill login, login_err, and what peer_call fills. */
task_fn login_bench_log_in, login_bench_log_in_and_call;
/* The server takes the token for spent before it is called, the one of before or a new login's. */
task_fn login_bench_call_spent, login_bench_log_in_and_call_spent;

/* The latest call was answered, and the server saw nothing amiss. */
void login_bench_assert_let_in(struct login_bench *bench);
void login_bench_assert_kept_out(struct login_bench *bench, const char *message);

#endif
