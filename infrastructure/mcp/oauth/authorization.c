#include "infrastructure/mcp/oauth/authorization.h"
#include "domain/base/buf.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/oauth/form_encoding.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define MAX_URL_BYTES 16384
#define READ_BYTES 4096

const char *authorization_url(struct arena *arena, const struct authorization *authorization)
{
    const struct authorization *a = authorization;
    AUTO(buf) form;
    buf_init(&form, MAX_URL_BYTES);
    bool fits =
        form_add(&form, "response_type", "code") && form_add(&form, "client_id", a->client_id) &&
        form_add(&form, "redirect_uri", a->redirect_uri) &&
        form_add(&form, "code_challenge", a->challenge) &&
        form_add(&form, "code_challenge_method", "S256") && form_add(&form, "state", a->state) &&
        form_add(&form, "resource", a->resource) && form_add(&form, "scope", a->scope);
    const char *between = strchr(a->endpoint, '?') ? "&" : "?";
    return fits ? arena_printf(arena, "%s%s%s", a->endpoint, between, buf_string(&form)) : NULL;
}

bool authorization_is_answer(const struct authorization *authorization, const char *query,
                             size_t length)
{
    AUTO(arena) scratch = { 0 };
    const char *state = form_find(&scratch, query, length, "state");
    return state && strcmp(state, authorization->state) == 0;
}

/* The issuer is compared as it was sent (RFC 9207 2.4): an equivalent URL is another one. */
static bool is_from_issuer(const struct authorization *authorization, const char *query,
                           size_t length)
{
    AUTO(arena) scratch = { 0 };
    const char *iss = form_find(&scratch, query, length, "iss");
    if (iss)
        return strcmp(iss, authorization->issuer) == 0;
    return !authorization->must_name_issuer && !form_has(query, length, "iss");
}

enum err_code authorization_code(const struct authorization *authorization, const char *query,
                                 size_t length, struct arena *arena, const char **out_code,
                                 struct err *err)
{
    if (!is_from_issuer(authorization, query, length))
        return err_set(err, ERR_AUTH, 0,
                       "the answer does not come from the authorization server that was asked");
    const char *error = form_find(arena, query, length, "error");
    if (error)
        return err_set(err, ERR_AUTH, 0, "the authorization server refuses: %s",
                       text_one_line(arena, error, strlen(error), 60));
    const char *code = form_find(arena, query, length, "code");
    if (!code || !*code)
        return err_set(err, ERR_AUTH, 0, "the authorization server answered without a code");
    *out_code = code;
    return ERR_NONE;
}

bool callback_request_is_whole(const char *bytes, size_t length)
{
    return length && memmem(bytes, length, "\r\n\r\n", 4);
}

bool callback_request_query(const char *bytes, size_t length, const char **out_query,
                            size_t *out_length, enum callback_reply *out_reply)
{
    static const char get[] = "GET ", path[] = OAUTH_CALLBACK_PATH;
    const char *end = memchr(bytes, '\r', length);
    size_t line = end ? (size_t)(end - bytes) : length;
    *out_reply = CALLBACK_NO_METHOD;
    if (line < strlen(get) || memcmp(bytes, get, strlen(get)) != 0)
        return false;
    const char *target = bytes + strlen(get);
    const char *blank = memchr(target, ' ', line - strlen(get));
    size_t n = blank ? (size_t)(blank - target) : 0;
    *out_reply = CALLBACK_NOT_FOUND;
    if (memchr(bytes, '\0', line)) /* text behind it would be hidden */
        return false;
    if (n <= strlen(path) || memcmp(target, path, strlen(path)) != 0 || target[strlen(path)] != '?')
        return false;
    *out_query = target + strlen(path) + 1;
    *out_length = n - strlen(path) - 1;
    return true;
}

#define PAGE(status, text)                                                                         \
    "HTTP/1.1 " status "\r\n"                                                                      \
    "Content-Type: text/html; charset=utf-8\r\n"                                                   \
    "Cache-Control: no-store\r\n"                                                                  \
    "Content-Security-Policy: default-src 'none'\r\n"                                              \
    "Referrer-Policy: no-referrer\r\n"                                                             \
    "X-Content-Type-Options: nosniff\r\n"                                                          \
    "Connection: close\r\n\r\n"                                                                    \
    "<!doctype html><meta charset=utf-8><title>mistro</title><p>" text "</p>\n"

const char *callback_reply_text(enum callback_reply reply)
{
    switch (reply) {
    case CALLBACK_DONE:
        return PAGE("200 OK", "mistro has its answer. You can close this window.");
    case CALLBACK_NOT_OURS:
        return PAGE("400 Bad Request", "mistro waits for another login than this one.");
    case CALLBACK_NOT_FOUND:
        return PAGE("404 Not Found", "There is nothing here.");
    case CALLBACK_NO_METHOD:
        return PAGE("405 Method Not Allowed", "There is nothing here.");
    case CALLBACK_TOO_LONG:
        break;
    }
    return PAGE("431 Request Header Fields Too Large", "There is nothing here.");
}

struct visitor {
    uv_tcp_t tcp;
    struct callback_listener *listener; /* exists until this is closing */
    struct visitor *next;               /* the one that came before */
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

/* The page is so short that the kernel takes it whole. */
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

/* The oldest visitor has had the most time to send its request. */
static void dismiss_oldest(struct callback_listener *listener)
{
    struct visitor *oldest = listener->visitors;
    while (oldest->next)
        oldest = oldest->next;
    dismiss(oldest);
}

/* A browser, or another program on this machine, may open connections and send nothing. */
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
        return err_set(err, ERR_LIMIT, 0, "%d requests came that did not answer this login",
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
