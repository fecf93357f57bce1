#include "application/agent_tools/plan_tools.h"
#include "application/agent_tools/agent_tools.h"
#include "application/agent_tools/agent_tools_internal.h"
#include "application/agent_tools/agent_turn.h"
#include "application/tools/consent.h"
#include "application/tools/lookup.h"
#include "application/use_cases/plans/check_plan.h"
#include "application/use_cases/run_plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_tool.h"
#include "domain/schema/json_schema.h"
#include <stdlib.h>
#include <string.h>

struct plan_tools {
    struct tool_server port;
    struct services *services;
    struct plan_tools_options options;
    struct tool_catalogue *catalogue; /* NULL: not made yet */
    struct linked_plan *plans;        /* in its arena, of each tool; no value: of `beside` */
    char stamp[DIGEST_HEX_SIZE];      /* of the folder when it was last looked at */
    bool is_stale;                    /* it has changed since the catalogue was made */
    struct tool_server_listener listener;
    struct task *watch; /* NULL: none */
    struct scope watching;
    const struct agent_turn *in_index;
    size_t n_running;
};

/* A catalogue on its way. */
struct making {
    struct plan_tools *own;
    struct scope *scope;
    struct arena arena;
    struct agent_turn turn;  /* what the plans will see of the services */
    struct toolbox *toolbox; /* NULL: there are no servers to be had */
    struct invoker invoker;
    struct tool_catalogue *catalogue;
    struct linked_plan *plans;
    bool is_open_world; /* the plan that is looked at calls other tools than mistro's own */
};

static struct plan_tools *of(struct tool_server *server)
{
    return (struct plan_tools *)server;
}

static const char *name_of(struct tool_server *server)
{
    return of(server)->options.name;
}

static void leave_out(const struct making *making, const char *what, const char *why)
{
    struct plan_folder *folder = making->own->options.folder;
    folder->left_out(folder, what, why);
}

/* A configured server of that name is another one, and a plan may use it. */
static const char *hidden_server(const struct services *services)
{
    return lookup_config(services->settings, PLAN_TOOLS_NAME) ? NULL : PLAN_TOOLS_NAME;
}

static bool is_of_others(void *context, const json_t *step)
{
    (void)context;
    const char *tool = json_get_string(step, "tool");
    return !tool || !text_starts_with(tool, PLAN_TOOLS_NAME "/");
}

/* Why a file is left out; NULL: it is a tool. */
static const char *check_file(struct making *making, const struct plan_folder_file *file,
                              struct linked_plan *out)
{
    struct services *services = making->own->services;
    const struct plan_files *files = making->own->options.folder->files;
    const struct plan_text text = { file->text, file->length, files };
    struct problems faults = { .arena = &making->arena };
    const struct check_plans_request request = { .texts = &text, .n = 1, .is_offline = true };
    struct checked_plan checked = { 0 };
    struct err err = file->err;
    if (err.code ||
        documents_parse(services->documents, text.text, text.length, &making->catalogue->arena,
                        &out->document, &err) ||
        link_plan(services->documents, files, &making->catalogue->arena, &faults, out, &err))
        return arena_strdup(&making->arena, err.message);
    if (!json_is_array(json_object_get(out->value, "steps")))
        return "it is no plan";
    if (json_get_int(out->value, "version", 1) != 2)
        return "it is not a plan of version 2";
    if (check_plans(services, making->scope, &making->arena, &request, &checked, &err))
        return arena_strdup(&making->arena, err.message);
    if (checked.problems->n)
        return problem_print(checked.problems, checked.problems->list);
    const char *input = plan_tool_unreachable_input(out->value);
    if (input)
        return arena_printf(&making->arena,
                            "nobody can give its secret input %s; name a variable with env", input);
    if (hidden_server(services) && !plan_tool_all_steps(out->value, is_of_others, NULL))
        return "it calls a tool of the server plan, and plans that are tools do not call each "
               "other";
    return NULL;
}

/* Whether the tool is trusted to only read: mistro's own, or one whose definition a person agreed
 * to have repeated. */
