#include "domain/base/text.h"
#include "infrastructure/web/web_listener_internal.h"
#include <arpa/inet.h>
#include <errno.h>
#include <malloc.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LARGE_BLOCK_BYTES = 256 * 1024 };
enum { SWEEP_MS = 1000, BACKLOG = 511, MAX_PORT = 65535, RUNS_AT_ONCE = 16, STUCK_MS = 50 };

union socket_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static struct web_listener *listener_of(struct web_server *server)
{
    return (struct web_listener *)server;
}

static int64_t now_ms(const struct web_listener *l)
{
    return runtime_now_ms(uv_runtime_port(l->runtime));
}

static enum err_code no_address(const char *address, struct err *err)
{
    err_set(err, ERR_INVALID, 0, "%.100s is not an address to listen at", address);
    return err_hint(err, ERR_INVALID,
                    "write numbers: 127.0.0.1:8080, [::1]:8080, or :0 for any "
                    "port");
}

/* Names are not looked up: what a name leads to may change, and with it who can reach the server.
 */
static enum err_code read_address(const char *address, union socket_address *out, struct err *err)
{
    char host[64] = "127.0.0.1";
    const char *colon = strrchr(address, ':');
    size_t length = colon ? (size_t)(colon - address) : 0;
    bool is_v6 = address[0] == '[' && length > 2 && address[length - 1] == ']';
    const char *port = colon ? colon + 1 : "";
    long number = *port && strlen(port) <= 5 && !port[strspn(port, "0123456789")]
                      ? strtol(port, NULL, 10)
                      : -1;
    *out = (union socket_address){ 0 };
    if (!colon || length >= sizeof host || number < 0 || number > MAX_PORT)
        return no_address(address, err);
    if (is_v6)
        snprintf(host, sizeof host, "%.*s", (int)length - 2, address + 1);
    else if (length)
        snprintf(host, sizeof host, "%.*s", (int)length, address);
    out->any.sa_family = is_v6 ? AF_INET6 : AF_INET;
    *(is_v6 ? &out->v6.sin6_port : &out->v4.sin_port) = htons((uint16_t)number);
    void *into = is_v6 ? (void *)&out->v6.sin6_addr : (void *)&out->v4.sin_addr;
    return inet_pton(out->any.sa_family, host, into) == 1 ? ERR_NONE : no_address(address, err);
}

