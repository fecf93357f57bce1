/* Calls in turn: each is made ready at once, held by the connection, and sent when the one before
 * it is over. What goes over the wire is written down as it happens: ">2" the call number 2 goes
 * to the server, "<2" its answer comes, "x" a call is cancelled. */

#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/peer.h"
#include <stdio.h>
#include <string.h>

#define OK ANSWER("{\"content\":[],\"structuredContent\":$ARGS}")

enum { MAX_CALLS = 6 };

struct turns;

struct call {
    struct turns *turns;
    int number; /* 1 for the first */
    int64_t silence_ms;
    struct scope scope; /* of this call alone */
    struct task *task;
    /* Outcomes. */
    bool was_sent;
    struct step_result result;
    enum err_code code;
    struct err err;
};

struct turns {
    struct peer peer; /* first: what peer_run hands to the task */
    struct traffic traffic;
    unsigned max_in_flight;
    size_t n_calls;
    struct call calls[MAX_CALLS];
    char wire[200];
};

static struct turns *turns_of(struct traffic *traffic)
{
    return (struct turns *)((char *)traffic - offsetof(struct turns, traffic));
}

static void write_down(struct traffic *traffic, const char *server,
                       enum traffic_direction direction, const char *bytes, size_t length)
{
    struct turns *turns = turns_of(traffic);
    char line[1000], seen[8] = "";
    (void)server;
    snprintf(line, sizeof line, "%.*s", (int)length, bytes);
    const char *number = strstr(line, "\"number\":");
    if (number)
        snprintf(seen, sizeof seen, "%c%c", direction == TRAFFIC_TO_SERVER ? '>' : '<',
                 number[strlen("\"number\":")]);
    else if (strstr(line, "notifications/cancelled"))
        strcpy(seen, "x");
    strncat(turns->wire, seen, sizeof turns->wire - strlen(turns->wire) - 1);
}

static void note_sent(void *context)
{
    struct call *call = context;
    call->was_sent = true;
}

static enum err_code make_call(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct call *call = argument;
    struct peer *peer = &call->turns->peer;
    json_auto_t *arguments = json_pack("{s:i}", "number", call->number);
    const struct tool_call request = { .name = "echo",
                                       .arguments = arguments,
                                       .silence_ms = call->silence_ms,
                                       .max_in_flight = call->turns->max_in_flight,
                                       .on_sent = note_sent,
                                       .context = call };
    (void)runtime;
    call->code =
        tool_server_call(peer->server, scope, &request, &peer->arena, &call->result, &call->err);
    return call->code;
}

static struct call *start_call(struct turns *turns, struct runtime *runtime, struct scope *scope)
{
    struct call *call = &turns->calls[turns->n_calls++];
    call->turns = turns;
    call->number = (int)turns->n_calls;
    call->scope = scope_child(scope, SCOPE_NO_DEADLINE);
    call->task = runtime_spawn(runtime, &call->scope, make_call, call);
    return call;
}

/* The server is started first, so that the calls come in the order of their numbers. */
static void start_calls(struct turns *turns, struct runtime *runtime, struct scope *scope, size_t n)
{
    (void)!peer_list(runtime, scope, &turns->peer);
    for (size_t i = 0; i < n; i++)
        (void)start_call(turns, runtime, scope);
}

static void wait_for_all(struct turns *turns, struct runtime *runtime)
{
    for (size_t i = 0; i < turns->n_calls; i++)
        (void)!runtime_wait(runtime, turns->calls[i].task);
}

static void run(struct turns *turns, unsigned max_in_flight, task_fn *fn)
{
    static const struct traffic_ops ops = { write_down };
    turns->max_in_flight = max_in_flight;
    turns->traffic = (struct traffic){ &ops };
    turns->peer.traffic = &turns->traffic;
    peer_run(&turns->peer, fn);
}

static void assert_answered(const struct call *call)
{
    assert_string_equal(call->err.message, "");
    assert_int_equal(call->code, ERR_NONE);
    assert_true(call->was_sent);
    assert_int_equal(json_get_int(step_result_structured(&call->result), "number", 0),
                     call->number);
}

