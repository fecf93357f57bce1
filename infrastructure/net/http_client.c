#include "infrastructure/net/http_client.h"
#include "application/ports/runtime.h"
#include "domain/base/text.h"
#include "infrastructure/net/curl_library.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

struct http_client {
    struct uv_runtime *runtime;
    const struct curl_library *curl; /* NULL before the first request */
    CURLM *multi;
    uv_timer_t *timer; /* freed by its close callback */
    size_t running;
};

/* One request in flight; lies in the frame of whoever waits for it. */
struct transfer {
    struct http_client *client;
    struct http_request *request;
    struct http_response *response;
    CURL *easy;
    struct curl_slist *headers;
    struct completion completion;
    CURLcode result;
    int64_t until_ms;
    size_t bytes;
    bool told_headers, heard_headers, too_long;
};

/* libcurl's socket, watched by libuv. */
struct watcher {
    uv_poll_t handle;
    struct http_client *client;
    curl_socket_t socket;
};

static void report_finished(struct http_client *client)
{
    int left;
    for (CURLMsg *message; (message = client->curl->multi_info_read(client->multi, &left));) {
        struct transfer *transfer = NULL;
        client->curl->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        transfer->result = message->data.result;
        completion_complete(&transfer->completion);
    }
}

static void act(struct http_client *client, curl_socket_t socket, int events)
{
    int running;
    client->curl->multi_socket_action(client->multi, socket, events, &running);
    report_finished(client);
}

static void on_ready(uv_poll_t *handle, int status, int events)
{
    const struct watcher *watcher = handle->data;
    int flags = (events & UV_READABLE ? CURL_CSELECT_IN : 0) |
                (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0) | (status ? CURL_CSELECT_ERR : 0);
    act(watcher->client, watcher->socket, flags);
}

static void on_watcher_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static struct watcher *watch(struct http_client *client, curl_socket_t socket)
{
    struct watcher *watcher = calloc(1, sizeof *watcher);
    if (!watcher)
        abort();
    *watcher = (struct watcher){ .client = client, .socket = socket };
    if (uv_poll_init_socket(uv_runtime_loop(client->runtime), &watcher->handle, socket)) {
        free(watcher);
        return NULL;
    }
    watcher->handle.data = watcher;
    client->curl->multi_assign(client->multi, socket, watcher);
    return watcher;
}

static int on_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *of_socket)
{
    (void)easy;
    struct http_client *client = context;
    struct watcher *watcher = of_socket;
    if (what == CURL_POLL_REMOVE) {
        if (watcher)
            uv_close((uv_handle_t *)&watcher->handle, on_watcher_closed);
        client->curl->multi_assign(client->multi, socket, NULL);
        return 0;
    }
    if (!watcher)
        watcher = watch(client, socket);
    int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
    return watcher && uv_poll_start(&watcher->handle, events, on_ready) == 0 ? 0 : -1;
}

static void on_timeout(uv_timer_t *timer)
{
    act(timer->data, CURL_SOCKET_TIMEOUT, 0);
}

static int on_timer_wanted(CURLM *multi, long ms, void *context)
{
    (void)multi;
    const struct http_client *client = context;
    if (ms < 0)
        return uv_timer_stop(client->timer);
    return uv_timer_start(client->timer, on_timeout, (uint64_t)ms, 0);
}