awaits static bool only_reads(void *context, const json_t *step)
{
    struct making *making = context;
    const char *name = json_get_string(step, "tool");
    struct invoke_request request = { .arguments = json_object_get(step, "args") };
    struct tool_server *server = NULL;
    struct tool_server_status status = { 0 };
    if (!name || !making->toolbox ||
        toolbox_find(making->toolbox, making->scope, name, &request.tool, &server, NULL))
        return false;
    tool_server_status(server, &status);
    making->is_open_world |= !status.is_builtin;
    return policy_only_reads(request.tool, request.arguments) &&
           consent_may_repeat(&making->invoker, making->scope, &making->arena, &request, NULL);
}

awaits static void add_plan(struct making *making, const char *file, const char *name,
                            const struct linked_plan *plan)
{
    struct err err = { 0 };
    making->is_open_world = false;
    bool reads = plan_tool_all_steps(plan->value, only_reads, making);
    name = arena_printf(&making->arena, "%s%s", making->own->options.prefix, name);
    json_auto_t *definition = plan_tool_definition(&making->arena, plan->value, name, reads,
                                                   making->is_open_world || !reads);
    if (tool_catalogue_add(making->catalogue, definition, &err))
        leave_out(making, file, err.message);
    else
        making->plans[making->catalogue->n_tools - 1] = *plan;
}

awaits static void add_plans(struct making *making, const struct plan_folder_file *files, size_t n)
{
    size_t n_fine = 0, most = (size_t)making->own->services->settings->plans_max;
    for (size_t i = 0; i < n; i++) {
        const char *file = files[i].name;
        const char *name = arena_strndup(&making->arena, file, (size_t)(strrchr(file, '.') - file));
        struct linked_plan plan = { 0 };
        const char *why =
            !plan_tool_name_is_valid(name)
                ? arena_printf(&making->arena, "name it with letters, digits, _ and -, at most %d",
                               PLAN_TOOL_NAME_MAX)
            : n_fine >= most
                ? arena_printf(&making->arena, "there are more than %zu (plans.max)", most)
                : check_file(making, &files[i], &plan);
        n_fine += !why;
        if (why)
            leave_out(making, file, why);
        else
            add_plan(making, file, name, &plan);
    }
}

awaits MUST_CHECK static enum err_code add_others(struct making *making, struct err *err)
{
    struct tool_catalogue *others = NULL;
    enum err_code r = tool_server_list(making->own->options.beside, making->scope, &others, err);
    for (size_t i = 0; !r && i < others->n_tools; i++)
        r = tool_catalogue_add(making->catalogue, (json_t *)(uintptr_t)others->tools[i].definition,
                               err);
    tool_catalogue_unref(others);
    return r;
}

awaits static void open_tools(struct making *making)
{
    struct services *services = &making->turn.base;
    struct tool_server **servers = NULL;
    size_t n = 0;
    if (services_servers(services, making->scope, &servers, &n, NULL))
        return;
    making->toolbox = toolbox_create(services, servers, n);
    invoker_init(&making->invoker, services, making->toolbox, NULL, NULL);
}

awaits MUST_CHECK static enum err_code make(struct making *making, struct err *err)
{
    struct plan_tools *own = making->own;
    struct plan_folder *folder = own->options.folder;
    struct plan_folder_file *files = NULL;
    size_t n = 0;
    struct err why = { 0 };
    enum err_code r = own->options.beside ? add_others(making, err) : ERR_NONE;
    if (r)
        return r;
    if (folder->read(folder, making->scope, &making->arena, &files, &n, &why))
        leave_out(making, "the folder of plans", why.message);
    making->plans = arena_array(&making->catalogue->arena, struct linked_plan,
                                making->catalogue->n_tools + n + 1);
    open_tools(making);
    add_plans(making, files, n);
    return scope_check(making->scope, runtime_now_ms(own->services->runtime), err);
}

