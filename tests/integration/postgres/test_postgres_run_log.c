/* What the run log in PostgreSQL owes beyond the contract: sizes, persons, and that it costs the
 * same however many runs there are. */
#include "domain/base/json.h"
#include "infrastructure/postgres/postgres_create.h"
#include "infrastructure/postgres/postgres_database.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "infrastructure/runtime/worker.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/postgres/postgres_server.h"
#include "tests/support/full/test_assets.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS 100000

struct fixture {
    struct uv_runtime *runtime;
    struct postgres_database *db;
    struct run_repository *repository;
    struct arena arena;
    struct err err;
    /* of the task that runs */
    enum err_code (*perform)(struct fixture *f, struct scope *sc);
    struct run_range range;
    struct run_retention keep;
    int64_t now_ms;
    const char *text;
    struct run *runs;
    size_t n;
    const char *sql;
    int64_t number;
};

static void connect(struct fixture *f, const char *person)
{
    f->runtime = uv_runtime_create();
    f->db = postgres_database_create(f->runtime, postgres_server_url(), test_assets());
    f->repository = postgres_run_log_create(f->runtime, f->db, person);
}

static void disconnect(struct fixture *f)
{
    run_repository_destroy(f->repository);
    postgres_database_destroy(f->db);
    uv_runtime_destroy(f->runtime);
}

static int setup(void **state)
{
    static struct fixture f;
    f = (struct fixture){ 0 };
    postgres_server_empty();
    connect(&f, "ada");
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    disconnect(f);
    arena_finish(&f->arena);
    return 0;
}

static enum err_code perform_task(struct runtime *runtime, struct scope *sc, void *argument)
{
    struct fixture *f = argument;
    (void)runtime;
    return f->perform(f, sc);
}

static enum err_code perform(struct fixture *f,
                             enum err_code (*operation)(struct fixture *f, struct scope *sc))
{
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    f->perform = operation;
    f->err = (struct err){ 0 };
    return uv_runtime_run(f->runtime, &scope, perform_task, f);
}

static void does(struct fixture *f, enum err_code (*operation)(struct fixture *f, struct scope *sc))
{
    if (perform(f, operation))
        fail_msg("%s", f->err.message);
}

static enum err_code list(struct fixture *f, struct scope *sc)
{
    return run_repository_list(f->repository, sc, &f->range, &f->arena, &f->runs, &f->n, &f->err);
}

static enum err_code get(struct fixture *f, struct scope *sc)
{
    return run_repository_get(f->repository, sc, f->text, &f->arena, &f->runs, &f->err);
}

static enum err_code median(struct fixture *f, struct scope *sc)
{
    return run_repository_median_ms(f->repository, sc, f->text, &f->number, &f->err);
}

static enum err_code prune(struct fixture *f, struct scope *sc)
{
    return run_repository_prune(f->repository, sc, &f->keep, f->now_ms, &f->n, &f->err);
}

static enum err_code sync_all(struct fixture *f, struct scope *sc)
{
    return run_repository_sync(f->repository, sc, &f->err);
}

static enum err_code number_job(void *argument, struct err *err)
{
    struct fixture *f = argument;
    auto_result result = NULL;
    const struct postgres_statement statement = { .sql = f->sql };
    enum err_code r = postgres_query(f->db, &statement, &result, err);
    if (!r)
        f->number = postgres_integer(result, 0, 0);
    return r;
}

static enum err_code ask_number(struct fixture *f, struct scope *sc)
{
    return worker_try(postgres_database_worker(f->db), sc, number_job, f, &f->err);
}

static int64_t number(struct fixture *f, const char *sql)
{
    f->sql = sql;
    does(f, ask_number);
    return f->number;
}

static void write_run(struct fixture *f, const char *id, int64_t ended_at_ms, size_t event_bytes)
{
    char *text = malloc(event_bytes + 1);
    assert_non_null(text);
    for (size_t i = 0; i < event_bytes; i++) /* that no compression makes small */
        text[i] = (char)('a' + (unsigned)rand() % 26);
    text[event_bytes] = '\0';
    json_auto_t *data = json_pack("{s:s}", "text", text);
    free(text);
    struct run run = { .id = id, .kind = "ask", .title = id, .started_at_ms = ended_at_ms - 1 };
    const struct event event = { .run_id = id, .number = 1, .kind = EVENT_ANSWER, .data = data };
    run_repository_begin(f->repository, &run);
    run_repository_append(f->repository, &event);
    run.status = RUN_COMPLETED;
    run.finished_at_ms = ended_at_ms;
    run_repository_finish(f->repository, &run);
    does(f, sync_all);
}