static enum err_code client_open(struct http_client *client, struct err *err)
{
    if (client->multi)
        return ERR_NONE;
    enum err_code r = curl_library_get(&client->curl, err);
    if (r)
        return r;
    client->multi = client->curl->multi_init();
    client->timer = calloc(1, sizeof *client->timer);
    if (!client->multi || !client->timer)
        abort();
    uv_timer_init(uv_runtime_loop(client->runtime), client->timer);
    client->timer->data = client;
    client->curl->multi_setopt(client->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    client->curl->multi_setopt(client->multi, CURLMOPT_SOCKETDATA, client);
    client->curl->multi_setopt(client->multi, CURLMOPT_TIMERFUNCTION, on_timer_wanted);
    client->curl->multi_setopt(client->multi, CURLMOPT_TIMERDATA, client);
    return ERR_NONE;
}

struct http_client *http_client_create(struct uv_runtime *runtime)
{
    struct http_client *client = calloc(1, sizeof *client);
    if (!client)
        abort();
    client->runtime = runtime;
    return client;
}

static void on_timer_closed(uv_handle_t *handle)
{
    free(handle);
}

void http_client_destroy(struct http_client *client)
{
    if (!client)
        return;
    assert(client->running == 0);
    if (client->multi) {
        client->curl->multi_cleanup(client->multi);
        uv_close((uv_handle_t *)client->timer, on_timer_closed);
    }
    free(client);
}

/* Something came: the silence begins anew. */
static void heard(struct transfer *transfer)
{
    struct runtime *runtime = uv_runtime_port(transfer->client->runtime);
    transfer->until_ms = runtime_now_ms(runtime) + transfer->request->silence_ms;
}

static void tell_headers(struct transfer *transfer)
{
    if (transfer->told_headers)
        return;
    long status = 0;
    transfer->client->curl->easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    transfer->told_headers = true;
    transfer->response->status = (int)status;
    if (status && transfer->request->on_headers)
        transfer->request->on_headers(transfer->request->context, (int)status);
}

/* The end of the transfer when it returns anything but the length. */
static size_t on_body(char *bytes, size_t size, size_t n, void *context)
{
    struct transfer *transfer = context;
    size_t length = size * n;
    tell_headers(transfer);
    if (length > transfer->request->max_bytes - transfer->bytes) {
        transfer->too_long = true;
        return CURL_WRITEFUNC_ERROR;
    }
    transfer->bytes += length;
    if (!transfer->request->on_bytes(transfer->request->context, bytes, length)) {
        transfer->response->stopped = true;
        return CURL_WRITEFUNC_ERROR;
    }
    heard(transfer);
    return length;
}

/* In seconds; a date is as good as nothing. */
static void read_retry_after(struct transfer *transfer, const char *line, size_t length)
{
    static const char name[] = "retry-after:";
    enum { LONGEST_SECONDS = 86400 };
    int64_t seconds = 0;
    if (length < strlen(name) || strncasecmp(line, name, strlen(name)) != 0)
        return;
    size_t at = strlen(name);
    while (at < length && line[at] == ' ')
        at++;
    size_t begin = at;
    for (; at < length && line[at] >= '0' && line[at] <= '9' && seconds <= LONGEST_SECONDS; at++)
        seconds = seconds * 10 + (line[at] - '0');
    bool is_number = at > begin && at < length && (line[at] == '\r' || line[at] == '\n');
    if (is_number && seconds <= LONGEST_SECONDS)
        transfer->response->retry_after_ms = seconds * 1000;
}

/* Headers that drip are silence: only their end counts, and only once. */
static size_t on_header_line(char *bytes, size_t size, size_t n, void *context)
{
    struct transfer *transfer = context;
    size_t length = size * n;
    bool is_end = length > 0 && (bytes[0] == '\r' || bytes[0] == '\n');
    read_retry_after(transfer, bytes, length);
    if (is_end && !transfer->heard_headers)
        heard(transfer);
    transfer->heard_headers = transfer->heard_headers || is_end;
    return length;
}

static bool is_this_machine(const char *host)
{
    return strcmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0 ||
           text_starts_with(host, "127.") || text_ends_with(host, ".localhost");
}

static bool url_is_local(const struct curl_library *curl, const char *url)
{
    char *host = NULL;
    CURLU *parts = curl->url();
    bool known = parts && curl->url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
                 curl->url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK;
    bool local = known && is_this_machine(host);
    curl->free(host);
    curl->url_cleanup(parts);
    return local;
}

static void add_header(struct transfer *transfer, const char *name, const char *value)
{
    AUTO(buf) line = { 0 };
    buf_init(&line, 65536);
    if (!buf_puts(&line, name) || !buf_puts(&line, value))
        return; /* refused by check_request already */
    struct curl_slist *longer =
        transfer->client->curl->slist_append(transfer->headers, buf_string(&line));
    if (!longer)
        abort();
    transfer->headers = longer;
}

static void set_headers(struct transfer *transfer)
{
    const struct http_request *request = transfer->request;
    add_header(transfer, "Expect:", ""); /* no round trip before a large body */
    if (request->body)
        add_header(transfer, "Content-Type: ", "application/json");
    if (request->accept)
        add_header(transfer, "Accept: ", request->accept);
    if (request->bearer)
        add_header(transfer, "Authorization: Bearer ", request->bearer);
    transfer->client->curl->easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
}

static void set_options(struct transfer *transfer)
{
    const struct curl_library *curl = transfer->client->curl;
    const struct http_request *request = transfer->request;
    CURL *easy = transfer->easy;
    curl->easy_setopt(easy, CURLOPT_URL, request->url);
    curl->easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl->easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl->easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)request->connect_timeout_ms);
    curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl->easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl->easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header_line);
    curl->easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    if (url_is_local(curl, request->url))
        curl->easy_setopt(easy, CURLOPT_NOPROXY, "*");
    if (request->unix_socket)
        curl->easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, request->unix_socket);
    if (request->body) {
        curl->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_length);
        curl->easy_setopt(easy, CURLOPT_POSTFIELDS, request->body);
    }
    set_headers(transfer);
}

