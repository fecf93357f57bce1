
#include "application/ports/runtime.h"
#include "infrastructure/mcp/oauth/authorization.h"
#include "infrastructure/net/http_client.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Visits to a listener that waits for a query beginning with "state=right". */
struct visits {
    struct uv_runtime *runtime;
    struct callback_listener *listener;
    struct http_client *http;
    const char *const *targets; /* NULL-terminated; with "POST " in front: not a GET */
    int times;                  /* how often all of them */
    int status[8];
    int64_t wait_ms;
    struct arena arena;
    const char *query;
    enum err_code code;
    struct err err;
};

static bool is_right(void *context, const char *query, size_t length)
{
    (void)context;
    return length >= 11 && memcmp(query, "state=right", 11) == 0;
}

static bool ignore(void *context, const char *bytes, size_t length)
{
    (void)context;
    (void)bytes;
    (void)length;
    return true;
}

awaits static int visit(struct visits *visits, struct scope *scope, const char *target)
{
    bool is_post = strncmp(target, "POST ", 5) == 0;
    const char *url =
        arena_printf(&visits->arena, "http://127.0.0.1:%d%s",
                     callback_listener_port(visits->listener), is_post ? target + 5 : target);
    struct http_request request = { .url = url,
                                    .body = is_post ? "x" : NULL,
                                    .body_length = is_post,
                                    .connect_timeout_ms = 5000,
                                    .silence_ms = 5000,
                                    .max_bytes = 4096,
                                    .on_bytes = ignore };
    struct http_response response;
    return http_client_perform(visits->http, scope, &request, &response, NULL) ? -1
                                                                               : response.status;
}

static enum err_code visit_all(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct visits *visits = argument;
    (void)runtime;
    for (int i = 0; i < visits->times; i++)
        for (size_t k = 0; visits->targets[k]; k++)
            visits->status[k] = visit(visits, scope, visits->targets[k]);
    return ERR_NONE;
}

static enum err_code await_visits(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct visits *visits = argument;
    struct scope bounded = runtime_scope(runtime, scope, visits->wait_ms);
    struct task *task = runtime_spawn(runtime, scope, visit_all, visits);
    visits->code = callback_listener_await(visits->listener, &bounded, &visits->arena,
                                           &visits->query, &visits->err);
    (void)runtime_wait(runtime, task);
    return ERR_NONE;
}

static struct visits prepare_visits(const char *const *targets, int times)
{
    struct visits visits = { .targets = targets, .times = times, .wait_ms = 1000 };
    visits.runtime = uv_runtime_create();
    visits.http = http_client_create(visits.runtime);
    assert_int_equal(callback_listener_create(visits.runtime, 0, &visits.listener, NULL), ERR_NONE);
    callback_listener_expect(visits.listener, is_right, NULL);
    return visits;
}

static void run_visits(struct visits *visits)
{
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    (void)uv_runtime_run(visits->runtime, &scope, await_visits, visits);
}

static struct visits make_visits(const char *const *targets, int times)
{
    struct visits visits = prepare_visits(targets, times);
    run_visits(&visits);
    return visits;
}

static void finish(struct visits *visits)
{
    callback_listener_destroy(visits->listener);
    http_client_destroy(visits->http);
    uv_runtime_destroy(visits->runtime);
    arena_finish(&visits->arena);
}

static void takes_the_one_answer_it_waits_for(void **state)
{
    static const char *const targets[] = { "/callback?state=right&code=7",
                                           "/callback?state=right&code=8", NULL };
    struct visits visits = make_visits(targets, 1);
    (void)state;
    assert_int_equal(visits.code, ERR_NONE);
    assert_string_equal(visits.query, "state=right&code=7");
    assert_int_equal(visits.status[0], 200);
    assert_int_equal(visits.status[1], 400);
    finish(&visits);
}

