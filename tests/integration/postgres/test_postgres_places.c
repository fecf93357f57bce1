/* Processes that share places. Most of them are several in this one, each with a connection of its
 * own; the one that is killed is a child. */
#include "infrastructure/postgres/postgres_create.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/postgres/postgres_peers.h"
#include "tests/support/full/postgres/postgres_server.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 3, USES = 20, TASKS_PER_PEER = 4, ENOUGH_MS = 100 };

static struct places *places[PEERS_MAX];
static unsigned n_inside, most_inside;

static void (*body_with_places)(struct peers *p);

static void run_with_places(struct peers *p)
{
    for (size_t i = 0; i < p->n; i++)
        places[i] = postgres_places_create(p->runtime, p->list[i].db);
    body_with_places(p);
    for (size_t i = 0; i < p->n; i++)
        places_destroy(places[i]);
}

/* Runs body as a task with places of n processes. */
static bool runs(size_t n, void (*body)(struct peers *p))
{
    body_with_places = body;
    return peers_run_on(n, LONG_LEASE_S, run_with_places);
}

/* patience_ms: 0 is any. */
static enum err_code take(struct peers *p, size_t peer, unsigned most, int64_t patience_ms,
                          struct place **out)
{
    struct scope scope = runtime_scope(uv_runtime_port(p->runtime), p->scope, patience_ms);
    return places_take(places[peer], &scope, "server shop", most, out, &p->err);
}

static bool is_full(struct peers *p, size_t peer)
{
    struct place *place = NULL;
    enum err_code r = take(p, peer, 1, ENOUGH_MS, &place);
    places_give_back(places[peer], place);
    return r == ERR_TIMEOUT;
}

static enum err_code use_often(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    struct peers *p = peer->all;
    size_t index = (size_t)(peer - p->list);
    for (int i = 0; i < USES; i++) {
        struct place *place = NULL;
        CHECK(take(p, index, MOST, 0, &place) == ERR_NONE);
        n_inside++;
        if (n_inside > most_inside)
            most_inside = n_inside;
        (void)!runtime_sleep(runtime, scope, 1, NULL);
        n_inside--;
        places_give_back(places[index], place);
    }
    return ERR_NONE;
}

static enum err_code use_by_several(struct runtime *runtime, struct scope *scope, void *peer)
{
    struct task *tasks[TASKS_PER_PEER];
    for (size_t i = 0; i < TASKS_PER_PEER; i++)
        tasks[i] = runtime_spawn(runtime, scope, use_often, peer);
    for (size_t i = 0; i < TASKS_PER_PEER; i++)
        (void)runtime_wait(runtime, tasks[i]);
    return ERR_NONE;
}

static void crowd(struct peers *p)
{
    peers_each(p, NULL, use_by_several);
    CHECK(most_inside == MOST);
}

static void of_all_processes_together_so_many_have_a_place(void **state)
{
    (void)state;
    most_inside = 0;
    assert_true(runs(3, crowd));
}

static struct {
    pid_t process;
    int from;
} child;

static void hold_until_killed(struct peers *p)
{
    struct place *place = NULL;
    CHECK(take(p, 0, 1, 0, &place) == ERR_NONE);
    CHECK(write(child.from, "x", 1) == 1);
    pause();
}

static void start_child(void)
{
    int up[2];
    char word;
    assert_int_equal(pipe(up), 0);
    child.process = fork();
    child.from = up[child.process == 0];
    if (child.process == 0)
        _exit(runs(1, hold_until_killed) ? 0 : 1);
    close(up[1]);
    assert_int_equal(read(child.from, &word, 1), 1);
}

static void take_from_the_killed(struct peers *p)
{
    struct place *place = NULL;
    CHECK(is_full(p, 0));
    kill(child.process, SIGKILL);
    CHECK(waitpid(child.process, NULL, 0) == child.process);
    CHECK(take(p, 0, 1, 0, &place) == ERR_NONE);
    places_give_back(places[0], place);
}

static void a_process_that_is_killed_has_given_its_place_back(void **state)
{
    (void)state;
    start_child();
    assert_true(runs(1, take_from_the_killed));
    close(child.from);
}

static void lose_the_server(struct peers *p)
{
    struct place *lost = NULL, *place = NULL;
    CHECK(take(p, 0, 1, 0, &lost) == ERR_NONE);
    postgres_server_control("--stop");
    CHECK(take(p, 1, 1, 0, &place) == ERR_UNAVAILABLE && *p->err.hint);
    CHECK(take(p, 0, 2, 0, &place) == ERR_UNAVAILABLE && !place);
    postgres_server_control("--start");
    CHECK(is_full(p, 0)); /* who lost the place is still there */
    CHECK(take(p, 1, 1, 0, &place) == ERR_NONE);
    places_give_back(places[0], lost);
    CHECK(is_full(p, 0) && is_full(p, 1));
    places_give_back(places[1], place);
    CHECK(take(p, 0, 1, 0, &place) == ERR_NONE);
    places_give_back(places[0], place);
}

static void a_place_that_was_lost_with_the_server_is_not_given_back(void **state)
{
    (void)state;
    assert_true(runs(2, lose_the_server));
}

static void fill(struct peers *p)
{
    static struct place *taken[PLACES_MAX];
    struct place *place = NULL;
    for (size_t i = 0; i < PLACES_MAX; i++)
        CHECK(take(p, 0, PLACES_MAX, 0, &taken[i]) == ERR_NONE);
    CHECK(take(p, 0, PLACES_MAX, ENOUGH_MS, &place) == ERR_TIMEOUT);
    CHECK(take(p, 1, PLACES_MAX, ENOUGH_MS, &place) == ERR_TIMEOUT);
    for (size_t i = 0; i < PLACES_MAX; i++)
        places_give_back(places[0], taken[i]);
    CHECK(take(p, 1, PLACES_MAX, 0, &place) == ERR_NONE);
    places_give_back(places[1], place);
}

static void there_are_as_many_places_as_there_may_be_and_no_more(void **state)
{
    (void)state;
    assert_true(runs(2, fill));
}

static bool is_over;

static enum err_code use_all_the_time(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peers *p = argument;
    while (!is_over) {
        struct place *place = NULL;
        CHECK(take(p, 0, 1, 0, &place) == ERR_NONE);
        (void)!runtime_sleep(runtime, scope, 1, NULL);
        places_give_back(places[0], place);
    }
    return ERR_NONE;
}

/* Those of one process always leave their place to each other. */
static void come_behind(struct peers *p)
{
    struct runtime *runtime = uv_runtime_port(p->runtime);
    struct task *busy[2];
    struct place *place = NULL;
    is_over = false;
    for (size_t i = 0; i < 2; i++)
        busy[i] = runtime_spawn(runtime, p->scope, use_all_the_time, p);
    CHECK(take(p, 1, 1, 60000, &place) == ERR_NONE);
    is_over = true;
    places_give_back(places[1], place);
    for (size_t i = 0; i < 2; i++)
        (void)runtime_wait(runtime, busy[i]);
}

static void a_busy_process_keeps_no_place_from_another_one_for_ever(void **state)
{
    (void)state;
    assert_true(runs(2, come_behind));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_is_killed_has_given_its_place_back),
        cmocka_unit_test(of_all_processes_together_so_many_have_a_place),
        cmocka_unit_test(a_place_that_was_lost_with_the_server_is_not_given_back),
        cmocka_unit_test(there_are_as_many_places_as_there_may_be_and_no_more),
        cmocka_unit_test(a_busy_process_keeps_no_place_from_another_one_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