enum err_code web_address_check(const char *address, bool *out_is_loopback, struct err *err)
{
    union socket_address at;
    enum err_code r = read_address(address, &at, err);
    if (!r)
        *out_is_loopback = at.any.sa_family == AF_INET6
                               ? IN6_IS_ADDR_LOOPBACK(&at.v6.sin6_addr)
                               : ntohl(at.v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    return r;
}

static enum err_code socket_failed(const char *address, struct err *err)
{
    int number = errno;
    bool is_foreign = number == EADDRNOTAVAIL;
    err_set(err, is_foreign ? ERR_INVALID : ERR_UNAVAILABLE, number, "%.100s: %s", address,
            strerror(number));
    return number == EADDRINUSE ? err_hint(err, ERR_UNAVAILABLE,
                                           "another program listens there; port 0 takes a "
                                           "free one")
           : is_foreign         ? ERR_INVALID
                                : ERR_UNAVAILABLE;
}

/* Binds, and notes as what clients reach it. */
static enum err_code bind_socket(struct web_listener *l, const char *address, struct err *err)
{
    union socket_address at;
    char host[INET6_ADDRSTRLEN];
    int on = 1;
    enum err_code r = read_address(address, &at, err);
    if (r)
        return r;
    bool is_v6 = at.any.sa_family == AF_INET6;
    socklen_t size = is_v6 ? sizeof at.v6 : sizeof at.v4;
    l->socket = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (l->socket < 0 || setsockopt(l->socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) ||
        bind(l->socket, &at.any, size) || listen(l->socket, BACKLOG) ||
        getsockname(l->socket, &at.any, &size))
        return socket_failed(address, err);
    inet_ntop(at.any.sa_family, is_v6 ? (void *)&at.v6.sin6_addr : (void *)&at.v4.sin_addr, host,
              sizeof host);
    snprintf(l->authority, sizeof l->authority, is_v6 ? "[%s]:%u" : "%s:%u", host,
             (unsigned)ntohs(is_v6 ? at.v6.sin6_port : at.v4.sin_port));
    return ERR_NONE;
}

/* The library does what its sockets are ready for, and says when it wants to be asked again. */
static void run_daemon(struct web_listener *l);

static void on_timer(uv_timer_t *timer)
{
    run_daemon(timer->data);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    run_daemon(poll->data);
}

/* Work that is left is done at once, a bounded number of times: there may be others who wait. A
 * timer without a delay that is set by its own callback would never let the loop go on. A request
 * that cannot go on, since its head or the line before a chunk fills the library's buffer, looks
 * like work to it until the connection ends: where nothing came of all runs there is time. What a
 * socket has to say is heard at once all the same. Each run lets in a few of those who knock; the
 * rest is not to wait until the first have been served. Nor does the library tell of the work that
 * the end of a connection is: with as many as it may have it stops listening, and begins again when
 * it is run the next time. */
static void run_daemon(struct web_listener *l)
{
    MHD_UNSIGNED_LONG_LONG ms = 0;
    enum MHD_Result has_timeout = MHD_YES;
    bool goes_on = true;
    l->has_moved = false;
    for (int i = 0; i < RUNS_AT_ONCE && goes_on; i++) {
        l->has_turned = false;
        l->mhd->run(l->daemon);
        has_timeout = l->mhd->get_timeout(l->daemon, &ms);
        goes_on = l->has_turned || (has_timeout == MHD_YES && ms == 0);
    }
    if (goes_on)
        uv_timer_start(&l->timer, on_timer, l->has_moved || l->has_turned ? 1 : STUCK_MS, 0);
    else if (has_timeout == MHD_YES)
        uv_timer_start(&l->timer, on_timer, ms, 0);
    else
        uv_timer_stop(&l->timer);
}

void web_listener_run_soon(struct web_listener *l)
{
    uv_timer_start(&l->timer, on_timer, 0, 0);
}

static bool has_left(const struct web_connection *c)
{
    char byte;
    return recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* What many clients at once needed is the system's again once nobody is there. */
static void give_back(struct web_listener *l)
{
    if (l->has_worked && l->n_exchanges == 0) {
        uv_runtime_give_back();
        malloc_trim(0);
    }
    l->has_worked = l->n_exchanges > 0;
}

/* A request that does not come in whole in time loses its connection, however busily it dribbles:
 * the library only knows of silence, also of a client that takes nothing of its answer. So does one
 * whose client has left in the middle of it: where the end came with the last bytes, the library
 * waits for more. */
static void on_sweep(uv_timer_t *timer)
{
    struct web_listener *l = timer->data;
    give_back(l);
    int64_t late = now_ms(l) - l->settings->http_request_seconds * 1000;
    for (struct web_connection *c = l->connections.next; c != &l->connections; c = c->next)
        if (c->waits_since_ms &&
            (c->waits_since_ms < late || (l->is_draining && !c->exchange) || has_left(c)))
            shutdown(c->fd, SHUT_RDWR);
}

static void free_connection(uv_handle_t *handle)
{
    struct web_connection *connection = handle->data;
    connection->listener->open_handles--;
    completion_complete(&connection->listener->wake);
    free(connection);
}

static void connection_opened(struct web_listener *l, struct MHD_Connection *mhd, void **out)
{
    struct web_connection *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    c->listener = l;
    c->fd = l->mhd->get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    c->waits_since_ms = now_ms(l);
    c->previous = l->connections.previous;
    c->next = &l->connections;
    c->previous->next = c->next->previous = c;
    uv_poll_init(uv_runtime_loop(l->runtime), &c->gone, c->fd);
    c->gone.data = c;
    l->open_handles++;
    l->has_turned = true;
    *out = c;
}

/* A request that the library gave up before it knew what it was is never reported as finished. */
static void connection_closed(struct web_connection *c)
{
    void *unfinished = c->exchange;
    web_exchange_finished(c->listener, NULL, &unfinished, MHD_REQUEST_TERMINATED_WITH_ERROR);
    c->previous->next = c->next;
    c->next->previous = c->previous;
    c->listener->has_turned = true;
    uv_close((uv_handle_t *)&c->gone, free_connection);
}

static void on_connection(void *listener, struct MHD_Connection *mhd, void **own,
                          enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        connection_opened(listener, mhd, own);
    else if (*own)
        connection_closed(*own);
}

/* Paths stay as they were sent: what a percent sign means is decided once, by who reads a path. */
static size_t leave_escapes(void *context, struct MHD_Connection *mhd, char *text)
{
    (void)context;
    (void)mhd;
    return strlen(text);
}

/* Half of the descriptors are left to what requests need: else whoever opens connections, which
 * takes no token, has the files and servers of others fail. As many as that takes are asked for. */
static unsigned connection_limit(const struct web_listener *l)
{
    struct rlimit files;
    rlim_t most = (rlim_t)l->settings->http_max_connections;
    if (getrlimit(RLIMIT_NOFILE, &files))
        return (unsigned)most;
    if (files.rlim_cur < 2 * most && files.rlim_cur < files.rlim_max) {
        const rlim_t before = files.rlim_cur;
        files.rlim_cur = 2 * most < files.rlim_max ? 2 * most : files.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &files))
            files.rlim_cur = before;
    }
    return (unsigned)(files.rlim_cur / 2 < most ? files.rlim_cur / 2 : most);
}

