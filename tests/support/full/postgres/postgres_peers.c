#include "tests/support/full/postgres/postgres_peers.h"
#include "infrastructure/postgres/postgres_create.h"
#include "tests/support/full/postgres/postgres_server.h"
#include "tests/support/full/test_assets.h"

enum { MOMENT_MS = 20 };

static enum err_code run_body(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peers *p = argument;
    (void)runtime;
    p->scope = scope;
    p->body(p);
    return ERR_NONE;
}

static void open_peer(struct peers *p, struct peer *peer, int64_t lease_s)
{
    peer->all = p;
    peer->db = postgres_database_create(p->runtime, postgres_server_url(), test_assets());
    peer->process = postgres_process_create(p->runtime, peer->db, lease_s);
    peer->states = postgres_run_states_create(p->runtime, peer->process, "ada");
    peer->queue = postgres_queue_create(p->runtime, peer->process, "ada");
}

static void close_peer(struct peer *peer)
{
    run_queue_destroy(peer->queue);
    run_states_destroy(peer->states);
    postgres_process_destroy(peer->process);
    postgres_database_destroy(peer->db);
}

bool peers_run_on(size_t n, int64_t lease_s, void (*body)(struct peers *p))
{
    struct peers p = { .runtime = uv_runtime_create(), .n = n, .body = body };
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    for (size_t i = 0; i < n; i++)
        open_peer(&p, &p.list[i], lease_s);
    (void)uv_runtime_run(p.runtime, &scope, run_body, &p);
    for (size_t i = 0; i < n; i++)
        close_peer(&p.list[i]);
    uv_runtime_destroy(p.runtime);
    arena_finish(&p.arena);
    return !p.is_wrong;
}

bool peers_run(size_t n, int64_t lease_s, void (*body)(struct peers *p))
{
    postgres_server_empty();
    return peers_run_on(n, lease_s, body);
}

void peers_each(struct peers *p, const struct peer *spared, task_fn *fn)
{
    struct runtime *runtime = uv_runtime_port(p->runtime);
    struct task *tasks[PEERS_MAX];
    for (size_t i = 0; i < p->n; i++)
        if (&p->list[i] != spared)
            tasks[i] = runtime_spawn(runtime, p->scope, fn, &p->list[i]);
    for (size_t i = 0; i < p->n; i++)
        if (&p->list[i] != spared)
            (void)runtime_wait(runtime, tasks[i]);
}

void peers_wait(struct peers *p)
{
    (void)!runtime_sleep(uv_runtime_port(p->runtime), p->scope, MOMENT_MS, NULL);
}
