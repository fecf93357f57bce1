/* How the calls of a batch are logged before they are sent, on virtual time: another interleaving
 * with every seed. A sync takes SYNC_MS, and the test sees to it that no call overtakes it. */

#include "application/use_cases/tools/call_batch.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/full/virtual_runtime.h"
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 50, SYNC_MS = 10, MAX_GROUPS = 64 };

struct bench {
    struct virtual_runtime *runtime;
    struct fake_services services;
    struct fake_tool_server *server;
    struct scope scope;
    size_t n_lines, n_read, n_printed;
    int64_t line_ms; /* between two lines; 0: all are there */
    unsigned in_flight;
    size_t n_logged, groups[MAX_GROUPS], n_groups; /* tool_call events, as they were synced */
    size_t failing_group;                          /* from 1; 0: none */
    bool was_overtaken;                            /* a call was made before it was logged */
    size_t waited_for_a_line; /* lines that were not called when the next one came */
    enum err_code code;
    struct err err;
};

static enum err_code read_line(void *context, struct scope *scope, char **out_line,
                               size_t *out_length, struct err *err)
{
    struct bench *bench = context;
    *out_line = NULL;
    *out_length = 0;
    if (bench->line_ms) {
        enum err_code r = virtual_wait(bench->runtime, scope, bench->line_ms, err);
        if (r)
            return r;
        bench->waited_for_a_line += bench->server->n_calls < bench->n_read;
    }
    if (bench->n_read == bench->n_lines)
        return ERR_NONE;
    bench->n_read++;
    *out_line = strdup("{}");
    *out_length = 2;
    return ERR_NONE;
}

static bool print_lines(void *context, const char *lines, size_t length)
{
    struct bench *bench = context;
    for (size_t i = 0; i < length; i++)
        bench->n_printed += lines[i] == '\n';
    return true;
}

/* Calls that are not logged yet when a sync begins must not be made before it has ended. */
static void on_sync(void *context, struct scope *scope)
{
    struct bench *bench = context;
    size_t n_before = bench->n_logged;
    size_t n = fake_services_count(&bench->services, EVENT_TOOL_CALL);
    bool is_group = n > n_before;
    if (is_group) {
        assert_true(bench->n_groups < MAX_GROUPS);
        bench->groups[bench->n_groups++] = n - n_before;
        bench->n_logged = n;
    }
    bool fails = is_group && bench->n_groups == bench->failing_group;
    (void)!virtual_wait(bench->runtime, scope, SYNC_MS, NULL);
    bench->was_overtaken |= is_group && bench->server->n_calls > n_before;
    if (fails)
        bench->services.runs.next_sync = ERR_UNAVAILABLE;
}

static enum err_code batch(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct bench *bench = argument;
    struct batch_outcome outcome;
    const struct batch_request request = { .tool = "dev/send",
                                           .in_flight = bench->in_flight,
                                           .read_line = read_line,
                                           .print_lines = print_lines,
                                           .context = bench };
    (void)runtime;
    bench->code = call_batch(&bench->services.base, scope, &request, &outcome, &bench->err);
    return bench->code;
}

static struct bench *set_up(uint64_t seed, size_t n_lines, unsigned in_flight)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->scope.deadline_ms = SCOPE_NO_DEADLINE;
    bench->n_lines = n_lines;
    bench->in_flight = in_flight;
    bench->runtime = virtual_runtime_create(seed);
    fake_services_init(&bench->services, virtual_runtime_port(bench->runtime), SOURCE_DIR);
    bench->services.runs.on_sync = on_sync;
    bench->services.runs.context = bench;
    bench->server = fake_services_add_server(
        &bench->services, "dev", "[{\"name\":\"send\",\"inputSchema\":{\"type\":\"object\"}}]");
    return bench;
}

static void finish(struct bench *bench)
{
    assert_int_equal(virtual_runtime_tasks(bench->runtime), 0);
    fake_services_finish(&bench->services);
    virtual_runtime_destroy(bench->runtime);
    free(bench);
}

