#include "domain/base/json.h"
#include "infrastructure/mcp/server/http_rpc.h"
#include "infrastructure/mcp/server/rpc_message.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_rpc_exchange.h"
#include <stdio.h>
#include <string.h>

#define REQUEST(id, method)                                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\",\"params\":{}}"
#define ANSWER(id, text) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"result\":" text "}"
#define NOTICE "{\"jsonrpc\":\"2.0\",\"method\":\"n\"}"

/* The test reads and answers what its clients send. */
struct fixture {
    struct settings settings;
    struct uv_runtime *uv;
    struct runtime *runtime;
    struct scope *scope;
    struct replay_store replays;
    struct rpc *rpc;
    const char *session_id; /* NULL: modern */
    void (*test)(struct fixture *f);
};

struct client {
    struct fixture *f;
    struct fake_rpc_exchange x;
    struct rpc_message message;
    const char *last_event_id;
    struct task *task;
    bool is_done;
};

static enum err_code work(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct client *c = argument;
    (void)runtime;
    (void)scope;
    if (c->message.whole)
        http_rpc_post(c->f->rpc, &c->x.base, &c->message);
    else
        http_rpc_listen(c->f->rpc, &c->x.base, c->last_event_id);
    c->is_done = true;
    return ERR_NONE;
}

static void begin(struct fixture *f, struct client *c, const char *method, const char *body)
{
    *c = (struct client){ .f = f };
    fake_rpc_exchange_init(&c->x, method, body);
    if (f->session_id)
        fake_rpc_exchange_set(&c->x, "MCP-Protocol-Version", "2025-11-25");
}

static void post(struct fixture *f, struct client *c, const char *body)
{
    struct rpc_objection objection;
    json_t *value = NULL;
    begin(f, c, "POST", body);
    assert_int_equal(json_parse(body, strlen(body), JSON_FOREIGN, &value, NULL), ERR_NONE);
    assert_true(rpc_message_take(value, &c->message, &objection));
    c->task = runtime_spawn(f->runtime, f->scope, work, c);
}

static void listen_from(struct fixture *f, struct client *c, const char *last_event_id)
{
    begin(f, c, "GET", "");
    c->last_event_id = last_event_id;
    c->task = runtime_spawn(f->runtime, f->scope, work, c);
}

/* The end of its exchange. */
static const char *wait_for(struct fixture *f, struct client *c)
{
    (void)runtime_wait(f->runtime, c->task);
    return fake_rpc_exchange_text(&c->x);
}

static void go_away(struct fixture *f, struct client *c)
{
    c->x.base.is_gone = true;
    runtime_cancel(f->runtime, &c->x.scope);
    (void)wait_for(f, c);
}

/* The id of the next message that is read, which has this method; 0 for a notification. */
static json_int_t read_next(struct fixture *f, const char *method)
{
    struct rpc_message message;
    assert_int_equal(rpc_next(f->rpc, f->scope, &message, NULL), ERR_NONE);
    assert_string_equal(message.method, method);
    json_int_t id =
        json_integer_value(message.id ? message.id : json_object_get(message.params, "requestId"));
    rpc_message_finish(&message);
    return id;
}

static void reply(struct fixture *f, json_int_t id, const char *text)
{
    json_auto_t *number = json_integer(id);
    rpc_reply_text(f->rpc, number, text, strlen(text));
}

static void tell(struct fixture *f, json_int_t about, const char *method)
{
    json_auto_t *number = json_integer(about);
    rpc_notify(f->rpc, number, method, NULL);
}

static enum err_code run_body(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    f->runtime = runtime;
    f->scope = scope;
    f->test(f);
    return ERR_NONE;
}

static void run_with(struct fixture *f, void (*test)(struct fixture *f))
{
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    f->test = test;
    f->uv = uv_runtime_create();
    f->rpc = http_rpc_create(f->uv, &f->settings, f->session_id, &f->replays);
    assert_int_equal(uv_runtime_run(f->uv, &scope, run_body, f), ERR_NONE);
    rpc_destroy(f->rpc);
    uv_runtime_destroy(f->uv);
}

static void run_of(const char *session_id, void (*test)(struct fixture *f))
{
    struct fixture f = { .session_id = session_id };
    settings_init(&f.settings);
    run_with(&f, test);
}

static void two_of_one_id(struct fixture *f)
{
    struct client a, b;
    post(f, &a, REQUEST(7, "a"));
    json_int_t first = read_next(f, "a");
    post(f, &b, REQUEST(7, "b"));
    json_int_t second = read_next(f, "b");
    assert_true(first != second);
    reply(f, second, "\"second\"");
    assert_string_equal(wait_for(f, &b), ANSWER(7, "\"second\"") "\n");
    assert_false(a.is_done);
    reply(f, first, "\"first\"");
    assert_string_equal(wait_for(f, &a), ANSWER(7, "\"first\"") "\n");
    assert_int_equal(a.x.status, 200);
    assert_string_equal(a.x.type, "application/json");
    fake_rpc_exchange_finish(&a.x);
    fake_rpc_exchange_finish(&b.x);
}

