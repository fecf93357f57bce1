/* Processes that want the same run. Most of them are several in this one, each with a connection
 * and a name of its own; the one that is stopped is a child. */
#include "domain/base/text.h"
#include "infrastructure/postgres/postgres_create.h"
#include "infrastructure/postgres/postgres_process.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/postgres_server.h"
#include "tests/support/full/test_assets.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PEERS = 6, ROUNDS = 10, LONG_LEASE_S = 600, SHORT_LEASE_S = 1, POLL_MS = 20, POLLS = 1500 };

#define RUN "01run"
/* The database has not heard of any process for an hour, nor been away. */
#define SILENCE                                                                                    \
    "UPDATE mistro.processes SET seen_ms = seen_ms - 3600000, lasts_ms = least(lasts_ms, 1)"

struct peer {
    struct postgres_database *db;
    struct postgres_process *process;
    struct run_states *states;
    struct run_claim *claim;
    struct run_state *state;
    const struct run_contents *contents;
};

struct bench {
    struct uv_runtime *runtime;
    struct peer peers[PEERS];
    struct scope *scope;
    void (*body)(struct bench *b);
    struct err err;
    bool is_wrong;
};

/* Within a task nothing may jump out of it. */
#define CHECK(claim)                                                                               \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #claim, b->err.message);       \
            b->is_wrong = true;                                                                    \
        }                                                                                          \
    } while (0)

static enum err_code run_body(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct bench *b = argument;
    (void)runtime;
    b->scope = scope;
    b->body(b);
    return ERR_NONE;
}

static void open_peer(struct bench *b, struct peer *peer, int64_t lease_s)
{
    peer->db = postgres_database_create(b->runtime, postgres_server_url(), test_assets());
    peer->process = postgres_process_create(b->runtime, peer->db, lease_s);
    peer->states = postgres_run_states_create(b->runtime, peer->process, "ada");
}

static void close_peer(struct peer *peer)
{
    run_states_destroy(peer->states);
    postgres_process_destroy(peer->process);
    postgres_database_destroy(peer->db);
}

/* Whether all went well. */
static bool run_peers(size_t n, int64_t lease_s, void (*body)(struct bench *b))
{
    struct bench b = { .runtime = uv_runtime_create(), .body = body };
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    for (size_t i = 0; i < n; i++)
        open_peer(&b, &b.peers[i], lease_s);
    (void)uv_runtime_run(b.runtime, &scope, run_body, &b);
    for (size_t i = 0; i < n; i++)
        close_peer(&b.peers[i]);
    uv_runtime_destroy(b.runtime);
    return !b.is_wrong;
}

static void wait_a_little(struct bench *b)
{
    (void)!runtime_sleep(uv_runtime_port(b->runtime), b->scope, POLL_MS, NULL);
}

static enum err_code claim_run(struct bench *b, struct peer *peer)
{
    return run_states_claim(peer->states, b->scope, RUN, &peer->claim, &b->err);
}

static void release_run(struct peer *peer)
{
    run_states_release(peer->states, peer->claim);
    peer->claim = NULL;
}

static enum err_code create_state(struct bench *b, struct peer *peer)
{
    return run_states_create(peer->states, b->scope, RUN, &peer->state, &b->err);
}

static enum err_code open_state(struct bench *b, struct peer *peer)
{
    return run_states_open(peer->states, b->scope, RUN, &peer->state, &peer->contents, &b->err);
}

static enum err_code commit_call(struct bench *b, struct peer *peer, const char *path)
{
    const struct call_record call = { .path = path,
                                      .state = CALL_SENT,
                                      .attempt = 1,
                                      .tool = "shop/charge",
                                      .args = "{}",
                                      .effect_id = "e" };
    run_state_put_call(peer->state, &call);
    return run_state_commit(peer->state, b->scope, /* to_disk */ true, &b->err);
}

/* Once it can be claimed; false: it never can. */
static bool claim_at_last(struct bench *b, struct peer *peer)
{
    for (int i = 0; i < POLLS; i++) {
        if (claim_run(b, peer) == ERR_NONE)
            return true;
        wait_a_little(b);
    }
    return false;
}

struct fight {
    struct peer *peer;
    enum err_code code;
};

static enum err_code fight(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fight *fight = argument;
    (void)runtime;
    fight->code = run_states_claim(fight->peer->states, scope, RUN, &fight->peer->claim, NULL);
    return ERR_NONE;
}

