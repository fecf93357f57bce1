
#include "application/ports/runtime.h"
#include "domain/base/buf.h"
#include "infrastructure/net/http_client.h"
#include "infrastructure/runtime/task_lock.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/mock_endpoint.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct fixture {
    struct uv_runtime *runtime;
    struct mock_endpoint *endpoint;
    struct http_client *client;
    struct http_request request;
    struct http_response response;
    struct scope scope;
    struct err err;
    struct buf body;
    int told_status;
    char url[128];
};

static bool collect(void *context, const char *bytes, size_t length)
{
    struct fixture *f = context;
    return buf_append(&f->body, bytes, length);
}

static void note_status(void *context, int status)
{
    struct fixture *f = context;
    f->told_status = status;
}

static void fixture_init(struct fixture *f)
{
    *f = (struct fixture){ .scope = scope_child(NULL, SCOPE_NO_DEADLINE) };
    f->runtime = uv_runtime_create();
    f->endpoint = mock_endpoint_create(f->runtime);
    f->client = http_client_create(f->runtime);
    buf_init(&f->body, 1 << 20);
    f->request = (struct http_request){ .url = mock_endpoint_url(f->endpoint),
                                        .connect_timeout_ms = 1000,
                                        .silence_ms = 2000,
                                        .max_bytes = 1 << 20,
                                        .on_headers = note_status,
                                        .on_bytes = collect,
                                        .context = f };
}

static void fixture_finish(struct fixture *f)
{
    http_client_destroy(f->client);
    mock_endpoint_destroy(f->endpoint);
    uv_runtime_destroy(f->runtime);
    buf_finish(&f->body);
}

static enum err_code perform(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    (void)runtime;
    return http_client_perform(f->client, scope, &f->request, &f->response, &f->err);
}

static enum err_code run(struct fixture *f)
{
    return uv_runtime_run(f->runtime, &f->scope, perform, f);
}

static void gives_status_and_body(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    mock_endpoint_add(f.endpoint,
                      (struct mock_answer){ .path = "/", .status = 418, .body = "teapot" });
    assert_int_equal(run(&f), ERR_NONE);
    assert_int_equal(f.response.status, 418);
    assert_int_equal(f.told_status, 418);
    assert_string_equal(buf_string(&f.body), "teapot");
}

static void wait_longer(void *context, int status)
{
    struct fixture *f = context;
    f->told_status = status;
    f->request.silence_ms = 400;
}

static void tells_the_status_before_there_is_a_body(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    f.request.on_headers = wait_longer;
    f.request.silence_ms = 200;
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/",
                                                        .raw = true,
                                                        .silent = true,
                                                        .body = "HTTP/1.1 100 Continue\r\n\r\n"
                                                                "HTTP/1.1 201 Created\r\n\r\n" });
    int64_t began_ms = runtime_now_ms(uv_runtime_port(f.runtime));
    assert_int_equal(run(&f), ERR_TIMEOUT);
    assert_true(runtime_now_ms(uv_runtime_port(f.runtime)) - began_ms >= 400);
    assert_int_equal(f.told_status, 201);
}

static void posts_a_large_body_at_once(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    static char body[2000001];
    memset(body, 'x', sizeof body - 1);
    f.request.body = body;
    f.request.body_length = sizeof body - 1;
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/", .body = "ok" });
    assert_int_equal(run(&f), ERR_NONE);
    const struct mock_request *requests;
    assert_int_equal(mock_endpoint_requests(f.endpoint, &requests), 1);
    assert_int_equal(strlen(requests[0].body), sizeof body - 1);
}

static void bounds_the_response(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/", .body = "123456" });
    f.request.max_bytes = 6;
    assert_int_equal(run(&f), ERR_NONE);
    f.request.max_bytes = 5;
    assert_int_equal(run(&f), ERR_LIMIT);
    assert_string_equal(f.err.message, "the response is longer than 5 bytes");
}

static void follows_no_redirect(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/", .status = 302, .body = "x" });
    assert_int_equal(run(&f), ERR_NONE);
    assert_int_equal(f.response.status, 302);
    const struct mock_request *requests;
    assert_int_equal(mock_endpoint_requests(f.endpoint, &requests), 1);
}

static void refuses_other_protocols(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    f.request.url = "file:///etc/passwd";
    assert_int_equal(run(&f), ERR_INVALID);
    f.request.url = "http://";
    assert_int_equal(run(&f), ERR_INVALID);
}

static void refuses_a_key_that_could_end_its_header(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    f.request.bearer = "secret\r\nX: y";
    assert_int_equal(run(&f), ERR_INVALID);
    assert_null(strstr(f.err.message, "secret"));
}

static void bounds_a_key(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    static char key[16386];
    memset(key, 'k', sizeof key);
    key[16385] = '\0';
    f.request.bearer = key;
    assert_int_equal(run(&f), ERR_INVALID);
    key[16384] = '\0';
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/", .body = "ok" });
    assert_int_equal(run(&f), ERR_NONE);
}

