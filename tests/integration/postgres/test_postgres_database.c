#include "domain/base/json.h"
#include "infrastructure/postgres/postgres_database.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "infrastructure/runtime/worker.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/postgres/postgres_server.h"
#include "tests/support/memory_assets.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FOLDER "data/migrations/postgres/"

/* The first takes a moment, so that another process finds it under way. */
static const struct memory_asset files[] = {
    { .path = FOLDER "01_notes.sql",
      .text = "CREATE TABLE mistro.notes(number bigint PRIMARY KEY, text text);"
              "SELECT pg_sleep(0.2)" },
    { .path = FOLDER "02_raise.sql",
      .text = "CREATE FUNCTION mistro.give_up() RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE"
              " EXCEPTION 'the lease is another''s' USING ERRCODE = 'MI001'; END $$;" },
};

struct fixture {
    struct uv_runtime *runtime;
    struct memory_assets assets;
    struct postgres_database *db;
    const struct postgres_statement *statements;
    size_t n;
    PGresult *result;
    struct err err;
};

static void open_at(struct fixture *f, const char *url)
{
    *f = (struct fixture){ .runtime = uv_runtime_create() };
    memory_assets_init(&f->assets, files, ARRAY_LENGTH(files));
    f->db = postgres_database_create(f->runtime, url, &f->assets.base);
}

static void close_fixture(struct fixture *f)
{
    postgres_result_free(f->result);
    postgres_database_destroy(f->db);
    uv_runtime_destroy(f->runtime);
}

#define AUTO_FIXTURE __attribute__((cleanup(close_fixture))) struct fixture

static enum err_code job(void *argument, struct err *err)
{
    struct fixture *f = argument;
    postgres_result_free(f->result);
    f->result = NULL;
    return f->n == 1 ? postgres_query(f->db, f->statements, &f->result, err)
                     : postgres_write(f->db, f->statements, f->n, err);
}

static enum err_code task(struct runtime *self, struct scope *sc, void *argument)
{
    struct fixture *f = argument;
    (void)self;
    return worker_try(postgres_database_worker(f->db), sc, job, f, &f->err);
}

static enum err_code send(struct fixture *f, const struct postgres_statement *statements, size_t n)
{
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    f->statements = statements;
    f->n = n;
    f->err = (struct err){ 0 };
    return uv_runtime_run(f->runtime, &scope, task, f);
}

static enum err_code query(struct fixture *f, const char *sql)
{
    return send(f, &(struct postgres_statement){ .sql = sql }, 1);
}

static int64_t number(struct fixture *f, const char *sql)
{
    if (query(f, sql))
        fail_msg("%s: %s", sql, f->err.message);
    return postgres_integer(f->result, 0, 0);
}

static void the_first_statement_makes_the_schema(void **state)
{
    (void)state;
    postgres_server_empty();
    AUTO_FIXTURE f;
    open_at(&f, postgres_server_url());
    assert_int_equal(number(&f, "SELECT count(*) FROM mistro.notes"), 0);
    assert_int_equal(number(&f, "SELECT max(version) FROM mistro.migrations"), 2);
}

static void values_arrive_as_they_are(void **state)
{
    (void)state;
    const char *const values[] = { "7", "it's \"\xC3\xA9\"; DROP TABLE mistro.notes", NULL,
                                   "a\0b" };
    const int lengths[] = { -1, -1, -1, 3 };
    AUTO_FIXTURE f;
    open_at(&f, postgres_server_url());
    const struct postgres_statement statement = {
        .sql = "SELECT $1::bigint + 1, $2::text, $3::text, length($4::bytea)",
        .n = 4,
        .values = values,
        .lengths = lengths,
    };
    assert_int_equal(send(&f, &statement, 1), ERR_NONE);
    assert_int_equal(postgres_n_rows(f.result), 1);
    assert_int_equal(postgres_integer(f.result, 0, 0), 8);
    assert_string_equal(postgres_text(f.result, 0, 1), values[1]);
    assert_null(postgres_text(f.result, 0, 2));
    assert_int_equal(postgres_integer(f.result, 0, 3), 3);
}

