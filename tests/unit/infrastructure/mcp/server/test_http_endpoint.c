#include "domain/base/json.h"
#include "infrastructure/mcp/server/http_endpoint.h"
#include "infrastructure/mcp/server/rpc_message.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_rpc_exchange.h"
#include <stdio.h>
#include <string.h>

#define HELLO                                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\"}}"
#define PLAIN(method) "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"" method "\"}"
#define MODERN(version, more)                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"m\",\"params\":{\"_meta\":{"                       \
    "\"io.modelcontextprotocol/protocolVersion\":\"" version "\"" more "}}}"
#define CAPABLE ",\"io.modelcontextprotocol/clientCapabilities\":{}"

/* Behind the endpoint every request is answered with {} at once, but "hold", which is answered when
 * its client has gone or the session ends. */
struct fixture {
    struct settings settings;
    struct replay_store replays;
    struct uv_runtime *uv;
    struct runtime *runtime;
    struct scope *scope;
    struct rpc_endpoint_options options;
    struct rpc_endpoint *endpoint;
    size_t n_served; /* requests */
    void (*test)(struct fixture *f);
};

struct client {
    struct fixture *f;
    struct fake_rpc_exchange x;
    struct task *task;
};

static void serve(void *context, struct scope *scope, struct rpc *rpc)
{
    struct fixture *f = context;
    struct rpc_message message;
    while (rpc_next(rpc, scope, &message, NULL) == ERR_NONE) {
        f->n_served += message.id != NULL;
        if (message.id && message.method && strcmp(message.method, "hold") != 0)
            rpc_reply(rpc, message.id, json_object());
        rpc_message_finish(&message);
    }
}

static enum err_code work(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct client *c = argument;
    (void)runtime;
    (void)scope;
    rpc_endpoint_answer(c->f->endpoint, &c->x.base);
    return ERR_NONE;
}

static void begin(struct fixture *f, struct client *c, const char *method, const char *body)
{
    *c = (struct client){ .f = f };
    fake_rpc_exchange_init(&c->x, method, body);
}

static void send_off(struct client *c)
{
    c->task = runtime_spawn(c->f->runtime, c->f->scope, work, c);
}

static unsigned wait_for(struct client *c)
{
    (void)runtime_wait(c->f->runtime, c->task);
    return c->x.status;
}

static unsigned answer(struct client *c)
{
    send_off(c);
    return wait_for(c);
}

static void assert_code(struct client *c, int code)
{
    json_auto_t *value = NULL;
    const char *text = fake_rpc_exchange_text(&c->x);
    assert_int_equal(json_parse(text, strlen(text), JSON_FOREIGN, &value, NULL), ERR_NONE);
    assert_int_equal(json_get_int(json_object_get(value, "error"), "code", 0), code);
}

/* The status of a request that names a session. */
static unsigned status_in(struct fixture *f, const char *method, const char *session,
                          const char *body)
{
    struct client c;
    begin(f, &c, method, body);
    if (session)
        fake_rpc_exchange_set(&c.x, "Mcp-Session-Id", session);
    unsigned status = answer(&c);
    fake_rpc_exchange_finish(&c.x);
    return status;
}

static unsigned say_hello(struct fixture *f, char out_session[static 80])
{
    struct client c;
    begin(f, &c, "POST", HELLO);
    unsigned status = answer(&c);
    memcpy(out_session, c.x.session_id, sizeof c.x.session_id);
    fake_rpc_exchange_finish(&c.x);
    return status;
}

static enum err_code run_body(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    f->runtime = runtime;
    f->scope = scope;
    f->endpoint = http_endpoint_create(f->uv, &f->settings, &f->replays, &f->options);
    f->test(f);
    rpc_endpoint_close(f->endpoint);
    return ERR_NONE;
}

static void run_with(struct fixture *f, void (*test)(struct fixture *f))
{
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    f->test = test;
    f->options.serve = serve;
    f->options.context = f;
    f->uv = uv_runtime_create();
    assert_int_equal(uv_runtime_run(f->uv, &scope, run_body, f), ERR_NONE);
    uv_runtime_destroy(f->uv);
}

static void run_of(bool is_modern, bool is_legacy, void (*test)(struct fixture *f))
{
    struct fixture f = { .options = { .is_modern = is_modern, .is_legacy = is_legacy } };
    settings_init(&f.settings);
    run_with(&f, test);
}