static void requests_of_one_id_are_told_apart(void **state)
{
    (void)state;
    run_of(NULL, two_of_one_id);
    run_of("s", two_of_one_id);
}

static void a_modern_client_leaves(struct fixture *f)
{
    struct client c;
    post(f, &c, REQUEST(7, "a"));
    json_int_t number = read_next(f, "a");
    go_away(f, &c);
    assert_int_equal(read_next(f, "notifications/cancelled"), number);
    reply(f, number, "1");
    assert_int_equal(c.x.status, 0);
    fake_rpc_exchange_finish(&c.x);
}

static void a_modern_client_that_goes_has_cancelled_its_request(void **state)
{
    (void)state;
    run_of(NULL, a_modern_client_leaves);
}

static void a_legacy_client_leaves_and_returns(struct fixture *f)
{
    struct client c, late;
    post(f, &c, REQUEST(7, "a"));
    json_int_t number = read_next(f, "a");
    tell(f, number, "before");
    go_away(f, &c);
    assert_non_null(strstr(fake_rpc_exchange_text(&c.x), "id: 1-0\ndata: \n\nid: 1-1\ndata: {"));
    tell(f, number, "meanwhile");
    reply(f, number, "\"done\"");
    listen_from(f, &late, "1-1");
    const char *text = wait_for(f, &late);
    assert_null(strstr(text, "before"));
    assert_non_null(strstr(text, "id: 1-2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"meanwhile\"}"));
    assert_non_null(strstr(text, "id: 1-3\ndata: " ANSWER(7, "\"done\"")));
    fake_rpc_exchange_finish(&c.x);
    fake_rpc_exchange_finish(&late.x);
}

static void a_legacy_client_that_comes_back_gets_what_it_missed(void **state)
{
    (void)state;
    run_of("s", a_legacy_client_leaves_and_returns);
}

static void a_stream_is_taken_over(struct fixture *f)
{
    struct client old, fresh;
    post(f, &old, REQUEST(7, "a"));
    json_int_t number = read_next(f, "a");
    tell(f, number, "before");
    listen_from(f, &fresh, "1-1");
    (void)wait_for(f, &old);
    assert_null(strstr(fake_rpc_exchange_text(&old.x), "result"));
    reply(f, number, "\"done\"");
    assert_non_null(strstr(wait_for(f, &fresh), ANSWER(7, "\"done\"")));
    fake_rpc_exchange_finish(&old.x);
    fake_rpc_exchange_finish(&fresh.x);
}

static void whoever_names_an_event_takes_the_stream_over(void **state)
{
    (void)state;
    run_of("s", a_stream_is_taken_over);
}

static void a_stream_pauses(struct fixture *f)
{
    struct client c, again;
    post(f, &c, REQUEST(7, "a"));
    json_int_t number = read_next(f, "a");
    json_auto_t *id = json_integer(number);
    rpc_pause(f->rpc, id, 40);
    assert_string_equal(wait_for(f, &c), "id: 1-0\ndata: \n\nretry: 40\n\n");
    reply(f, number, "\"done\"");
    listen_from(f, &again, "1-0");
    assert_non_null(strstr(wait_for(f, &again), ANSWER(7, "\"done\"")));
    fake_rpc_exchange_finish(&c.x);
    fake_rpc_exchange_finish(&again.x);
}

static void a_pause_closes_the_stream_and_says_when_to_come_back(void **state)
{
    (void)state;
    run_of("s", a_stream_pauses);
}

static void a_client_cancels(struct fixture *f)
{
    struct client c, cancelling, wrong;
    post(f, &c, "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"a\"}");
    json_int_t number = read_next(f, "a");
    post(f, &wrong,
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
         "cancelled\",\"params\":{\"requestId\":1}}");
    (void)wait_for(f, &wrong);
    post(f, &cancelling,
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
         "cancelled\",\"params\":{\"requestId\":\"x\"}}");
    assert_int_equal(read_next(f, "notifications/cancelled"), number);
    (void)wait_for(f, &cancelling);
    assert_int_equal(cancelling.x.status, 202);
    assert_int_equal(wrong.x.status, 202);
    assert_null(strstr(wait_for(f, &c), "result"));
    assert_int_equal(c.x.status, 200);
    reply(f, number, "1"); /* too late */
    fake_rpc_exchange_finish(&c.x);
    fake_rpc_exchange_finish(&cancelling.x);
    fake_rpc_exchange_finish(&wrong.x);
}

static void a_cancellation_names_the_clients_own_id_and_ends_its_exchange(void **state)
{
    (void)state;
    run_of("s", a_client_cancels);
}

