#include "tests/support/full/mock_endpoint.h"
#include "domain/base/buf.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum { MAX_REQUEST_BYTES = 4 << 20 };

struct scripted {
    struct mock_answer answer;
    unsigned left;
};

struct mock_endpoint {
    uv_tcp_t listener;
    char url[64];
    struct scripted script[MOCK_ENDPOINT_MAX];
    size_t n_script;
    struct mock_request requests[MOCK_ENDPOINT_MAX];
    size_t n_requests, hung_up, answering, most_at_once, n_connections;
    struct connection *connections;
    size_t n_handles; /* not yet closed */
    bool destroyed;
};

struct connection {
    uv_tcp_t tcp;
    uv_timer_t pause; /* between two pieces */
    uv_write_t write;
    struct mock_endpoint *endpoint;
    struct connection *next;
    struct buf in, out;
    size_t sent, piece, n_handles, body_at;
    int every_ms;
    bool answering, silent, endless, keeps, closing, writing;
};

static void free_when_done(struct mock_endpoint *endpoint)
{
    if (!endpoint->destroyed || endpoint->n_handles)
        return;
    for (size_t i = 0; i < endpoint->n_requests; i++) {
        free(endpoint->requests[i].body);
        free(endpoint->requests[i].head);
    }
    free(endpoint);
}

static void forget(struct connection *connection)
{
    struct connection **at = &connection->endpoint->connections;
    while (*at != connection)
        at = &(*at)->next;
    *at = connection->next;
}

static void on_closed(uv_handle_t *handle)
{
    struct connection *connection = handle->data;
    struct mock_endpoint *endpoint = connection->endpoint;
    if (--connection->n_handles)
        return;
    forget(connection);
    buf_finish(&connection->in);
    buf_finish(&connection->out);
    free(connection);
    endpoint->n_handles--;
    free_when_done(endpoint);
}

static void connection_close(struct connection *connection)
{
    if (connection->closing)
        return;
    connection->closing = true;
    connection->endpoint->answering -= connection->answering;
    uv_close((uv_handle_t *)&connection->pause, on_closed);
    uv_close((uv_handle_t *)&connection->tcp, on_closed);
}

static void on_written(uv_write_t *write, int status);

static void write_piece(struct connection *connection)
{
    size_t left = connection->out.length - connection->sent;
    size_t n = connection->piece && connection->piece < left ? connection->piece : left;
    connection->writing = true;
    uv_buf_t piece = uv_buf_init(connection->out.bytes + connection->sent, (unsigned)n);
    connection->sent += n;
    connection->write.data = connection;
    if (uv_write(&connection->write, (uv_stream_t *)&connection->tcp, &piece, 1, on_written))
        connection_close(connection);
}

static void await_next(struct connection *connection)
{
    buf_clear(&connection->in);
    buf_clear(&connection->out);
    connection->sent = 0;
    connection->answering = connection->keeps = false;
    connection->endpoint->answering--;
}

static void on_pause_over(uv_timer_t *pause)
{
    write_piece(pause->data);
}

static void on_written(uv_write_t *write, int status)
{
    struct connection *connection = write->data;
    connection->writing = false;
    if (connection->closing)
        return;
    if (connection->endless && connection->sent == connection->out.length)
        connection->sent = connection->body_at;
    if (status)
        connection_close(connection);
    else if (connection->sent < connection->out.length && connection->every_ms)
        uv_timer_start(&connection->pause, on_pause_over, (uint64_t)connection->every_ms, 0);
    else if (connection->sent < connection->out.length)
        write_piece(connection);
    else if (connection->keeps)
        await_next(connection);
    else if (!connection->silent)
        connection_close(connection);
}

static bool fits(const struct mock_answer *answer, const struct mock_request *request)
{
    return strncmp(request->path, answer->path, strlen(answer->path)) == 0 &&
           (!answer->when || strstr(request->body, answer->when)) &&
           (!answer->with || strstr(request->head, answer->with));
}