static void ends_with_its_scope(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/", .body = "x", .silent = true });
    f.scope = runtime_scope(uv_runtime_port(f.runtime), NULL, 50);
    assert_int_equal(run(&f), ERR_TIMEOUT);
    assert_null(strstr(f.err.message, "no answer for"));
}

static void connects_to_no_proxy_for_this_machine(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/", .body = "direct" });
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    enum err_code r = run(&f);
    unsetenv("http_proxy");
    assert_int_equal(r, ERR_NONE);
    assert_string_equal(buf_string(&f.body), "direct");
}

/* Where the request for a name that does not exist ends up. */
static size_t requests_at_the_proxy(const char *variable, const char *no_proxy)
{
    AUTO(fixture) f;
    fixture_init(&f);
    const struct mock_request *requests;
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "http://model.invalid/v1",
                                                        .body = "through the proxy" });
    f.request.url = "http://model.invalid/v1";
    setenv(variable, mock_endpoint_url(f.endpoint), 1);
    setenv("no_proxy", no_proxy, 1);
    (void)!run(&f);
    unsetenv(variable);
    unsetenv("no_proxy");
    return mock_endpoint_requests(f.endpoint, &requests);
}

static void reaches_other_machines_through_the_proxy(void **state)
{
    (void)state;
    assert_int_equal(requests_at_the_proxy("http_proxy", ""), 1);
    assert_int_equal(requests_at_the_proxy("all_proxy", ""), 1);
    assert_int_equal(requests_at_the_proxy("http_proxy", "model.invalid"), 0);
    assert_int_equal(requests_at_the_proxy("HTTP_PROXY", ""), 0); /* a header could have set it */
}

/* Three requests: the second gives up while it waits, the third comes after the first. */
struct queue_fixture {
    struct uv_runtime *runtime;
    struct task_lock queue;
    struct scope impatient;
    enum err_code second, third;
    char order[8];
};

static void note(struct queue_fixture *q, const char *what)
{
    strncat(q->order, what, sizeof q->order - strlen(q->order) - 1);
}

static enum err_code be_second(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct queue_fixture *q = argument;
    (void)runtime;
    q->second = task_lock_take(&q->queue, q->runtime, scope, NULL);
    return q->second;
}

static enum err_code be_third(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct queue_fixture *q = argument;
    (void)runtime;
    q->third = task_lock_take(&q->queue, q->runtime, scope, NULL);
    note(q, "3");
    task_lock_release(&q->queue);
    return q->third;
}

static enum err_code be_first(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct queue_fixture *q = argument;
    enum err_code r = task_lock_take(&q->queue, q->runtime, scope, NULL);
    if (r)
        return r;
    q->impatient = scope_child(scope, SCOPE_NO_DEADLINE);
    struct task *second = runtime_spawn(runtime, &q->impatient, be_second, q);
    struct task *third = runtime_spawn(runtime, scope, be_third, q);
    r = runtime_sleep(runtime, scope, 5, NULL);
    runtime_cancel(runtime, &q->impatient);
    (void)runtime_wait(runtime, second);
    note(q, "1");
    task_lock_release(&q->queue);
    (void)runtime_wait(runtime, third);
    return r;
}

static void hands_the_turn_on_past_those_who_gave_up(void **state)
{
    (void)state;
    struct uv_runtime *runtime = uv_runtime_create();
    struct queue_fixture q = { .runtime = runtime };
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    assert_int_equal(uv_runtime_run(runtime, &scope, be_first, &q), ERR_NONE);
    uv_runtime_destroy(runtime);
    assert_int_equal(q.second, ERR_CANCELLED);
    assert_int_equal(q.third, ERR_NONE);
    assert_string_equal(q.order, "13");
    assert_false(q.queue.is_taken);
}

static void sends_further_headers_and_the_method(void **state)
{
    static const char *const headers[] = { "X-One: 1", "X-Empty: " };
    const struct mock_request *requests;
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    f.request.method = "DELETE";
    f.request.headers = headers;
    f.request.n_headers = 2;
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/", .body = "" });
    assert_int_equal(run(&f), ERR_NONE);
    assert_int_equal(mock_endpoint_requests(f.endpoint, &requests), 1);
    assert_non_null(strstr(requests[0].head, "DELETE / HTTP/1.1\r\n"));
    assert_non_null(strstr(requests[0].head, "\r\nX-One: 1\r\n"));
    assert_non_null(strstr(requests[0].head, "\r\nX-Empty:"));
}

static void refuses_a_header_that_is_none(void **state)
{
    static const char *const lines[] = { "X: a\r\nY: b", "no colon", ": no name", "a b: c" };
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        AUTO(fixture) f;
        fixture_init(&f);
        f.request.headers = &lines[i];
        f.request.n_headers = 1;
        assert_int_equal(run(&f), ERR_INVALID);
    }
}

static void note_header(void *context, const char *name, size_t name_length, const char *value,
                        size_t value_length)
{
    struct fixture *f = context;
    if (name_length == 6 && strncasecmp(name, "X-Seen", 6) == 0)
        snprintf(f->url, sizeof f->url, "%.*s", (int)value_length, value);
}

