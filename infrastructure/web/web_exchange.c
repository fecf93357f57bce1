/* One request from its first line to the end of its answer, as the library's callbacks and the
 * handler's task see it. All of it runs on the loop's thread, so neither needs a lock. */
#include "domain/base/text.h"
#include "infrastructure/web/web_listener_internal.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { STREAM_BLOCK_BYTES = 16 * 1024, MAX_HEADERS = 200 };

static struct live_exchange *live(struct web_exchange *x)
{
    return (struct live_exchange *)x;
}

static const char *header(const struct web_exchange *base, const char *name)
{
    const struct live_exchange *x = (const struct live_exchange *)base;
    for (size_t i = 0; i < x->n_headers; i++)
        if (strcasecmp(x->headers[i].name, name) == 0)
            return x->headers[i].value;
    return NULL;
}

/* The library is asked to look at a connection again that it was told to leave alone. */
static void resume(struct live_exchange *x)
{
    if (!x->is_suspended || x->is_finished)
        return;
    x->is_suspended = false;
    uv_poll_stop(&x->connection->gone);
    x->listener->mhd->resume_connection(x->mhd);
    web_listener_run_soon(x->listener);
}

static void on_client_gone(uv_poll_t *poll, int status, int events)
{
    struct web_connection *connection = poll->data;
    if ((status < 0 || (events & UV_DISCONNECT)) && connection->exchange)
        web_exchange_lose(connection->exchange);
}

static void suspend(struct live_exchange *x)
{
    x->is_suspended = true;
    x->listener->mhd->suspend_connection(x->mhd);
    uv_poll_start(&x->connection->gone, UV_DISCONNECT, on_client_gone);
}

/* What is left moves to the front now and then, and not for every block. */
static void forget_sent(struct live_exchange *x)
{
    if (x->n_sent == x->unsent.length)
        buf_clear(&x->unsent);
    else if (x->n_sent > x->unsent.length / 2)
        buf_consume(&x->unsent, x->n_sent);
    else
        return;
    x->n_sent = 0;
}

/* Called by the library when it has room for more of a stream. */
static ssize_t read_stream(void *context, uint64_t position, char *into, size_t room)
{
    struct live_exchange *x = context;
    size_t left = x->unsent.length - x->n_sent, n = left < room ? left : room;
    (void)position;
    if (n) {
        memcpy(into, x->unsent.bytes + x->n_sent, n);
        x->n_sent += n;
        x->listener->has_moved = true;
        forget_sent(x);
        return (ssize_t)n;
    }
    if (x->base.is_gone)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (x->is_ended)
        return MHD_CONTENT_READER_END_OF_STREAM;
    suspend(x);
    return 0;
}

static void add_headers(const struct microhttpd *mhd, struct MHD_Response *response,
                        const struct web_answer *answer)
{
    /* A value with a line break is refused by the library, and left out then. */
    if (answer->type)
        mhd->add_response_header(response, "Content-Type", answer->type);
    mhd->add_response_header(response, "X-Content-Type-Options", "nosniff");
    for (size_t i = 0; i < answer->n_headers; i++)
        mhd->add_response_header(response, answer->headers[i].name, answer->headers[i].value);
}

static struct MHD_Response *make_response(struct live_exchange *x, const struct web_answer *answer)
{
    const struct microhttpd *mhd = x->listener->mhd;
    struct MHD_Response *response;
    x->is_stream = answer->type && !answer->bytes;
    if (x->is_stream)
        response = mhd->create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK_BYTES,
                                                      read_stream, x, NULL);
    else
        response = mhd->create_response_from_buffer(
            answer->length, (void *)(uintptr_t)answer->bytes, MHD_RESPMEM_MUST_COPY);
    if (!response)
        abort();
    add_headers(mhd, response, answer);
    return response;
}

static void answer(struct web_exchange *base, const struct web_answer *with)
{
    struct live_exchange *x = live(base);
    if (base->is_answered || x->is_finished)
        return;
    base->is_answered = true;
    x->status = with->status;
    x->response = make_response(x, with);
    if (x->listener->is_draining)
        x->listener->mhd->add_response_header(x->response, "Connection", "close");
    resume(x);
}

static void send_bytes(struct web_exchange *base, const char *bytes, size_t length)
{
    struct live_exchange *x = live(base);
    if (!x->is_stream || x->is_finished || base->is_gone)
        return;
    if (!buf_append(&x->unsent, bytes, length)) {
        web_exchange_lose(x);
        return;
    }
    if (!x->response)
        resume(x);
}

void web_exchange_lose(struct live_exchange *x)
{
    x->base.is_gone = true;
    if (!x->is_handled)
        runtime_cancel(uv_runtime_port(x->listener->runtime), &x->scope);
    if (x->is_stream && !x->response)
        resume(x);
}

