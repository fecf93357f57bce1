/* Each call to a port goes wrong once, in each way, while a plan of version 2 with loops in loops,
 * blocks and used plans is carried out: it must end cleanly, say why, and leave nothing undone that
 * stands in its `finally`. */
#include "application/use_cases/run_plan.h"
#include "tests/scenario/shop_plan.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_run_states.h"
#include "tests/support/fakes/faulty_ports.h"
#include "tests/support/full/virtual_runtime.h"

enum { MOST_CALLS = 500, LATENCY_MS = 4, LEAST_CALLS = 60 };

enum port { PORT_OTHER, PORT_SERVER, PORT_STATE };

struct session {
    struct virtual_runtime *runtime;
    struct fake_services services;
    struct fake_run_states states;
    struct faulty_ports ports;
    struct tool_server server;
    struct shop shop;
    struct scope scope;
    struct arena arena;
    int parallel;
    enum port hit;      /* whose call went wrong */
    const char *hit_in; /* what that was to charge; or NULL */
    struct turn_result result;
    struct err err;
    enum err_code code;
};

static struct session *session; /* the ports have nothing else to find it by */

static enum err_code pass(enum port port, const char *n, struct scope *scope, struct err *err)
{
    if (session->ports.calls + 1 == session->ports.hit_at) {
        session->hit = port;
        session->hit_in = n;
    }
    return faulty_ports_pass(&session->ports, scope, err);
}

static enum err_code on_state(void *context, struct scope *scope, struct err *err)
{
    (void)context;
    return pass(PORT_STATE, NULL, scope, err);
}

static const char *name_of(struct tool_server *server)
{
    (void)server;
    return "shop";
}

static enum err_code list_tools(struct tool_server *server, struct scope *scope,
                                struct tool_catalogue **out, struct err *err)
{
    (void)server;
    enum err_code r = pass(PORT_OTHER, NULL, scope, err);
    return r ? r : tool_server_list(&session->services.servers[0].base, scope, out, err);
}

static void tell_status(struct tool_server *server, struct tool_server_status *out)
{
    (void)server;
    tool_server_status(&session->services.servers[0].base, out);
}

static enum err_code call_tool(struct tool_server *server, struct scope *scope,
                               const struct tool_call *call, struct arena *arena,
                               struct step_result *out, struct err *err)
{
    (void)server;
    const char *n = arena_strdup(&session->arena, json_get_string(call->arguments, "n"));
    enum err_code r = pass(PORT_SERVER, n, scope, err);
    if (r)
        return err_outcome_unknown(err, r);
    shop_serve(&session->shop, call->name, n);
    shop_answer(&session->shop, arena, n, out);
    return ERR_NONE;
}

static int64_t draw_latency(void *context)
{
    (void)context;
    return (int64_t)virtual_runtime_random(session->runtime, LATENCY_MS);
}

static void begin(enum fault fault, unsigned n, int parallel)
{
    static struct session only; /* too large for a frame */
    static const struct tool_server_ops server_ops = {
        .name = name_of, .list = list_tools, .call = call_tool, .status = tell_status
    };
    static const struct policy_rule repeat = { .effect = POLICY_UNSAID,
                                               .repeat = HINT_YES,
                                               .tool = "look" };
    session = &only;
    *session = (struct session){ .scope = { .deadline_ms = SCOPE_NO_DEADLINE },
                                 .server = { &server_ops },
                                 .parallel = parallel,
                                 .runtime = virtual_runtime_create(n) };
    fake_services_init(&session->services, virtual_runtime_port(session->runtime), SOURCE_DIR);
    fake_services_add_server(&session->services, "shop", SHOP_TOOLS);
    session->services.settings.policy = &repeat;
    session->services.settings.n_policy = 1;
    session->services.settings.tools_attempts = 1;
    faulty_ports_init(&session->ports, &session->services, &session->scope);
    session->services.server_ports[0] = &session->server;
    fake_run_states_init(&session->states);
    session->states.on_use = on_state;
    session->services.base.run_states = &session->states.base;
    session->ports.latency_ms = draw_latency;
    session->ports.fault = fault;
    session->ports.hit_at = n;
    shop_open(&session->shop);
}

static void end(void)
{
    shop_close(&session->shop);
    arena_finish(&session->arena);
    fake_services_finish(&session->services);
    fake_run_states_finish(&session->states);
    virtual_runtime_destroy(session->runtime);
}