/* A header is a line: what could end it early is no token. */
static enum err_code check_request(const struct http_request *request, struct err *err)
{
    size_t length = request->bearer ? strlen(request->bearer) : 0;
    for (size_t i = 0; i < length; i++)
        if (request->bearer[i] <= ' ' || request->bearer[i] > '~')
            return err_set(err, ERR_INVALID, 0,
                           "the API key contains a blank or a control "
                           "character");
    if (length > 16384)
        return err_set(err, ERR_INVALID, 0, "the API key is longer than 16384 bytes");
    return ERR_NONE;
}

static bool has_connected(const struct transfer *transfer)
{
    long n = 0;
    transfer->client->curl->easy_getinfo(transfer->easy, CURLINFO_NUM_CONNECTS, &n);
    return n > 0;
}

static enum err_code outcome_of(const struct transfer *transfer, struct err *err)
{
    if (transfer->too_long)
        return err_set(err, ERR_LIMIT, 0, "the response is longer than %zu bytes",
                       transfer->request->max_bytes);
    int code = (int)transfer->result;
    if (transfer->result == CURLE_OK || transfer->response->stopped)
        return ERR_NONE;
    if (transfer->result == CURLE_UNSUPPORTED_PROTOCOL && has_connected(transfer))
        return err_set(err, ERR_PROTOCOL, code, "it does not speak HTTP");
    if (transfer->result == CURLE_URL_MALFORMAT || transfer->result == CURLE_UNSUPPORTED_PROTOCOL)
        return err_set(err, ERR_INVALID, code, "not an http or https URL");
    if (transfer->result == CURLE_COULDNT_CONNECT)
        return err_set(err, ERR_UNAVAILABLE, code, "connection refused or impossible");
    if (transfer->result == CURLE_OPERATION_TIMEDOUT)
        return err_set(err, ERR_UNAVAILABLE, code, "no connection within %lld ms",
                       (long long)transfer->request->connect_timeout_ms);
    if (transfer->result == CURLE_RECV_ERROR || transfer->result == CURLE_SEND_ERROR ||
        transfer->result == CURLE_GOT_NOTHING || transfer->result == CURLE_PARTIAL_FILE)
        return err_set(err, ERR_UNAVAILABLE, code, "the connection was lost");
    return err_set(err, ERR_UNAVAILABLE, code, "%s",
                   transfer->client->curl->easy_strerror(transfer->result));
}

awaits static enum err_code await_transfer(struct transfer *transfer, const struct scope *scope,
                                           struct err *err)
{
    struct runtime *runtime = uv_runtime_port(transfer->client->runtime);
    struct scope whole = runtime_scope(runtime, scope, transfer->request->total_ms);
    enum err_code r =
        completion_await_until(&transfer->completion, &whole, &transfer->until_ms, err);
    if (!r) {
        tell_headers(transfer);
        return outcome_of(transfer, err);
    }
    if (r == ERR_TIMEOUT && scope_check(scope, runtime_now_ms(runtime), NULL) == ERR_NONE)
        return err_set(err, r, 0, "no answer for %.3g s",
                       (double)transfer->request->silence_ms / 1000.0);
    return r;
}

enum err_code http_client_perform(struct http_client *client, const struct scope *scope,
                                  struct http_request *request, struct http_response *out,
                                  struct err *err)
{
    *out = (struct http_response){ .retry_after_ms = -1 };
    enum err_code r = client_open(client, err);
    if (!r)
        r = check_request(request, err);
    if (r)
        return r;
    struct transfer transfer = { .client = client,
                                 .request = request,
                                 .response = out,
                                 .easy = client->curl->easy_init(),
                                 .completion = completion_of(client->runtime) };
    if (!transfer.easy)
        abort();
    heard(&transfer);
    set_options(&transfer);
    client->running++;
    client->curl->multi_add_handle(client->multi, transfer.easy);
    r = await_transfer(&transfer, scope, err);
    client->curl->multi_remove_handle(client->multi, transfer.easy);
    client->curl->easy_cleanup(transfer.easy);
    client->curl->slist_free_all(transfer.headers);
    client->running--;
    return r;
}
