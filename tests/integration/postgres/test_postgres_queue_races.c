/* Workers at the same queue at the same time, and what their questions cost when much is over. */
#include "domain/base/text.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/postgres/postgres_peers.h"
#include "tests/support/full/postgres/postgres_server.h"
#include <string.h>

enum { RUNS = 60, BOUND = 2, ROUNDS = 8 };

static const struct queue_worker worker = { .name = "w:1", .queue = "q", .jobs = 1 };
static const struct queue_worker bounded = {
    .name = "w:1", .queue = "q", .jobs = 1, .queue_jobs = BOUND
};

static void add_runs(struct peers *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *id = arena_printf(&p->arena, "%03zu", i);
        const struct queued_run run = { .run_id = id, .queue = "q" };
        CHECK(run_queue_add(p->list[0].queue, p->scope, &run, &p->arena, &id, &p->err) == ERR_NONE);
    }
}

static struct queued_run *take(struct peers *p, struct peer *peer, const struct queue_worker *me)
{
    struct queued_run *run = NULL;
    CHECK(run_queue_take(peer->queue, p->scope, me, &p->arena, &run, &p->err) == ERR_NONE);
    return run;
}

static void end(struct peers *p, struct peer *peer, const struct queued_run *run)
{
    CHECK(run_queue_end(peer->queue, p->scope, run, QUEUE_ENDED, NULL, &p->err) == ERR_NONE);
}

static const char *takers[RUNS]; /* by their addresses */
static size_t n_taken;

static enum err_code take_all(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    struct peers *p = peer->all;
    (void)runtime;
    (void)scope;
    for (struct queued_run *run; (run = take(p, peer, &worker)); n_taken++) {
        int64_t i;
        CHECK(text_to_int64(run->run_id, &i) && i < RUNS && !takers[i]);
        takers[i] = run->run_id;
        if (n_taken % 2)
            end(p, peer, run);
    }
    return ERR_NONE;
}

static void share_the_runs(struct peers *p)
{
    memset(takers, 0, sizeof takers);
    n_taken = 0;
    add_runs(p, RUNS);
    peers_each(p, NULL, take_all);
    CHECK(n_taken == RUNS);
}

static void each_run_is_taken_by_one_of_many_workers(void **state)
{
    (void)state;
    assert_true(peers_run(PEERS_MAX, LONG_LEASE_S, share_the_runs));
}

static struct queued_run *held[PEERS_MAX];

static enum err_code take_one(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    struct peers *p = peer->all;
    (void)runtime;
    (void)scope;
    held[peer - p->list] = take(p, peer, &bounded);
    return ERR_NONE;
}

static void press_into_the_queue(struct peers *p)
{
    add_runs(p, RUNS);
    for (int round = 0; round < ROUNDS; round++) {
        size_t n = 0;
        peers_each(p, NULL, take_one);
        for (size_t i = 0; i < p->n; i++) {
            n += held[i] != NULL;
            if (held[i])
                end(p, &p->list[i], held[i]);
        }
        CHECK(n == BOUND);
    }
}

static void no_more_runs_of_a_queue_are_taken_than_it_may_have(void **state)
{
    (void)state;
    assert_true(peers_run(PEERS_MAX, LONG_LEASE_S, press_into_the_queue));
}

static const char *ids[PEERS_MAX];

static enum err_code add_with_key(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    struct peers *p = peer->all;
    const char *id = arena_printf(&p->arena, "by%zu", (size_t)(peer - p->list));
    const struct queued_run run = { .run_id = id, .queue = "q", .key = "monday" };
    (void)runtime;
    CHECK(run_queue_add(peer->queue, scope, &run, &p->arena, &ids[peer - p->list], &p->err) ==
          ERR_NONE);
    return ERR_NONE;
}

static void add_the_same(struct peers *p)
{
    struct queued_run *runs;
    size_t n = 0;
    peers_each(p, NULL, add_with_key);
    for (size_t i = 1; i < p->n; i++)
        CHECK(text_equal(ids[i], ids[0]));
    CHECK(run_queue_list(p->list[0].queue, p->scope, NULL, 10, &p->arena, &runs, &n, &p->err) ==
              ERR_NONE &&
          n == 1 && text_equal(runs[0].run_id, ids[0]));
}

static void a_key_that_many_add_at_once_is_one_run(void **state)
{
    (void)state;
    assert_true(peers_run(PEERS_MAX, LONG_LEASE_S, add_the_same));
}

static void claim_what_waits(struct peers *p)
{
    struct peer *person = &p->list[0], *other = &p->list[1];
    add_runs(p, 2);
    CHECK(run_states_claim(person->states, p->scope, "000", &person->claim, &p->err) == ERR_NONE);
    struct queued_run *run = take(p, other, &worker);
    CHECK(run && text_equal(run->run_id, "001"));
    CHECK(!take(p, other, &worker) && !take(p, person, &worker));
    CHECK(run_states_claim(person->states, p->scope, "001", &other->claim, &p->err) == ERR_INVALID);
    run_states_release(person->states, person->claim);
    run = take(p, person, &worker);
    CHECK(run && text_equal(run->run_id, "000"));
    for (int i = 0; i < 2; i++) { /* within the lease of what was taken */
        CHECK(run_states_claim(person->states, p->scope, "000", &person->claim, &p->err) ==
              ERR_NONE);
        run_states_release(person->states, person->claim);
        CHECK(run_states_claim(other->states, p->scope, "000", &other->claim, &p->err) ==
              ERR_INVALID);
    }
    if (run)
        end(p, person, run);
    CHECK(run_states_claim(other->states, p->scope, "000", &other->claim, &p->err) == ERR_NONE);
    run_states_release(other->states, other->claim);
}