static enum err_code run_it(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime, (void)argument;
    const struct run_plan_request request = { .plan =
                                                  shop_plan(&session->arena, session->parallel) };
    session->code = run_plan(&session->services.base, scope, &session->arena, &request,
                             &session->result, &session->err);
    return ERR_NONE;
}

static const char *leftover(void)
{
    const struct fake_services *services = &session->services;
    if (virtual_runtime_tasks(session->runtime) || session->ports.under_way)
        return "something is still running";
    if (fake_services_count(services, EVENT_STEP_FINISHED) <
        fake_services_count(services, EVENT_STEP_STARTED))
        return "a step began and never ended";
    if (fake_services_count(services, EVENT_TOOL_RESULT) <
        fake_services_count(services, EVENT_TOOL_CALL))
        return "a call began and never ended";
    if (fake_services_count(services, EVENT_RUN_STARTED) !=
        fake_services_count(services, EVENT_RUN_FINISHED))
        return "the run was not closed";
    return NULL;
}

static const char *wrong_status(enum fault fault)
{
    bool is_complete = !session->code && session->result.status == RUN_COMPLETED;
    bool was_hit = session->ports.hit_at <= session->ports.calls;
    bool goes_on = session->hit_in && text_starts_with(session->hit_in, "some-");
    if (!was_hit && !is_complete)
        return "nothing went wrong, and it is not complete";
    if (session->hit == PORT_SERVER && fault != FAULT_CANCEL && is_complete != goes_on)
        return goes_on ? "it is not complete although the loop goes on"
                       : "it is complete although a call failed";
    if (is_complete && shop_charged(&session->shop, "last") != 1)
        return "it is complete without its last call";
    if (session->code && !session->err.message[0])
        return "an error says nothing";
    if (!session->code && !is_complete && !session->result.err.message[0])
        return "a failed result does not say why";
    return NULL;
}

/* When the state cannot be written nothing is called any more, the end neither. */
static const char *undone(void)
{
    const json_t *times;
    const char *n;
    bool has_begun = json_object_size(session->shop.effects);
    bool is_excused = session->hit == PORT_STATE || text_equal(session->hit_in, "tidy");
    json_each_member (session->shop.effects, n, times)
        if (json_integer_value(times) != 1)
            return "something was charged twice";
    if (has_begun && !is_excused && shop_charged(&session->shop, "tidy") != 1)
        return "its finally was not carried out";
    for (int k = 1; k <= 2 && !is_excused; k++) {
        const char *used = arena_printf(&session->arena, "h-%d", k);
        const char *before = arena_printf(&session->arena, "f-%d", k);
        if (shop_charged(&session->shop, before) && !text_equal(session->hit_in, used) &&
            shop_charged(&session->shop, used) != 1)
            return "the finally of a used plan was not carried out";
    }
    return NULL;
}

/* The rule that was broken, or NULL. */
static const char *run_with(enum fault fault, unsigned n, int parallel, unsigned *out_calls)
{
    begin(fault, n, parallel);
    (void)virtual_runtime_run(session->runtime, &session->scope, run_it, NULL);
    const char *broken = leftover();
    broken = broken ? broken : wrong_status(fault);
    broken = broken ? broken : undone();
    if (broken)
        print_error("fault %d at call %u (%s), %d at once: %s; %s%s\n", (int)fault, n,
                    session->hit_in ? session->hit_in : "no tool", parallel, broken,
                    session->err.message, session->result.err.message);
    *out_calls = session->ports.calls;
    end();
    return broken;
}

static void sweep(enum fault fault)
{
    for (int parallel = 1; parallel <= 4; parallel += 3) {
        unsigned n = 1, calls = 1;
        while (n <= calls) {
            assert_null(run_with(fault, n, parallel, &calls));
            n++;
        }
        assert_in_range(n, LEAST_CALLS, MOST_CALLS);
    }
}

static void a_failure_anywhere_ends_cleanly(void **state)
{
    (void)state;
    sweep(FAULT_FAIL);
}

static void a_cancellation_anywhere_ends_cleanly(void **state)
{
    (void)state;
    sweep(FAULT_CANCEL);
}

static void a_timeout_anywhere_ends_cleanly(void **state)
{
    (void)state;
    sweep(FAULT_TIME_OUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_anywhere_ends_cleanly),
        cmocka_unit_test(a_cancellation_anywhere_ends_cleanly),
        cmocka_unit_test(a_timeout_anywhere_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