static struct mock_answer *next_answer(struct mock_endpoint *endpoint,
                                       const struct mock_request *request)
{
    struct scripted *last = NULL;
    for (size_t i = 0; i < endpoint->n_script; i++) {
        struct scripted *scripted = &endpoint->script[i];
        if (!fits(&scripted->answer, request))
            continue;
        last = scripted;
        if (scripted->left) {
            scripted->left--;
            return &scripted->answer;
        }
    }
    return last ? &last->answer : NULL;
}

static void write_elsewhere(struct mock_endpoint *endpoint, const struct mock_answer *answer)
{
    struct connection *open = endpoint->connections;
    while (open && (!open->silent || open->closing))
        open = open->next;
    assert(open);
    bool fits = buf_puts(&open->out, answer->elsewhere);
    assert(fits);
    (void)fits;
    open->silent = !answer->ends_elsewhere;
    if (!open->writing)
        write_piece(open);
}

static void answer(struct connection *connection, const struct mock_request *request)
{
    static struct mock_answer unknown = { .status = 404, .body = "{\"error\":\"no such path\"}" };
    struct mock_endpoint *endpoint = connection->endpoint;
    const struct mock_answer *answer = next_answer(endpoint, request);
    struct mock_answer made;
    if (!answer)
        answer = &unknown;
    if (answer->respond) {
        made = *answer;
        made.raw = true;
        made.body = answer->respond(answer->context, request);
        answer = &made;
    }
    if (answer->elsewhere)
        write_elsewhere(endpoint, answer);
    if (answer->reset) {
        connection_close(connection);
        return;
    }
    size_t length = answer->body_length ? answer->body_length : strlen(answer->body);
    connection->piece = answer->piece;
    connection->silent = answer->silent;
    connection->endless = answer->endless;
    connection->keeps = answer->keeps;
    connection->every_ms = answer->every_ms;
    connection->answering = true;
    if (++endpoint->answering > endpoint->most_at_once)
        endpoint->most_at_once = endpoint->answering;
    bool ok = answer->raw || buf_printf(&connection->out,
                                        "HTTP/1.1 %d Scripted\r\nContent-Type: %s\r\n"
                                        "%s",
                                        answer->status ? answer->status : 200,
                                        answer->type ? answer->type : "text/plain",
                                        answer->header ? answer->header : "");
    if (!answer->raw && answer->keeps)
        ok = ok && buf_printf(&connection->out, "Content-Length: %zu\r\n\r\n", length);
    else if (!answer->raw)
        ok = ok && buf_puts(&connection->out, "Connection: close\r\n\r\n");
    connection->body_at = connection->out.length;
    ok = ok && buf_append(&connection->out, answer->body, length);
    assert(ok);
    (void)ok;
    write_piece(connection);
}

static void copy_header(const char *head, const char *name, char *value, size_t size)
{
    const char *at = strcasestr(head, name);
    value[0] = '\0';
    if (at)
        snprintf(value, size, "%.*s", (int)strcspn(at + strlen(name), "\r"), at + strlen(name));
}

static void note_request(struct mock_endpoint *endpoint, const char *head, const char *body)
{
    assert(endpoint->n_requests < MOCK_ENDPOINT_MAX);
    struct mock_request *request = &endpoint->requests[endpoint->n_requests++];
    sscanf(head, "%*s %127s", request->path);
    copy_header(head, "\r\nAuthorization: ", request->authorization, sizeof request->authorization);
    request->body = strdup(body);
    request->head = strndup(head, (size_t)(body - head));
}