static void tells_the_headers_of_the_response(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    f.request.on_header = note_header;
    mock_endpoint_add(
        f.endpoint, (struct mock_answer){ .path = "/", .header = "X-Seen:  a b \r\n", .body = "" });
    assert_int_equal(run(&f), ERR_NONE);
    assert_string_equal(f.url, "a b");
}

/* The header fills up the response's headers to this many bytes. */
static enum err_code run_with_header_bytes(struct fixture *f, size_t bytes)
{
    static const char others[] = "HTTP/1.1 200 Scripted\r\nContent-Type: text/plain\r\n"
                                 "Connection: close\r\n\r\n";
    size_t left = bytes - strlen(others);
    char *header = malloc(left + 1);
    memset(header, 'x', left);
    memcpy(header, "X: ", 3);
    strcpy(header + left - 2, "\r\n");
    fixture_init(f);
    mock_endpoint_add(f->endpoint,
                      (struct mock_answer){ .path = "/", .header = header, .body = "" });
    enum err_code r = run(f);
    free(header);
    return r;
}

static void bounds_the_headers_of_the_response(void **state)
{
    (void)state;
    AUTO(fixture) most;
    assert_int_equal(run_with_header_bytes(&most, HTTP_MAX_HEADER_BYTES), ERR_NONE);
    AUTO(fixture) more;
    assert_int_equal(run_with_header_bytes(&more, HTTP_MAX_HEADER_BYTES + 1), ERR_LIMIT);
    /* More than libcurl takes of one line. */
    AUTO(fixture) endless;
    assert_int_equal(run_with_header_bytes(&endless, 4 * HTTP_MAX_HEADER_BYTES), ERR_LIMIT);
    assert_string_equal(endless.err.message,
                        "the headers of the response are longer than 65536 bytes");
}

/* Requests that nobody awaits: the second is begun, and the third stopped, while the first one's
 * body comes. */
struct begun {
    struct fixture *f;
    struct http_request requests[3];
    struct http_transfer *third;
    enum err_code codes[3];
    size_t n_done;
};

static struct begun begun;

static void note_done(void *context, const struct http_response *response, const struct err *why)
{
    size_t i = (size_t)((struct http_request *)context - begun.requests);
    begun.codes[i] = why->code;
    begun.n_done += response->status == 200 || why->code == ERR_CANCELLED;
}

static bool begin_and_stop(void *context, const char *bytes, size_t length)
{
    struct http_transfer *second;
    (void)bytes;
    (void)length;
    if (context != &begun.requests[0])
        return true;
    http_client_stop(begun.third);
    return http_client_begin(begun.f->client, &begun.requests[1], note_done, &second, NULL) ==
           ERR_NONE;
}

static enum err_code begin_and_wait(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    struct http_transfer *first;
    enum err_code r =
        http_client_begin(f->client, &begun.requests[2], note_done, &begun.third, NULL);
    if (!r)
        r = http_client_begin(f->client, &begun.requests[0], note_done, &first, NULL);
    while (!r && begun.n_done < 3)
        r = runtime_sleep(runtime, scope, 5, NULL);
    return r;
}

static void begins_and_stops_requests_inside_of_a_callback(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    f.request.on_headers = NULL;
    f.request.on_bytes = begin_and_stop;
    snprintf(f.url, sizeof f.url, "%s/slow", mock_endpoint_url(f.endpoint));
    mock_endpoint_add(f.endpoint,
                      (struct mock_answer){ .path = "/slow", .silent = true, .body = "wait" });
    mock_endpoint_add(f.endpoint, (struct mock_answer){ .path = "/", .body = "body" });
    begun = (struct begun){ .f = &f };
    for (size_t i = 0; i < 3; i++) {
        begun.requests[i] = f.request;
        begun.requests[i].context = &begun.requests[i];
    }
    begun.requests[2].url = f.url;
    assert_int_equal(uv_runtime_run(f.runtime, &f.scope, begin_and_wait, &f), ERR_NONE);
    assert_int_equal(begun.codes[0], ERR_NONE);
    assert_int_equal(begun.codes[1], ERR_NONE);
    assert_int_equal(begun.codes[2], ERR_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_status_and_body),
        cmocka_unit_test(tells_the_status_before_there_is_a_body),
        cmocka_unit_test(posts_a_large_body_at_once),
        cmocka_unit_test(bounds_the_response),
        cmocka_unit_test(follows_no_redirect),
        cmocka_unit_test(refuses_other_protocols),
        cmocka_unit_test(refuses_a_key_that_could_end_its_header),
        cmocka_unit_test(bounds_a_key),
        cmocka_unit_test(sends_further_headers_and_the_method),
        cmocka_unit_test(refuses_a_header_that_is_none),
        cmocka_unit_test(tells_the_headers_of_the_response),
        cmocka_unit_test(bounds_the_headers_of_the_response),
        cmocka_unit_test(begins_and_stops_requests_inside_of_a_callback),
        cmocka_unit_test(ends_with_its_scope),
        cmocka_unit_test(connects_to_no_proxy_for_this_machine),
        cmocka_unit_test(reaches_other_machines_through_the_proxy),
        cmocka_unit_test(hands_the_turn_on_past_those_who_gave_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