static void assert_failed(const struct call *call, enum err_code code, bool was_sent)
{
    assert_int_equal(call->code, code);
    assert_int_equal(call->was_sent, was_sent);
}

static enum err_code four_calls(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct turns *turns = argument;
    start_calls(turns, runtime, scope, 4);
    wait_for_all(turns, runtime);
    return ERR_NONE;
}

static void sends_held_calls_in_order_one_after_the_other(void **state)
{
    struct turns turns = { 0 };
    (void)state;
    PEER(&turns.peer, "tools/call=$LATER20;" OK);

    run(&turns, 1, four_calls);

    assert_string_equal(turns.wire, ">1<1>2<2>3<3>4<4");
    for (size_t i = 0; i < 4; i++)
        assert_answered(&turns.calls[i]);
    peer_finish(&turns.peer);
}

static void an_answer_out_of_order_lets_the_next_call_go(void **state)
{
    struct turns turns = { 0 };
    (void)state;
    PEER(&turns.peer, "tools/call#1=$LATER300;" OK, "tools/call=" OK);

    run(&turns, 2, four_calls);

    assert_string_equal(turns.wire, ">1>2<2>3<3>4<4<1");
    for (size_t i = 0; i < 4; i++)
        assert_answered(&turns.calls[i]);
    peer_finish(&turns.peer);
}

/* The first and the last that are held, and then one more comes. */
static enum err_code cancel_two_of_four(struct runtime *runtime, struct scope *scope,
                                        void *argument)
{
    struct turns *turns = argument;
    start_calls(turns, runtime, scope, 4);
    (void)!runtime_sleep(runtime, scope, 20, NULL);
    runtime_cancel(runtime, &turns->calls[1].scope);
    runtime_cancel(runtime, &turns->calls[3].scope);
    (void)!runtime_sleep(runtime, scope, 20, NULL);
    (void)start_call(turns, runtime, scope);
    wait_for_all(turns, runtime);
    return ERR_NONE;
}

static void a_held_call_that_is_cancelled_is_never_sent_and_the_next_one_goes(void **state)
{
    struct turns turns = { 0 };
    (void)state;
    PEER(&turns.peer, "tools/call#1=$LATER300;" OK, "tools/call=" OK);

    run(&turns, 1, cancel_two_of_four);

    assert_string_equal(turns.wire, ">1<1>3<3>5<5");
    assert_failed(&turns.calls[1], ERR_CANCELLED, false);
    assert_failed(&turns.calls[3], ERR_CANCELLED, false);
    assert_answered(&turns.calls[2]);
    assert_answered(&turns.calls[4]);
    peer_finish(&turns.peer);
}

static enum err_code cancel_the_first(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct turns *turns = argument;
    start_calls(turns, runtime, scope, 2);
    (void)!runtime_sleep(runtime, scope, 20, NULL);
    runtime_cancel(runtime, &turns->calls[0].scope);
    wait_for_all(turns, runtime);
    return ERR_NONE;
}

static void cancelling_the_call_in_flight_lets_the_held_one_go(void **state)
{
    struct turns turns = { 0 };
    (void)state;
    PEER(&turns.peer, "tools/call#1=", "tools/call=" OK);

    run(&turns, 1, cancel_the_first);

    assert_string_equal(turns.wire, ">1>2x<2");
    assert_failed(&turns.calls[0], ERR_CANCELLED, true);
    assert_answered(&turns.calls[1]);
    peer_finish(&turns.peer);
}

static enum err_code three_calls_the_first_impatient(struct runtime *runtime, struct scope *scope,
                                                     void *argument)
{
    struct turns *turns = argument;
    turns->calls[0].silence_ms = 100;
    start_calls(turns, runtime, scope, 3);
    wait_for_all(turns, runtime);
    return ERR_NONE;
}

static void a_call_that_is_not_answered_in_time_lets_the_held_ones_go(void **state)
{
    struct turns turns = { 0 };
    (void)state;
    PEER(&turns.peer, "tools/call#1=", "tools/call=" OK);

    run(&turns, 1, three_calls_the_first_impatient);

    assert_string_equal(turns.wire, ">1>2x<2>3<3");
    assert_failed(&turns.calls[0], ERR_TIMEOUT, true);
    assert_non_null(strstr(turns.calls[0].err.message, "no answer for 0.1 s"));
    assert_answered(&turns.calls[1]);
    assert_answered(&turns.calls[2]);
    peer_finish(&turns.peer);
}

