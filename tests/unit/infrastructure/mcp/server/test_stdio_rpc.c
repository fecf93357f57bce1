
#include "application/settings.h"
#include "domain/base/buf.h"
#include "infrastructure/mcp/server/stdio_rpc.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A serving side between two pipes: the test is the client. */
struct fixture {
    struct settings settings;
    struct uv_runtime *runtime;
    struct rpc *rpc;
    int to_server, from_server; /* the client's ends */
    size_t answer_bytes;        /* of each result */
    char seen[400];             /* the methods handed out */
    size_t served;
    enum err_code last;
    struct err err;      /* of what failed */
    int64_t deadline_ms; /* after the start; 0 = none */
};

static void open_fixture_of(struct fixture *f, int64_t max_message_bytes, int64_t max_values)
{
    int in[2], out[2];
    assert_int_equal(pipe2(in, O_CLOEXEC) | pipe2(out, O_CLOEXEC), 0);
    *f = (struct fixture){ .to_server = in[1], .from_server = out[0] };
    settings_init(&f->settings);
    f->settings.mcp_max_message_bytes = max_message_bytes;
    f->settings.mcp_max_values = max_values;
    f->runtime = uv_runtime_create();
    f->rpc = mcp_fd_rpc_create(f->runtime, &f->settings, in[0], out[1]);
}

static void open_fixture(struct fixture *f)
{
    open_fixture_of(f, 1024, 1000);
}

static void close_fixture(struct fixture *f)
{
    if (f->to_server >= 0)
        close(f->to_server);
    rpc_destroy(f->rpc);
    uv_runtime_destroy(f->runtime);
    close(f->from_server);
}

static void say(struct fixture *f, const char *text)
{
    assert_int_equal(write(f->to_server, text, strlen(text)), strlen(text));
}

static void hang_up(struct fixture *f)
{
    close(f->to_server);
    f->to_server = -1;
}

static void answer(struct fixture *f, const struct rpc_message *message)
{
    static char filler[1024];
    memset(filler, ' ', sizeof filler);
    memcpy(filler, "{}", 2);
    if (!message->method)
        return;
    if (message->id && f->answer_bytes)
        rpc_reply_text(f->rpc, message->id, filler, f->answer_bytes);
    else if (message->id)
        rpc_reply(f->rpc, message->id, json_object());
}

/* Serves until the client has gone (or the deadline). */
static enum err_code serve(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    struct rpc_message message;
    struct scope bounded = runtime_scope(runtime, scope, f->deadline_ms);
    while ((f->last = rpc_next(f->rpc, &bounded, &message, NULL)) == ERR_NONE) {
        size_t used = strlen(f->seen);
        const char *answer_kind = message.result ? "result" : "error";
        snprintf(f->seen + used, sizeof f->seen - used, "%s%s ",
                 message.method ? message.method : answer_kind, message.params ? "+" : "");
        f->served++;
        answer(f, &message);
        rpc_message_finish(&message);
    }
    return f->last == ERR_UNAVAILABLE ? rpc_flush(f->rpc, scope, NULL) : f->last;
}

static enum err_code run(struct fixture *f)
{
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    return uv_runtime_run(f->runtime, &scope, serve, f);
}

static void assert_said(struct fixture *f, const char *expected)
{
    char text[4096];
    ssize_t n = read(f->from_server, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    assert_string_equal(text, expected);
}

static void hands_out_requests_and_notifications_in_order(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f);
    say(&f, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"a\"}\r\n\n"
            "{\"jsonrpc\":\"2.0\",\"method\":\"b\",\"params\":{}}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"c\",\"params\":null}");
    hang_up(&f);
    assert_int_equal(run(&f), ERR_NONE);
    assert_string_equal(f.seen, "a b+ c ");
    assert_said(&f, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}\n"
                    "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}\n");
    close_fixture(&f);
}