static void one_session(struct fixture *f)
{
    char session[80];
    assert_int_equal(status_in(f, "POST", NULL, PLAIN("a")), 400);
    assert_int_equal(status_in(f, "POST", "", PLAIN("a")), 404);
    assert_int_equal(status_in(f, "POST", "0123", PLAIN("a")), 404);
    assert_int_equal(say_hello(f, session), 200);
    assert_int_equal(strlen(session), 48);
    assert_int_equal(status_in(f, "POST", session, PLAIN("a")), 200);
    assert_int_equal(status_in(f, "DELETE", "0123", ""), 404);
    assert_int_equal(status_in(f, "DELETE", session, ""), 204);
    assert_int_equal(status_in(f, "POST", session, PLAIN("a")), 404);
    assert_int_equal(status_in(f, "GET", session, ""), 404);
    assert_int_equal(status_in(f, "DELETE", session, ""), 404);
    assert_int_equal(f->n_served, 2);
}

static void a_session_lives_from_initialize_to_delete(void **state)
{
    (void)state;
    run_of(true, true, one_session);
}

static void one_too_many(struct fixture *f)
{
    char first[80], second[80], third[80];
    struct client c;
    assert_int_equal(say_hello(f, first), 200);
    assert_int_equal(say_hello(f, second), 200);
    assert_int_equal(status_in(f, "POST", first, PLAIN("a")), 200);
    begin(f, &c, "POST", PLAIN("hold"));
    fake_rpc_exchange_set(&c.x, "Mcp-Session-Id", first);
    send_off(&c);
    assert_int_equal(say_hello(f, third), 200);
    assert_int_equal(status_in(f, "POST", second, PLAIN("a")), 404);
    assert_int_equal(status_in(f, "POST", third, PLAIN("a")), 200);
    assert_int_equal(status_in(f, "DELETE", first, ""), 204);
    assert_int_equal(wait_for(&c), 200);
    assert_non_null(strstr(fake_rpc_exchange_text(&c.x), "the session has ended"));
    fake_rpc_exchange_finish(&c.x);
}

static void the_session_unused_longest_gives_way_to_one_too_many(void **state)
{
    struct fixture f = { .options = { .is_modern = true, .is_legacy = true } };
    (void)state;
    settings_init(&f.settings);
    f.settings.http_max_sessions = 2;
    run_with(&f, one_too_many);
}

static void all_in_use(struct fixture *f)
{
    char first[80], second[80];
    struct client c;
    assert_int_equal(say_hello(f, first), 200);
    begin(f, &c, "POST", PLAIN("hold"));
    fake_rpc_exchange_set(&c.x, "Mcp-Session-Id", first);
    send_off(&c);
    (void)status_in(f, "POST", first, PLAIN("a"));
    assert_int_equal(say_hello(f, second), 503);
    assert_int_equal(status_in(f, "DELETE", first, ""), 204);
    (void)wait_for(&c);
    fake_rpc_exchange_finish(&c.x);
}

static void a_session_in_use_gives_way_to_nobody(void **state)
{
    struct fixture f = { .options = { .is_modern = true, .is_legacy = true } };
    (void)state;
    settings_init(&f.settings);
    f.settings.http_max_sessions = 1;
    run_with(&f, all_in_use);
}

static void beyond_share(struct fixture *f)
{
    static const struct {
        const char *method, *body;
        unsigned status;
    } cases[] = { { "POST", PLAIN("a"), 429 },
                  { "POST", HELLO, 429 },
                  { "GET", "", 429 },
                  { "POST", "{\"jsonrpc\":\"2.0\",\"method\":\"a\"}", 202 },
                  { "POST", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", 202 },
                  { "DELETE", "", 204 } };
    char session[80];
    struct client c;
    assert_int_equal(say_hello(f, session), 200);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(f, &c, cases[i].method, cases[i].body);
        fake_rpc_exchange_set(&c.x, "Mcp-Session-Id", session);
        c.x.base.is_beyond_share = true;
        assert_int_equal(answer(&c), cases[i].status);
        if (cases[i].status == 429)
            assert_code(&c, -32000);
        fake_rpc_exchange_finish(&c.x);
    }
}

static void beyond_its_share_a_client_can_still_answer_and_end_what_runs(void **state)
{
    (void)state;
    run_of(true, true, beyond_share);
}