/* All of them but one, which may be NULL. The winner; NULL: there was none. */
static struct peer *fight_once(struct bench *b, const struct peer *spared)
{
    struct runtime *runtime = uv_runtime_port(b->runtime);
    struct fight fights[PEERS];
    struct task *tasks[PEERS];
    struct peer *winner = NULL;
    for (size_t i = 0; i < PEERS; i++) {
        fights[i] = (struct fight){ .peer = &b->peers[i] };
        if (fights[i].peer != spared)
            tasks[i] = runtime_spawn(runtime, b->scope, fight, &fights[i]);
    }
    for (size_t i = 0; i < PEERS; i++) {
        if (fights[i].peer == spared)
            continue;
        (void)runtime_wait(runtime, tasks[i]);
        CHECK(fights[i].code == ERR_INVALID || (!fights[i].code && !winner));
        winner = fights[i].code ? winner : fights[i].peer;
    }
    CHECK(winner);
    return winner;
}

static void fight_for_it(struct bench *b)
{
    for (int round = 0; !b->is_wrong && round < ROUNDS; round++) {
        struct peer *first = fight_once(b, NULL), *second;
        postgres_server_run(SILENCE);
        second = fight_once(b, first);
        CHECK(second != first);
        if (second)
            release_run(second);
        if (first)
            release_run(first);
    }
}

static void of_many_processes_one_gets_the_run_also_from_a_dead_one(void **state)
{
    (void)state;
    postgres_server_empty();
    assert_true(run_peers(PEERS, LONG_LEASE_S, fight_for_it));
}

/* The child: claims, commits an intent, says so, and commits another one when it is told to. */
static void be_stopped(struct bench *b)
{
    struct peer *peer = &b->peers[0];
    char word = 'x';
    CHECK(claim_run(b, peer) == ERR_NONE && create_state(b, peer) == ERR_NONE);
    CHECK(commit_call(b, peer, "first") == ERR_NONE);
    CHECK(write(STDOUT_FILENO, &word, 1) == 1 && read(STDIN_FILENO, &word, 1) == 1);
    CHECK(commit_call(b, peer, "second") == ERR_MISMATCH);
    CHECK(run_state_check(peer->state, NULL) == ERR_MISMATCH);
    CHECK(commit_call(b, peer, "third") == ERR_MISMATCH);
    run_state_close(peer->state, /* remove */ true);
    release_run(peer);
}

static struct {
    pid_t process;
    int from, to;
} child;

static void start_child(void)
{
    int up[2], down[2];
    assert_int_equal(pipe(up), 0);
    assert_int_equal(pipe(down), 0);
    child.process = fork();
    if (child.process == 0) {
        dup2(down[0], STDIN_FILENO);
        dup2(up[1], STDOUT_FILENO);
        close(down[1]);
        _exit(run_peers(1, SHORT_LEASE_S, be_stopped) ? 0 : 1);
    }
    close(up[1]);
    close(down[0]);
    child.from = up[0];
    child.to = down[1];
}

static void take_from_the_stopped(struct bench *b)
{
    struct peer *peer = &b->peers[0];
    int status = -1;
    CHECK(claim_run(b, peer) == ERR_INVALID && strstr(b->err.message, "is being run by process "));
    kill(child.process, SIGSTOP);
    CHECK(claim_at_last(b, peer));
    kill(child.process, SIGCONT);
    CHECK(open_state(b, peer) == ERR_NONE);
    CHECK(peer->contents && run_contents_call(peer->contents, "first"));
    CHECK(commit_call(b, peer, "mine") == ERR_NONE);
    CHECK(write(child.to, "x", 1) == 1 && waitpid(child.process, &status, 0) == child.process);
    CHECK(status == 0);
    run_state_close(peer->state, /* remove */ false);
    CHECK(open_state(b, peer) == ERR_NONE);
    CHECK(run_contents_call(peer->contents, "mine") &&
          !run_contents_call(peer->contents, "second"));
    run_state_close(peer->state, /* remove */ true);
    release_run(peer);
}

static void who_was_stopped_for_too_long_writes_nothing_any_more(void **state)
{
    char word;
    (void)state;
    postgres_server_empty();
    start_child();
    assert_int_equal(read(child.from, &word, 1), 1);
    assert_true(run_peers(1, LONG_LEASE_S, take_from_the_stopped));
    close(child.from);
    close(child.to);
}

/* As a process would hang that was stopped when it had sent half of a large write. */
static enum err_code hang_in_a_transaction(struct postgres_database *db, PGconn **out,
                                           const struct libpq **out_pq)
{
    static const char script[] =
        "BEGIN; SELECT mistro.hold(person, run_id, fence) FROM mistro.leases";
    if (postgres_connect(db, out, NULL) || libpq_get(out_pq, NULL))
        return ERR_UNAVAILABLE;
    const struct libpq *pq = *out_pq;
    if (!pq->sendQuery(*out, script))
        return ERR_UNAVAILABLE;
    while (pq->flush(*out) > 0)
        ;
    for (PGresult *result; (result = pq->getResult(*out));)
        pq->clear(result);
    return ERR_NONE;
}