/* Whether the folder is another than it was; one that cannot be had is so as well. */
static bool has_changed(struct plan_tools *own)
{
    AUTO(arena) arena = { 0 };
    const char *text = NULL;
    char stamp[DIGEST_HEX_SIZE];
    struct err why = { 0 };
    if (own->options.folder->stamp(own->options.folder, &arena, &text, &why))
        text = why.message;
    digest_sha256(own->services->digest, text, strlen(text), stamp);
    if (strcmp(stamp, own->stamp) == 0)
        return false;
    memcpy(own->stamp, stamp, sizeof stamp);
    own->is_stale = true;
    return true;
}

static void tell_of_change(struct plan_tools *own)
{
    if (has_changed(own) && own->catalogue && own->listener.on_tools_changed)
        own->listener.on_tools_changed(own->listener.context, &own->port);
}

/* Makes the catalogue where the folder is not what it was made of. */
awaits MUST_CHECK static enum err_code refresh(struct plan_tools *own, struct scope *scope,
                                               struct err *err)
{
    static const struct tool_call no_call = { 0 };
    if (own->catalogue && !own->is_stale)
        return ERR_NONE;
    struct making making = { .own = own,
                             .scope = scope,
                             .catalogue = tool_catalogue_create(own->options.name) };
    own->is_stale = false;
    agent_turn_init(&making.turn, own->services, &making.arena, &no_call, &own->in_index);
    making.turn.hidden = hidden_server(own->services);
    enum err_code r = make(&making, err);
    if (!r) {
        tool_catalogue_unref(own->catalogue);
        own->catalogue = tool_catalogue_ref(making.catalogue);
        own->plans = making.plans;
    }
    own->is_stale |= r != ERR_NONE;
    if (making.toolbox)
        invoker_finish(&making.invoker);
    toolbox_destroy(making.toolbox);
    agent_turn_finish(&making.turn);
    tool_catalogue_unref(making.catalogue);
    arena_finish(&making.arena);
    return r;
}

static enum err_code list(struct tool_server *server, struct scope *scope,
                          struct tool_catalogue **out, struct err *err)
{
    (void)has_changed(of(server));
    enum err_code r = refresh(of(server), scope, err);
    if (!r)
        *out = tool_catalogue_ref(of(server)->catalogue);
    return r;
}

/* A failure has no structured content, which would have to be the outputs. */
static void give(struct arena *arena, const char *text, const struct turn_result *turn,
                 bool is_error, struct step_result *out)
{
    const char *run_id = turn->run_id;
    bool has_outputs = !is_error && turn->outputs;
    if (is_error && run_id)
        text = arena_printf(arena, "%s\n\nMore of it shows: mistro runs show %s", text, run_id);
    step_result_from_text(arena, text, has_outputs ? json_share(turn->outputs) : NULL, is_error,
                          out);
    if (!run_id)
        return;
    json_auto_t *value = json_copy((json_t *)(uintptr_t)step_result_value(out));
    json_object_set_new(value, "_meta", json_pack("{s:s}", PLAN_TOOLS_RUN_ID, run_id));
    const char *bytes = json_print_in(arena, value);
    (void)!step_result_init(arena, bytes, strlen(bytes), out, NULL);
}

/* The arguments fit the schema already. */
awaits MUST_CHECK static enum err_code run(struct plan_tools *own, struct scope *scope,
                                           const struct tool_call *call,
                                           const struct run_plan_request *request,
                                           struct arena *arena, struct turn_result *out,
                                           struct err *err)
{
    struct agent_turn turn;
    if (own->n_running >= AGENT_TOOLS_MAX_CALLS)
        return err_set(err, ERR_LIMIT, 0, "%d plans are running; try again when one has ended",
                       AGENT_TOOLS_MAX_CALLS);
    own->n_running++;
    agent_turn_init(&turn, own->services, arena, call, &own->in_index);
    turn.hidden = hidden_server(own->services);
    enum err_code r = run_plan(&turn.base, scope, arena, request, out, err);
    agent_turn_finish(&turn);
    own->n_running--;
    return r;
}

