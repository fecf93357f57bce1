/* The listener against clients of few words, which are child processes: what they do to its
 * connections, and what becomes of those. */
#include "infrastructure/runtime/uv_runtime.h"
#include "infrastructure/web/web_listener.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/http_wire.h"
#include "tests/support/full/leftovers.h"
#include <poll.h>
#include <sys/wait.h>
#include <time.h>

enum { CLIENTS = 20, PATIENCE_SECONDS = 20 };

struct bench {
    struct settings settings;
    struct uv_runtime *uv;
    struct web_server *web;
    struct http_wire wire;
    struct scope serving;
    enum err_code after_answer;
    size_t many; /* descriptors */
    int request_seconds;
};

static void handle(void *context, struct scope *scope, struct web_exchange *x)
{
    static const char text[] = "answered";
    struct bench *b = context;
    struct runtime *runtime = uv_runtime_port(b->uv);
    struct web_answer whole = {
        .status = 200, .type = "text/plain", .bytes = text, .length = sizeof text - 1
    };
    if (strcmp(x->path, "/few-are-open") == 0 && leftover_descriptors() > b->many)
        whole.status = 503;
    if (strcmp(x->path, "/begin") == 0)
        b->many = leftover_descriptors() + CLIENTS / 2;
    web_answer(x, &whole);
    if (strcmp(x->path, "/end") == 0)
        runtime_cancel(runtime, &b->serving);
    if (strcmp(x->path, "/goes-on") == 0)
        b->after_answer = runtime_sleep(runtime, scope, 50, NULL);
}

static enum err_code serve(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct bench *b = argument;
    struct err err;
    (void)runtime;
    b->serving = scope_child(scope, SCOPE_NO_DEADLINE);
    assert_int_equal(web_server_serve(b->web, &b->serving, handle, b, &err), ERR_NONE);
    return ERR_NONE;
}

/* Whether it was answered. */
static bool ask(const struct bench *b, const char *path)
{
    char out[200], in[HTTP_WIRE_BYTES] = "";
    int fd = http_wire_connect(&b->wire, 0), n;
    n = snprintf(out, sizeof out, "GET %s HTTP/1.1\r\nHost: here\r\n\r\n", path);
    bool ok = send(fd, out, (size_t)n, MSG_NOSIGNAL) == n;
    for (size_t at = 0; ok && !http_wire_is_whole(in, at); at += (size_t)n)
        ok = (n = (int)recv(fd, in + at, sizeof in - 1 - at, 0)) > 0;
    close(fd);
    return ok && http_wire_status(in) == 200;
}

/* Serves until the client has asked for the end, and returns what it found. */
static bool serve_to(struct bench *b, bool (*client)(const struct bench *b))
{
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    char url[100];
    struct err err;
    int status = 0;
    settings_init(&b->settings);
    b->settings.http_request_seconds = b->request_seconds;
    b->uv = uv_runtime_create();
    if (web_listener_create(b->uv, &b->settings, "127.0.0.1:0", &b->web, &err))
        skip(); /* there is no libmicrohttpd */
    snprintf(url, sizeof url, "http://%s/", web_server_authority(b->web));
    assert_true(http_wire_open(&b->wire, url));
    pid_t child = fork();
    if (child == 0) {
        bool ok = client(b);
        _exit(ask(b, "/end") && ok ? 0 : 1);
    }
    assert_int_equal(uv_runtime_run(b->uv, &scope, serve, b), ERR_NONE);
    assert_int_equal(waitpid(child, &status, 0), child);
    web_server_destroy(b->web);
    uv_runtime_destroy(b->uv);
    return status == 0;
}

static bool asks_and_stays(const struct bench *b)
{
    return ask(b, "/goes-on");
}

static void a_request_goes_on_after_its_answer_was_taken(void **state)
{
    struct bench b = { .after_answer = ERR_TIMEOUT, .request_seconds = 10 };
    (void)state;
    assert_true(serve_to(&b, asks_and_stays));
    assert_int_equal(b.after_answer, ERR_NONE);
}

/* The size of a chunk, with an extension that is longer than what a head may be. Whether the
 * connection is taken down: what was not read of it is answered by a reset then, which a shutdown
 * of both directions alone does not bring. */
static bool sends_endless_line(const struct bench *b)
{
    static char line[70000];
    struct pollfd reset = { .fd = http_wire_connect(&b->wire, 0) };
    memset(line, 'y', sizeof line);
    int n = snprintf(line, sizeof line,
                     "POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n5;");
    line[n] = 'y';
    bool ok = send(reset.fd, line, sizeof line, MSG_NOSIGNAL) > 0 && poll(&reset, 1, 20000) == 1;
    close(reset.fd);
    return ok;
}

/* Clients that leave in the middle of a request; whether their connections go with them. */
static bool sends_halves(const struct bench *b)
{
    static const char half[] = "POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\n12345";
    time_t until = time(NULL) + PATIENCE_SECONDS;
    bool ok = ask(b, "/begin");
    for (int i = 0; i < CLIENTS; i++) {
        int fd = http_wire_connect(&b->wire, 0);
        ok = ok && send(fd, half, sizeof half - 1, MSG_NOSIGNAL) > 0;
        close(fd);
    }
    while (ok && !ask(b, "/few-are-open"))
        ok = time(NULL) < until;
    return ok;
}

static void half_a_request_is_given_up_with_its_client(void **state)
{
    struct bench b = { .request_seconds = 3600 };
    (void)state;
    assert_true(serve_to(&b, sends_halves));
}

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* It ends like one that says nothing; and until then it is not looked at again and again. A second
 * of that takes some 20 ms. */
static void a_line_without_end_costs_its_connection_and_no_time(void **state)
{
    struct bench b = { .request_seconds = 2 };
    double before = cpu_ms();
    (void)state;
    assert_true(serve_to(&b, sends_endless_line));
    assert_true(cpu_ms() - before < 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_goes_on_after_its_answer_was_taken),
        cmocka_unit_test(half_a_request_is_given_up_with_its_client),
        cmocka_unit_test(a_line_without_end_costs_its_connection_and_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
