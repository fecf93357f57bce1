#include "infrastructure/mcp/oauth/callback_listener.h"
#include "domain/base/buf.h"
#include "infrastructure/mcp/oauth/callback_request.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define READ_BYTES 4096

struct visitor {
    uv_tcp_t tcp;
    struct callback_listener *listener; /* is there until this is closing */
    struct visitor *next;               /* who came before */
    struct buf in;
    char piece[READ_BYTES];
};

struct callback_listener {
    uv_tcp_t tcp;
    struct visitor *visitors;
    size_t n_visitors, n_refused;
    int port;
    callback_accepts_fn *accepts; /* NULL: nothing is expected yet, or any more */
    void *context;
    char *query; /* of the answer, once it is there */
    struct completion done;
};

static void on_visitor_closed(uv_handle_t *handle)
{
    struct visitor *visitor = handle->data;
    buf_finish(&visitor->in);
    free(visitor);
}

static void dismiss(struct visitor *visitor)
{
    struct visitor **at = &visitor->listener->visitors;
    while (*at != visitor)
        at = &(*at)->next;
    *at = visitor->next;
    visitor->listener->n_visitors--;
    uv_close((uv_handle_t *)&visitor->tcp, on_visitor_closed);
}

/* A page is so short that the kernel takes it whole. */
static void answer(struct visitor *visitor, enum callback_reply reply)
{
    struct callback_listener *listener = visitor->listener;
    const char *text = callback_reply_text(reply);
    uv_buf_t page = uv_buf_init((char *)(uintptr_t)text, (unsigned)strlen(text));
    (void)uv_try_write((uv_stream_t *)&visitor->tcp, &page, 1);
    dismiss(visitor);
    if (reply != CALLBACK_DONE && ++listener->n_refused >= CALLBACK_MAX_REFUSED)
        completion_complete(&listener->done);
}

static void take_request(struct visitor *visitor)
{
    struct callback_listener *listener = visitor->listener;
    const char *query;
    size_t length;
    enum callback_reply reply;
    if (!callback_request_is_whole(visitor->in.bytes, visitor->in.length))
        return;
    if (!callback_request_query(visitor->in.bytes, visitor->in.length, &query, &length, &reply)) {
        answer(visitor, reply);
        return;
    }
    if (!listener->accepts || !listener->accepts(listener->context, query, length)) {
        answer(visitor, CALLBACK_NOT_OURS);
        return;
    }
    listener->accepts = NULL;
    listener->query = strndup(query, length);
    if (!listener->query)
        abort();
    answer(visitor, CALLBACK_DONE);
    completion_complete(&listener->done);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    struct visitor *visitor = handle->data;
    (void)suggested;
    *out = uv_buf_init(visitor->piece, sizeof visitor->piece);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *bytes)
{
    struct visitor *visitor = stream->data;
    if (n < 0)
        dismiss(visitor);
    else if (n > 0 && !buf_append(&visitor->in, bytes->base, (size_t)n))
        answer(visitor, CALLBACK_TOO_LONG);
    else if (n > 0)
        take_request(visitor);
}

/* Who came first has had the most time to say something. */
static void dismiss_oldest(struct callback_listener *listener)
{
    struct visitor *oldest = listener->visitors;
    while (oldest->next)
        oldest = oldest->next;
    dismiss(oldest);
}

/* A browser, or whoever else is here, may open connections and say nothing. */
static void on_visit(uv_stream_t *stream, int status)
{
    struct callback_listener *listener = stream->data;
    struct visitor *visitor = status == 0 ? calloc(1, sizeof *visitor) : NULL;
    if (!visitor)
        return;
    if (uv_tcp_init(stream->loop, &visitor->tcp) != 0)
        abort();
    visitor->tcp.data = visitor;
    visitor->listener = listener;
    visitor->next = listener->visitors;
    listener->visitors = visitor;
    listener->n_visitors++;
    buf_init(&visitor->in, CALLBACK_MAX_REQUEST_BYTES);
    if (listener->n_visitors > CALLBACK_MAX_CONNECTIONS)
        dismiss_oldest(listener);
    bool is_in = uv_accept(stream, (uv_stream_t *)&visitor->tcp) == 0 &&
                 uv_read_start((uv_stream_t *)&visitor->tcp, on_alloc, on_read) == 0;
    if (!is_in)
        dismiss(visitor);
}

static void on_listener_closed(uv_handle_t *handle)
{
    struct callback_listener *listener = handle->data;
    free(listener->query);
    free(listener);
}

static int bind_port(struct callback_listener *listener, int64_t port)
{
    struct sockaddr_in address;
    int length = sizeof address;
    struct sockaddr *plain = (struct sockaddr *)&address;
    int r = uv_ip4_addr("127.0.0.1", (int)port, &address);
    if (!r)
        r = uv_tcp_bind(&listener->tcp, plain, 0);
    if (!r)
        r = uv_listen((uv_stream_t *)&listener->tcp, CALLBACK_MAX_CONNECTIONS, on_visit);
    if (!r)
        r = uv_tcp_getsockname(&listener->tcp, plain, &length);
    listener->port = ntohs(address.sin_port);
    return r;
}

enum err_code callback_listener_create(struct uv_runtime *runtime, int64_t port,
                                       struct callback_listener **out, struct err *err)
{
    struct callback_listener *listener = calloc(1, sizeof *listener);
    if (!listener || uv_tcp_init(uv_runtime_loop(runtime), &listener->tcp) != 0)
        abort();
    listener->tcp.data = listener;
    listener->done = completion_of(runtime);
    int failure = bind_port(listener, port);
    if (failure) {
        callback_listener_destroy(listener);
        return err_set(err, ERR_UNAVAILABLE, failure, "cannot listen on port %lld of 127.0.0.1: %s",
                       (long long)port, uv_strerror(failure));
    }
    *out = listener;
    return ERR_NONE;
}

int callback_listener_port(const struct callback_listener *listener)
{
    return listener->port;
}

void callback_listener_expect(struct callback_listener *listener, callback_accepts_fn *accepts,
                              void *context)
{
    listener->accepts = accepts;
    listener->context = context;
}

enum err_code callback_listener_await(struct callback_listener *listener, const struct scope *scope,
                                      struct arena *arena, const char **out_query, struct err *err)
{
    enum err_code r = completion_await(&listener->done, scope, err);
    listener->accepts = NULL;
    if (r)
        return r;
    if (!listener->query)
        return err_set(err, ERR_LIMIT, 0, "%d requests came that were no answer to this login",
                       CALLBACK_MAX_REFUSED);
    *out_query = arena_strdup(arena, listener->query);
    return ERR_NONE;
}

void callback_listener_destroy(struct callback_listener *listener)
{
    if (!listener)
        return;
    while (listener->visitors)
        dismiss(listener->visitors);
    uv_close((uv_handle_t *)&listener->tcp, on_listener_closed);
}