static void a_run_that_a_person_goes_on_with_is_not_taken_and_the_other_way_round(void **state)
{
    (void)state;
    assert_true(peers_run(2, LONG_LEASE_S, claim_what_waits));
}

static void write_after_losing(struct peers *p)
{
    struct peer *lost = &p->list[0], *other = &p->list[1];
    struct queue_pulse pulse;
    const struct call_record call = {
        .path = "a", .state = CALL_SENT, .tool = "t", .args = "{}", .effect_id = "e"
    };
    add_runs(p, 1);
    CHECK(take(p, lost, &worker));
    CHECK(run_states_claim(lost->states, p->scope, "000", &lost->claim, &p->err) == ERR_NONE);
    CHECK(run_states_create(lost->states, p->scope, "000", &lost->state, &p->err) == ERR_NONE);
    postgres_server_silence();
    CHECK(run_queue_beat(other->queue, p->scope, &worker, &pulse, &p->err) == ERR_NONE);
    run_state_put_call(lost->state, &call);
    CHECK(run_state_commit(lost->state, p->scope, true, &p->err) == ERR_MISMATCH);
    run_state_close(lost->state, false);
    /* Also where the process itself takes it again. */
    CHECK(take(p, lost, &worker));
    CHECK(run_states_claim(lost->states, p->scope, "000", &other->claim, &p->err) == ERR_NONE);
    run_states_release(lost->states, lost->claim);
    CHECK(run_states_open(lost->states, p->scope, "000", &lost->state, &lost->contents, &p->err) ==
          ERR_NONE);
    run_state_put_call(lost->state, &call);
    CHECK(run_state_commit(lost->state, p->scope, true, &p->err) == ERR_NONE);
    run_state_close(lost->state, true);
    run_states_release(lost->states, other->claim);
}

static void a_worker_that_was_given_up_writes_only_what_it_took_again(void **state)
{
    (void)state;
    assert_true(peers_run(2, LONG_LEASE_S, write_after_losing));
}

/* A transaction of a worker's life, in which the rows that it reads are counted. */
#define ROWS_READ                                                                                  \
    "(SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables"                           \
    " WHERE schemaname = 'mistro' AND relname = 'queue')"
#define LIFE                                                                                       \
    "BEGIN;"                                                                                       \
    "SELECT set_config('test.before', " ROWS_READ "::text, false);"                                \
    "SELECT mistro.add_run('ada', 'new', 'q', 'key', '{}', 0);"                                    \
    "SELECT mistro.add_run('ada', 'new', 'q', 'key', '{}', 0);"                                    \
    "SELECT mistro.beat('ada', 'me', 'w:1', 600000, '{}', '{}', 'q', '{}', 1, 0, 5);"              \
    "SELECT mistro.leave_run('ada', 'new', 'me', taking, 'queued', NULL) FROM mistro.take('ada',"  \
    " 'me', 'w:1', 600000, 'q', '{}', 5);"                                                         \
    "SELECT mistro.cancel('ada', 'new');"                                                          \
    "SELECT count(*) FROM (SELECT FROM mistro.queue WHERE person = 'ada' ORDER BY place DESC"      \
    " LIMIT 10) newest;"                                                                           \
    "DO $$ DECLARE n bigint := " ROWS_READ " - current_setting('test.before')::bigint; BEGIN"      \
    " IF n > 60 OR n IS NULL THEN RAISE EXCEPTION '% rows were read', n; END IF; END $$;"          \
    "ROLLBACK;"
#define FILL                                                                                       \
    "INSERT INTO mistro.queue (person, run_id, queue, servers, not_before_ms, added_ms, state,"    \
    " over_ms) SELECT 'ada', 'old' || i, 'q', '{}', 0, 0, 'ended', i"                              \
    " FROM generate_series(1, 100000) i;"

static void fill_with_what_is_over(struct peers *p)
{
    add_runs(p, 1);
    struct queued_run *run = take(p, &p->list[0], &worker);
    if (run)
        end(p, &p->list[0], run);
    /* Also for a session that has planned everything before. */
    postgres_server_run(LIFE LIFE LIFE LIFE LIFE LIFE FILL LIFE "ANALYZE mistro.queue;" LIFE);
    postgres_server_run(LIFE);
}

static void what_is_over_costs_a_worker_nothing(void **state)
{
    (void)state;
    assert_true(peers_run(1, LONG_LEASE_S, fill_with_what_is_over));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_run_is_taken_by_one_of_many_workers),
        cmocka_unit_test(no_more_runs_of_a_queue_are_taken_than_it_may_have),
        cmocka_unit_test(a_key_that_many_add_at_once_is_one_run),
        cmocka_unit_test(a_run_that_a_person_goes_on_with_is_not_taken_and_the_other_way_round),
        cmocka_unit_test(a_worker_that_was_given_up_writes_only_what_it_took_again),
        cmocka_unit_test(what_is_over_costs_a_worker_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