static void what_is_written_together_is_written_whole_or_not(void **state)
{
    (void)state;
    postgres_server_empty();
    AUTO_FIXTURE f;
    open_at(&f, postgres_server_url());
    const struct postgres_statement two[] = {
        { .sql = "INSERT INTO mistro.notes VALUES (1, 'a')" },
        { .sql = "INSERT INTO mistro.notes VALUES (2, 'b')" },
    };
    assert_int_equal(send(&f, two, 2), ERR_NONE);
    assert_int_equal(number(&f, "SELECT count(*) FROM mistro.notes"), 2);
    const struct postgres_statement broken[] = {
        { .sql = "INSERT INTO mistro.notes VALUES (3, 'c')" },
        { .sql = "INSERT INTO mistro.notes VALUES (1, 'again')" },
        { .sql = "INSERT INTO mistro.notes VALUES (4, 'd')" },
    };
    assert_int_equal(send(&f, broken, 3), ERR_INTERNAL);
    assert_non_null(strstr(f.err.message, "duplicate key"));
    assert_false(f.err.is_outcome_unknown);
    assert_int_equal(number(&f, "SELECT count(*) FROM mistro.notes"), 2);
}

static void a_function_says_that_something_is_not_as_the_caller_thinks(void **state)
{
    (void)state;
    AUTO_FIXTURE f;
    open_at(&f, postgres_server_url());
    assert_int_equal(query(&f, "SELECT mistro.give_up()"), ERR_MISMATCH);
    assert_string_equal(f.err.message, "the lease is another's");
}

/* More than sockets hold, in both directions. */
static void large_values_go_both_ways(void **state)
{
    (void)state;
    enum { BYTES = 8 * 1024 * 1024 };
    char *text = malloc(BYTES + 1);
    assert_non_null(text);
    memset(text, 'x', BYTES);
    text[BYTES] = '\0';
    const char *const values[] = { text };
    const struct postgres_statement echo = { .sql = "SELECT $1::text", .n = 1, .values = values };
    const struct postgres_statement many[] = { echo, echo, echo };
    AUTO_FIXTURE f;
    open_at(&f, postgres_server_url());
    assert_int_equal(send(&f, many, 3), ERR_NONE);
    assert_int_equal(send(&f, many, 1), ERR_NONE);
    assert_string_equal(postgres_text(f.result, 0, 0), text);
    free(text);
}

static void a_newer_schema_is_refused_and_stays_as_it_is(void **state)
{
    (void)state;
    postgres_server_empty();
    {
        AUTO_FIXTURE f;
        open_at(&f, postgres_server_url());
        assert_int_equal(number(&f, "SELECT 1"), 1);
    }
    postgres_server_run("INSERT INTO mistro.migrations(version) VALUES (3)");
    {
        AUTO_FIXTURE f;
        open_at(&f, postgres_server_url());
        assert_int_equal(query(&f, "DELETE FROM mistro.migrations"), ERR_INVALID);
        assert_non_null(strstr(f.err.message, "version 3, this one knows 2"));
    }
    postgres_server_run("DELETE FROM mistro.migrations WHERE version = 3");
    AUTO_FIXTURE f;
    open_at(&f, postgres_server_url());
    assert_int_equal(number(&f, "SELECT count(*) FROM mistro.migrations"), 2);
}

static void what_is_committed_is_on_disk_whatever_the_server_does_by_default(void **state)
{
    (void)state;
    postgres_server_run("ALTER ROLE postgres SET synchronous_commit = off");
    AUTO_FIXTURE f;
    open_at(&f, postgres_server_url());
    int64_t is_on = number(&f, "SELECT (current_setting('synchronous_commit') = 'on')::integer");
    postgres_server_run("ALTER ROLE postgres RESET synchronous_commit");
    assert_int_equal(is_on, 1);
}

/* One that knows the first version only, and then the second comes. */
static void whoever_is_connected_is_told_of_a_newer_schema(void **state)
{
    (void)state;
    postgres_server_empty();
    AUTO_FIXTURE older = { .runtime = uv_runtime_create() };
    memory_assets_init(&older.assets, files, 1);
    older.db = postgres_database_create(older.runtime, postgres_server_url(), &older.assets.base);
    assert_int_equal(number(&older, "SELECT max(version) FROM mistro.migrations"), 1);
    {
        AUTO_FIXTURE newer;
        open_at(&newer, postgres_server_url());
        assert_int_equal(number(&newer, "SELECT max(version) FROM mistro.migrations"), 2);
    }
    /* Its connection was ended, which it may have heard of before it sends. */
    enum err_code first = query(&older, "DELETE FROM mistro.migrations");
    assert_true(first == ERR_UNAVAILABLE || first == ERR_INVALID);
    assert_int_equal(query(&older, "DELETE FROM mistro.migrations"), ERR_INVALID);
    assert_non_null(strstr(older.err.message, "version 2, this one knows 1"));
}

