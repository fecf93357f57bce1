/* A login whose clock jumps: the server alone says when a token is over. What the store noted of
 * its end is for people to read, and no jump makes a request too many. */
#include "tests/support/cmocka.h"
#include "tests/support/full/login/login_bench.h"
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { DAY_S = 24 * 60 * 60, TOKEN_S = 3600 };

/* Takes the place of the library's in this program. */
static time_t jump_s;

int clock_gettime(clockid_t clock, struct timespec *out)
{
    int code = (int)syscall(SYS_clock_gettime, clock, out);
    if (clock == CLOCK_REALTIME)
        out->tv_sec += jump_s;
    return code;
}

static const time_t jumps[] = { 2 * DAY_S, -DAY_S, 10000 * DAY_S };

static enum err_code log_in_jump_and_call(struct runtime *runtime, struct scope *scope,
                                          void *argument)
{
    time_t jump = jump_s;
    jump_s = 0;
    enum err_code r = login_bench_log_in_and_call(runtime, scope, argument);
    jump_s = jump;
    return r ? r : peer_call(runtime, scope, argument);
}

static enum err_code log_in_jump_and_call_spent(struct runtime *runtime, struct scope *scope,
                                                void *argument)
{
    enum err_code r = log_in_jump_and_call(runtime, scope, argument);
    if (!r)
        r = login_bench_call_spent(runtime, scope, argument);
    return r ? r : peer_call(runtime, scope, argument);
}

static void a_token_that_its_server_takes_is_not_renewed_after_a_jump(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(jumps); i++) {
        struct login_bench bench;
        login_bench_init(&bench, (struct authorization_server_options){ .expires_in = TOKEN_S });
        jump_s = jumps[i];
        peer_run(&bench.peer, log_in_jump_and_call);
        login_bench_assert_let_in(&bench);
        assert_int_equal(bench.server.n_authorized, 1);
        assert_int_equal(bench.server.n_refreshed, 0);
        assert_int_equal(bench.server.n_calls, 2);
        login_bench_finish(&bench);
    }
    jump_s = 0;
}

static void a_token_that_is_refused_is_renewed_once_after_a_jump(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(jumps); i++) {
        struct login_bench bench;
        login_bench_init(&bench, (struct authorization_server_options){ .expires_in = TOKEN_S });
        jump_s = jumps[i];
        peer_run(&bench.peer, log_in_jump_and_call_spent);
        login_bench_assert_let_in(&bench);
        assert_int_equal(bench.server.n_authorized, 1);
        assert_int_equal(bench.server.n_registered, 1);
        assert_int_equal(bench.server.n_refreshed, 1);
        assert_int_equal(bench.server.n_calls, 4);
        login_bench_finish(&bench);
    }
    jump_s = 0;
}

static void a_token_that_cannot_be_renewed_ends_in_one_error_after_a_jump(void **state)
{
    struct login_bench bench;
    (void)state;
    login_bench_init(&bench, (struct authorization_server_options){
                                 .expires_in = TOKEN_S, .refresh_error = "invalid_grant" });
    jump_s = 2 * DAY_S;
    peer_run(&bench.peer, log_in_jump_and_call_spent);
    jump_s = 0;
    login_bench_assert_kept_out(&bench, "its login is over");
    assert_int_equal(bench.server.n_calls, 2);
    login_bench_finish(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_that_its_server_takes_is_not_renewed_after_a_jump),
        cmocka_unit_test(a_token_that_is_refused_is_renewed_once_after_a_jump),
        cmocka_unit_test(a_token_that_cannot_be_renewed_ends_in_one_error_after_a_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
