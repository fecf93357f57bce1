/* Processes that want the same run. Most of them are several in this one, each with a connection
 * and a name of its own; the one that is stopped is a child. */
#include "domain/base/text.h"
#include "infrastructure/postgres/postgres_process.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/postgres/postgres_peers.h"
#include "tests/support/full/postgres/postgres_server.h"
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 10, POLLS = 1500 };

#define RUN "01run"

static enum err_code claim_run(struct peers *p, struct peer *peer)
{
    return run_states_claim(peer->states, p->scope, RUN, &peer->claim, &p->err);
}

static void release_run(struct peer *peer)
{
    if (peer->claim)
        run_states_release(peer->states, peer->claim);
    peer->claim = NULL;
}

static enum err_code create_state(struct peers *p, struct peer *peer)
{
    return run_states_create(peer->states, p->scope, RUN, &peer->state, &p->err);
}

static enum err_code open_state(struct peers *p, struct peer *peer)
{
    return run_states_open(peer->states, p->scope, RUN, &peer->state, &peer->contents, &p->err);
}

static enum err_code commit_call(struct peers *p, struct peer *peer, const char *path)
{
    const struct call_record call = { .path = path,
                                      .state = CALL_SENT,
                                      .attempt = 1,
                                      .tool = "shop/charge",
                                      .args = "{}",
                                      .effect_id = "e" };
    run_state_put_call(peer->state, &call);
    return run_state_commit(peer->state, p->scope, /* to_disk */ true, &p->err);
}

/* Once it can be claimed; false: it never can. */
static bool claim_at_last(struct peers *p, struct peer *peer)
{
    for (int i = 0; i < POLLS; i++) {
        if (claim_run(p, peer) == ERR_NONE)
            return true;
        peers_wait(p);
    }
    return false;
}

static enum err_code fight(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    struct peers *p = peer->all;
    struct err err = { 0 };
    (void)runtime;
    enum err_code r = run_states_claim(peer->states, scope, RUN, &peer->claim, &err);
    CHECK(r == (peer->claim ? ERR_NONE : ERR_INVALID));
    return ERR_NONE;
}

/* The winner; NULL: there was none, or several. */
static struct peer *fight_once(struct peers *p, const struct peer *spared)
{
    struct peer *winner = NULL;
    size_t n = 0;
    peers_each(p, spared, fight);
    for (size_t i = 0; i < p->n; i++)
        if (&p->list[i] != spared && p->list[i].claim) {
            winner = &p->list[i];
            n++;
        }
    CHECK(n == 1);
    return n == 1 ? winner : NULL;
}