static void odd_requests(struct fixture *f)
{
    static const struct {
        const char *header, *value, *body;
        unsigned status;
        int code;
    } cases[] = {
        { "Content-Type", "text/plain", HELLO, 415, -32600 },
        { "Content-Type", NULL, HELLO, 415, -32600 },
        { "Accept", "application/json", HELLO, 406, -32600 },
        { "Accept", "text/event-stream", HELLO, 406, -32600 },
        { "Accept", NULL, HELLO, 406, -32600 },
        { "X", "", "[" HELLO "]", 400, -32600 },
        { "X", "", "[]", 400, -32600 },
        { "X", "", "", 400, -32700 },
        { "X", "", "{\"jsonrpc\":", 400, -32700 },
        { "X", "", "7", 400, -32600 },
        { "X", "", "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"a\"}", 400, -32600 },
        { "X", "", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[]}", 400, -32602 },
    };
    struct client c;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(f, &c, "POST", cases[i].body);
        fake_rpc_exchange_set(&c.x, cases[i].header, cases[i].value);
        assert_int_equal(answer(&c), cases[i].status);
        assert_code(&c, cases[i].code);
        fake_rpc_exchange_finish(&c.x);
    }
    begin(f, &c, "PUT", "");
    assert_int_equal(answer(&c), 405);
    assert_string_equal(c.x.allow, "POST, GET, DELETE");
    fake_rpc_exchange_finish(&c.x);
    assert_int_equal(f->n_served, 0);
}

static void what_is_no_single_message_of_json_is_refused(void **state)
{
    (void)state;
    run_of(true, true, odd_requests);
}

static void long_ids(struct fixture *f)
{
    char session[80], id[RPC_ID_MAX_BYTES + 2], body[RPC_ID_MAX_BYTES + 80];
    assert_int_equal(say_hello(f, session), 200);
    memset(id, 'x', sizeof id);
    for (int more = 0; more < 2; more++) {
        snprintf(body, sizeof body, "{\"jsonrpc\":\"2.0\",\"id\":\"%.*s\",\"method\":\"ping\"}",
                 RPC_ID_MAX_BYTES + more, id);
        assert_int_equal(status_in(f, "POST", session, body), more ? 400 : 200);
    }
}

/* Else an answer could be too long to be sent. */
static void an_id_longer_than_the_bound_is_refused(void **state)
{
    (void)state;
    run_of(true, true, long_ids);
}

static void modern_requests(struct fixture *f)
{
    static const struct {
        const char *version, *method, *body;
        unsigned status;
        int code;
    } cases[] = {
        { "2026-07-28", "m", MODERN("2026-07-28", CAPABLE), 200, 0 },
        { "2026-07-28", "m", MODERN("2026-07-28", ""), 400, -32602 },
        { "2026-07-28", "m", PLAIN("m"), 400, -32602 },
        { "2026-07-28", "x", MODERN("2026-07-28", CAPABLE), 400, -32020 },
        { "2025-11-25", "m", MODERN("2026-07-28", CAPABLE), 400, -32020 },
        { NULL, "m", MODERN("2026-07-28", CAPABLE), 400, -32020 },
        { "v9", "m", MODERN("v9", CAPABLE), 400, -32022 },
    };
    struct client c;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(f, &c, "POST", cases[i].body);
        fake_rpc_exchange_set(&c.x, "MCP-Protocol-Version", cases[i].version);
        fake_rpc_exchange_set(&c.x, "Mcp-Method", cases[i].method);
        assert_int_equal(answer(&c), cases[i].status);
        assert_code(&c, cases[i].code);
        assert_string_equal(c.x.session_id, "");
        fake_rpc_exchange_finish(&c.x);
    }
    assert_int_equal(f->n_served, 1);
}

static void a_modern_request_says_everything_about_itself_twice(void **state)
{
    (void)state;
    run_of(true, true, modern_requests);
    run_of(true, false, modern_requests);
}

static void only_modern(struct fixture *f)
{
    struct client c;
    begin(f, &c, "POST", HELLO);
    assert_int_equal(answer(&c), 400);
    assert_code(&c, -32022);
    fake_rpc_exchange_finish(&c.x);
    begin(f, &c, "GET", "");
    assert_int_equal(answer(&c), 405);
    assert_string_equal(c.x.allow, "POST");
    fake_rpc_exchange_finish(&c.x);
}

static void an_era_that_is_not_spoken_is_refused_with_what_is(void **state)
{
    (void)state;
    run_of(true, false, only_modern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_lives_from_initialize_to_delete),
        cmocka_unit_test(the_session_unused_longest_gives_way_to_one_too_many),
        cmocka_unit_test(a_session_in_use_gives_way_to_nobody),
        cmocka_unit_test(beyond_its_share_a_client_can_still_answer_and_end_what_runs),
        cmocka_unit_test(what_is_no_single_message_of_json_is_refused),
        cmocka_unit_test(an_id_longer_than_the_bound_is_refused),
        cmocka_unit_test(a_modern_request_says_everything_about_itself_twice),
        cmocka_unit_test(an_era_that_is_not_spoken_is_refused_with_what_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