/* Answers once the request is there as a whole. */
static void take_request(struct connection *connection)
{
    char *head = connection->in.bytes;
    char *end = head ? strstr(head, "\r\n\r\n") : NULL;
    if (!end || connection->answering)
        return;
    char length[32];
    copy_header(head, "\r\nContent-Length: ", length, sizeof length);
    if (connection->in.length - (size_t)(end + 4 - head) < strtoul(length, NULL, 10))
        return;
    struct mock_endpoint *endpoint = connection->endpoint;
    note_request(endpoint, head, end + 4);
    answer(connection, &endpoint->requests[endpoint->n_requests - 1]);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    (void)handle;
    *out = uv_buf_init(malloc(suggested), (unsigned)suggested);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *bytes)
{
    struct connection *connection = stream->data;
    if (n > 0 && buf_append(&connection->in, bytes->base, (size_t)n))
        take_request(connection);
    else if (n < 0) {
        connection->endpoint->hung_up += connection->answering;
        connection_close(connection);
    }
    free(bytes->base);
}

static void on_connection(uv_stream_t *listener, int status)
{
    struct mock_endpoint *endpoint = listener->data;
    struct connection *connection = calloc(1, sizeof *connection);
    assert(connection && status == 0);
    (void)status;
    connection->endpoint = endpoint;
    connection->next = endpoint->connections;
    endpoint->connections = connection;
    endpoint->n_handles++;
    endpoint->n_connections++;
    buf_init(&connection->in, MAX_REQUEST_BYTES);
    buf_init(&connection->out, MAX_REQUEST_BYTES * 8);
    uv_tcp_init(listener->loop, &connection->tcp);
    connection->tcp.data = connection;
    uv_timer_init(listener->loop, &connection->pause);
    connection->pause.data = connection;
    connection->n_handles = 2;
    uv_accept(listener, (uv_stream_t *)&connection->tcp);
    uv_tcp_nodelay(&connection->tcp, 1);
    uv_read_start((uv_stream_t *)&connection->tcp, on_alloc, on_read);
}

struct mock_endpoint *mock_endpoint_create(struct uv_runtime *runtime)
{
    struct mock_endpoint *endpoint = calloc(1, sizeof *endpoint);
    struct sockaddr_in address;
    int size = sizeof address;
    assert(endpoint);
    uv_tcp_init(uv_runtime_loop(runtime), &endpoint->listener);
    endpoint->listener.data = endpoint;
    endpoint->n_handles = 1;
    uv_ip4_addr("127.0.0.1", 0, &address);
    uv_tcp_bind(&endpoint->listener, (const struct sockaddr *)&address, 0);
    int failed = uv_listen((uv_stream_t *)&endpoint->listener, 64, on_connection);
    assert(!failed);
    (void)failed;
    uv_tcp_getsockname(&endpoint->listener, (struct sockaddr *)&address, &size);
    snprintf(endpoint->url, sizeof endpoint->url, "http://127.0.0.1:%d", ntohs(address.sin_port));
    return endpoint;
}

static void on_listener_closed(uv_handle_t *handle)
{
    struct mock_endpoint *endpoint = handle->data;
    endpoint->n_handles--;
    free_when_done(endpoint);
}

void mock_endpoint_destroy(struct mock_endpoint *endpoint)
{
    endpoint->destroyed = true;
    for (struct connection *at = endpoint->connections; at; at = at->next)
        connection_close(at);
    uv_close((uv_handle_t *)&endpoint->listener, on_listener_closed);
}

const char *mock_endpoint_url(const struct mock_endpoint *endpoint)
{
    return endpoint->url;
}

void mock_endpoint_add(struct mock_endpoint *endpoint, struct mock_answer answer)
{
    assert(endpoint->n_script < MOCK_ENDPOINT_MAX);
    endpoint->script[endpoint->n_script++] =
        (struct scripted){ answer, answer.times ? answer.times : 1 };
}

size_t mock_endpoint_requests(const struct mock_endpoint *endpoint,
                              const struct mock_request **out_requests)
{
    *out_requests = endpoint->requests;
    return endpoint->n_requests;
}

size_t mock_endpoint_hung_up(const struct mock_endpoint *endpoint)
{
    return endpoint->hung_up;
}

size_t mock_endpoint_connections(const struct mock_endpoint *endpoint)
{
    return endpoint->n_connections;
}

size_t mock_endpoint_most_at_once(const struct mock_endpoint *endpoint)
{
    return endpoint->most_at_once;
}