static void a_migration_that_fails_leaves_nothing(void **state)
{
    (void)state;
    const struct memory_asset broken[] = {
        files[0], { .path = FOLDER "02_broken.sql", .text = "CREATE TABLE mistro.notes(a int)" }
    };
    postgres_server_empty();
    {
        AUTO_FIXTURE f = { .runtime = uv_runtime_create() };
        memory_assets_init(&f.assets, broken, ARRAY_LENGTH(broken));
        f.db = postgres_database_create(f.runtime, postgres_server_url(), &f.assets.base);
        assert_int_equal(query(&f, "SELECT 1"), ERR_INTERNAL);
        assert_non_null(strstr(f.err.message, "migration 2"));
    }
    AUTO_FIXTURE f;
    open_at(&f, postgres_server_url());
    assert_int_equal(number(&f, "SELECT count(*) FROM mistro.notes"), 0);
}

static void two_processes_make_the_schema_at_the_same_time(void **state)
{
    (void)state;
    postgres_server_empty();
    pid_t children[2];
    for (size_t i = 0; i < 2; i++) {
        children[i] = fork();
        if (children[i])
            continue;
        struct fixture f;
        open_at(&f, postgres_server_url());
        enum err_code r = query(&f, "INSERT INTO mistro.notes VALUES (pg_backend_pid(), 'x')");
        close_fixture(&f);
        _exit(r ? 1 : 0);
    }
    for (size_t i = 0; i < 2; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    AUTO_FIXTURE f;
    open_at(&f, postgres_server_url());
    assert_int_equal(number(&f, "SELECT count(*) FROM mistro.notes"), 2);
}

static void a_server_that_is_started_again_is_used_again(void **state)
{
    (void)state;
    postgres_server_empty();
    AUTO_FIXTURE f;
    open_at(&f, postgres_server_url());
    assert_int_equal(query(&f, "INSERT INTO mistro.notes VALUES (1, 'kept')"), ERR_NONE);
    postgres_server_control("--stop");
    assert_int_equal(query(&f, "SELECT 1"), ERR_UNAVAILABLE);
    assert_false(f.err.is_outcome_unknown); /* nothing was sent */
    assert_true(*f.err.hint);
    postgres_server_control("--start");
    assert_int_equal(number(&f, "SELECT count(*) FROM mistro.notes"), 1);
}

static void a_connection_that_the_server_ended_is_opened_anew(void **state)
{
    (void)state;
    AUTO_FIXTURE f;
    open_at(&f, postgres_server_url());
    int64_t backend = number(&f, "SELECT pg_backend_pid()");
    postgres_server_run("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
                        " WHERE application_name = 'mistro' AND pid <> pg_backend_pid()");
    assert_int_not_equal(number(&f, "SELECT pg_backend_pid()"), backend);
}

/* It ends its own connection, having done something that outlives the transaction. */
static void a_statement_of_unknown_fate_is_not_sent_again(void **state)
{
    (void)state;
    postgres_server_empty();
    AUTO_FIXTURE f;
    open_at(&f, postgres_server_url());
    assert_int_equal(query(&f, "CREATE SEQUENCE mistro.sent"), ERR_NONE);
    assert_int_equal(query(&f, "SELECT nextval('mistro.sent'),"
                               " pg_terminate_backend(pg_backend_pid()), pg_sleep(5)"),
                     ERR_UNAVAILABLE);
    assert_true(f.err.is_outcome_unknown);
    assert_int_equal(number(&f, "SELECT nextval('mistro.sent')"), 2);
    const struct postgres_statement question = {
        .sql = "SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(5)", .only_reads = true
    };
    assert_int_equal(send(&f, &question, 1), ERR_UNAVAILABLE);
    assert_false(f.err.is_outcome_unknown);
}

static double seconds_since(const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin->tv_sec) + (double)(now.tv_nsec - begin->tv_nsec) / 1e9;
}

static void a_server_that_says_nothing_is_not_waited_for_without_end(void **state)
{
    (void)state;
    struct timespec begin;
    AUTO_FIXTURE f, later;
    open_at(&f, postgres_server_url());
    open_at(&later, postgres_server_url());
    assert_int_equal(number(&f, "SELECT 1"), 1);
    postgres_server_control("--pause");
    clock_gettime(CLOCK_MONOTONIC, &begin);
    enum err_code of_statement = query(&f, "SELECT 1");
    enum err_code of_connecting = query(&later, "SELECT 1");
    double waited_s = seconds_since(&begin);
    postgres_server_control("--resume");
    assert_int_equal(of_statement, ERR_UNAVAILABLE);
    assert_true(f.err.is_outcome_unknown);
    assert_int_equal(of_connecting, ERR_UNAVAILABLE);
    assert_false(later.err.is_outcome_unknown);
    assert_true(waited_s < POSTGRES_ANSWER_MS / 1000 + POSTGRES_CONNECT_S + 5);
    assert_int_equal(number(&f, "SELECT 1"), 1);
}