static void tell_and_return(struct fixture *f, int n)
{
    struct client c, late;
    char method[16];
    post(f, &c, REQUEST(7, "a"));
    json_int_t number = read_next(f, "a");
    go_away(f, &c);
    for (int i = 1; i <= n; i++) {
        snprintf(method, sizeof method, "event%d", i);
        tell(f, number, method);
    }
    reply(f, number, "1");
    listen_from(f, &late, "1-0");
    const char *text = wait_for(f, &late);
    assert_int_equal(strstr(text, "event1") != NULL, n == 1);
    assert_non_null(strstr(text, ANSWER(7, "1")));
    fake_rpc_exchange_finish(&c.x);
    fake_rpc_exchange_finish(&late.x);
}

static void tell_one(struct fixture *f)
{
    tell_and_return(f, 1);
}

static void tell_two(struct fixture *f)
{
    tell_and_return(f, 2);
}

static void keeps_so_many_events_and_drops_the_oldest_for_one_more(void **state)
{
    struct fixture f = { .session_id = "s" };
    (void)state;
    settings_init(&f.settings);
    f.settings.http_replay_events = 2;
    run_with(&f, tell_one);
    run_with(&f, tell_two);
}

static void more_than_fit_wait(struct fixture *f)
{
    struct client c;
    for (int i = 0; i <= HTTP_RPC_MAX_WAITING; i++) {
        post(f, &c, NOTICE);
        (void)wait_for(f, &c);
        assert_int_equal(c.x.status, i < HTTP_RPC_MAX_WAITING ? 202 : 503);
        fake_rpc_exchange_finish(&c.x);
    }
}

static void lets_so_many_messages_wait_and_refuses_one_more(void **state)
{
    (void)state;
    run_of(NULL, more_than_fit_wait);
}

static void streams_of_get(struct fixture *f)
{
    struct client c, second, third;
    listen_from(f, &c, NULL);
    listen_from(f, &second, NULL);
    (void)wait_for(f, &second);
    assert_int_equal(second.x.status, 409);
    rpc_notify(f->rpc, NULL, "news", NULL);
    listen_from(f, &third, "0-1");
    assert_non_null(
        strstr(wait_for(f, &c), "id: 0-1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"news\"}"));
    rpc_notify(f->rpc, NULL, "more", NULL);
    http_rpc_end(f->rpc);
    assert_non_null(strstr(wait_for(f, &third), "id: 0-2\n"));
    fake_rpc_exchange_finish(&c.x);
    fake_rpc_exchange_finish(&second.x);
    fake_rpc_exchange_finish(&third.x);
}

static void what_belongs_to_no_request_goes_to_one_stream(void **state)
{
    (void)state;
    run_of("s", streams_of_get);
}

static void odd_event_ids(struct fixture *f)
{
    static const char *const odd[] = { "",     "0",    "0-",
                                       "x-1",  "0-1",  "1-0",
                                       "-1-0", "0-0x", "99999999999999999999-0" };
    struct client c;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        listen_from(f, &c, odd[i]);
        (void)wait_for(f, &c);
        assert_int_equal(c.x.status, 400);
        fake_rpc_exchange_finish(&c.x);
    }
}

static void an_event_that_was_never_sent_is_refused(void **state)
{
    (void)state;
    run_of("s", odd_event_ids);
}

static void the_session_ends(struct fixture *f)
{
    struct client c, late;
    post(f, &c, REQUEST(7, "a"));
    (void)read_next(f, "a");
    http_rpc_abandon(f->rpc);
    assert_non_null(strstr(wait_for(f, &c), "\"id\":7,\"error\":{\"code\":-32000"));
    post(f, &late, REQUEST(8, "a"));
    (void)wait_for(f, &late);
    assert_int_equal(late.x.status, 503);
    fake_rpc_exchange_finish(&c.x);
    fake_rpc_exchange_finish(&late.x);
}

static void whoever_waits_is_told_when_nobody_reads_any_more(void **state)
{
    (void)state;
    run_of("s", the_session_ends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_of_one_id_are_told_apart),
        cmocka_unit_test(a_modern_client_that_goes_has_cancelled_its_request),
        cmocka_unit_test(a_legacy_client_that_comes_back_gets_what_it_missed),
        cmocka_unit_test(whoever_names_an_event_takes_the_stream_over),
        cmocka_unit_test(a_pause_closes_the_stream_and_says_when_to_come_back),
        cmocka_unit_test(a_cancellation_names_the_clients_own_id_and_ends_its_exchange),
        cmocka_unit_test(keeps_so_many_events_and_drops_the_oldest_for_one_more),
        cmocka_unit_test(lets_so_many_messages_wait_and_refuses_one_more),
        cmocka_unit_test(what_belongs_to_no_request_goes_to_one_stream),
        cmocka_unit_test(an_event_that_was_never_sent_is_refused),
        cmocka_unit_test(whoever_waits_is_told_when_nobody_reads_any_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
