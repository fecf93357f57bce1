/* Load on an MCP server over HTTP: so many clients at once, each with a connection of its own and
 * so many calls, one after the other. One thread and one epoll, so that it takes less than the
 * server.
 *
 *   http_load URL CLIENTS CALLS [modern|legacy|stateless] [TOOL]
 *
 * TOOL has to answer with its argument "text". Prints one line: how many calls there were, how many
 * were lost (no answer, or not the one to that call), calls a second from the first call to the
 * last answer, and in microseconds what half of the calls, 99 in a hundred, and the slowest took.
 * Exits with 1 where a call was lost. Connections and sessions are there before the clock runs. */
#include "tests/support/full/http_wire.h"
#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <time.h>

enum { SILENCE_MS = 60000, FIRST_CALL = 2 };

struct client {
    int fd, index;
    int step; /* 0: initialize, 1: initialized, then calls */
    char session[HTTP_WIRE_SESSION];
    char out[HTTP_WIRE_BYTES], in[HTTP_WIRE_BYTES];
    size_t n_in;
    double sent_us;
};

struct load {
    struct http_wire wire;
    const char *tool;
    int n_clients, n_calls, poll;
    struct client *clients;
    int n_ready, n_over, n_lost_clients;
    double *took_us;
    size_t n_took;
    double began_us, ended_us;
};

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* Its remaining calls are lost. Why is told of the first. */
static void give_up(struct load *load, struct client *client, const char *why)
{
    if (load->n_lost_clients++ == 0)
        fprintf(stderr, "client %d, step %d: %s: %.300s\n", client->index, client->step, why,
                client->in);
    close(client->fd);
    client->fd = -1;
    load->n_ready += client->step < FIRST_CALL;
    load->n_over++;
}

static void text_of(const struct client *client, char out[static 40])
{
    snprintf(out, 40, "call %d of client %d.", client->step - FIRST_CALL, client->index);
}

static void send_next(struct load *load, struct client *client)
{
    char text[40];
    const char *session = *client->session ? client->session : NULL;
    size_t n;
    text_of(client, text);
    if (client->step == 0)
        n = http_wire_initialize(&load->wire, client->out);
    else if (client->step == 1)
        n = http_wire_initialized(&load->wire, client->out, session);
    else
        n = http_wire_call(&load->wire, client->out, session, client->step, load->tool, text);
    client->n_in = 0;
    client->sent_us = now_us();
    /* The buffer of a socket that nothing is in takes as little as this whole. */
    if (send(client->fd, client->out, n, MSG_NOSIGNAL) != (ssize_t)n)
        give_up(load, client, "nothing could be sent");
}

/* The calls begin when every client can make one. */
static void begin_calls(struct load *load)
{
    load->began_us = now_us();
    for (int i = 0; i < load->n_clients; i++)
        if (load->clients[i].fd >= 0)
            send_next(load, &load->clients[i]);
}

static bool is_right(const struct client *client)
{
    char text[40];
    int status = http_wire_status(client->in);
    text_of(client, text);
    return client->step < FIRST_CALL ? status == 200 || status == 202
                                     : status == 200 && strstr(client->in, text);
}

static void take_answer(struct load *load, struct client *client)
{
    if (!is_right(client)) {
        give_up(load, client, "not the answer");
        return;
    }
    if (client->step == 0)
        http_wire_read_session(client->in, client->session);
    if (client->step >= FIRST_CALL)
        load->took_us[load->n_took++] = now_us() - client->sent_us;
    client->step++;
    if (client->step == FIRST_CALL) {
        load->n_ready++;
    } else if (client->step == FIRST_CALL + load->n_calls) {
        load->n_over++;
        close(client->fd);
        client->fd = -1;
    } else {
        send_next(load, client);
    }
}

static void read_some(struct load *load, struct client *client)
{
    ssize_t n =
        recv(client->fd, client->in + client->n_in, sizeof client->in - 1 - client->n_in, 0);
    if (n <= 0 && errno == EAGAIN)
        return;
    client->n_in += n > 0 ? (size_t)n : 0;
    client->in[client->n_in] = '\0';
    if (n <= 0 || client->n_in == sizeof client->in - 1)
        give_up(load, client, "the connection ended");
    else if (http_wire_is_whole(client->in, client->n_in))
        take_answer(load, client);
}

static void open_clients(struct load *load)
{
    for (int i = 0; i < load->n_clients; i++) {
        struct client *client = &load->clients[i];
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = client };
        *client =
            (struct client){ .fd = http_wire_connect(&load->wire, SOCK_NONBLOCK), .index = i };
        bool is_legacy = load->wire.era == HTTP_WIRE_LEGACY;
        client->step = is_legacy ? 0 : FIRST_CALL;
        load->n_ready += !is_legacy;
        if (client->fd < 0 || epoll_ctl(load->poll, EPOLL_CTL_ADD, client->fd, &event))
            give_up(load, client, "no connection");
        else if (is_legacy)
            send_next(load, client);
    }
}

static void run(struct load *load)
{
    struct epoll_event events[64];
    bool has_begun = false;
    open_clients(load);
    while (load->n_over < load->n_clients) {
        if (!has_begun && load->n_ready == load->n_clients) {
            has_begun = true;
            begin_calls(load);
        }
        int n = epoll_wait(load->poll, events, 64, SILENCE_MS);
        if (n == 0)
            break;
        for (int i = 0; i < n; i++)
            read_some(load, events[i].data.ptr);
    }
    load->ended_us = now_us();
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t report(struct load *load)
{
    size_t all = (size_t)load->n_clients * (size_t)load->n_calls, n = load->n_took;
    double *took = load->took_us;
    qsort(took, n, sizeof *took, by_size);
    printf("calls %zu lost %zu per_second %.0f p50_us %.0f p99_us %.0f max_us %.0f\n", all, all - n,
           n ? (double)n / (load->ended_us - load->began_us) * 1e6 : 0, n ? took[n / 2] : 0,
           n ? took[n * 99 / 100] : 0, n ? took[n - 1] : 0);
    return all - n;
}

static enum http_wire_era era_of(const char *name)
{
    return strcmp(name, "legacy") == 0      ? HTTP_WIRE_LEGACY
           : strcmp(name, "stateless") == 0 ? HTTP_WIRE_STATELESS
                                            : HTTP_WIRE_MODERN;
}

int main(int argc, char **argv)
{
    static struct load load; /* what it owns goes with the process */
    load.tool = argc > 5 ? argv[5] : "echo";
    load.n_clients = argc > 3 ? atoi(argv[2]) : 0;
    load.n_calls = argc > 3 ? atoi(argv[3]) : 0;
    if (load.n_clients < 1 || load.n_calls < 1 || !http_wire_open(&load.wire, argv[1])) {
        fprintf(stderr, "usage: http_load URL CLIENTS CALLS [modern|legacy|stateless] [TOOL]\n");
        return 2;
    }
    load.wire.era = era_of(argc > 4 ? argv[4] : "modern");
    load.poll = epoll_create1(EPOLL_CLOEXEC);
    load.clients = calloc((size_t)load.n_clients, sizeof *load.clients);
    load.took_us = calloc((size_t)load.n_clients * (size_t)load.n_calls, sizeof *load.took_us);
    if (load.poll < 0 || !load.clients || !load.took_us)
        abort();
    run(&load);
    return report(&load) ? 1 : 0;
}