static enum err_code start_daemon(struct web_listener *l, struct err *err)
{
    uv_loop_t *loop = uv_runtime_loop(l->runtime);
    l->daemon = l->mhd->start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, web_exchange_take, l,
        MHD_OPTION_LISTEN_SOCKET, l->socket, MHD_OPTION_URI_LOG_CALLBACK, web_exchange_begin, l,
        MHD_OPTION_NOTIFY_COMPLETED, web_exchange_finished, l, MHD_OPTION_NOTIFY_CONNECTION,
        on_connection, l, MHD_OPTION_UNESCAPE_CALLBACK, leave_escapes, NULL,
        MHD_OPTION_CONNECTION_LIMIT, connection_limit(l), MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)l->settings->http_request_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)WEB_HEAD_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_SIGPIPE_HANDLED_BY_APP,
        1, MHD_OPTION_END);
    if (!l->daemon)
        return err_set(err, ERR_UNAVAILABLE, errno, "libmicrohttpd did not start: %s",
                       strerror(errno));
    l->socket = -1;
    uv_poll_init(loop, &l->poll,
                 l->mhd->get_daemon_info(l->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd);
    uv_timer_init(loop, &l->timer);
    uv_timer_init(loop, &l->sweep);
    l->poll.data = l->timer.data = l->sweep.data = l;
    l->open_handles += 3;
    uv_poll_start(&l->poll, UV_READABLE, on_ready);
    uv_timer_start(&l->sweep, on_sweep, SWEEP_MS, SWEEP_MS);
    run_daemon(l);
    return ERR_NONE;
}

static enum err_code handle(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct live_exchange *x = argument;
    struct web_listener *l = x->listener;
    (void)runtime;
    l->handle(l->context, scope, &x->base);
    x->next = l->handled;
    l->handled = x;
    completion_complete(&l->wake);
    return ERR_NONE;
}

/* Oldest first. */
static void start_handlers(struct web_listener *l)
{
    struct live_exchange *oldest = NULL, *next;
    for (struct live_exchange *x = l->ready; x; x = next) {
        next = x->next;
        x->next = oldest;
        oldest = x;
    }
    l->ready = NULL;
    for (struct live_exchange *x = oldest; x; x = next) {
        next = x->next;
        x->task = runtime_spawn(uv_runtime_port(l->runtime), &x->scope, handle, x);
    }
}

static void end_handlers(struct web_listener *l)
{
    while (l->handled) {
        struct live_exchange *x = l->handled;
        l->handled = x->next;
        (void)runtime_wait(uv_runtime_port(l->runtime), x->task);
        web_exchange_close(x);
        x->is_handled = true;
        web_exchange_settle(x);
    }
}