void web_exchange_close(struct live_exchange *x)
{
    static const char sorry[] = "something went wrong here; the server's stderr may say more\n";
    const struct web_answer failed = {
        .status = 500, .type = "text/plain", .bytes = sorry, .length = sizeof sorry - 1
    };
    answer(&x->base, &failed);
    x->is_ended = true;
    if (x->is_stream && !x->response)
        resume(x);
}

void web_exchange_settle(struct live_exchange *x)
{
    if (!x->is_handled || !x->is_finished)
        return;
    if (x->response)
        x->listener->mhd->destroy_response(x->response);
    x->listener->n_exchanges--;
    completion_complete(&x->listener->wake);
    buf_finish(&x->body);
    buf_finish(&x->unsent);
    arena_finish(&x->arena);
    free(x);
}

static const struct web_exchange_ops exchange_ops = { .header = header,
                                                      .answer = answer,
                                                      .send = send_bytes };

void *web_exchange_begin(void *context, const char *target, struct MHD_Connection *mhd)
{
    struct web_listener *listener = context;
    struct live_exchange *x = calloc(1, sizeof *x);
    if (!x)
        abort();
    const char *query = strchr(target, '?');
    size_t length = query ? (size_t)(query - target) : strlen(target);
    x->base = (struct web_exchange){ .ops = &exchange_ops, .scope = &x->scope };
    x->base.path = arena_strndup(&x->arena, target, length);
    x->base.query = arena_strdup(&x->arena, query ? query + 1 : "");
    x->listener = listener;
    x->mhd = mhd;
    x->connection =
        listener->mhd->get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    x->connection->exchange = x;
    x->scope = scope_child(&listener->work, SCOPE_NO_DEADLINE);
    x->is_handled = true; /* until there is a task */
    buf_init(&x->body, (size_t)listener->settings->http_max_body_bytes);
    buf_init(&x->unsent, (size_t)listener->settings->mcp_max_message_bytes + WEB_UNREAD_BYTES);
    listener->n_exchanges++;
    listener->has_worked = true;
    return x;
}

struct collected {
    struct live_exchange *exchange;
    struct web_header *list;
    size_t n;
    bool is_too_many;
};

static enum MHD_Result collect(void *context, enum MHD_ValueKind kind, const char *name,
                               const char *value)
{
    struct collected *all = context;
    (void)kind;
    all->is_too_many = all->n == MAX_HEADERS;
    if (all->is_too_many)
        return MHD_NO;
    all->list[all->n++] = (struct web_header){ name, value ? value : "" };
    return MHD_YES;
}

/* Those that may come twice; a second one of any other could be read in two ways. */
static bool may_repeat(const char *name)
{
    static const char *const names[] = { "accept",           "accept-encoding",
                                         "accept-language",  "cache-control",
                                         "connection",       "cookie",
                                         "forwarded",        "via",
                                         "x-forwarded-for",  "x-forwarded-proto",
                                         "x-forwarded-host", "baggage",
                                         "tracestate" };
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        if (strcasecmp(names[i], name) == 0)
            return true;
    return false;
}

static bool has_doubles(const struct collected *all)
{
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = i + 1; k < all->n; k++)
            if (strcasecmp(all->list[i].name, all->list[k].name) == 0 &&
                !may_repeat(all->list[i].name))
                return true;
    return false;
}

static bool is_visible(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text <= ' ' || (unsigned char)*text >= 0x7F)
            return false;
    return true;
}

/* RFC 9110, 5.1 and 5.5: names are tokens, and values have no control characters but tabs. */
static bool is_clean(const struct web_header *header)
{
    static const char marks[] = "!#$%&'*+-.^_`|~";
    for (const char *at = header->name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr(marks, *at))
            return false;
    for (const char *at = header->value; *at; at++)
        if ((unsigned char)*at < ' ' ? *at != '\t' : *at == 0x7F)
            return false;
    return *header->name != '\0';
}

static bool are_clean(const struct collected *all)
{
    for (size_t i = 0; i < all->n; i++)
        if (!is_clean(&all->list[i]))
            return false;
    return true;
}

/* Why a request is not taken, by its head alone; 0 where it is. */
static unsigned judge_head(const struct live_exchange *x, const struct collected *all,
                           const char *version)
{
    const char *length = header(&x->base, "Content-Length");
    const char *coding = header(&x->base, "Transfer-Encoding");
    const char *content = header(&x->base, "Content-Encoding");
    bool is_digits = length && *length && !length[strspn(length, "0123456789")];
    bool is_old = strcmp(version, MHD_HTTP_VERSION_1_1) != 0;
    if (all->is_too_many)
        return MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE;
    if (is_old && strcmp(version, MHD_HTTP_VERSION_1_0) != 0)
        return MHD_HTTP_HTTP_VERSION_NOT_SUPPORTED;
    if (!are_clean(all) || has_doubles(all) || (length && !is_digits) || (length && coding) ||
        (coding && is_old) || (coding && strcasecmp(coding, "chunked") != 0) ||
        x->base.path[0] != '/' || !is_visible(x->base.path) || !is_visible(x->base.query))
        return MHD_HTTP_BAD_REQUEST;
    if (content && strcasecmp(content, "identity") != 0)
        return MHD_HTTP_UNSUPPORTED_MEDIA_TYPE;
    if (length && (strlen(length) > 18 || strtoull(length, NULL, 10) > x->body.max_bytes))
        return MHD_HTTP_CONTENT_TOO_LARGE;
    return x->listener->is_draining ? MHD_HTTP_SERVICE_UNAVAILABLE : 0;
}