static void hang(struct bench *b)
{
    PGconn *hanging = NULL;
    const struct libpq *pq = NULL;
    CHECK(claim_run(b, &b->peers[0]) == ERR_NONE);
    CHECK(create_state(b, &b->peers[0]) == ERR_NONE);
    CHECK(hang_in_a_transaction(b->peers[0].db, &hanging, &pq) == ERR_NONE);
    postgres_server_run(SILENCE);
    CHECK(claim_run(b, &b->peers[1]) == ERR_NONE);
    CHECK(open_state(b, &b->peers[1]) == ERR_NONE);
    run_state_close(b->peers[1].state, /* remove */ false);
    run_state_close(b->peers[0].state, /* remove */ true);
    CHECK(open_state(b, &b->peers[1]) == ERR_NONE);
    run_state_close(b->peers[1].state, /* remove */ true);
    release_run(&b->peers[0]);
    release_run(&b->peers[1]);
    if (hanging)
        pq->finish(hanging);
}

static void locks_of_a_dead_process_are_in_nobodys_way(void **state)
{
    (void)state;
    postgres_server_empty();
    assert_true(run_peers(2, LONG_LEASE_S, hang));
}

static void restart_the_server(struct bench *b)
{
    struct peer *peer = &b->peers[0], *other = &b->peers[1];
    CHECK(claim_run(b, peer) == ERR_NONE && create_state(b, peer) == ERR_NONE);
    CHECK(commit_call(b, peer, "before") == ERR_NONE);
    postgres_server_control("--stop");
    postgres_server_control("--start");
    CHECK(commit_call(b, peer, "after") == ERR_NONE);
    /* While the server was away nobody could be heard. */
    postgres_server_run("UPDATE mistro.processes SET seen_ms = seen_ms - 3600000");
    CHECK(claim_run(b, other) == ERR_INVALID);
    run_state_close(peer->state, /* remove */ false);
    release_run(peer);
    CHECK(claim_run(b, other) == ERR_NONE && open_state(b, other) == ERR_NONE);
    CHECK(run_contents_call(other->contents, "before") &&
          run_contents_call(other->contents, "after"));
    run_state_close(other->state, /* remove */ true);
    release_run(other);
}

static void a_restart_of_the_server_takes_no_run_away(void **state)
{
    (void)state;
    postgres_server_empty();
    assert_true(run_peers(2, LONG_LEASE_S, restart_the_server));
}

static void lose_the_server(struct bench *b)
{
    struct peer *peer = &b->peers[0], *other = &b->peers[1];
    CHECK(claim_run(b, peer) == ERR_NONE && create_state(b, peer) == ERR_NONE);
    postgres_server_control("--stop");
    CHECK(commit_call(b, peer, "lost") == ERR_UNAVAILABLE);
    CHECK(!b->err.is_outcome_unknown);
    CHECK(run_states_claim(other->states, b->scope, "02run", &other->claim, &b->err) ==
          ERR_UNAVAILABLE);
    postgres_server_control("--start");
    CHECK(commit_call(b, peer, "later") == ERR_UNAVAILABLE);
    postgres_server_control("--stop");
    run_state_close(peer->state, /* remove */ true);
    release_run(peer);
    postgres_server_control("--start");
    CHECK(claim_at_last(b, other) && open_state(b, other) == ERR_NONE);
    CHECK(!run_contents_call(other->contents, "later"));
    run_state_close(other->state, /* remove */ true);
    release_run(other);
}

static void what_was_released_while_the_server_was_away_is_free_once_it_is_back(void **state)
{
    (void)state;
    postgres_server_empty();
    assert_true(run_peers(2, SHORT_LEASE_S, lose_the_server));
}

static void keep_it(struct bench *b)
{
    struct runtime *runtime = uv_runtime_port(b->runtime);
    CHECK(claim_run(b, &b->peers[0]) == ERR_NONE);
    int64_t until_ms = runtime_now_ms(runtime) + 3 * 1000 * SHORT_LEASE_S;
    while (runtime_now_ms(runtime) < until_ms) {
        CHECK(claim_run(b, &b->peers[1]) == ERR_INVALID);
        wait_a_little(b);
    }
    release_run(&b->peers[0]);
}

static void a_run_is_kept_for_longer_than_a_lease_lasts(void **state)
{
    (void)state;
    postgres_server_empty();
    assert_true(run_peers(2, SHORT_LEASE_S, keep_it));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_was_stopped_for_too_long_writes_nothing_any_more),
        cmocka_unit_test(of_many_processes_one_gets_the_run_also_from_a_dead_one),
        cmocka_unit_test(locks_of_a_dead_process_are_in_nobodys_way),
        cmocka_unit_test(a_restart_of_the_server_takes_no_run_away),
        cmocka_unit_test(what_was_released_while_the_server_was_away_is_free_once_it_is_back),
        cmocka_unit_test(a_run_is_kept_for_longer_than_a_lease_lasts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
