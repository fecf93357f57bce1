#include "application/agent_tools/agent_tools.h"
#include "application/agent_tools/agent_tools_internal.h"
#include "application/agent_tools/agent_turn.h"
#include "domain/base/json.h"
#include "domain/schema/json_schema.h"
#include <stdlib.h>
#include <string.h>

#define MAX_ASSETS 2

struct own_tool {
    const char *name;
    agent_tool_fn *handle;
};

struct server_kind {
    const char *name;        /* as a configured server would be called */
    const char *server_name; /* as it calls itself, and its identity */
    bool is_builtin;
    const struct own_tool *tools;
    size_t n_tools;
    const char *assets[MAX_ASSETS]; /* with definitions: "data/schemas/…"; NULL: none */
};

struct own_server {
    struct tool_server port;
    const struct server_kind *kind;
    struct services *services;
    struct tool_catalogue *catalogue;
    const struct agent_turn *in_index;
    size_t n_running;
};

static struct own_server *of(struct tool_server *server)
{
    return (struct own_server *)server;
}

static const char *name_of(struct tool_server *server)
{
    return of(server)->kind->name;
}

static agent_tool_fn *find_handler(const struct server_kind *kind, const char *name)
{
    for (size_t i = 0; i < kind->n_tools; i++)
        if (strcmp(kind->tools[i].name, name) == 0)
            return kind->tools[i].handle;
    return NULL;
}

/* Tools whose results have the same form share one output schema at the top of the file. */
static enum err_code add_tool(const struct server_kind *kind, struct tool_catalogue *catalogue,
                              const json_t *file, size_t i, struct err *err)
{
    const json_t *tool = json_array_get(json_object_get(file, "tools"), i);
    const char *name = json_get_string(tool, "name");
    if (!name || !find_handler(kind, name))
        return err_set(err, ERR_INVALID, 0, "/tools/%zu/name: there is no such tool", i);
    json_auto_t *definition = json_copy((json_t *)(uintptr_t)tool);
    if (!json_object_get(definition, "outputSchema"))
        json_object_set(definition, "outputSchema", json_object_get(file, "outputSchema"));
    return tool_catalogue_add(catalogue, definition, err);
}

static enum err_code read_definitions(const struct server_kind *kind, struct assets *assets,
                                      const char *path, struct tool_catalogue *catalogue,
                                      struct err *err)
{
    AUTO(arena) arena = { 0 };
    json_auto_t *file = NULL;
    const char *text = NULL, *origin = NULL;
    enum err_code r = assets_get(assets, path, &arena, &text, &origin, err);
    if (r)
        return r;
    r = json_parse(text, strlen(text), JSON_OURS, &file, err);
    for (size_t i = 0; !r && i < json_array_size(json_object_get(file, "tools")); i++)
        r = add_tool(kind, catalogue, file, i, err);
    return r ? err_prefix(err, r, "%s (%.200s)", path, origin) : ERR_NONE;
}

/* Reads the definitions, unless that was done already. */
static enum err_code read_catalogue(struct own_server *own, struct err *err)
{
    const struct server_kind *kind = own->kind;
    struct tool_catalogue *catalogue;
    enum err_code r = ERR_NONE;
    if (own->catalogue)
        return ERR_NONE;
    catalogue = tool_catalogue_create(kind->name);
    for (size_t i = 0; !r && i < MAX_ASSETS && kind->assets[i]; i++)
        r = read_definitions(kind, own->services->assets, kind->assets[i], catalogue, err);
    if (r)
        tool_catalogue_unref(catalogue);
    else
        own->catalogue = catalogue;
    return r;
}

static enum err_code list(struct tool_server *server, struct scope *scope,
                          struct tool_catalogue **out, struct err *err)
{
    enum err_code r = read_catalogue(of(server), err);
    (void)scope;
    if (!r)
        *out = tool_catalogue_ref(of(server)->catalogue);
    return r;
}

static enum err_code run_tool(struct own_server *own, struct scope *scope,
                              const struct tool_call *call, const json_t *arguments,
                              struct arena *arena, struct step_result *out, struct err *err)
{
    struct agent_turn turn;
    if (own->n_running >= AGENT_TOOLS_MAX_CALLS)
        return err_set(err, ERR_LIMIT, 0, "%d calls are running; try again when one has ended",
                       AGENT_TOOLS_MAX_CALLS);
    own->n_running++;
    agent_turn_init(&turn, own->services, arena, call, &own->in_index);
    turn.self = &own->port;
    enum err_code r =
        find_handler(own->kind, call->name)(&turn.base, scope, arena, arguments, out, err);
    agent_turn_finish(&turn);
    own->n_running--;
    return r;
}