static void fight_for_it(struct peers *p)
{
    for (int round = 0; !p->is_wrong && round < ROUNDS; round++) {
        struct peer *first = fight_once(p, NULL), *second;
        postgres_server_silence();
        second = fight_once(p, first);
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
    assert_true(peers_run(PEERS_MAX, LONG_LEASE_S, fight_for_it));
}

/* A trigger of whoever runs the database. */
static void refuse_results(struct peers *p)
{
    struct peer *peer = &p->list[0];
    const struct call_record done = { .path = "a",
                                      .state = CALL_DONE,
                                      .attempt = 1,
                                      .tool = "shop/look",
                                      .args = "{}",
                                      .effect_id = "e",
                                      .result = "{}",
                                      .result_length = 2 };
    CHECK(!claim_run(p, peer) && !create_state(p, peer) && !commit_call(p, peer, "a"));
    postgres_server_run("CREATE FUNCTION mistro.refuse() RETURNS trigger LANGUAGE plpgsql AS"
                        " $$BEGIN RAISE 'no room for results'; END$$;"
                        "CREATE TRIGGER refuse BEFORE INSERT ON mistro.calls FOR EACH ROW"
                        " WHEN (NEW.result IS NOT NULL) EXECUTE FUNCTION mistro.refuse()");
    run_state_put_call(peer->state, &done);
    CHECK(run_state_commit(peer->state, p->scope, /* to_disk */ true, &p->err) == ERR_INTERNAL);
    CHECK(strstr(p->err.message, "no room for results"));
    CHECK(run_state_check(peer->state, NULL) == ERR_INTERNAL);
    CHECK(commit_call(p, peer, "b") == ERR_INTERNAL);
    run_state_close(peer->state, /* remove */ false);
    CHECK(!open_state(p, peer) && peer->contents->n_calls == 1);
    CHECK(peer->contents->calls[0].state == CALL_SENT);
    run_state_close(peer->state, /* remove */ true);
    release_run(peer);
}

static void a_state_that_the_database_refuses_is_told_from_one_that_is_away(void **state)
{
    (void)state;
    assert_true(peers_run(1, LONG_LEASE_S, refuse_results));
}

/* The child: claims, commits an intent, says so, and commits another one when it is told to. */
static void be_stopped(struct peers *p)
{
    struct peer *peer = &p->list[0];
    char word = 'x';
    CHECK(claim_run(p, peer) == ERR_NONE && create_state(p, peer) == ERR_NONE);
    CHECK(commit_call(p, peer, "first") == ERR_NONE);
    CHECK(write(STDOUT_FILENO, &word, 1) == 1 && read(STDIN_FILENO, &word, 1) == 1);
    CHECK(commit_call(p, peer, "second") == ERR_MISMATCH);
    CHECK(run_state_check(peer->state, NULL) == ERR_MISMATCH);
    CHECK(commit_call(p, peer, "third") == ERR_MISMATCH);
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
        _exit(peers_run_on(1, SHORT_LEASE_S, be_stopped) ? 0 : 1);
    }
    close(up[1]);
    close(down[0]);
    child.from = up[0];
    child.to = down[1];
}

