/* A batch whose calls run side by side, on virtual time: another interleaving with every seed. */

#include "application/use_cases/tools/call_batch.h"
#include "domain/base/buf.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/full/virtual_runtime.h"
#include <stdlib.h>
#include <string.h>

enum { N_LINES = 5, SEEDS = 50 };

struct bench {
    struct virtual_runtime *runtime;
    struct fake_services services;
    struct scope scope;
    size_t n_read;
    struct buf output;
    struct batch_outcome outcome;
    enum err_code code;
    struct err err;
};

static enum err_code read_line(void *context, struct scope *scope, char **out_line,
                               size_t *out_length, struct err *err)
{
    static const char *const input[N_LINES] = { "{\"to\":1}", "{\"to\":2}", "{\"to\":\"b\"}",
                                                "{\"to\":4}", "{\"to\":5}" };
    struct bench *bench = context;
    (void)scope;
    (void)err;
    *out_line = bench->n_read < N_LINES ? strdup(input[bench->n_read++]) : NULL;
    *out_length = *out_line ? strlen(*out_line) : 0;
    return ERR_NONE;
}

static bool print_lines(void *context, const char *lines, size_t length)
{
    struct bench *bench = context;
    return buf_append(&bench->output, lines, length);
}

static enum err_code batch(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct bench *bench = argument;
    const struct batch_request request = { .tool = "dev/send",
                                           .in_flight = 3,
                                           .read_line = read_line,
                                           .print_lines = print_lines,
                                           .context = bench };
    (void)runtime;
    bench->code = call_batch(&bench->services.base, scope, &request, &bench->outcome, &bench->err);
    return bench->code;
}

static struct bench *set_up(uint64_t seed)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->scope.deadline_ms = SCOPE_NO_DEADLINE;
    buf_init(&bench->output, 1 << 20);
    bench->runtime = virtual_runtime_create(seed);
    fake_services_init(&bench->services, virtual_runtime_port(bench->runtime), SOURCE_DIR);
    struct fake_tool_server *server = fake_services_add_server(
        &bench->services, "dev", "[{\"name\":\"send\",\"inputSchema\":{\"type\":\"object\"}}]");
    server->delay_ms = 50;
    return bench;
}

static void finish(struct bench *bench)
{
    buf_finish(&bench->output);
    fake_services_finish(&bench->services);
    virtual_runtime_destroy(bench->runtime);
    free(bench);
}

static size_t count_lines(struct bench *bench)
{
    size_t n = 0;
    for (const char *at = buf_string(&bench->output); (at = strchr(at, '\n')); at++)
        n++;
    return n;
}

static void a_denied_line_lets_the_calls_that_were_sent_finish_and_be_printed(void **state)
{
    static const struct policy_argument to_b = { .name = "to", .pattern = "b" };
    static const struct policy_rule deny = { .effect = POLICY_DENY,
                                             .arguments = &to_b,
                                             .n_arguments = 1 };
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct bench *bench = set_up(seed);
        bench->services.settings.policy = &deny;
        bench->services.settings.n_policy = 1;

        (void)virtual_runtime_run(bench->runtime, &bench->scope, batch, bench);

        assert_int_equal(bench->code, ERR_DENIED);
        assert_int_equal(bench->services.servers[0].n_calls, 2);
        assert_int_equal(count_lines(bench), 2);
        assert_null(strstr(buf_string(&bench->output), "\"ok\":false"));
        assert_int_equal(virtual_runtime_tasks(bench->runtime), 0);
        finish(bench);
    }
}

static void prints_in_input_order_whatever_order_the_calls_finish_in(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct bench *bench = set_up(seed);
        for (int i = 0; i < N_LINES; i++)
            fake_tool_server_reply(
                &bench->services.servers[0],
                (struct fake_tool_reply){ .tool = "send", .text = "ok", .delay_ms = 100 - 20 * i });

        (void)virtual_runtime_run(bench->runtime, &bench->scope, batch, bench);

        const char *at = buf_string(&bench->output);
        assert_int_equal(bench->code, ERR_NONE);
        assert_int_equal(bench->services.servers[0].max_in_flight, 3);
        for (int i = 0; i < N_LINES; i++) {
            const char starts[] = { '{', '"', 'l', 'i', 'n', 'e', '"', ':', (char)('1' + i), ',' };
            assert_memory_equal(at, starts, sizeof starts);
            at = strchr(at, '\n') + 1;
        }
        finish(bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_denied_line_lets_the_calls_that_were_sent_finish_and_be_printed),
        cmocka_unit_test(prints_in_input_order_whatever_order_the_calls_finish_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