#define LOG_BYTES "SELECT coalesce(sum(bytes), 0) FROM mistro.run_logs WHERE person = 'ada'"

static void removes_the_oldest_runs_until_it_is_small_enough(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 10; i++)
        write_run(f, arena_printf(&f->arena, "run%d", i), 1000 + i, 20000);
    int64_t all = number(f, LOG_BYTES);
    assert_in_range(all, 10 * 15000, 10 * 25000);
    f->keep = (struct run_retention){ .max_bytes = all * 45 / 100, .spared = "run2" };
    f->now_ms = 2000;
    does(f, prune);
    assert_int_equal(f->n, 6);
    f->range.max = 100;
    does(f, list);
    assert_int_equal(f->n, 4);
    assert_string_equal(f->runs[0].id, "run9");
    assert_string_equal(f->runs[3].id, "run2");
    assert_true(number(f, LOG_BYTES) <= f->keep.max_bytes);
    f->keep = (struct run_retention){ .keep_ms = 1 };
    does(f, prune);
    assert_int_equal(number(f, LOG_BYTES), 0);
    assert_int_equal(number(f, "SELECT count(*) FROM mistro.event_groups"), 0);
}

static void a_run_that_ends_again_is_counted_once(void **state)
{
    struct fixture *f = *state;
    write_run(f, "run1", 1000, 20000);
    int64_t once = number(f, LOG_BYTES);
    const struct run again = { .id = "run1", .status = RUN_COMPLETED, .finished_at_ms = 2000 };
    run_repository_finish(f->repository, &again);
    does(f, sync_all);
    assert_int_equal(number(f, LOG_BYTES), once);
}

static void append(struct fixture *f, const char *id, uint64_t number)
{
    json_auto_t *data = json_pack("{s:I}", "n", (json_int_t)number);
    const struct event event = {
        .run_id = id, .number = number, .kind = EVENT_ANSWER, .data = data
    };
    run_repository_append(f->repository, &event);
}

#define N_EVENTS                                                                                   \
    "SELECT coalesce(sum(length(lines) - length(replace(lines, E'\n', ''))), 0)"                   \
    " FROM mistro.event_groups"

static void what_could_not_be_written_is_written_later(void **state)
{
    struct fixture *f = *state;
    write_run(f, "run1", 1000, 10);
    append(f, "run1", 2);
    postgres_server_control("--stop");
    assert_int_equal(perform(f, sync_all), ERR_UNAVAILABLE);
    append(f, "run1", 3);
    assert_int_equal(perform(f, sync_all), ERR_UNAVAILABLE);
    postgres_server_control("--start");
    append(f, "run1", 4);
    does(f, sync_all);
    assert_int_equal(number(f, N_EVENTS), 4);
    f->text = "run1";
    does(f, get);
    assert_int_equal(f->runs->n_events, 4);
}

static void what_was_written_without_an_answer_is_there_once(void **state)
{
    struct fixture *f = *state;
    write_run(f, "run1", 1000, 10);
    append(f, "run1", 2);
    postgres_server_control("--pause");
    assert_int_equal(perform(f, sync_all), ERR_UNAVAILABLE); /* it is carried out all the same */
    postgres_server_control("--resume");
    append(f, "run1", 3);
    does(f, sync_all);
    assert_int_equal(number(f, N_EVENTS), 3);
}

/* One was taken for dead, and the other goes on with the run. */
static void two_processes_with_the_same_numbers_lose_nothing(void **state)
{
    struct fixture *f = *state, other = { 0 };
    write_run(f, "run1", 1000, 10);
    connect(&other, "ada");
    append(f, "run1", 2);
    append(&other, "run1", 2);
    does(f, sync_all);
    does(&other, sync_all);
    assert_int_equal(number(f, N_EVENTS), 3);
    disconnect(&other);
}

