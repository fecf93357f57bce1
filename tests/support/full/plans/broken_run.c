#include "tests/support/full/plans/broken_run.h"
#include "domain/base/json.h"
#include "domain/base/text.h"

enum { LATENCY_MS = 4 };

static struct broken_run *broken; /* the ports have nothing else to find it by */

static enum err_code pass(enum broken_port port, const char *path, struct scope *scope,
                          struct err *err)
{
    if (broken->ports.calls + 1 == broken->ports.hit_at) {
        broken->hit = port;
        broken->hit_in = path;
    }
    return faulty_ports_pass(&broken->ports, scope, err);
}

/* A state that could not be written once cannot be written any more. */
static enum err_code on_state(void *context, struct scope *scope, struct err *err)
{
    (void)context;
    bool is_hit = broken->ports.calls + 1 == broken->ports.hit_at;
    enum err_code r = pass(BROKEN_STATE, NULL, scope, err);
    if (is_hit && broken->ports.fault != FAULT_CANCEL)
        broken->states.commit_fails = r;
    return r;
}

static const char *name_of(struct tool_server *server)
{
    (void)server;
    return BROKEN_RUN_SERVER;
}

static enum err_code list_tools(struct tool_server *server, struct scope *scope,
                                struct tool_catalogue **out, struct err *err)
{
    (void)server;
    enum err_code r = pass(BROKEN_OTHER, NULL, scope, err);
    return r ? r : tool_server_list(broken->listed, scope, out, err);
}

static void tell_status(struct tool_server *server, struct tool_server_status *out)
{
    (void)server;
    tool_server_status(broken->listed, out);
}

/* As it was logged before the call was sent. */
static const char *path_of(const char *effect_id)
{
    const struct fake_run_repository *log = &broken->services.runs;
    for (size_t i = log->n_events; effect_id && i > 0; i--) {
        const struct event *event = &log->events[i - 1];
        if (event->kind == EVENT_TOOL_CALL &&
            text_equal(json_get_string(event->data, "effect_id"), effect_id))
            return json_get_string(event->data, "step");
    }
    return "a call that was not logged";
}

static enum err_code call_tool(struct tool_server *server, struct scope *scope,
                               const struct tool_call *call, struct arena *arena,
                               struct step_result *out, struct err *err)
{
    (void)server;
    const char *path = path_of(call->effect_id);
    enum err_code r = pass(BROKEN_SERVER, path, scope, err);
    if (r)
        return err_outcome_unknown(err, r);
    r = broken->serve(broken, scope, call, path, arena, out, err);
    if (r)
        return r;
    r = pass(BROKEN_SERVER, path, scope, err);
    if (r)
        return err_outcome_unknown(err, r);
    return broken->answered ? broken->answered(broken, scope, call, path, arena, out, err) : r;
}

static int64_t draw_latency(void *context)
{
    (void)context;
    return (int64_t)virtual_runtime_random(broken->runtime, LATENCY_MS);
}

void broken_run_init(struct broken_run *run, uint64_t seed, enum fault fault, unsigned n)
{
    static const struct tool_server_ops server_ops = {
        .name = name_of, .list = list_tools, .call = call_tool, .status = tell_status
    };
    broken = run;
    *run = (struct broken_run){ .scope = { .deadline_ms = SCOPE_NO_DEADLINE },
                                .server = { &server_ops },
                                .runtime = virtual_runtime_create(seed) };
    fake_services_init(&run->services, virtual_runtime_port(run->runtime), SOURCE_DIR);
    faulty_ports_init(&run->ports, &run->services, &run->scope);
    run->services.server_ports[run->services.n_servers++] = &run->server;
    run->services.settings.tools_attempts = 1;
    fake_run_states_init(&run->states);
    run->states.on_use = on_state;
    run->services.base.run_states = &run->states.base;
    run->ports.latency_ms = draw_latency;
    run->ports.fault = fault;
    run->ports.hit_at = n;
}

void broken_run_finish(struct broken_run *run)
{
    arena_finish(&run->arena);
    fake_services_finish(&run->services);
    fake_run_states_finish(&run->states);
    virtual_runtime_destroy(run->runtime);
}

static enum err_code run_it(struct runtime *runtime, struct scope *scope, void *request)
{
    (void)runtime;
    broken->code = run_plan(&broken->services.base, scope, &broken->arena, request, &broken->result,
                            &broken->err);
    return ERR_NONE;
}

void broken_run_do(struct broken_run *run, const struct run_plan_request *request)
{
    struct run_plan_request copy = *request;
    (void)virtual_runtime_run(run->runtime, &run->scope, run_it, &copy);
    run->was_hit = run->ports.hit_at && run->ports.hit_at <= run->ports.calls;
}

static enum err_code resume_it(struct runtime *runtime, struct scope *scope, void *request)
{
    (void)runtime;
    broken->code = resume_run(&broken->services.base, scope, &broken->arena, request,
                              &broken->result, &broken->err);
    return ERR_NONE;
}

void broken_run_resume(struct broken_run *run, const struct resume_request *request)
{
    struct resume_request copy = *request;
    copy.run_id = run->services.runs.runs[0].id;
    run->ports.hit_at = 0;
    run->states.commit_fails = ERR_NONE;
    run->scope = (struct scope){ .deadline_ms = SCOPE_NO_DEADLINE };
    run->services.runs_port = &run->services.runs.base; /* the faulty one only writes */
    (void)virtual_runtime_run(run->runtime, &run->scope, resume_it, &copy);
}

bool broken_run_is_complete(const struct broken_run *run)
{
    return !run->code && run->result.status == RUN_COMPLETED;
}

/* Several attempts have one result. */
static bool has_open_call(const struct fake_run_repository *log)
{
    for (size_t i = 0; i < log->n_events; i++) {
        size_t k = log->events[i].kind == EVENT_TOOL_CALL ? i : log->n_events;
        const char *path = json_get_string(log->events[i].data, "step");
        while (k < log->n_events &&
               (log->events[k].kind != EVENT_TOOL_RESULT ||
                !text_equal(json_get_string(log->events[k].data, "step"), path)))
            k++;
        if (log->events[i].kind == EVENT_TOOL_CALL && k == log->n_events)
            return true;
    }
    return false;
}

const char *broken_run_leftover(const struct broken_run *run)
{
    const struct fake_services *services = &run->services;
    if (virtual_runtime_tasks(run->runtime) || run->ports.under_way)
        return "something is still running";
    if (fake_services_count(services, EVENT_STEP_FINISHED) <
        fake_services_count(services, EVENT_STEP_STARTED))
        return "a step began and never ended";
    if (has_open_call(&services->runs))
        return "a call began and never ended";
    if (fake_services_count(services, EVENT_RUN_STARTED) +
            fake_services_count(services, EVENT_RUN_RESUMED) !=
        fake_services_count(services, EVENT_RUN_FINISHED))
        return "the run was not closed";
    if (run->code && !run->err.message[0])
        return "an error says nothing";
    bool is_failed = !run->code && !broken_run_is_complete(run);
    if (is_failed && run->result.status != RUN_NEEDS_ANSWER && !run->result.err.message[0])
        return "a failed result does not say why";
    if (!run->was_hit && !broken_run_is_complete(run))
        return "nothing went wrong, and it is not complete";
    return NULL;
}
