#include "infrastructure/net/http_client.h"
#include "application/ports/runtime.h"
#include "infrastructure/net/http_destination.h"
#include "infrastructure/net/http_transfer.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <assert.h>
#include <stdlib.h>
#include <uv.h>

struct http_client {
    struct uv_runtime *runtime;
    const struct curl_library *curl; /* NULL before the first request */
    CURLM *multi;
    struct pulse *pulse;
    size_t running;
    struct http_transfer *begun; /* those that no task awaits */
    bool is_inside;              /* of libcurl, which takes and gives no transfer meanwhile */
    bool has_changes;            /* waiting for the end of that */
};

/* When libcurl wants to go on by itself. At once is the next turn of the loop: a timer of no time
 * that is set again by its own callback would leave the loop nothing but that. Freed by its close
 * callbacks. */
struct pulse {
    uv_timer_t later;
    uv_idle_t at_once;
    unsigned open_handles;
};

/* libcurl's socket, watched by libuv. */
struct watcher {
    uv_poll_t handle;
    struct http_client *client;
    curl_socket_t socket;
};

static void add(struct http_transfer *transfer)
{
    transfer->is_added = true;
    transfer->curl->multi_add_handle(transfer->client->multi, transfer->easy);
}

static void unlink_begun(struct http_transfer *transfer)
{
    struct http_transfer **at = &transfer->client->begun;
    while (*at != transfer)
        at = &(*at)->next;
    *at = transfer->next;
}

/* The end of a transfer that was begun: it is gone when its owner hears of it. */
static void end(struct http_transfer *transfer)
{
    struct http_client *client = transfer->client;
    struct err why = { 0 };
    unlink_begun(transfer);
    if (!transfer->is_stopped)
        http_transfer_tell_headers(transfer);
    (void)!http_transfer_outcome(transfer, &why);
    if (transfer->is_added)
        client->curl->multi_remove_handle(client->multi, transfer->easy);
    http_transfer_finish(transfer);
    client->running--;
    transfer->on_done(transfer->request->context, &transfer->own_response, &why);
    free(transfer);
}

static void report_finished(struct http_client *client)
{
    int left;
    for (CURLMsg *message; (message = client->curl->multi_info_read(client->multi, &left));) {
        struct http_transfer *transfer = NULL;
        client->curl->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        transfer->result = message->data.result;
        if (transfer->on_done)
            end(transfer);
        else
            completion_complete(&transfer->completion);
    }
}

/* The next one that was begun or stopped inside of a callback. */
static struct http_transfer *find_changed(const struct http_client *client)
{
    struct http_transfer *transfer = client->begun;
    while (transfer && transfer->is_added && !transfer->is_stopped)
        transfer = transfer->next;
    return transfer;
}

static void make_changes(struct http_client *client)
{
    struct http_transfer *transfer;
    if (!client->has_changes)
        return;
    client->has_changes = false;
    while ((transfer = find_changed(client))) {
        if (transfer->is_stopped)
            end(transfer);
        else
            add(transfer);
    }
}

