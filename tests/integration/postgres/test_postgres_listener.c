#include "domain/base/text.h"
#include "infrastructure/postgres/postgres_listener.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/postgres/postgres_peers.h"
#include "tests/support/full/postgres/postgres_server.h"

enum { NOTICES_READ = 30 * LISTENER_MAX_NOTICES, WAIT_MS = 30000 };

static struct queue_notice next(struct peers *p)
{
    struct queue_notice notice = { .run_id = "none" };
    struct scope scope = runtime_scope(uv_runtime_port(p->runtime), p->scope, WAIT_MS);
    CHECK(run_queue_next_notice(p->list[0].queue, &scope, &notice, &p->err) == ERR_NONE);
    return notice;
}

static void tell(const char *person, const char *queue)
{
    AUTO(arena) arena = { 0 };
    postgres_server_run(
        arena_printf(&arena, "SELECT pg_notify('mistro', 'runs x %s %s')", queue, person));
}

static void hear_what_is_meant(struct peers *p)
{
    CHECK(next(p).kind == NOTICE_LOST);
    postgres_server_run("SELECT pg_notify('mistro', word) FROM unnest(ARRAY['', 'runs', 'runs x',"
                        " 'told x q ada', 'end ' || repeat('x', 40) || ' q ada']) word");
    tell("bob", "q");
    tell("", "q");
    tell("ada", "r");
    const struct queue_notice notice = next(p);
    CHECK(notice.kind == NOTICE_RUNS && text_equal(notice.queue, "r"));
}

static void notices_of_others_and_nonsense_are_passed_over(void **state)
{
    (void)state;
    assert_true(peers_run(1, LONG_LEASE_S, hear_what_is_meant));
}

static void listen_over_restarts(struct peers *p)
{
    CHECK(next(p).kind == NOTICE_LOST);
    for (int i = 0; i < 2; i++) {
        postgres_server_control("--stop");
        peers_wait(p);
        postgres_server_control("--start");
        CHECK(next(p).kind == NOTICE_LOST);
        tell("ada", "q");
        CHECK(next(p).kind == NOTICE_RUNS);
    }
}

static void a_listener_is_back_when_the_server_is_and_says_what_it_may_have_missed(void **state)
{
    (void)state;
    assert_true(peers_run(1, LONG_LEASE_S, listen_over_restarts));
}

static void begin_without_a_server(struct peers *p)
{
    struct queue_notice notice;
    struct scope past = scope_child(p->scope, INT64_MIN);
    postgres_server_control("--stop");
    CHECK(run_queue_next_notice(p->list[0].queue, &past, &notice, &p->err) == ERR_TIMEOUT);
    postgres_server_control("--start");
    CHECK(next(p).kind == NOTICE_LOST);
}

static void a_listener_waits_for_a_server_that_is_not_there_yet(void **state)
{
    (void)state;
    assert_true(peers_run(1, LONG_LEASE_S, begin_without_a_server));
}

/* Nobody reads: at the bound all are kept, and one above they are lost. */
static void tell_many(struct peers *p, int n)
{
    AUTO(arena) arena = { 0 };
    const char *script = arena_printf(
        &arena,
        "SELECT pg_notify('mistro', 'runs ' || i || ' q ada') FROM generate_series(1, %d) i", n);
    postgres_server_run(script);
    tell("ada", "last");
    (void)p;
}

static int read_until_last(struct peers *p, bool *out_is_lost)
{
    *out_is_lost = false;
    for (int n = 0; n < NOTICES_READ; n++) {
        const struct queue_notice notice = next(p);
        *out_is_lost |= notice.kind == NOTICE_LOST;
        if (text_equal(notice.queue, "last"))
            return n;
    }
    return -1;
}

static void fall_behind(struct peers *p)
{
    bool is_lost;
    CHECK(next(p).kind == NOTICE_LOST);
    tell_many(p, LISTENER_MAX_NOTICES - 1);
    CHECK(read_until_last(p, &is_lost) == LISTENER_MAX_NOTICES - 1 && !is_lost);
    tell_many(p, 20 * LISTENER_MAX_NOTICES);
    CHECK(read_until_last(p, &is_lost) >= 0 && is_lost);
}

static void who_does_not_read_loses_notices_and_is_told(void **state)
{
    (void)state;
    assert_true(peers_run(1, LONG_LEASE_S, fall_behind));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notices_of_others_and_nonsense_are_passed_over),
        cmocka_unit_test(a_listener_is_back_when_the_server_is_and_says_what_it_may_have_missed),
        cmocka_unit_test(a_listener_waits_for_a_server_that_is_not_there_yet),
        cmocka_unit_test(who_does_not_read_loses_notices_and_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
