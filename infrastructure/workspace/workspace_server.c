#include "infrastructure/workspace/workspace_server.h"
#include "domain/base/json.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "infrastructure/runtime/worker.h"
#include "infrastructure/workspace/workspace_tools.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Jobs may use this folder until the worker is gone, so it goes after the worker. */
struct workspace_server {
    struct tool_server port;
    struct uv_runtime *runtime;
    struct worker *worker;
    struct confined_root root;
    struct workspace_limits limits;
    struct tool_catalogue *catalogue;
    char *name;
    char *identity; /* an approval for one folder says nothing about another */
    bool write;
};

static struct workspace_server *workspace_of(struct tool_server *server)
{
    return (struct workspace_server *)server;
}

static const char *workspace_name(struct tool_server *server)
{
    return workspace_of(server)->name;
}

static enum err_code workspace_list(struct tool_server *server, struct scope *sc,
                                    struct tool_catalogue **out, struct err *err)
{
    (void)sc;
    (void)err;
    *out = tool_catalogue_ref(workspace_of(server)->catalogue);
    return ERR_NONE;
}

/* Makes the result of a JSON text; steals it. */
static enum err_code deliver(char *text, struct arena *arena, struct step_result *out,
                             struct err *err)
{
    auto_str bytes = text;
    return step_result_init(arena, bytes, strlen(bytes), out, err);
}

static enum err_code workspace_call(struct tool_server *server, struct scope *outer,
                                    const struct tool_call *call, struct arena *arena,
                                    struct step_result *out, struct err *err)
{
    struct workspace_server *w = workspace_of(server);
    struct scope sc = runtime_scope(uv_runtime_port(w->runtime), outer, call->max_ms);
    const struct workspace_tool *tool = workspace_tool_find(call->name, w->write);
    struct workspace_job job;
    struct err problem = { 0 };
    if (!tool)
        return err_set(err, ERR_NOT_FOUND, 0, "unknown tool '%.80s'", call->name);
    if (workspace_job_init(&job, tool, &w->root, &w->limits, call->arguments, &problem))
        return deliver(workspace_failure(&problem), arena, out, err);
    enum err_code r = worker_run(w->worker, &sc, workspace_job_run, &job, err);
    if (!r)
        r = deliver(steal(&job.result), arena, out, err);
    workspace_job_finish(&job);
    return r;
}

static void workspace_status(struct tool_server *server, struct tool_server_status *out)
{
    struct workspace_server *w = workspace_of(server);
    *out = (struct tool_server_status){
        .name = w->name,
        .state = SERVER_READY,
        .transport = "in process",
        .command = "",
        .era = "",
        .protocol_version = "",
        .server_name = "mistro workspace",
        .server_version = "",
        .instructions = "",
        .n_tools = w->catalogue->n_tools,
        .is_builtin = true,
        .identity = w->identity,
    };
}

static void workspace_close(struct tool_server *server, struct scope *sc)
{
    (void)server;
    (void)sc;
}

static void workspace_destroy(struct tool_server *server)
{
    struct workspace_server *w = workspace_of(server);
    worker_destroy(w->worker);
    tool_catalogue_unref(w->catalogue);
    confined_root_finish(&w->root);
    free(w->name);
    free(w->identity);
    free(w);
}

static const struct tool_server_ops workspace_ops = {
    .name = workspace_name,
    .list = workspace_list,
    .call = workspace_call,
    .status = workspace_status,
    .close = workspace_close,
    .destroy = workspace_destroy,
};

static struct tool_catalogue *make_catalogue(const char *name, bool write)
{
    struct tool_catalogue *catalogue = tool_catalogue_create(name);
    for (size_t i = 0; i < workspace_n_tools; i++) {
        const struct workspace_tool *tool = &workspace_tools[i];
        json_t *definition = write || !tool->writes ? workspace_tool_definition(tool) : NULL;
        if (definition && tool_catalogue_add(catalogue, definition, NULL))
            abort();
        json_decref(definition);
    }
    return catalogue;
}

enum err_code workspace_server_create(struct uv_runtime *runtime,
                                      const struct workspace_options *options,
                                      const struct settings *settings, struct tool_server **out,
                                      struct err *err)
{
    struct confined_root root;
    enum err_code r = confined_root_init(&root, options->root, err);
    if (r)
        return r;
    struct workspace_server *w = calloc(1, sizeof *w);
    if (!w)
        abort();
    w->port.ops = &workspace_ops;
    w->runtime = runtime;
    w->worker = worker_create(runtime);
    w->root = root;
    w->limits = workspace_limits_of(settings);
    w->name = strdup(options->name);
    w->write = options->write;
    if (asprintf(&w->identity, "workspace%s:%s", w->write ? "+write" : "", w->root.path) < 0)
        abort();
    w->catalogue = make_catalogue(w->name, w->write);
    *out = &w->port;
    return ERR_NONE;
}
