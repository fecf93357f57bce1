/* `mistro serve`: the workspace, the agent, plans, a mock or a cassette as an MCP server on
 * standard input and output.
 */
#include "application/agent_tools/agent_tools.h"
#include "application/agent_tools/plan_tools.h"
#include "presentation/cli/command.h"
#include "presentation/cli/files.h"
#include "presentation/cli/output.h"
#include "presentation/cli/plan_files.h"
#include "presentation/mcp/serve_tools.h"
#include <string.h>

enum { FIXTURE_MAX_BYTES = 16 * 1024 * 1024, MAX_IN_FLIGHT = 64 };

/* Serves the tools until the client leaves, and closes them. */
static enum err_code serve_and_close(struct cli *cli, struct tool_server *tools, const char *name,
                                     const char *instructions, bool runs_tasks, struct err *err)
{
    const struct serve_options options = { .name = name,
                                           .version = cli->host->version,
                                           .instructions = instructions,
                                           .max_in_flight = MAX_IN_FLIGHT,
                                           .runs_tasks = runs_tasks,
                                           .ids = cli->services->ids };
    struct rpc *rpc = cli->host->ops->stdio_rpc(cli->host);
    enum err_code r = serve_tools(cli->services->runtime, cli->scope, rpc, tools, &options, err);
    rpc_destroy(rpc);
    tool_server_close(tools, cli->scope);
    tool_server_destroy(tools);
    return r;
}

static enum err_code serve_workspace(struct cli *cli, struct err *err)
{
    struct tool_server *workspace = NULL;
    const char *root = cli->args->root ? cli->args->root : ".";
    enum err_code r = cli->host->ops->workspace(cli->host, root, cli->args->write, &workspace, err);
    return r ? r
             : serve_and_close(cli, workspace, "mistro workspace",
                               "Tools for the files of one folder. Paths are relative to it.",
                               false, err);
}

static enum err_code serve_mock(struct cli *cli, const char *file, struct err *err)
{
    const char *text = NULL;
    size_t length = 0;
    struct document fixture;
    enum err_code r =
        files_read(&(struct file_reader){ cli->console, cli->scope, cli->arena, FIXTURE_MAX_BYTES },
                   file, &text, &length, err);
    if (r)
        return r;
    r = documents_parse(cli->services->documents, text, length, cli->arena, &fixture, err);
    if (r)
        return err_prefix(err, r, "%.200s", file);
    json_auto_t *value = json_deep_copy(fixture.value);
    return cli->host->ops->serve_mock(cli->host, cli->scope, value, err);
}

static enum err_code serve_replay(struct cli *cli, const char *file, struct err *err)
{
    struct tool_server *tools = NULL;
    enum err_code r = cli->host->ops->replayed(cli->host, file, cli->args->server, &tools, err);
    return r ? r : serve_and_close(cli, tools, "mistro replay", "", false, err);
}

/* The plans of a folder, beside the tools of another server (taken over) or alone. A folder that
 * cannot be had is found before a host is served. */
static enum err_code serve_plans(struct cli *cli, const char *folder, struct tool_server *beside,
                                 const char *name, const char *instructions, struct err *err)
{
    struct plans_folder files;
    const char *stamp = NULL;
    const struct plan_tools_options options = { .name = beside ? AGENT_TOOLS_NAME : "plans",
                                                .prefix = PLAN_TOOLS_PREFIX,
                                                .folder = &files.base,
                                                .beside = beside,
                                                .watches = true };
    plans_folder_init(&files, cli, folder);
    enum err_code r = files.base.stamp(&files.base, cli->arena, &stamp, err);
    if (r) {
        tool_server_destroy(beside);
        return r;
    }
    return serve_and_close(cli, plan_tools_create(cli->services, &options), name, instructions,
                           true, err);
}

/* The agent itself answers calls beyond those it takes at once, with the advice to come again, so
 * that turns never keep lists waiting. */
static enum err_code serve_agent(struct cli *cli, struct err *err)
{
    static const char name[] = "mistro agent",
                      instructions[] =
                          "ask does a request in plain words with the tools mistro has. When it "
                          "asks back, call ask again with session_id and answers. plan stops "
                          "before anything runs; run_plan runs a plan.";
    struct tool_server *agent = NULL;
    enum err_code r = agent_tools_create(cli->services, &agent, err);
    if (r)
        return r;
    return cli->args->plans ? serve_plans(cli, cli->args->plans, agent, name, instructions, err)
                            : serve_and_close(cli, agent, name, instructions, false, err);
}

int command_serve(struct cli *cli)
{
    struct err err = { 0 };
    const char *what = cli->args->n_operands ? cli->args->operands[0] : "";
    const char *fixture = cli->args->n_operands > 1 ? cli->args->operands[1] : cli->args->fixture;
    enum err_code r;
    if (cli->args->events)
        return command_misused(cli, "serve", "stdout is the protocol's: --events has no place");
    if (cli->args->plans && strcmp(what, "agent") != 0)
        return command_misused(cli, "serve", "--plans belongs to agent");
    if (strcmp(what, "workspace") == 0)
        r = serve_workspace(cli, &err);
    else if (strcmp(what, "agent") == 0)
        r = serve_agent(cli, &err);
    else if (strcmp(what, "plans") == 0 && cli->args->n_operands == 2)
        r = serve_plans(cli, cli->args->operands[1], NULL, "mistro plans",
                        "Each tool runs a checked plan, whose steps are the same each time.", &err);
    else if (strcmp(what, "mock") == 0 && fixture)
        r = serve_mock(cli, fixture, &err);
    else if (strcmp(what, "replay") == 0 && cli->args->n_operands == 2)
        r = serve_replay(cli, cli->args->operands[1], &err);
    else
        return command_misused(cli, "serve",
                               strcmp(what, "mock") == 0     ? "mock wants a fixture"
                               : strcmp(what, "replay") == 0 ? "replay wants a cassette"
                               : strcmp(what, "plans") == 0
                                   ? "plans wants a folder"
                                   : "workspace, agent, plans, mock or replay?");
    return r ? output_error(cli, &err) : 0;
}