/* A caller that cancelled or ran out of time waits for no result; any other failure is a result
 * that it may read. */
static enum err_code call_tool(struct tool_server *server, struct scope *outer,
                               const struct tool_call *call, struct arena *arena,
                               struct step_result *out, struct err *err)
{
    struct own_server *own = of(server);
    struct runtime *runtime = own->services->runtime;
    struct scope scope = runtime_scope(runtime, outer, call->max_ms);
    struct step_result result = { 0 };
    struct err why = { 0 };
    enum err_code r = read_catalogue(own, err);
    if (r)
        return r;
    const struct tool *tool = tool_catalogue_find(own->catalogue, call->name);
    if (!tool)
        return err_set(err, ERR_NOT_FOUND, 0, "unknown tool '%.80s'", call->name);
    json_auto_t *arguments = call->arguments ? json_share(call->arguments) : json_object();
    r = json_schema_require(tool->input_schema, arguments, &why);
    if (!r)
        r = run_tool(own, &scope, call, arguments, arena, &result, &why);
    enum err_code over = scope_check(&scope, runtime_now_ms(runtime), err);
    if (over)
        return over;
    if (r)
        agent_result_failed(arena, &why, &result);
    *out = result;
    return ERR_NONE;
}

static void status(struct tool_server *server, struct tool_server_status *out)
{
    const struct own_server *own = of(server);
    const struct server_kind *kind = own->kind;
    *out = (struct tool_server_status){ .name = kind->name,
                                        .state = SERVER_READY,
                                        .transport = "in process",
                                        .command = "",
                                        .era = "",
                                        .protocol_version = "",
                                        .server_name = kind->server_name,
                                        .server_version = "",
                                        .instructions = "",
                                        .n_tools = own->catalogue ? own->catalogue->n_tools : 0,
                                        .is_builtin = kind->is_builtin,
                                        .identity = kind->server_name };
}

static void close_server(struct tool_server *server, struct scope *scope)
{
    (void)server;
    (void)scope;
}

static void destroy(struct tool_server *server)
{
    struct own_server *own = of(server);
    tool_catalogue_unref(own->catalogue);
    free(own);
}

static const struct tool_server_ops own_ops = {
    .name = name_of,
    .list = list,
    .call = call_tool,
    .status = status,
    .close = close_server,
    .destroy = destroy,
};

static struct own_server *create(struct services *services, const struct server_kind *kind)
{
    struct own_server *own = calloc(1, sizeof *own);
    if (!own)
        abort();
    own->port.ops = &own_ops;
    own->kind = kind;
    own->services = services;
    return own;
}

enum err_code agent_tools_create(struct services *services, struct tool_server **out,
                                 struct err *err)
{
    static const struct own_tool tools[] = { { "ask", agent_ask },
                                             { "plan", agent_plan },
                                             { "run_plan", agent_run_plan },
                                             { "consensus", job_consensus },
                                             { "figure", job_figure } };
    static const struct server_kind kind = { .name = AGENT_TOOLS_NAME,
                                             .server_name = "mistro agent",
                                             .tools = tools,
                                             .n_tools = ARRAY_LENGTH(tools),
                                             .assets = { AGENT_TOOLS_ASSET, JOB_TOOLS_ASSET } };
    struct own_server *agent = create(services, &kind);
    enum err_code r = read_catalogue(agent, err);
    if (r)
        tool_server_destroy(&agent->port);
    else
        *out = &agent->port;
    return r;
}

struct tool_server *job_tools_create(struct services *services)
{
    static const struct own_tool tools[] = { { "consensus", job_consensus },
                                             { "figure", job_figure } };
    static const struct server_kind kind = { .name = JOB_TOOLS_NAME,
                                             .server_name = JOB_TOOLS_SERVER_NAME,
                                             .is_builtin = true,
                                             .tools = tools,
                                             .n_tools = ARRAY_LENGTH(tools),
                                             .assets = { JOB_TOOLS_ASSET } };
    return &create(services, &kind)->port;
}
