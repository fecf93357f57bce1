/* What the run log in SQLite owes beyond the contract: kills, other versions, damaged files, slow
 * disks, sizes. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/repositories/run_log.h"
#include "infrastructure/repositories/sqlite_database.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/power_cut_vfs.h"
#include "tests/support/full/test_assets.h"
#include "tests/support/full/uv_subject.h"
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[64], file[96];

struct fixture {
    struct uv_runtime *runtime;
    struct run_repository *repository;
    struct arena arena;
    struct scope scope;
    struct err err;
    /* of the task that runs */
    struct run_retention keep;
    int64_t now_ms;
    size_t n;
    struct event *events;
    char run_id[16];
    int fd;
};

static void connect(struct fixture *f)
{
    f->runtime = uv_runtime_create();
    f->repository = sqlite_run_repository_create(f->runtime, file, test_assets());
}

static void disconnect(struct fixture *f)
{
    run_repository_destroy(f->repository);
    uv_runtime_destroy(f->runtime);
}

static int setup(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .scope = { .deadline_ms = SCOPE_NO_DEADLINE }, .run_id = "run1" };
    temporary_folder_create(folder);
    snprintf(file, sizeof file, "%s/runs.db", folder);
    connect(&f);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    disconnect(f);
    arena_finish(&f->arena);
    temporary_folder_remove(folder);
    return 0;
}

static enum err_code run(struct fixture *f, task_fn *fn)
{
    return uv_runtime_run(f->runtime, &f->scope, fn, f);
}

static enum err_code sync_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    return run_repository_sync(f->repository, scope, &f->err);
}

static enum err_code events_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    struct event_range range = { .run_id = f->run_id, .max = 1000000 };
    return run_repository_events(f->repository, scope, &range, &f->arena, &f->events, &f->n,
                                 &f->err);
}

static enum err_code prune_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    return run_repository_prune(f->repository, scope, &f->keep, f->now_ms, &f->n, &f->err);
}

static void append(struct fixture *f, const char *run_id, uint64_t number, const json_t *data)
{
    run_repository_append(f->repository, &(struct event){ .run_id = run_id,
                                                          .number = number,
                                                          .time_ms = 1,
                                                          .kind = EVENT_WARNING,
                                                          .data = data });
}

static json_t *text_data(size_t bytes)
{
    AUTO(arena) scratch = { 0 };
    char *text = arena_alloc(&scratch, bytes + 1);
    memset(text, 'x', bytes);
    return json_pack("{s:s}", "text", text);
}

static struct stat look_at(const char *suffix)
{
    char name[128];
    struct stat info;
    snprintf(name, sizeof name, "%s%s", file, suffix);
    assert_int_equal(stat(name, &info), 0);
    return info;
}

static void its_files_are_private(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = { "", "-wal", "-shm" };
    json_auto_t *data = text_data(1);
    append(f, "run1", 1, data);
    assert_int_equal(run(f, sync_task), ERR_NONE);
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        assert_int_equal(look_at(names[i]).st_mode & 0777, 0600);
}

static void many_processes_leave_a_short_wal_behind(void **state)
{
    enum { PROCESSES = 100, ROOM_BYTES = 120 * (4096 + 24) };
    struct fixture *f = *state;
    json_auto_t *data = text_data(4096);
    for (uint64_t i = 1; i <= PROCESSES; i++) {
        append(f, "run1", i, data);
        assert_int_equal(run(f, sync_task), ERR_NONE);
        disconnect(f);
        assert_in_range(look_at("-wal").st_size, 0, ROOM_BYTES);
        connect(f);
    }
    assert_true(run(f, events_task) == ERR_NONE && f->n == PROCESSES);
}

static void opens_nothing_before_it_is_used(void **state)
{
    struct stat info;
    (void)state;
    assert_int_equal(stat(file, &info), -1);
}

/* Appends and syncs for ever; a byte for each event that is known to be on disk. */
static enum err_code write_for_ever(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    json_auto_t *data = text_data(300);
    for (uint64_t number = 1;; number++) {
        append(f, f->run_id, number, data);
        if (number % 3 == 0 && run_repository_sync(f->repository, scope, NULL) == ERR_NONE &&
            write(f->fd, "...", 3) != 3)
            _exit(3);
    }
}