static size_t largest_group(const struct bench *bench)
{
    size_t largest = 0;
    for (size_t i = 0; i < bench->n_groups; i++)
        if (bench->groups[i] > largest)
            largest = bench->groups[i];
    return largest;
}

static void every_call_is_on_disk_before_it_is_sent_in_groups_of_at_most_32(void **state)
{
    static const size_t counts[] = { 1, 32, 33, 65, 120 };
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct bench *bench = set_up(seed, counts[i], seed % 2 ? 1 : 8);

            (void)virtual_runtime_run(bench->runtime, &bench->scope, batch, bench);

            assert_int_equal(bench->code, ERR_NONE);
            assert_int_equal(bench->n_printed, counts[i]);
            assert_int_equal(bench->server->n_calls, counts[i]);
            assert_int_equal(bench->n_logged, counts[i]);
            assert_false(bench->was_overtaken);
            assert_true(largest_group(bench) <= BATCH_MAX_GROUP);
            /* The first group is what was read before the log was asked: perhaps one line. */
            size_t full_groups = (counts[i] + BATCH_MAX_GROUP - 1) / BATCH_MAX_GROUP;
            assert_in_range(bench->n_groups, full_groups, full_groups + 1);
            finish(bench);
        }
}

static void a_line_that_arrives_alone_is_called_before_the_next_one_is_there(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct bench *bench = set_up(seed, 10, 4);
        bench->line_ms = SYNC_MS + 1;

        (void)virtual_runtime_run(bench->runtime, &bench->scope, batch, bench);

        assert_int_equal(bench->code, ERR_NONE);
        assert_int_equal(bench->server->n_calls, 10);
        assert_int_equal(bench->waited_for_a_line, 0);
        assert_int_equal(largest_group(bench), 1);
        finish(bench);
    }
}

static void nothing_of_a_group_that_the_disk_refuses_is_sent(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct bench *bench = set_up(seed, 60, 4);
        bench->failing_group = 1 + seed % 2;

        (void)virtual_runtime_run(bench->runtime, &bench->scope, batch, bench);

        assert_int_equal(bench->code, ERR_UNAVAILABLE);
        assert_int_equal(err_exit_status(bench->code), 3);
        assert_int_equal(bench->n_groups, bench->failing_group);
        assert_false(bench->was_overtaken);
        size_t n_sent = bench->failing_group == 1 ? 0 : bench->groups[0];
        assert_true(bench->server->n_calls <= n_sent);
        assert_int_equal(fake_services_count(&bench->services, EVENT_TOOL_RESULT), bench->n_logged);
        finish(bench);
    }
}

/* Also those whose turn did not come. */
static void every_logged_call_of_a_cancelled_batch_has_an_end(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct bench *bench = set_up(seed, 60, 1);
        const struct fake_run_repository *runs = &bench->services.runs;
        bench->server->delay_ms = 50;
        virtual_runtime_cancel_at(bench->runtime, &bench->scope, 200);

        (void)virtual_runtime_run(bench->runtime, &bench->scope, batch, bench);

        size_t n_ended = 0, n_unsent = 0;
        const struct event *event;
        while ((event = fake_run_repository_event(runs, EVENT_TOOL_RESULT, n_ended))) {
            const json_t *error = json_object_get(event->data, "error");
            const char *message = json_get_string(error, "message");
            n_unsent += message && strncmp(message, "not sent: ", 10) == 0;
            n_ended++;
        }
        assert_int_equal(bench->code, ERR_CANCELLED);
        assert_int_equal(n_ended, bench->n_logged);
        assert_int_equal(n_unsent, bench->n_logged - bench->server->n_calls);
        assert_true(n_unsent > 0);
        finish(bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_is_on_disk_before_it_is_sent_in_groups_of_at_most_32),
        cmocka_unit_test(a_line_that_arrives_alone_is_called_before_the_next_one_is_there),
        cmocka_unit_test(nothing_of_a_group_that_the_disk_refuses_is_sent),
        cmocka_unit_test(every_logged_call_of_a_cancelled_batch_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