/* Answers before a task has seen it, and ends the connection: what follows on it cannot be told
 * from the rest of this request. */
static enum MHD_Result refuse(struct live_exchange *x, unsigned status)
{
    static const char why[] = "the request is not one that this server takes\n";
    const struct web_header end = { "Connection", "close" };
    const struct web_answer refusal = { .status = status,
                                        .type = "text/plain",
                                        .headers = &end,
                                        .n_headers = 1,
                                        .bytes = why,
                                        .length = sizeof why - 1 };
    x->is_refused = true;
    answer(&x->base, &refusal);
    enum MHD_Result r = x->listener->mhd->queue_response(x->mhd, x->status, x->response);
    x->listener->mhd->destroy_response(x->response);
    x->response = NULL;
    return r;
}

/* Blanks behind a value are not part of it (RFC 9110, 5.5). Those of the headers that say where the
 * request ends were judged as they stand. */
static void strip_values(struct live_exchange *x, struct web_header *headers)
{
    for (size_t i = 0; i < x->n_headers; i++) {
        size_t n = strlen(headers[i].value);
        while (n && (headers[i].value[n - 1] == ' ' || headers[i].value[n - 1] == '\t'))
            n--;
        headers[i].value = arena_strndup(&x->arena, headers[i].value, n);
    }
}

static enum MHD_Result begin_body(struct live_exchange *x, const char *method, const char *version)
{
    struct web_header list[MAX_HEADERS];
    struct collected all = { .exchange = x, .list = list };
    x->is_begun = true;
    x->base.method = arena_strdup(&x->arena, method);
    x->listener->mhd->get_connection_values(x->mhd, MHD_HEADER_KIND, collect, &all);
    struct web_header *headers = arena_array(&x->arena, struct web_header, all.n + 1);
    for (size_t i = 0; i < all.n; i++)
        headers[i] = (struct web_header){ arena_strdup(&x->arena, list[i].name),
                                          arena_strdup(&x->arena, list[i].value) };
    x->headers = headers;
    x->n_headers = all.n;
    unsigned status = judge_head(x, &all, version);
    strip_values(x, headers);
    return status ? refuse(x, status) : MHD_YES;
}

static enum MHD_Result hand_over(struct live_exchange *x)
{
    struct web_listener *listener = x->listener;
    x->base.body = buf_string(&x->body);
    x->base.length = x->body.length;
    x->connection->waits_since_ms = 0;
    x->is_handled = false;
    x->next = listener->ready;
    listener->ready = x;
    suspend(x);
    completion_complete(&listener->wake);
    return MHD_YES;
}

static enum MHD_Result queue_answer(struct live_exchange *x)
{
    struct MHD_Response *response = x->response;
    enum MHD_Result r = MHD_NO; /* closes the connection */
    if (!response)
        return r;
    x->response = NULL;
    if (!x->base.is_gone)
        r = x->listener->mhd->queue_response(x->mhd, x->status, response);
    x->listener->mhd->destroy_response(response);
    return r;
}

enum MHD_Result web_exchange_take(void *context, struct MHD_Connection *mhd, const char *url,
                                  const char *method, const char *version, const char *bytes,
                                  size_t *length, void **exchange)
{
    struct live_exchange *x = *exchange;
    (void)context;
    (void)mhd;
    (void)url;
    x->listener->has_moved = true;
    if (!x->is_begun)
        return begin_body(x, method, version);
    if (*length) {
        bool fits = x->is_refused || buf_append(&x->body, bytes, *length);
        *length = 0;
        return fits ? MHD_YES : refuse(x, MHD_HTTP_CONTENT_TOO_LARGE);
    }
    if (x->is_refused)
        return MHD_YES;
    return x->base.is_answered ? queue_answer(x) : hand_over(x);
}

void web_exchange_finished(void *context, struct MHD_Connection *mhd, void **exchange,
                           enum MHD_RequestTerminationCode why)
{
    struct live_exchange *x = *exchange;
    struct web_listener *listener = context;
    (void)mhd;
    if (!x)
        return;
    *exchange = NULL;
    x->is_finished = true;
    x->is_suspended = false;
    x->connection->exchange = NULL;
    x->connection->waits_since_ms = runtime_now_ms(uv_runtime_port(listener->runtime));
    x->connection = NULL;
    /* Whoever has the whole answer has not gone; of a stream that was asked for by HEAD there is no
     * more to send. */
    if (why != MHD_REQUEST_TERMINATED_COMPLETED_OK || (x->is_stream && !x->is_handled))
        web_exchange_lose(x);
    web_exchange_settle(x);
}