static int64_t kill_a_writer(unsigned number, useconds_t us)
{
    int ends[2];
    char acknowledged[512];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct fixture f = { .scope = { .deadline_ms = SCOPE_NO_DEADLINE }, .fd = ends[1] };
        close(ends[0]);
        snprintf(f.run_id, sizeof f.run_id, "run%u", number);
        connect(&f);
        run(&f, write_for_ever);
        _exit(2);
    }
    close(ends[1]);
    int64_t n = read(ends[0], acknowledged, 1);
    usleep(us);
    kill(child, SIGKILL);
    for (ssize_t more; (more = read(ends[0], acknowledged, sizeof acknowledged)) > 0;)
        n += more;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return n;
}

static void keeps_every_acknowledged_event_when_it_is_killed(void **state)
{
    struct fixture *f = *state;
    int64_t acknowledged[20];
    for (unsigned i = 0; i < ARRAY_LENGTH(acknowledged); i++)
        acknowledged[i] = kill_a_writer(i, i * 150);

    for (unsigned i = 0; i < ARRAY_LENGTH(acknowledged); i++) {
        snprintf(f->run_id, sizeof f->run_id, "run%u", i);
        assert_int_equal(run(f, events_task), ERR_NONE);
        assert_true(acknowledged[i] > 0);
        assert_true((int64_t)f->n >= acknowledged[i]);
        for (size_t n = 0; n < f->n; n++)
            assert_int_equal(f->events[n].number, n + 1);
    }
}