static void persons_do_not_see_each_others_runs(void **state)
{
    struct fixture *f = *state;
    write_run(f, "run1", 1000, 10);
    struct fixture other = { 0 };
    connect(&other, "bob");
    other.range.max = 10;
    does(&other, list);
    assert_int_equal(other.n, 0);
    other.text = "run1";
    assert_int_equal(perform(&other, get), ERR_NOT_FOUND);
    write_run(&other, "run1", 2000, 10);
    other.keep = (struct run_retention){ .keep_ms = 1 };
    other.now_ms = 5000;
    does(&other, prune);
    assert_int_equal(other.n, 1);
    disconnect(&other);
    arena_finish(&other.arena);
    f->text = "run1";
    does(f, get);
    assert_int_equal(f->runs->finished_at_ms, 1000);
}

/* Of every eighth run a session, of every thousandth an end that waits for a person. */
static void fill(void)
{
    postgres_server_run(
        "INSERT INTO mistro.runs(person, id, kind, session_id, title, started_at_ms,"
        " finished_at_ms, status, meta, bytes) SELECT 'ada', 'run' || lpad(i::text, 8, '0'), 'ask',"
        " CASE WHEN i % 8 = 0 THEN 's' || i END, 'a title', i, i + 1, CASE WHEN i % 1000 = 0"
        " THEN 'needs_answer' ELSE 'completed' END, '{}', 1000 FROM generate_series(1, 100000) i;"
        "INSERT INTO mistro.event_groups SELECT 'ada', 'run' || lpad(i::text, 8, '0'), 3,"
        " E'3 1 tool_result {}\n', CASE WHEN i % 2 = 0 THEN 'a/b' END, i, '5', 'w'"
        " FROM generate_series(1, 100000) i;"
        "INSERT INTO mistro.run_logs VALUES ('ada', 100000000);"
        "ANALYZE");
}

/* Rows that connections which are over have read. */
static int64_t rows_read(struct fixture *f)
{
    while (number(f, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'mistro'") > 1)
        postgres_server_run("SELECT pg_sleep(0.01)");
    return number(f, "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint"
                     " FROM pg_stat_user_tables WHERE schemaname = 'mistro'");
}

static void asking_and_pruning_cost_the_same_however_many_runs_there_are(void **state)
{
    struct fixture *watcher = *state;
    assert_int_equal(number(watcher, "SELECT 1"), 1); /* the schema is there */
    fill();
    int64_t before = rows_read(watcher);
    struct fixture f = { .now_ms = RUNS };
    connect(&f, "ada");
    f.range = (struct run_range){ .max = 20 };
    does(&f, list);
    assert_int_equal(f.n, 20);
    f.range.before = &(struct run){ .id = "run00050000", .started_at_ms = 50000 };
    does(&f, list);
    assert_string_equal(f.runs[0].id, "run00049999");
    f.range = (struct run_range){ .max = 20, .may_wait = true };
    does(&f, list);
    assert_int_equal(f.n, 20);
    f.range = (struct run_range){ .max = 20, .session_id = "s4000" };
    does(&f, list);
    assert_int_equal(f.n, 1);
    f.text = "run0004567";
    assert_int_equal(perform(&f, get), ERR_INVALID);
    f.text = RUN_LATEST;
    does(&f, get);
    f.text = "a/b";
    does(&f, median);
    assert_int_equal(f.number, 5);
    f.keep = (struct run_retention){ .keep_ms = RUNS, .max_bytes = 200000000, .max_runs = 20 };
    does(&f, prune);
    assert_int_equal(f.n, 0);
    f.keep.max_bytes = 99990000;
    does(&f, prune);
    assert_int_equal(f.n, 10);
    disconnect(&f);
    arena_finish(&f.arena);
    assert_in_range(rows_read(watcher) - before, 100, 1000);
}

static void all_that_must_go_goes(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(number(f, "SELECT 1"), 1);
    fill();
    f->now_ms = RUNS;
    f->keep = (struct run_retention){ .keep_ms = RUNS - 1201 };
    does(f, prune);
    assert_int_equal(f->n, 1199);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(removes_the_oldest_runs_until_it_is_small_enough),
        T(a_run_that_ends_again_is_counted_once),
        T(what_could_not_be_written_is_written_later),
        T(what_was_written_without_an_answer_is_there_once),
        T(two_processes_with_the_same_numbers_lose_nothing),
        T(persons_do_not_see_each_others_runs),
        T(asking_and_pruning_cost_the_same_however_many_runs_there_are),
        T(all_that_must_go_goes),
    };
#undef T
    return cmocka_run_group_tests(tests, NULL, NULL);
}
