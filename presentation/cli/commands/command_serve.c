/* `mistro serve`: the workspace, the agent, plans, a mock or a cassette as an MCP server, on
 * standard input and output or over HTTP (serve_http.c).
 */
#include "application/agent_tools/agent_tools.h"
#include "application/agent_tools/plan_tools.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/served.h"
#include "presentation/cli/files.h"
#include "presentation/cli/output.h"
#include "presentation/cli/plan_files.h"
#include <string.h>

enum { FIXTURE_MAX_BYTES = 16 * 1024 * 1024, MAX_IN_FLIGHT = 64 };

static enum err_code make_workspace(struct cli *cli, struct services *services,
                                    struct served *served, struct tool_server **out,
                                    struct err *err)
{
    const char *root = cli->args->root ? cli->args->root : ".";
    (void)services;
    served->options.name = "mistro workspace";
    served->options.instructions = "Tools for the files of one folder. Paths are relative to it.";
    return cli->host->ops->workspace(cli->host, root, cli->args->write, out, err);
}

static enum err_code make_mock(struct cli *cli, struct services *services, struct served *served,
                               struct tool_server **out, struct err *err)
{
    const char *text = NULL;
    size_t length = 0;
    struct document fixture;
    enum err_code r =
        files_read(&(struct file_reader){ cli->console, cli->scope, cli->arena, FIXTURE_MAX_BYTES },
                   served->what, &text, &length, err);
    served->options.name = "mistro mock";
    if (r)
        return r;
    r = documents_parse(services->documents, text, length, cli->arena, &fixture, err);
    if (r)
        return err_prefix(err, r, "%.200s", served->what);
    json_auto_t *value = json_deep_copy(fixture.value);
    return cli->host->ops->mock(cli->host, value, out, &served->options, err);
}

static enum err_code make_replay(struct cli *cli, struct services *services, struct served *served,
                                 struct tool_server **out, struct err *err)
{
    (void)services;
    served->options.name = "mistro replay";
    return cli->host->ops->replayed(cli->host, served->what, cli->args->server, out, err);
}

/* The plans of a folder, beside the tools of another server (taken over) or alone. A folder that
 * cannot be had is found before a host is served. */
static enum err_code add_plans(struct cli *cli, struct services *services, const char *folder,
                               struct tool_server *beside, struct tool_server **out,
                               struct err *err)
{
    struct plans_folder *files = arena_new(cli->arena, struct plans_folder);
    const char *stamp = NULL;
    const struct plan_tools_options options = { .name = beside ? AGENT_TOOLS_NAME : "plans",
                                                .prefix = PLAN_TOOLS_PREFIX,
                                                .folder = &files->base,
                                                .beside = beside,
                                                .watches = true };
    plans_folder_init(files, cli, folder);
    enum err_code r = files->base.stamp(&files->base, cli->arena, &stamp, err);
    if (r)
        tool_server_destroy(beside);
    else
        *out = plan_tools_create(services, &options);
    return r;
}

static enum err_code make_plans(struct cli *cli, struct services *services, struct served *served,
                                struct tool_server **out, struct err *err)
{
    served->options.name = "mistro plans";
    served->options.instructions =
        "Each tool runs a checked plan, whose steps are the same each time.";
    served->options.runs_tasks = true;
    return add_plans(cli, services, served->what, NULL, out, err);
}

/* The agent itself answers calls beyond those it takes at once, with the advice to come again, so
 * that turns never keep lists waiting. */
static enum err_code make_agent(struct cli *cli, struct services *services, struct served *served,
                                struct tool_server **out, struct err *err)
{
    served->options.name = "mistro agent";
    served->options.instructions =
        "ask does a request in plain words with the tools mistro has. When it asks back, call ask "
        "again with session_id and answers. plan stops before anything runs; run_plan runs a plan.";
    served->options.runs_tasks = cli->args->plans != NULL;
    enum err_code r = agent_tools_create(services, out, err);
    return r || !cli->args->plans ? r : add_plans(cli, services, cli->args->plans, *out, out, err);
}

/* Serves one client until it leaves. */
static enum err_code serve_stdio(struct cli *cli, struct served *served, struct err *err)
{
    struct tool_server *tools = NULL;
    enum err_code r = served->make(cli, cli->services, served, &tools, err);
    if (r)
        return r;
    struct rpc *rpc = served->make == make_mock ? cli->host->ops->mock_rpc(cli->host, tools)
                                                : cli->host->ops->stdio_rpc(cli->host);
    r = serve_tools(cli->services->runtime, cli->scope, rpc, tools, &served->options, err);
    rpc_destroy(rpc);
    tool_server_close(tools, cli->scope);
    tool_server_destroy(tools);
    return r;
}

static const struct {
    const char *word;
    served_make_fn *make;
    const char *wants; /* one more operand: what is said where it is missing; NULL: none */
} kinds[] = { { "workspace", make_workspace, NULL },
              { "agent", make_agent, NULL },
              { "plans", make_plans, "plans wants a folder" },
              { "mock", make_mock, "mock wants a fixture" },
              { "replay", make_replay, "replay wants a cassette" } };

/* NULL, or how the command was misused. */
static const char *read_words(const struct cli *cli, struct served *out)
{
    const struct arguments *args = cli->args;
    const char *word = args->n_operands ? args->operands[0] : "";
    const char *what = args->n_operands > 1 ? args->operands[1] : args->fixture;
    if (args->events)
        return "stdout is the protocol's: --events has no place";
    if (args->plans && strcmp(word, "agent") != 0)
        return "--plans belongs to agent";
    if (args->open && !args->http)
        return "--open belongs to --http";
    if (args->expires || args->admin)
        return "--expires and --admin belong to token add";
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
        if (strcmp(kinds[i].word, word) != 0)
            continue;
        out->make = kinds[i].make;
        out->what = what;
        return kinds[i].wants && !what ? kinds[i].wants : NULL;
    }
    return "workspace, agent, plans, mock, replay or token?";
}

int command_serve(struct cli *cli)
{
    struct err err = { 0 };
    struct served served = { .options = { .version = cli->host->version,
                                          .max_in_flight = MAX_IN_FLIGHT,
                                          .ids = cli->services->ids } };
    if (cli->args->n_operands && strcmp(cli->args->operands[0], "token") == 0)
        return command_serve_token(cli);
    const char *misuse = read_words(cli, &served);
    if (misuse)
        return command_misused(cli, "serve", misuse);
    enum err_code r =
        cli->args->http ? serve_http(cli, &served, &err) : serve_stdio(cli, &served, &err);
    return r ? output_error(cli, &err) : 0;
}