static void answers_what_is_no_json_and_what_is_no_request(void **state)
{
    struct fixture f;
    char text[4096] = "";
    (void)state;
    open_fixture(&f);
    say(&f, "nonsense\n[]\n7\n{\"jsonrpc\":\"1.0\",\"id\":4,\"method\":\"a\"}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"a\"}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"a\",\"params\":[1]}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":6}\n");
    hang_up(&f);
    assert_int_equal(run(&f), ERR_NONE);
    assert_string_equal(f.seen, "");
    assert_true(read(f.from_server, text, sizeof text - 1) > 0);
    assert_non_null(strstr(text, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"));
    assert_string_equal(
        strchr(text, '\n') + 1,
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"Invalid "
        "Request\"}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"Invalid "
        "Request\"}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{\"code\":-32600,\"message\":\"Invalid "
        "Request\"}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"Invalid "
        "Request\"}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"error\":{\"code\":-32602,\"message\":\"params must be an "
        "object\"}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":6,\"error\":{\"code\":-32600,\"message\":\"Invalid "
        "Request\"}}\n");
    close_fixture(&f);
}

static void asks_the_client_and_hands_out_what_looks_like_an_answer(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f);
    rpc_ask(f.rpc, NULL, 7, "elicitation/create", json_pack("{s:s}", "message", "hi"));
    rpc_ask(f.rpc, NULL, 8, "ping", NULL);
    say(&f, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":8,\"error\":{\"code\":-1,\"message\":\"no\"}}\n");
    hang_up(&f);
    assert_int_equal(run(&f), ERR_NONE);
    assert_string_equal(f.seen, "result error ");
    assert_said(&f, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"elicitation/create\","
                    "\"params\":{\"message\":\"hi\"}}\n"
                    "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\"}\n");
    close_fixture(&f);
}

static void answers_each_message_of_a_batch(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f);
    say(&f, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"},8,"
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"b\"}]\n");
    hang_up(&f);
    assert_int_equal(run(&f), ERR_NONE);
    assert_string_equal(f.seen, "a b ");
    assert_said(&f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
                    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":"
                    "\"Invalid Request\"}}\n"
                    "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
    close_fixture(&f);
}

/* A request of exactly so many bytes without its newline. */
static void say_request_of(struct fixture *f, size_t bytes)
{
    char line[2048];
    static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"";
    memset(line, ' ', sizeof line);
    memcpy(line, head, sizeof head - 1);
    line[bytes - 1] = '}';
    line[bytes] = '\n';
    line[bytes + 1] = '\0';
    say(f, line);
}

static void passes_a_line_at_the_bound_and_refuses_one_byte_more(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f);
    say_request_of(&f, 1024);
    say_request_of(&f, 1025);
    say(&f, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"b\"}\n");
    hang_up(&f);
    assert_int_equal(run(&f), ERR_NONE);
    assert_string_equal(f.seen, "a b ");
    assert_said(&f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
                    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":"
                    "\"longer than mcp.max_message_bytes\"}}\n"
                    "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
    close_fixture(&f);
}

static void passes_as_many_values_as_there_may_be_and_refuses_one_more(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture_of(&f, 1024, 14);
    say(&f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{\"a\":[]}}\n");
    say(&f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"b\",\"params\":{\"a\":[0]}}\n");
    say(&f, "[{},{},{},{},{},{},{}]\n");
    hang_up(&f);
    assert_int_equal(run(&f), ERR_NONE);
    assert_string_equal(f.seen, "a+ ");
#define TOO_MANY                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":"                     \
    "\"more than 14 JSON values (mcp.max_values)\"}}\n"
    assert_said(&f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n" TOO_MANY TOO_MANY);
    close_fixture(&f);
}

/* 50,000 refusals of 80 bytes, which is more than may wait to be read. */
static void waits_within_a_batch_while_its_refusals_are_not_taken(void **state)
{
    enum { N = 50000 };
    static char batch[2 * N + 2];
    static const char behind[] = ",{\"jsonrpc\":\"2.0\",\"method\":\"a\"}]\n";
    struct fixture f;
    (void)state;
    open_fixture_of(&f, 2 * N + 100, 2 * N);
    assert_int_equal(fcntl(f.to_server, F_SETPIPE_SZ, 1024 * 1024), 1024 * 1024);
    for (size_t i = 0; i < N; i++)
        memcpy(batch + 2 * i, i ? ",7" : "[7", 2);
    say(&f, batch);
    say(&f, behind);
    f.deadline_ms = 200;
    assert_int_equal(run(&f), ERR_TIMEOUT);
    assert_string_equal(f.seen, "");
    close_fixture(&f);
}

static void stops_reading_while_its_answers_are_not_taken(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f);
    f.answer_bytes = 1000;
    f.deadline_ms = 200;
    assert_int_equal(fcntl(f.to_server, F_SETPIPE_SZ, 1024 * 1024), 1024 * 1024);
    for (int i = 0; i < 5000; i++)
        say(&f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}\n");
    assert_int_equal(run(&f), ERR_TIMEOUT);
    assert_in_range(f.served, STDIO_RPC_UNREAD_BYTES / 1100, STDIO_RPC_UNREAD_BYTES / 900);
    close_fixture(&f);
}

static enum err_code notify_without_end(struct runtime *runtime, struct scope *scope,
                                        void *argument)
{
    enum { N = 100000 };
    struct fixture *f = argument;
    struct rpc_message message;
    (void)runtime;
    for (int i = 0; i < N; i++)
        rpc_notify(f->rpc, NULL, "notifications/progress", NULL);
    return rpc_next(f->rpc, scope, &message, &f->err);
}

static void says_when_it_ends_because_nobody_reads(void **state)
{
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    struct fixture f;
    (void)state;
    open_fixture(&f);
    assert_int_equal(uv_runtime_run(f.runtime, &scope, notify_without_end, &f), ERR_LIMIT);
    assert_non_null(strstr(f.err.message, "the client does not read its answers"));
    close_fixture(&f);
}

static void ends_when_nobody_reads_the_answers(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f);
    close(f.from_server);
    f.from_server = open("/dev/null", O_RDONLY | O_CLOEXEC);
    say(&f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\n");
    assert_int_equal(run(&f), ERR_FAILED);
    close_fixture(&f);
}

static void reads_and_writes_files_as_well(void **state)
{
    char in[] = "/tmp/mistro-rpc-XXXXXX", out[] = "/tmp/mistro-rpc-XXXXXX", text[200] = "";
    static const char request[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\n";
    int in_fd = mkstemp(in), out_fd = mkstemp(out);
    struct fixture f = { .to_server = -1, .from_server = open(out, O_RDONLY | O_CLOEXEC) };
    (void)state;
    assert_int_equal(pwrite(in_fd, request, sizeof request - 1, 0), sizeof request - 1);
    settings_init(&f.settings);
    f.runtime = uv_runtime_create();
    f.rpc = mcp_fd_rpc_create(f.runtime, &f.settings, in_fd, out_fd);
    enum err_code r = run(&f);
    assert_int_equal(r, ERR_NONE);
    assert_true(pread(f.from_server, text, sizeof text - 1, 0) > 0);
    assert_string_equal(text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    close_fixture(&f);
    unlink(in);
    unlink(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hands_out_requests_and_notifications_in_order),
        cmocka_unit_test(answers_what_is_no_json_and_what_is_no_request),
        cmocka_unit_test(asks_the_client_and_hands_out_what_looks_like_an_answer),
        cmocka_unit_test(answers_each_message_of_a_batch),
        cmocka_unit_test(passes_a_line_at_the_bound_and_refuses_one_byte_more),
        cmocka_unit_test(passes_as_many_values_as_there_may_be_and_refuses_one_more),
        cmocka_unit_test(waits_within_a_batch_while_its_refusals_are_not_taken),
        cmocka_unit_test(stops_reading_while_its_answers_are_not_taken),
        cmocka_unit_test(says_when_it_ends_because_nobody_reads),
        cmocka_unit_test(ends_when_nobody_reads_the_answers),
        cmocka_unit_test(reads_and_writes_files_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
