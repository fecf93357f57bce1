#include "application/agent_tools/agent_tools.h"
#include "application/agent_tools/agent_requests.h"
#include "application/agent_tools/agent_result.h"
#include "application/agent_tools/agent_turn.h"
#include "domain/base/json.h"
#include "domain/rules/json_schema.h"
#include <stdlib.h>
#include <string.h>

static const struct agent_tool {
    const char *name;
    agent_request_fn *handle;
} agent_tools[] = { { "ask", agent_ask }, { "plan", agent_plan }, { "run_plan", agent_run_plan } };

struct agent {
    struct tool_server port;
    struct services *services;
    struct tool_catalogue *catalogue;
    const struct agent_turn *in_index;
    size_t n_running;
};

static struct agent *agent_of(struct tool_server *server)
{
    return (struct agent *)server;
}

static const char *agent_name(struct tool_server *server)
{
    (void)server;
    return AGENT_TOOLS_NAME;
}

static enum err_code agent_list(struct tool_server *server, struct scope *scope,
                                struct tool_catalogue **out, struct err *err)
{
    (void)scope;
    (void)err;
    *out = tool_catalogue_ref(agent_of(server)->catalogue);
    return ERR_NONE;
}

static agent_request_fn *find_handler(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(agent_tools); i++)
        if (strcmp(agent_tools[i].name, name) == 0)
            return agent_tools[i].handle;
    return NULL;
}

static enum err_code check_arguments(struct arena *arena, const struct tool *tool,
                                     const json_t *arguments, struct err *err)
{
    struct problems problems = { .arena = arena };
    bool accepts = false;
    enum err_code r = json_schema_check(tool->input_schema, arguments, &problems, &accepts, err);
    if (r || accepts)
        return r;
    const struct problem *first = problems.list;
    r = err_set(err, ERR_INVALID, 0, "%s",
                first ? problem_print(&problems, first) : "the arguments do not fit the schema");
    return first && first->fix ? err_hint(err, r, "%s", first->fix) : r;
}

static enum err_code do_turn(struct agent *agent, struct scope *scope, const struct tool_call *call,
                             const json_t *arguments, struct arena *arena, struct turn_result *out,
                             struct err *err)
{
    struct agent_turn turn;
    if (agent->n_running >= AGENT_TOOLS_MAX_CALLS)
        return err_set(err, ERR_LIMIT, 0, "%d calls are running; try again when one has ended",
                       AGENT_TOOLS_MAX_CALLS);
    agent->n_running++;
    agent_turn_init(&turn, agent->services, arena, call, &agent->in_index);
    enum err_code r = find_handler(call->name)(&turn.base, scope, arena, arguments, out, err);
    agent_turn_finish(&turn);
    agent->n_running--;
    return r;
}

/* Whoever cancelled or ran out of time waits for no result; anything else they may read. */
static enum err_code agent_call(struct tool_server *server, struct scope *outer,
                                const struct tool_call *call, struct arena *arena,
                                struct step_result *out, struct err *err)
{
    struct agent *agent = agent_of(server);
    struct runtime *runtime = agent->services->runtime;
    struct scope scope = runtime_scope(runtime, outer, call->max_ms);
    const struct tool *tool = tool_catalogue_find(agent->catalogue, call->name);
    struct turn_result turn = { 0 };
    struct err why = { 0 };
    if (!tool)
        return err_set(err, ERR_NOT_FOUND, 0, "unknown tool '%.80s'", call->name);
    json_auto_t *arguments = call->arguments ? json_share(call->arguments) : json_object();
    enum err_code r = check_arguments(arena, tool, arguments, &why);
    if (!r)
        r = do_turn(agent, &scope, call, arguments, arena, &turn, &why);
    enum err_code over = scope_check(&scope, runtime_now_ms(runtime), err);
    if (over)
        return over;
    if (r)
        agent_result_failed(arena, &why, out);
    else
        agent_result(arena, &turn, out);
    return ERR_NONE;
}

static void agent_status(struct tool_server *server, struct tool_server_status *out)
{
    *out = (struct tool_server_status){ .name = AGENT_TOOLS_NAME,
                                        .state = SERVER_READY,
                                        .transport = "in process",
                                        .command = "",
                                        .era = "",
                                        .protocol_version = "",
                                        .server_name = "mistro agent",
                                        .server_version = "",
                                        .instructions = "",
                                        .n_tools = agent_of(server)->catalogue->n_tools,
                                        .identity = "mistro agent" };
}

static void agent_close(struct tool_server *server, struct scope *scope)
{
    (void)server;
    (void)scope;
}

static void agent_destroy(struct tool_server *server)
{
    struct agent *agent = agent_of(server);
    tool_catalogue_unref(agent->catalogue);
    free(agent);
}

static const struct tool_server_ops agent_ops = {
    .name = agent_name,
    .list = agent_list,
    .call = agent_call,
    .status = agent_status,
    .close = agent_close,
    .destroy = agent_destroy,
};

/* The file has the output schema once, because all of them give the result object. */
static enum err_code add_tool(struct tool_catalogue *catalogue, const json_t *file, size_t i,
                              struct err *err)
{
    const json_t *tool = json_array_get(json_object_get(file, "tools"), i);
    const char *name = json_get_string(tool, "name");
    if (!name || !find_handler(name))
        return err_set(err, ERR_INVALID, 0, "/tools/%zu/name: there is no such tool", i);
    json_auto_t *definition = json_copy((json_t *)(uintptr_t)tool);
    json_object_set(definition, "outputSchema", json_object_get(file, "outputSchema"));
    return tool_catalogue_add(catalogue, definition, err);
}

static enum err_code read_catalogue(struct services *services, struct tool_catalogue *catalogue,
                                    struct err *err)
{
    AUTO(arena) arena = { 0 };
    json_auto_t *file = NULL;
    const char *text = NULL, *origin = NULL;
    enum err_code r = assets_get(services->assets, AGENT_TOOLS_ASSET, &arena, &text, &origin, err);
    if (r)
        return r;
    r = json_parse(text, strlen(text), JSON_OURS, &file, err);
    for (size_t i = 0; !r && i < json_array_size(json_object_get(file, "tools")); i++)
        r = add_tool(catalogue, file, i, err);
    return r ? err_prefix(err, r, "%s (%.200s)", AGENT_TOOLS_ASSET, origin) : ERR_NONE;
}

enum err_code agent_tools_create(struct services *services, struct tool_server **out,
                                 struct err *err)
{
    struct tool_catalogue *catalogue = tool_catalogue_create(AGENT_TOOLS_NAME);
    enum err_code r = read_catalogue(services, catalogue, err);
    if (r) {
        tool_catalogue_unref(catalogue);
        return r;
    }
    struct agent *agent = calloc(1, sizeof *agent);
    if (!agent)
        abort();
    agent->port.ops = &agent_ops;
    agent->services = services;
    agent->catalogue = catalogue;
    *out = &agent->port;
    return ERR_NONE;
}