/* Nobody new comes in. What can be left alone ends at once. */
static void begin_drain(struct web_listener *l)
{
    l->is_draining = true;
    int socket = l->mhd->quiesce_daemon(l->daemon);
    if (socket >= 0)
        close(socket);
    on_sweep(&l->sweep);
    for (struct web_connection *c = l->connections.next; c != &l->connections; c = c->next)
        if (c->exchange && c->exchange->base.may_end)
            runtime_cancel(uv_runtime_port(l->runtime), &c->exchange->scope);
}

static void count_down(uv_handle_t *handle)
{
    struct web_listener *l = handle->data;
    l->open_handles--;
    completion_complete(&l->wake);
}

awaits static void stop_daemon(struct web_listener *l)
{
    l->mhd->stop_daemon(l->daemon);
    uv_close((uv_handle_t *)&l->poll, count_down);
    uv_close((uv_handle_t *)&l->timer, count_down);
    uv_close((uv_handle_t *)&l->sweep, count_down);
    while (l->open_handles || l->n_exchanges) {
        l->wake = completion_of(l->runtime);
        end_handlers(l);
        if (l->open_handles || l->n_exchanges)
            completion_await_end(&l->wake);
    }
}

/* Works until it may stop: *scope ends, then what runs has ended or the time for it is over. */
awaits static void serve_until(struct web_listener *l, const struct scope *scope)
{
    struct scope draining = { 0 };
    bool is_over = false;
    while (!is_over) {
        l->wake = completion_of(l->runtime);
        start_handlers(l);
        end_handlers(l);
        is_over = l->is_draining && l->n_exchanges == 0;
        if (is_over || completion_await(&l->wake, l->is_draining ? &draining : scope, NULL) == 0)
            continue;
        is_over = l->is_draining;
        if (!l->is_draining)
            begin_drain(l);
        draining = scope_child(NULL, now_ms(l) + l->settings->http_drain_seconds * 1000);
    }
}

/* Handlers do not outlive the server. */
awaits static void end_work(struct web_listener *l)
{
    runtime_cancel(uv_runtime_port(l->runtime), &l->work);
    for (bool is_over = false; !is_over;) {
        l->wake = completion_of(l->runtime);
        start_handlers(l);
        end_handlers(l);
        is_over = true;
        for (struct web_connection *c = l->connections.next; c != &l->connections; c = c->next)
            is_over = is_over && (!c->exchange || c->exchange->is_handled);
        if (!is_over)
            completion_await_end(&l->wake);
    }
}

static enum err_code serve(struct web_server *server, struct scope *scope, web_handler *handler,
                           void *context, struct err *err)
{
    struct web_listener *l = listener_of(server);
    l->handle = handler;
    l->context = context;
    /* Not within the scope: what was begun is finished when that ends. */
    l->work = (struct scope){ .deadline_ms = SCOPE_NO_DEADLINE, .last_of = scope };
    l->wake = completion_of(l->runtime);
    enum err_code r = start_daemon(l, err);
    if (r)
        return r;
    serve_until(l, scope);
    end_work(l);
    stop_daemon(l);
    return ERR_NONE;
}

static const char *authority(struct web_server *server)
{
    return listener_of(server)->authority;
}

static void destroy(struct web_server *server)
{
    struct web_listener *l = listener_of(server);
    if (l->socket >= 0)
        close(l->socket);
    free(l);
}

enum err_code web_listener_create(struct uv_runtime *runtime, const struct settings *settings,
                                  const char *address, struct web_server **out, struct err *err)
{
    static const struct web_server_ops ops = { .authority = authority,
                                               .serve = serve,
                                               .destroy = destroy };
    const struct microhttpd *mhd = NULL;
    enum err_code r = microhttpd_get(&mhd, err);
    if (r)
        return r;
    /* Large bodies go back to the system: else the allocator learns from the first of them to keep
     * so much for the next. */
    mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES);
    struct web_listener *l = calloc(1, sizeof *l);
    if (!l)
        abort();
    l->base.ops = &ops;
    l->runtime = runtime;
    l->settings = settings;
    l->mhd = mhd;
    l->socket = -1;
    l->connections.next = l->connections.previous = &l->connections;
    r = bind_socket(l, address, err);
    if (r)
        destroy(&l->base);
    else
        *out = &l->base;
    return r;
}