static void a_statement_that_takes_too_long_is_ended_by_the_server(void **state)
{
    (void)state;
    AUTO_FIXTURE f;
    open_at(&f, postgres_server_url());
    const char *const bound = "SELECT setting FROM pg_settings WHERE name = 'statement_timeout'";
    assert_true(number(&f, bound) < POSTGRES_ANSWER_MS);
    assert_int_equal(query(&f, "SET statement_timeout = 100"), ERR_NONE); /* for a quick test */
    assert_int_equal(query(&f, "SELECT pg_sleep(30)"), ERR_UNAVAILABLE);
    assert_non_null(strstr(f.err.message, "statement timeout"));
    assert_false(f.err.is_outcome_unknown);
}

static void urls_that_say_something_else_than_was_meant_are_refused(void **state)
{
    (void)state;
    char long_url[POSTGRES_URL_MAX_BYTES + 2];
    memset(long_url, 'a', sizeof long_url - 1);
    memcpy(long_url, "postgresql://", 13);
    long_url[sizeof long_url - 1] = '\0';
    const char *const urls[] = {
        "",
        "host=localhost password=plum-tart",
        "mysql://user:plum-tart@localhost/db",
        "postgresql://user:plum-tart@part@localhost/db",
        "postgresql://user:plum-tart/part@localhost/db",
        "postgresql://user:plum-tart%zz@localhost/db",
        "postgresql://user:plum-tart@localhost/db?plum-tart=1",
        "postgresql://user:plum-tart@localhost/d b",
        "postgresql://user:plum-tart@localhost/db\n",
        long_url,
    };
    for (size_t i = 0; i < ARRAY_LENGTH(urls); i++) {
        AUTO_FIXTURE f;
        open_at(&f, urls[i]);
        assert_int_equal(query(&f, "SELECT 1"), ERR_INVALID);
        assert_null(strstr(f.err.message, "plum-tart"));
        assert_null(strstr(f.err.hint, "plum-tart"));
        assert_non_null(strstr(f.err.hint, "postgresql://USER"));
    }
}

static void a_url_of_the_greatest_length_is_read(void **state)
{
    (void)state;
    char url[POSTGRES_URL_MAX_BYTES + 1];
    int n = snprintf(url, sizeof url, "%s&application_name=", postgres_server_url());
    memset(url + n, 'a', sizeof url - 1 - (size_t)n);
    url[sizeof url - 1] = '\0';
    AUTO_FIXTURE f;
    open_at(&f, url);
    assert_int_equal(number(&f, "SELECT 1"), 1);
}

static void the_password_is_in_no_message(void **state)
{
    (void)state;
    char url[1000];
    snprintf(url, sizeof url, "%s&password=plum-tart&dbname=plum-tart", postgres_server_url());
    AUTO_FIXTURE f;
    open_at(&f, url);
    assert_int_equal(query(&f, "SELECT 1"), ERR_UNAVAILABLE);
    assert_non_null(strstr(f.err.message, "database \"[redacted]\" does not exist"));
    AUTO_FIXTURE g;
    snprintf(url, sizeof url, "%s&password=plum-tart", postgres_server_url());
    open_at(&g, url);
    assert_int_equal(query(&g, "SELECT 'plum-tart'::integer"), ERR_INTERNAL);
    assert_non_null(strstr(g.err.message, "\"[redacted]\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_statement_makes_the_schema),
        cmocka_unit_test(values_arrive_as_they_are),
        cmocka_unit_test(what_is_written_together_is_written_whole_or_not),
        cmocka_unit_test(a_function_says_that_something_is_not_as_the_caller_thinks),
        cmocka_unit_test(large_values_go_both_ways),
        cmocka_unit_test(a_newer_schema_is_refused_and_stays_as_it_is),
        cmocka_unit_test(what_is_committed_is_on_disk_whatever_the_server_does_by_default),
        cmocka_unit_test(whoever_is_connected_is_told_of_a_newer_schema),
        cmocka_unit_test(a_migration_that_fails_leaves_nothing),
        cmocka_unit_test(two_processes_make_the_schema_at_the_same_time),
        cmocka_unit_test(a_server_that_is_started_again_is_used_again),
        cmocka_unit_test(a_connection_that_the_server_ended_is_opened_anew),
        cmocka_unit_test(a_statement_of_unknown_fate_is_not_sent_again),
        cmocka_unit_test(a_server_that_says_nothing_is_not_waited_for_without_end),
        cmocka_unit_test(a_statement_that_takes_too_long_is_ended_by_the_server),
        cmocka_unit_test(urls_that_say_something_else_than_was_meant_are_refused),
        cmocka_unit_test(a_url_of_the_greatest_length_is_read),
        cmocka_unit_test(the_password_is_in_no_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