static enum err_code two_calls_the_second_impatient(struct runtime *runtime, struct scope *scope,
                                                    void *argument)
{
    struct turns *turns = argument;
    turns->calls[1].silence_ms = 250;
    start_calls(turns, runtime, scope, 2);
    wait_for_all(turns, runtime);
    return ERR_NONE;
}

static void the_time_of_a_held_call_counts_from_when_it_is_sent(void **state)
{
    struct turns turns = { 0 };
    (void)state;
    PEER(&turns.peer, "tools/call#1=$LATER400;" OK, "tools/call=" OK);

    run(&turns, 1, two_calls_the_second_impatient);

    assert_string_equal(turns.wire, ">1<1>2<2");
    assert_answered(&turns.calls[1]);
    peer_finish(&turns.peer);
}

static void a_held_call_goes_to_the_server_that_is_started_next(void **state)
{
    struct turns turns = { 0 };
    (void)state;
    PEER(&turns.peer, "tools/call#2=$EXIT1;");

    run(&turns, 1, four_calls);

    assert_string_equal(turns.wire, ">1<1>2>3<3>4");
    assert_answered(&turns.calls[0]);
    assert_failed(&turns.calls[1], ERR_UNAVAILABLE, true);
    assert_answered(&turns.calls[2]);
    assert_failed(&turns.calls[3], ERR_UNAVAILABLE, true);
    assert_int_equal(turns.peer.status.restarts, 1);
    peer_finish(&turns.peer);
}

static void held_calls_fail_when_the_server_may_not_be_started_again(void **state)
{
    struct turns turns = { 0 };
    (void)state;
    PEER(&turns.peer, "tools/call=$EXIT1;");
    turns.peer.settings.mcp_max_restarts = 1;

    run(&turns, 1, four_calls);

    assert_string_equal(turns.wire, ">1>2");
    assert_failed(&turns.calls[0], ERR_UNAVAILABLE, true);
    assert_failed(&turns.calls[1], ERR_UNAVAILABLE, true);
    assert_failed(&turns.calls[2], ERR_UNAVAILABLE, false);
    assert_failed(&turns.calls[3], ERR_UNAVAILABLE, false);
    assert_non_null(strstr(turns.calls[3].err.message, "started 2 times"));
    peer_finish(&turns.peer);
}

static enum err_code close_under_three_calls(struct runtime *runtime, struct scope *scope,
                                             void *argument)
{
    struct turns *turns = argument;
    start_calls(turns, runtime, scope, 3);
    (void)!runtime_sleep(runtime, scope, 20, NULL);
    tool_server_close(turns->peer.server, scope);
    wait_for_all(turns, runtime);
    return ERR_NONE;
}

static void closing_fails_the_held_calls_unsent(void **state)
{
    struct turns turns = { 0 };
    (void)state;
    PEER(&turns.peer, "tools/call=");

    run(&turns, 1, close_under_three_calls);

    assert_string_equal(turns.wire, ">1");
    assert_failed(&turns.calls[0], ERR_UNAVAILABLE, true);
    assert_failed(&turns.calls[1], ERR_UNAVAILABLE, false);
    assert_failed(&turns.calls[2], ERR_UNAVAILABLE, false);
    peer_finish(&turns.peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sends_held_calls_in_order_one_after_the_other),
        cmocka_unit_test(an_answer_out_of_order_lets_the_next_call_go),
        cmocka_unit_test(a_held_call_that_is_cancelled_is_never_sent_and_the_next_one_goes),
        cmocka_unit_test(cancelling_the_call_in_flight_lets_the_held_one_go),
        cmocka_unit_test(a_call_that_is_not_answered_in_time_lets_the_held_ones_go),
        cmocka_unit_test(the_time_of_a_held_call_counts_from_when_it_is_sent),
        cmocka_unit_test(a_held_call_goes_to_the_server_that_is_started_next),
        cmocka_unit_test(held_calls_fail_when_the_server_may_not_be_started_again),
        cmocka_unit_test(closing_fails_the_held_calls_unsent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