static void set_user_version(int version)
{
    sqlite3 *db;
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA user_version = %d", version);
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void refuses_a_log_of_a_newer_version(void **state)
{
    struct fixture *f = *state;
    set_user_version(99);

    assert_int_equal(run(f, events_task), ERR_INVALID);

    assert_non_null(strstr(f->err.message, "written by a newer mistro (version 99"));
    assert_string_not_equal(f->err.hint, "");
}

/* As the first version kept them: a row for each event. */
static void write_a_log_of_version_1(void)
{
    sqlite3 *db;
    auto_str migrations = sqlite_migrations(test_assets(), "data/migrations/run_log.sql");
    *strstr(migrations, "-- version 2") = '\0';
    assert_int_equal(sqlite_database_open(file, migrations, &db, NULL), ERR_NONE);
    assert_int_equal(
        sqlite3_exec(
            db,
            "INSERT INTO events VALUES('run1', 1, 5, 'tool_call', '{\"a b\":1}', NULL, NULL);"
            "INSERT INTO events VALUES('run1', 2, 7, 'tool_result', '{}', 'a/b', 40)",
            NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
}

static enum err_code median_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    return run_repository_median_ms(f->repository, scope, "a/b", &f->now_ms, &f->err);
}

static void goes_on_with_a_log_of_the_first_version(void **state)
{
    struct fixture *f = *state;
    json_auto_t *data = text_data(1);
    write_a_log_of_version_1();

    append(f, "run1", 3, data);
    assert_int_equal(run(f, events_task), ERR_NONE);
    assert_int_equal(run(f, median_task), ERR_NONE);

    assert_int_equal(f->n, 3);
    assert_int_equal(f->events[0].kind, EVENT_TOOL_CALL);
    assert_int_equal(f->events[0].time_ms, 5);
    assert_int_equal(json_get_int(f->events[0].data, "a b", 0), 1);
    assert_int_equal(f->events[1].number, 2);
    assert_string_equal(json_get_string(f->events[2].data, "text"), "x");
    assert_int_equal(f->now_ms, 40);
}

static void reports_a_damaged_group_of_events(void **state)
{
    struct fixture *f = *state;
    sqlite3 *db;
    json_auto_t *data = text_data(1);
    append(f, "run1", 1, data);
    assert_int_equal(run(f, sync_task), ERR_NONE);
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "UPDATE event_groups SET lines = '1 2 warning'", NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);

    assert_int_equal(run(f, events_task), ERR_INVALID);
}

static struct run_entry *entry_of(const char *run_id, uint64_t number, size_t bytes)
{
    json_auto_t *data = text_data(bytes);
    struct event event = {
        .run_id = run_id, .number = number, .kind = EVENT_WARNING, .data = data
    };
    return run_entry_of_event(&event);
}

static void a_group_takes_events_of_its_run_until_it_is_full(void **state)
{
    (void)state;
    size_t line = strlen("1 0 warning {\"text\":\"\"}\n");
    struct run_entry *room_for_more = entry_of("run1", 1, RUN_GROUP_BYTES - 1 - line);
    struct run_entry *full = entry_of("run1", 1, RUN_GROUP_BYTES - line);
    struct run_entry *next = entry_of("run1", 2, 1), *foreign = entry_of("run2", 2, 1);

    assert_false(run_entry_join(room_for_more, foreign));
    assert_false(run_entry_join(full, next));
    assert_true(run_entry_join(room_for_more, next));

    assert_int_equal(room_for_more->last_number, 2);
    run_entries_free(room_for_more);
    run_entries_free(full);
    run_entries_free(foreign);
}

static struct run_entry *result_of(const char *tool, int64_t duration_ms)
{
    json_auto_t *data = json_pack("{s:s, s:I, s:b}", "tool", tool, "duration_ms",
                                  (json_int_t)duration_ms, "is_error", 0);
    struct event event = { .run_id = "run1", .kind = EVENT_TOOL_RESULT, .data = data };
    return run_entry_of_event(&event);
}

static void a_group_has_the_durations_of_one_tool(void **state)
{
    (void)state;
    struct run_entry *group = entry_of("run1", 1, 1), *other = result_of("a/other", 5);

    assert_true(run_entry_join(group, result_of("a/b", 20)));
    assert_true(run_entry_join(group, result_of("a/b", 3)));
    assert_false(run_entry_join(group, other));

    assert_string_equal(group->tool, "a/b");
    assert_string_equal(group->durations.bytes, "20 3");
    run_entries_free(group);
    run_entries_free(other);
}

static void reports_a_damaged_log_and_leaves_it(void **state)
{
    struct fixture *f = *state;
    static const char rubbish[] = "this is no database, whatever its name says, and it is long "
                                  "enough to look like a header of one hundred bytes or more.....";
    char after[sizeof rubbish] = { 0 };
    json_auto_t *data = text_data(1);
    FILE *out = fopen(file, "w");
    fputs(rubbish, out);
    fclose(out);

    append(f, "run1", 1, data);
    assert_int_equal(run(f, sync_task), ERR_UNAVAILABLE);

    assert_non_null(strstr(f->err.message, "damaged"));
    assert_non_null(strstr(f->err.hint, "not deleted"));
    FILE *in = fopen(file, "r");
    assert_int_equal(fread(after, 1, sizeof after, in), sizeof rubbish - 1);
    fclose(in);
    assert_string_equal(after, rubbish);
    assert_int_equal(run(f, sync_task), ERR_NONE); /* told once; nothing is queued any more */
}

static void tells_the_next_sync_what_nobody_waited_for(void **state)
{
    struct fixture *f = *state;
    json_auto_t *data = text_data(1);
    assert_int_equal(mkdir(file, 0700), 0); /* a folder of that name */

    append(f, "run1", 1, data);
    assert_int_equal(run(f, events_task), ERR_UNAVAILABLE);
    assert_int_equal(rmdir(file), 0);

    append(f, "run1", 2, data);
    assert_int_equal(run(f, sync_task), ERR_NONE);
}

static enum err_code cancelled_sync(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    struct scope child = runtime_scope(runtime, scope, 0);
    runtime_cancel(runtime, &child);
    return run_repository_sync(f->repository, &child, &f->err);
}

static void goes_on_writing_when_a_sync_is_cancelled(void **state)
{
    struct fixture *f = *state;
    json_auto_t *data = text_data(1);
    append(f, "run1", 1, data);

    assert_int_equal(run(f, cancelled_sync), ERR_CANCELLED);

    assert_int_equal(run(f, events_task), ERR_NONE);
    assert_int_equal(f->n, 1);
}

/* Fills the queue to `bytes`: while the loop does not run, all but the first event wait in it. */
static void queue_bytes(struct fixture *f, size_t bytes)
{
    json_auto_t *data = text_data(1024 * 1024);
    struct event event = { .run_id = "run1", .number = 1, .kind = EVENT_WARNING, .data = data };
    struct run_entry *entry = run_entry_of_event(&event);
    size_t each = entry->bytes, overhead = each - 1024 * 1024;
    run_entries_free(entry);
    append(f, "run1", 1, data);
    for (; bytes > 2 * each; bytes -= each)
        append(f, "run1", 1, data);
    json_auto_t *last = text_data(bytes - overhead);
    append(f, "run1", 1, last);
}

/* A folder of the file's name: nothing is written, so the bound is all that is tested. */
static void queues_up_to_the_bound_and_loses_what_is_above_with_a_word(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(mkdir(file, 0700), 0);

    queue_bytes(f, RUN_QUEUE_MAX_BYTES);
    assert_int_equal(run(f, sync_task), ERR_UNAVAILABLE);
    assert_null(strstr(f->err.message, "events are lost"));
    queue_bytes(f, RUN_QUEUE_MAX_BYTES + 1);
    assert_int_equal(run(f, sync_task), ERR_UNAVAILABLE);

    assert_non_null(strstr(f->err.message, "events are lost"));
    assert_int_equal(rmdir(file), 0);
}

/* Of five events each. */
static void write_runs(struct fixture *f, int n, size_t event_bytes)
{
    json_auto_t *data = text_data(event_bytes);
    for (int i = 0; i < n; i++) {
        char id[16];
        snprintf(id, sizeof id, "run-%02d", i);
        run_repository_begin(f->repository,
                             &(struct run){ .id = id, .kind = "ask", .started_at_ms = 10 + i });
        for (uint64_t number = 1; number <= 5; number++)
            append(f, id, number, data);
        run_repository_finish(
            f->repository,
            &(struct run){ .id = id, .status = RUN_COMPLETED, .finished_at_ms = 100 + i });
    }
    assert_int_equal(run(f, sync_task), ERR_NONE);
}

static void removes_the_oldest_runs_until_it_is_small_enough(void **state)
{
    struct fixture *f = *state;
    write_runs(f, 4, 100000);

    f->keep = (struct run_retention){ .max_bytes = 1200000 }; /* two runs and a little */
    f->now_ms = 1000;
    assert_int_equal(run(f, prune_task), ERR_NONE);

    struct stat info;
    assert_int_equal(f->n, 2);
    assert_int_equal(stat(file, &info), 0);
    assert_in_range(info.st_size, 1000000, 1200000);
}

/* Some 8 MiB are removed at once, so 17 runs of half a MiB, and then the rest. */
static void removes_large_runs_in_bites(void **state)
{
    struct fixture *f = *state;
    struct stat info;
    write_runs(f, 30, 100000);
    f->keep = (struct run_retention){ .keep_ms = 1, .max_runs = 100 };
    f->now_ms = 1000;

    assert_int_equal(run(f, prune_task), ERR_NONE);
    assert_in_range(f->n, 15, 18);
    size_t removed = f->n;
    assert_int_equal(stat(file, &info), 0);
    assert_in_range(info.st_size, 6000000, 8000000);
    assert_int_equal(run(f, prune_task), ERR_NONE);
    assert_int_equal(removed + f->n, 30);
}

static void looks_for_old_runs_in_an_index(void **state)
{
    struct fixture *f = *state;
    struct sqlite3_stmt *plan = NULL;
    assert_int_equal(run(f, sync_task), ERR_NONE);
    write_runs(f, 1, 10);
    assert_int_equal(run(f, sync_task), ERR_NONE);
    auto_str migrations = sqlite_migrations(test_assets(), "data/migrations/run_log.sql");
    struct sqlite3 *db = NULL;
    assert_int_equal(sqlite_database_open(file, migrations, &db, NULL), ERR_NONE);
    assert_int_equal(
        sqlite3_prepare_v2(db,
                           "EXPLAIN QUERY PLAN SELECT id FROM runs WHERE (finished_at_ms > 0 OR"
                           " started_at_ms < 5) ORDER BY iif(finished_at_ms > 0, finished_at_ms,"
                           " started_at_ms), id LIMIT 1",
                           -1, &plan, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(plan), SQLITE_ROW);
    assert_non_null(strstr((const char *)sqlite3_column_text(plan, 3), "runs_by_end"));
    assert_int_equal(sqlite3_step(plan), SQLITE_DONE); /* and nothing is sorted */
    sqlite3_finalize(plan);
    sqlite3_close(db);
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void takes_a_burst_in_groups_and_cheaply(void **state)
{
    struct fixture *f = *state;
    json_auto_t *data = json_pack("{s:s, s:i, s:{s:s}}", "tool", "files/read_file", "duration_ms",
                                  3, "result", "text", "forty-two bytes or so");
    double before = now_us();
    for (uint64_t i = 1; i <= 4000; i++)
        append(f, "run1", i, data);
    double queued = now_us();
    assert_int_equal(run(f, sync_task), ERR_NONE);
    double written = now_us();

    print_message("4,000 events: %.1f us each on the loop, %.1f ms until on disk\n",
                  (queued - before) / 4000, (written - queued) / 1000);
    assert_int_equal(run(f, events_task), ERR_NONE);
    assert_int_equal(f->n, 4000);
}

/* Forcing something to disk is what a short run waits for longest. */
static void forces_to_disk_what_is_synced_and_nothing_for_a_question(void **state)
{
    struct fixture *f = *state;
    json_auto_t *data = text_data(1);
    power_cut_vfs_install();
    append(f, "run1", 1, data);
    assert_int_equal(run(f, sync_task), ERR_NONE);
    disconnect(f);
    connect(f);
    unsigned before = power_cut_vfs_syncs();

    assert_int_equal(run(f, prune_task), ERR_NONE);
    assert_int_equal(power_cut_vfs_syncs(), before); /* nothing for opening it either */
    append(f, "run1", 2, data);
    assert_int_equal(run(f, prune_task), ERR_NONE);
    assert_int_equal(power_cut_vfs_syncs(), before); /* SQLite goes on with the log that is there */
    assert_int_equal(run(f, sync_task), ERR_NONE);
    assert_int_equal(power_cut_vfs_syncs(), before + 1);
    assert_int_equal(run(f, sync_task), ERR_NONE);
    assert_int_equal(power_cut_vfs_syncs(), before + 1);
}

static enum err_code two_questions(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    struct scope bounded = scope_child(scope, runtime_now_ms(runtime) + 5000);
    struct task *other = runtime_spawn(runtime, &bounded, events_task, f);
    struct task *another = runtime_spawn(runtime, &bounded, events_task, f);
    enum err_code r = runtime_wait(runtime, other);
    enum err_code later = runtime_wait(runtime, another);
    return r ? r : later;
}

static void two_questions_at_once_do_not_wait_for_each_other(void **state)
{
    struct fixture *f = *state;
    json_auto_t *data = text_data(10);
    append(f, "run1", 1, data);
    assert_int_equal(run(f, two_questions), ERR_NONE);
    assert_int_equal(f->n, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        T(its_files_are_private),
        T(many_processes_leave_a_short_wal_behind),
        T(opens_nothing_before_it_is_used),
        T(keeps_every_acknowledged_event_when_it_is_killed),
        T(refuses_a_log_of_a_newer_version),
        T(goes_on_with_a_log_of_the_first_version),
        T(reports_a_damaged_group_of_events),
        T(a_group_takes_events_of_its_run_until_it_is_full),
        T(a_group_has_the_durations_of_one_tool),
        T(reports_a_damaged_log_and_leaves_it),
        T(tells_the_next_sync_what_nobody_waited_for),
        T(goes_on_writing_when_a_sync_is_cancelled),
        T(queues_up_to_the_bound_and_loses_what_is_above_with_a_word),
        T(removes_the_oldest_runs_until_it_is_small_enough),
        T(removes_large_runs_in_bites),
        T(looks_for_old_runs_in_an_index),
        T(takes_a_burst_in_groups_and_cheaply),
        T(forces_to_disk_what_is_synced_and_nothing_for_a_question),
        T(two_questions_at_once_do_not_wait_for_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