static void act(struct http_client *client, curl_socket_t socket, int events)
{
    int running;
    client->is_inside = true;
    client->curl->multi_socket_action(client->multi, socket, events, &running);
    client->is_inside = false;
    report_finished(client);
    make_changes(client);
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

static void on_later(uv_timer_t *later)
{
    act(later->data, CURL_SOCKET_TIMEOUT, 0);
}

static void on_at_once(uv_idle_t *at_once)
{
    uv_idle_stop(at_once);
    act(at_once->data, CURL_SOCKET_TIMEOUT, 0);
}

static int on_timer_wanted(CURLM *multi, long ms, void *context)
{
    (void)multi;
    struct pulse *pulse = ((const struct http_client *)context)->pulse;
    uv_timer_stop(&pulse->later);
    uv_idle_stop(&pulse->at_once);
    if (ms < 0)
        return 0;
    return ms == 0 ? uv_idle_start(&pulse->at_once, on_at_once)
                   : uv_timer_start(&pulse->later, on_later, (uint64_t)ms, 0);
}

static struct pulse *pulse_create(struct http_client *client)
{
    struct pulse *pulse = calloc(1, sizeof *pulse);
    if (!pulse)
        abort();
    uv_timer_init(uv_runtime_loop(client->runtime), &pulse->later);
    uv_idle_init(uv_runtime_loop(client->runtime), &pulse->at_once);
    pulse->later.data = pulse->at_once.data = client;
    pulse->open_handles = 2;
    return pulse;
}

static void on_pulse_closed(uv_handle_t *handle)
{
    struct pulse *pulse = handle->data;
    if (--pulse->open_handles == 0)
        free(pulse);
}

static void pulse_destroy(struct pulse *pulse)
{
    pulse->later.data = pulse->at_once.data = pulse;
    uv_close((uv_handle_t *)&pulse->later, on_pulse_closed);
    uv_close((uv_handle_t *)&pulse->at_once, on_pulse_closed);
}

static enum err_code client_open(struct http_client *client, struct err *err)
{
    if (client->multi)
        return ERR_NONE;
    enum err_code r = curl_library_get(&client->curl, err);
    if (r)
        return r;
    client->multi = client->curl->multi_init();
    if (!client->multi)
        abort();
    client->pulse = pulse_create(client);
    client->curl->multi_setopt(client->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
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

void http_client_destroy(struct http_client *client)
{
    if (!client)
        return;
    assert(client->running == 0);
    if (client->multi) {
        client->curl->multi_cleanup(client->multi);
        pulse_destroy(client->pulse);
    }
    free(client);
}

awaits static enum err_code await_transfer(struct http_transfer *transfer,
                                           const struct scope *scope, struct err *err)
{
    struct runtime *runtime = uv_runtime_port(transfer->runtime);
    struct scope whole = runtime_scope(runtime, scope, transfer->request->total_ms);
    enum err_code r =
        completion_await_until(&transfer->completion, &whole, &transfer->until_ms, err);
    if (!r) {
        http_transfer_tell_headers(transfer);
        return http_transfer_outcome(transfer, err);
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
    if (r)
        return r;
    struct http_transfer transfer = { .client = client,
                                      .curl = client->curl,
                                      .runtime = client->runtime,
                                      .request = request,
                                      .response = out,
                                      .completion = completion_of(client->runtime) };
    r = http_transfer_check(&transfer, err);
    if (r)
        return r;
    http_transfer_init(&transfer);
    client->running++;
    add(&transfer);
    r = await_transfer(&transfer, scope, err);
    client->curl->multi_remove_handle(client->multi, transfer.easy);
    http_transfer_finish(&transfer);
    client->running--;
    return r;
}

#define RESOLVE_MS 10000

static void on_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *found)
{
    (void)status;
    (void)found; /* stays in the request */
    completion_complete(request->data);
}

/* NULL: it has no addresses, or the scope ended. */
awaits static struct addrinfo *resolve(struct uv_runtime *runtime, const struct scope *scope,
                                       const char *host)
{
    struct completion completion = completion_of(runtime);
    uv_getaddrinfo_t request = { .data = &completion };
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    if (uv_getaddrinfo(uv_runtime_loop(runtime), &request, on_resolved, host, NULL, &hints))
        return NULL;
    if (completion_await(&completion, scope, NULL)) {
        uv_cancel((uv_req_t *)&request);
        completion_await_end(&completion);
    }
    return request.addrinfo;
}

enum err_code http_client_check(struct http_client *client, const struct scope *scope,
                                const char *url, enum http_reach reach, struct err *err)
{
    struct http_destination destination;
    struct runtime *runtime = uv_runtime_port(client->runtime);
    struct scope bounded = runtime_scope(runtime, scope, RESOLVE_MS);
    enum err_code r = client_open(client, err);
    if (!r)
        r = http_destination_init(&destination, client->curl, url, reach, err);
    if (r || reach == HTTP_ANYWHERE || destination.proxy)
        return r;
    struct addrinfo *found = resolve(client->runtime, &bounded, destination.host);
    for (const struct addrinfo *one = found; !r && one; one = one->ai_next)
        if (!http_destination_admits(&destination, one->ai_addr))
            r = http_destination_explain(&destination, err);
    uv_freeaddrinfo(found);
    return r ? r : scope_check(scope, runtime_now_ms(runtime), err);
}

enum err_code http_client_begin(struct http_client *client, struct http_request *request,
                                http_done_fn *on_done, struct http_transfer **out, struct err *err)
{
    enum err_code r = client_open(client, err);
    if (r)
        return r;
    struct http_transfer *transfer = calloc(1, sizeof *transfer);
    if (!transfer)
        abort();
    *transfer = (struct http_transfer){ .client = client,
                                        .curl = client->curl,
                                        .runtime = client->runtime,
                                        .request = request,
                                        .response = &transfer->own_response,
                                        .own_response = { .retry_after_ms = -1 },
                                        .on_done = on_done,
                                        .next = client->begun };
    r = http_transfer_check(transfer, err);
    if (r) {
        free(transfer);
        return r;
    }
    client->begun = transfer;
    client->running++;
    http_transfer_init(transfer);
    if (client->is_inside)
        client->has_changes = true;
    else
        add(transfer);
    *out = transfer;
    return ERR_NONE;
}

void http_client_stop(struct http_transfer *transfer)
{
    transfer->is_stopped = true;
    if (transfer->client->is_inside)
        transfer->client->has_changes = true;
    else
        end(transfer);
}