static void turns_everything_else_away_and_goes_on_waiting(void **state)
{
    static const char *const targets[] = { "/",
                                           "/callback",
                                           "/callback?state=wrong&code=1",
                                           "POST /callback?state=right",
                                           "/favicon.ico",
                                           "/callback?state=right&code=7",
                                           NULL };
    struct visits visits = make_visits(targets, 1);
    (void)state;
    assert_int_equal(visits.code, ERR_NONE);
    assert_string_equal(visits.query, "state=right&code=7");
    assert_int_equal(visits.status[0], 404);
    assert_int_equal(visits.status[1], 404);
    assert_int_equal(visits.status[2], 400);
    assert_int_equal(visits.status[3], 405);
    assert_int_equal(visits.status[4], 404);
    assert_int_equal(visits.status[5], 200);
    finish(&visits);
}

static void reads_no_request_beyond_its_bound(void **state)
{
    static char longer[CALLBACK_MAX_REQUEST_BYTES + 64] = "/callback?state=right&code=";
    static const char *const targets[] = { longer, "/callback?state=right&code=7", NULL };
    (void)state;
    memset(longer + strlen(longer), 'x', CALLBACK_MAX_REQUEST_BYTES - strlen(longer));
    struct visits visits = make_visits(targets, 1);
    assert_string_equal(visits.query, "state=right&code=7");
    assert_true(visits.status[0] == 431 || visits.status[0] == -1);
    finish(&visits);
    longer[CALLBACK_MAX_REQUEST_BYTES - 512] = '\0'; /* the headers want some room */
    visits = make_visits(targets, 1);
    assert_int_equal(visits.status[0], 200);
    finish(&visits);
}

static void gives_up_after_too_many_others(void **state)
{
    static const char *const targets[] = { "/callback?state=wrong", NULL };
    struct visits visits = make_visits(targets, CALLBACK_MAX_REFUSED);
    (void)state;
    assert_int_equal(visits.code, ERR_LIMIT);
    finish(&visits);
}

static void bears_as_many_as_that(void **state)
{
    static const char *const targets[] = { "/callback?state=wrong", NULL };
    struct visits visits = make_visits(targets, CALLBACK_MAX_REFUSED - 1);
    (void)state;
    assert_int_equal(visits.code, ERR_TIMEOUT);
    finish(&visits);
}

/* Connections on which nothing is said; closed by finish(). */
static void open_silently(const struct callback_listener *listener, int n, int *sockets)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    address.sin_port = htons((uint16_t)callback_listener_port(listener));
    for (int i = 0; i < n; i++) {
        sockets[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(connect(sockets[i], (struct sockaddr *)&address, sizeof address), 0);
    }
}

static void silent_visitors_do_not_keep_the_answer_out(void **state)
{
    static const char *const targets[] = { "/callback?state=right&code=7", NULL };
    struct visits visits = prepare_visits(targets, 1);
    int sockets[CALLBACK_MAX_CONNECTIONS];
    (void)state;
    open_silently(visits.listener, CALLBACK_MAX_CONNECTIONS, sockets);
    run_visits(&visits);
    assert_int_equal(visits.code, ERR_NONE);
    assert_int_equal(visits.status[0], 200);
    for (size_t i = 0; i < CALLBACK_MAX_CONNECTIONS; i++)
        close(sockets[i]);
    finish(&visits);
}

static void has_a_port_to_itself(void **state)
{
    struct uv_runtime *runtime = uv_runtime_create();
    struct callback_listener *first = NULL, *second = NULL;
    struct err err;
    (void)state;
    assert_int_equal(callback_listener_create(runtime, 0, &first, NULL), ERR_NONE);
    assert_int_equal(
        callback_listener_create(runtime, callback_listener_port(first), &second, &err),
        ERR_UNAVAILABLE);
    assert_non_null(strstr(err.message, "cannot listen on port"));
    callback_listener_destroy(first);
    callback_listener_destroy(NULL);
    uv_runtime_destroy(runtime);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_one_answer_it_waits_for),
        cmocka_unit_test(turns_everything_else_away_and_goes_on_waiting),
        cmocka_unit_test(reads_no_request_beyond_its_bound),
        cmocka_unit_test(gives_up_after_too_many_others),
        cmocka_unit_test(bears_as_many_as_that),
        cmocka_unit_test(silent_visitors_do_not_keep_the_answer_out),
        cmocka_unit_test(has_a_port_to_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