static void take_from_the_stopped(struct peers *p)
{
    struct peer *peer = &p->list[0];
    int status = -1;
    CHECK(claim_run(p, peer) == ERR_INVALID && strstr(p->err.message, "is being run by process "));
    kill(child.process, SIGSTOP);
    CHECK(claim_at_last(p, peer));
    kill(child.process, SIGCONT);
    CHECK(open_state(p, peer) == ERR_NONE);
    CHECK(peer->contents && run_contents_call(peer->contents, "first"));
    CHECK(commit_call(p, peer, "mine") == ERR_NONE);
    CHECK(write(child.to, "x", 1) == 1 && waitpid(child.process, &status, 0) == child.process);
    CHECK(status == 0);
    run_state_close(peer->state, /* remove */ false);
    CHECK(open_state(p, peer) == ERR_NONE);
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
    assert_true(peers_run_on(1, LONG_LEASE_S, take_from_the_stopped));
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

static void hang(struct peers *p)
{
    PGconn *hanging = NULL;
    const struct libpq *pq = NULL;
    CHECK(claim_run(p, &p->list[0]) == ERR_NONE);
    CHECK(create_state(p, &p->list[0]) == ERR_NONE);
    CHECK(hang_in_a_transaction(p->list[0].db, &hanging, &pq) == ERR_NONE);
    postgres_server_silence();
    CHECK(claim_run(p, &p->list[1]) == ERR_NONE);
    CHECK(open_state(p, &p->list[1]) == ERR_NONE);
    run_state_close(p->list[1].state, /* remove */ false);
    run_state_close(p->list[0].state, /* remove */ true);
    CHECK(open_state(p, &p->list[1]) == ERR_NONE);
    run_state_close(p->list[1].state, /* remove */ true);
    release_run(&p->list[0]);
    release_run(&p->list[1]);
    if (hanging)
        pq->finish(hanging);
}

static void locks_of_a_dead_process_are_in_nobodys_way(void **state)
{
    (void)state;
    assert_true(peers_run(2, LONG_LEASE_S, hang));
}

static void restart_the_server(struct peers *p)
{
    struct peer *peer = &p->list[0], *other = &p->list[1];
    CHECK(claim_run(p, peer) == ERR_NONE && create_state(p, peer) == ERR_NONE);
    CHECK(commit_call(p, peer, "before") == ERR_NONE);
    postgres_server_control("--stop");
    postgres_server_control("--start");
    CHECK(commit_call(p, peer, "after") == ERR_NONE);
    /* While the server was away nobody could be heard. */
    postgres_server_run("UPDATE mistro.processes SET seen_ms = seen_ms - 3600000");
    CHECK(claim_run(p, other) == ERR_INVALID);
    run_state_close(peer->state, /* remove */ false);
    release_run(peer);
    CHECK(claim_run(p, other) == ERR_NONE && open_state(p, other) == ERR_NONE);
    CHECK(run_contents_call(other->contents, "before") &&
          run_contents_call(other->contents, "after"));
    run_state_close(other->state, /* remove */ true);
    release_run(other);
}

static void a_restart_of_the_server_takes_no_run_away(void **state)
{
    (void)state;
    assert_true(peers_run(2, LONG_LEASE_S, restart_the_server));
}

static void lose_the_server(struct peers *p)
{
    struct peer *peer = &p->list[0], *other = &p->list[1];
    CHECK(claim_run(p, peer) == ERR_NONE && create_state(p, peer) == ERR_NONE);
    postgres_server_control("--stop");
    CHECK(commit_call(p, peer, "lost") == ERR_UNAVAILABLE);
    CHECK(!p->err.is_outcome_unknown);
    CHECK(run_states_claim(other->states, p->scope, "02run", &other->claim, &p->err) ==
          ERR_UNAVAILABLE);
    postgres_server_control("--start");
    CHECK(commit_call(p, peer, "later") == ERR_UNAVAILABLE);
    postgres_server_control("--stop");
    run_state_close(peer->state, /* remove */ true);
    release_run(peer);
    postgres_server_control("--start");
    CHECK(claim_at_last(p, other) && open_state(p, other) == ERR_NONE);
    CHECK(!run_contents_call(other->contents, "later"));
    run_state_close(other->state, /* remove */ true);
    release_run(other);
}

static void what_was_released_while_the_server_was_away_is_free_once_it_is_back(void **state)
{
    (void)state;
    assert_true(peers_run(2, SHORT_LEASE_S, lose_the_server));
}

static void keep_it(struct peers *p)
{
    struct runtime *runtime = uv_runtime_port(p->runtime);
    CHECK(claim_run(p, &p->list[0]) == ERR_NONE);
    int64_t until_ms = runtime_now_ms(runtime) + 3 * 1000 * SHORT_LEASE_S;
    while (runtime_now_ms(runtime) < until_ms) {
        CHECK(claim_run(p, &p->list[1]) == ERR_INVALID);
        peers_wait(p);
    }
    release_run(&p->list[0]);
}

static void a_run_is_kept_for_longer_than_a_lease_lasts(void **state)
{
    (void)state;
    assert_true(peers_run(2, SHORT_LEASE_S, keep_it));
}

static const struct queue_worker worker = { .name = "w:1", .queue = "q", .jobs = 1 };

static struct queued_run *take(struct peers *p, struct peer *peer)
{
    struct queued_run *run = NULL;
    CHECK(run_queue_take(peer->queue, p->scope, &worker, &p->arena, &run, &p->err) == ERR_NONE);
    CHECK(run);
    return run;
}

static void end_what_was_taken(struct peers *p)
{
    struct peer *peer = &p->list[0], *other = &p->list[1];
    const struct queued_run queued = { .run_id = RUN, .queue = "q" };
    const char *id;
    CHECK(run_queue_add(peer->queue, p->scope, &queued, &p->arena, &id, &p->err) == ERR_NONE);
    const struct queued_run *run = take(p, other);
    CHECK(claim_run(p, other) == ERR_NONE);
    release_run(other);
    CHECK(run && run_queue_give_back(other->queue, p->scope, run, &p->err) == ERR_NONE);
    run = take(p, peer);
    CHECK(claim_run(p, peer) == ERR_NONE && create_state(p, peer) == ERR_NONE);
    CHECK(run && run_queue_end(peer->queue, p->scope, run, QUEUE_ENDED, NULL, &p->err) == ERR_NONE);
    CHECK(claim_run(p, other) == ERR_INVALID);
    run_state_close(peer->state, /* remove */ true);
    release_run(peer);
    CHECK(claim_run(p, other) == ERR_NONE);
    CHECK(open_state(p, other) == ERR_NOT_FOUND);
    release_run(other);
}

static void a_run_that_was_taken_is_claimed_beyond_its_end_and_its_state_can_be_removed(
    void **state)
{
    (void)state;
    assert_true(peers_run(2, LONG_LEASE_S, end_what_was_taken));
}

static void commit_nothing(struct peers *p)
{
    struct peer *lost = &p->list[0], *other = &p->list[1];
    CHECK(claim_run(p, lost) == ERR_NONE && create_state(p, lost) == ERR_NONE);
    CHECK(run_state_commit(lost->state, p->scope, /* to_disk */ true, &p->err) == ERR_NONE);
    postgres_server_silence();
    CHECK(claim_run(p, other) == ERR_NONE);
    CHECK(run_state_commit(lost->state, p->scope, /* to_disk */ true, &p->err) == ERR_MISMATCH);
    run_state_close(lost->state, /* remove */ true);
    release_run(lost);
    release_run(other);
}

static void who_lost_a_run_finds_out_also_with_nothing_to_write(void **state)
{
    (void)state;
    assert_true(peers_run(2, LONG_LEASE_S, commit_nothing));
}

static void read_bytes(struct peers *p)
{
    struct peer *peer = &p->list[0];
    const struct call_record call = { .path = "a",
                                      .state = CALL_DONE,
                                      .tool = "t",
                                      .args = "{}",
                                      .effect_id = "e",
                                      .result = "\\x41\0\n",
                                      .result_length = 6 };
    CHECK(claim_run(p, peer) == ERR_NONE && create_state(p, peer) == ERR_NONE);
    run_state_put_fact(peer->state, "plan", "\\x41\n\303\251");
    run_state_put_call(peer->state, &call);
    run_state_close(peer->state, /* remove */ false);
    CHECK(open_state(p, peer) == ERR_NONE);
    if (p->is_wrong)
        return;
    const struct call_record *read = run_contents_call(peer->contents, "a");
    CHECK(text_equal(run_contents_fact(peer->contents, "plan"), "\\x41\n\303\251"));
    CHECK(read && read->result_length == call.result_length &&
          memcmp(read->result, call.result, call.result_length) == 0);
    run_state_close(peer->state, /* remove */ true);
    release_run(peer);
}

static void bytes_are_read_as_they_were_written_whatever_the_role_prefers(void **state)
{
    (void)state;
    postgres_server_run("ALTER ROLE CURRENT_USER SET bytea_output = 'escape'");
    bool is_right = peers_run(1, LONG_LEASE_S, read_bytes);
    postgres_server_run("ALTER ROLE CURRENT_USER RESET bytea_output");
    assert_true(is_right);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_run_that_was_taken_is_claimed_beyond_its_end_and_its_state_can_be_removed),
        cmocka_unit_test(who_was_stopped_for_too_long_writes_nothing_any_more),
        cmocka_unit_test(of_many_processes_one_gets_the_run_also_from_a_dead_one),
        cmocka_unit_test(a_state_that_the_database_refuses_is_told_from_one_that_is_away),
        cmocka_unit_test(locks_of_a_dead_process_are_in_nobodys_way),
        cmocka_unit_test(a_restart_of_the_server_takes_no_run_away),
        cmocka_unit_test(what_was_released_while_the_server_was_away_is_free_once_it_is_back),
        cmocka_unit_test(who_lost_a_run_finds_out_also_with_nothing_to_write),
        cmocka_unit_test(bytes_are_read_as_they_were_written_whatever_the_role_prefers),
        cmocka_unit_test(a_run_is_kept_for_longer_than_a_lease_lasts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
