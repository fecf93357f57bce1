#include "infrastructure/postgres/postgres_listener.h"
#include "domain/entities/person.h"
#include "infrastructure/postgres/postgres_connection.h"
#include "infrastructure/runtime/alarm.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "infrastructure/runtime/worker.h"
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <uv.h>

enum {
    FIRST_PAUSE_MS = 100,
    LAST_PAUSE_MS = 10000,
    SILENT_S = 15, /* before the network is asked whether the server is still there, */
    PROBE_S = 5,   /* how often that is repeated, */
    PROBES = 3,    /* and how many times */
};

struct postgres_listener {
    struct uv_runtime *runtime;
    struct postgres_database *db;
    char *person;
    struct worker *worker; /* a server that does not answer keeps no other job waiting */
    struct postgres_connection connection; /* the job's while it connects, else the loop's */
    uv_poll_t *poll;                       /* NULL: not connected */
    struct alarm *retry;
    int64_t pause_ms;
    bool is_started;
    struct completion *attempt, *reader; /* who waits for the first attempt, and for a notice */
    struct queue_notice notices[LISTENER_MAX_NOTICES]; /* a ring */
    size_t first, n;
};

static void connect_job(void *argument)
{
    struct postgres_listener *l = argument;
    struct postgres_connection *c = &l->connection;
    const struct postgres_statement listen = { .sql = "LISTEN mistro", .only_reads = true };
    if (!libpq_get(&c->pq, NULL) && !postgres_connect(l->db, &c->pg, NULL))
        (void)!postgres_connection_send(c, &listen, 1, NULL, NULL); /* closes it when it fails */
}

static void add_notice(struct postgres_listener *l, const struct queue_notice *notice)
{
    if (l->n == LISTENER_MAX_NOTICES) {
        l->n = 1;
        l->notices[l->first] = (struct queue_notice){ .kind = NOTICE_LOST };
    } else {
        l->notices[(l->first + l->n++) % LISTENER_MAX_NOTICES] = *notice;
    }
    if (l->reader)
        completion_complete(l->reader);
}

static bool parse_notice(const char *text, const char *person, struct queue_notice *out)
{
    static const struct {
        const char *word;
        enum queue_notice_kind kind;
    } kinds[] = { { "runs", NOTICE_RUNS }, { "cancel", NOTICE_CANCEL }, { "end", NOTICE_END } };
    char word[8] = "", whose[PERSON_NAME_SIZE] = "";
    _Static_assert(RUN_ID_MAX == 40 && QUEUE_NAME_MAX == 64 && PERSON_NAME_SIZE == 65, "as below");
    *out = (struct queue_notice){ 0 };
    if (sscanf(text, "%7s %39s %64s %64s", word, out->run_id, out->queue, whose) < 3 ||
        strcmp(whose, person) != 0)
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
        out->kind = kinds[i].kind;
        if (strcmp(word, kinds[i].word) == 0)
            return true;
    }
    return false;
}

static void free_handle(uv_handle_t *handle)
{
    free(handle);
}

static void disconnect(struct postgres_listener *l)
{
    if (l->poll) {
        uv_poll_stop(l->poll); /* before libpq closes what it watches */
        uv_close((uv_handle_t *)l->poll, free_handle);
    }
    l->poll = NULL;
    postgres_connection_close(&l->connection);
}

static void try_again(struct postgres_listener *l)
{
    disconnect(l);
    alarm_set(l->retry, l->pause_ms);
    l->pause_ms = l->pause_ms * 2 < LAST_PAUSE_MS ? l->pause_ms * 2 : LAST_PAUSE_MS;
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct postgres_listener *l = poll->data;
    const struct libpq *pq = l->connection.pq;
    PGnotify *told;
    struct queue_notice notice;
    (void)events;
    bool stands = status >= 0 && pq->consumeInput(l->connection.pg);
    while ((told = pq->notifies(l->connection.pg))) {
        if (parse_notice(told->extra, l->person, &notice))
            add_notice(l, &notice);
        pq->freemem(told);
    }
    if (!stands || pq->status(l->connection.pg) != CONNECTION_OK)
        try_again(l);
}

/* A server whose machine is gone says nothing. Of a unix socket none of this is true. */
static void notice_silence(int fd)
{
    const int on = 1, silent_s = SILENT_S, probe_s = PROBE_S, probes = PROBES;
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &silent_s, sizeof silent_s);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &probe_s, sizeof probe_s);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

static void watch(struct postgres_listener *l)
{
    int fd = l->connection.pq->socket(l->connection.pg);
    l->poll = calloc(1, sizeof *l->poll);
    if (!l->poll)
        abort();
    if (uv_poll_init(uv_runtime_loop(l->runtime), l->poll, fd) != 0)
        abort();
    l->poll->data = l;
    notice_silence(fd);
    uv_poll_start(l->poll, UV_READABLE, on_readable);
    l->pause_ms = FIRST_PAUSE_MS;
    add_notice(l, &(struct queue_notice){ .kind = NOTICE_LOST });
    on_readable(l->poll, 0, UV_READABLE); /* libpq may have read notices with the last answer */
}

static void connect_done(void *argument)
{
    struct postgres_listener *l = argument;
    if (l->connection.pg)
        watch(l);
    else
        try_again(l);
    if (l->attempt)
        completion_complete(l->attempt);
}

static void start_attempt(void *argument)
{
    struct postgres_listener *l = argument;
    worker_post(l->worker, connect_job, connect_done, l);
}

struct postgres_listener *postgres_listener_create(struct uv_runtime *runtime,
                                                   struct postgres_database *db, const char *person)
{
    struct postgres_listener *l = calloc(1, sizeof *l);
    if (!l || !(l->person = strdup(person)))
        abort();
    l->runtime = runtime;
    l->db = db;
    l->worker = worker_create(runtime);
    l->retry = alarm_create(runtime, start_attempt, l);
    l->pause_ms = FIRST_PAUSE_MS;
    return l;
}

void postgres_listener_destroy(struct postgres_listener *l)
{
    if (!l)
        return;
    worker_destroy(l->worker);
    alarm_destroy(l->retry);
    disconnect(l);
    free(l->person);
    free(l);
}

enum err_code postgres_listener_next(struct postgres_listener *l, struct scope *scope,
                                     struct queue_notice *out, struct err *err)
{
    if (!l->is_started) {
        struct completion attempt = completion_of(l->runtime);
        l->is_started = true;
        l->attempt = &attempt;
        start_attempt(l);
        completion_await_end(&attempt);
        l->attempt = NULL;
    }
    while (!l->n) {
        struct completion told = completion_of(l->runtime);
        l->reader = &told;
        enum err_code r = completion_await(&told, scope, err);
        l->reader = NULL;
        if (r)
            return r;
    }
    *out = l->notices[l->first];
    l->first = (l->first + 1) % LISTENER_MAX_NOTICES;
    l->n--;
    return ERR_NONE;
}