static enum err_code call_tool(struct tool_server *server, struct scope *outer,
                               const struct tool_call *call, struct arena *arena,
                               struct step_result *out, struct err *err)
{
    struct plan_tools *own = of(server);
    struct turn_result turn = { 0 };
    struct err why = { 0 };
    tell_of_change(own);
    enum err_code r = refresh(own, outer, err);
    if (r)
        return r;
    const struct tool *tool = tool_catalogue_find(own->catalogue, call->name);
    if (!tool)
        return err_set(err, ERR_NOT_FOUND, 0, "unknown tool '%.80s'", call->name);
    const struct linked_plan *plan = &own->plans[tool - own->catalogue->tools];
    if (!plan->value)
        return tool_server_call(own->options.beside, outer, call, arena, out, err);
    json_auto_t *arguments = call->arguments ? json_share(call->arguments) : json_object();
    const struct run_plan_request request = {
        .plan = plan->value, .linked = plan, .vars = arguments, .is_foreign = true
    };
    struct scope scope = runtime_scope(own->services->runtime, outer, call->max_ms);
    /* The folder may change while it runs. */
    struct tool_catalogue *catalogue = tool_catalogue_ref(own->catalogue);
    r = json_schema_require(tool->input_schema, arguments, &why);
    if (!r)
        r = run(own, &scope, call, &request, arena, &turn, &why);
    give(arena, r ? agent_error_text(arena, &why) : agent_turn_text(arena, &turn), &turn,
         r || turn.status != RUN_COMPLETED, out);
    tool_catalogue_unref(catalogue);
    return scope_check(&scope, runtime_now_ms(own->services->runtime), err);
}

static void status(struct tool_server *server, struct tool_server_status *out)
{
    const struct plan_tools *own = of(server);
    *out = (struct tool_server_status){ .name = own->options.name,
                                        .state = SERVER_READY,
                                        .transport = "in process",
                                        .command = "",
                                        .era = "",
                                        .protocol_version = "",
                                        .server_name = "mistro plans",
                                        .server_version = "",
                                        .instructions = "",
                                        .n_tools = own->catalogue ? own->catalogue->n_tools : 0,
                                        .is_builtin = true,
                                        .identity = "mistro plans" };
}

static enum err_code watch(struct runtime *runtime, struct scope *scope, void *context)
{
    while (!runtime_sleep(runtime, scope, PLAN_TOOLS_WATCH_MS, NULL))
        tell_of_change(context);
    return ERR_NONE;
}

static void listen(struct tool_server *server, const struct tool_server_listener *listener)
{
    static const struct tool_server_listener none = { 0 };
    struct plan_tools *own = of(server);
    own->listener = listener ? *listener : none;
    if (own->watch || !own->options.watches || !own->listener.on_tools_changed)
        return;
    own->watching = scope_child(NULL, SCOPE_NO_DEADLINE);
    own->watch = runtime_spawn(own->services->runtime, &own->watching, watch, own);
}

static void close_server(struct tool_server *server, struct scope *scope)
{
    struct plan_tools *own = of(server);
    if (own->options.beside)
        tool_server_close(own->options.beside, scope);
    if (!own->watch)
        return;
    runtime_cancel(own->services->runtime, &own->watching);
    (void)runtime_wait(own->services->runtime, own->watch);
    own->watch = NULL;
}

static void destroy(struct tool_server *server)
{
    struct plan_tools *own = of(server);
    tool_catalogue_unref(own->catalogue);
    tool_server_destroy(own->options.beside);
    free(own);
}

struct tool_server *plan_tools_create(struct services *services,
                                      const struct plan_tools_options *options)
{
    static const struct tool_server_ops ops = { .name = name_of,
                                                .list = list,
                                                .call = call_tool,
                                                .status = status,
                                                .listen = listen,
                                                .close = close_server,
                                                .destroy = destroy };
    struct plan_tools *own = calloc(1, sizeof *own);
    if (!own)
        abort();
    own->port.ops = &ops;
    own->services = services;
    own->options = *options;
    return &own->port;
}
