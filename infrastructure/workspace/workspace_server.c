#include "infrastructure/workspace/workspace_server.h"
#include "domain/base/json.h"
#include "domain/schema/json_schema.h"
#include "infrastructure/runtime/task_lock.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "infrastructure/runtime/worker.h"
#include "infrastructure/workspace/sql_child.h"
#include "infrastructure/workspace/sql_guard.h"
#include "infrastructure/workspace/workspace_tools.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Jobs may use this folder until the worker is gone, so it goes after the worker. */
struct workspace_server {
    struct tool_server port;
    struct uv_runtime *runtime;
    struct worker *worker;
    struct task_lock children; /* one at a time, as the worker runs its jobs */
    struct confined_root root; /* of no folder: without a path */
    struct workspace_limits limits;
    struct tool_catalogue *catalogue;
    struct json_schema **schemas; /* of the catalogue's tools, each compiled at its first call */
    char *name;
    char *identity;      /* an approval for one folder says nothing about another */
    char *child_program; /* NULL: no children */
    bool write;
};

enum {
    FAILURE_MAX_BYTES = 4096, /* of a result beyond what the settings allow */
    TABLE_BYTES = 4,          /* of a table in memory for each of its file */
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

/* What workspace_job_run does, in a child. That it failed is the tool's result, unless the scope
 * has ended. */
awaits static enum err_code run_in_child(struct workspace_server *w, const struct scope *sc,
                                         const struct workspace_tool *tool,
                                         const struct tool_call *call, char **out_text,
                                         struct err *err)
{
    const struct workspace_limits *limits = &w->limits;
    char root[64]; /* this folder and no other that takes its name; a path may not be UTF-8 */
    snprintf(root, sizeof root, "/proc/%d/fd/%d", (int)getpid(), w->root.fd);
    json_auto_t *request = json_pack(
        "{ss, ss*, sO, sI, sI, sI, sI, sI}", "tool", call->name, "root", w->root.path ? root : NULL,
        "arguments", call->arguments, "max_file_bytes", (json_int_t)limits->max_file_bytes,
        "max_entries", (json_int_t)limits->max_entries, "max_rows", (json_int_t)limits->max_rows,
        "max_result_bytes", (json_int_t)limits->max_result_bytes, "query_ms",
        (json_int_t)limits->query_ms);
    struct sql_child child = {
        .program = w->child_program,
        .word = WORKSPACE_CHILD_WORD,
        .milliseconds = limits->query_ms,
        .memory_bytes = tool->memory_bytes
                            ? tool->memory_bytes
                            : SQL_MAX_MEMORY + TABLE_BYTES * (int64_t)limits->max_file_bytes,
        .max_bytes = limits->max_result_bytes + FAILURE_MAX_BYTES,
    };
    struct err why = { 0 };
    enum err_code r = task_lock_take(&w->children, w->runtime, sc, err);
    if (r)
        return r;
    r = sql_child_run(w->runtime, sc, &child, request, out_text, &why);
    task_lock_release(&w->children);
    if (r == ERR_CANCELLED || r == ERR_TIMEOUT) {
        if (err)
            *err = why;
        return r;
    }
    if (r)
        *out_text = workspace_failure(&why);
    return ERR_NONE;
}

char *workspace_child_answer(const json_t *request)
{
    const char *name = json_get_string(request, "tool"), *path = json_get_string(request, "root");
    const struct workspace_tool *tool = name ? workspace_tool_find(name, false) : NULL;
    struct workspace_limits limits = {
        .max_file_bytes = (size_t)json_get_int(request, "max_file_bytes", 0),
        .max_entries = (size_t)json_get_int(request, "max_entries", 0),
        .max_rows = (size_t)json_get_int(request, "max_rows", 0),
        .max_result_bytes = (size_t)json_get_int(request, "max_result_bytes", 0),
        .query_ms = json_get_int(request, "query_ms", 0),
    };
    struct confined_root root = { .fd = -1 };
    struct workspace_job job = { 0 };
    struct err err = { 0 };
    enum err_code r = tool ? ERR_NONE : err_set(&err, ERR_NOT_FOUND, 0, "unknown tool");
    if (!r && path)
        r = confined_root_init(&root, path, &err);
    if (!r)
        r = workspace_job_init(&job, tool, &root, &limits, NULL,
                               json_object_get(request, "arguments"), &err);
    if (!r)
        workspace_job_run(&job);
    char *text = r ? workspace_failure(&err) : steal(&job.result);
    workspace_job_finish(&job);
    confined_root_finish(&root);
    return text;
}

/* NULL where it cannot be used. */
static const struct json_schema *input_schema_of(struct workspace_server *w, const char *name)
{
    const struct tool *tool = tool_catalogue_find(w->catalogue, name);
    struct json_schema **schema = tool ? &w->schemas[tool - w->catalogue->tools] : NULL;
    if (schema && !*schema && json_schema_compile(tool->input_schema, NULL, 0, schema, NULL))
        return NULL;
    return schema ? *schema : NULL;
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
    if (!tool || !tool_catalogue_find(w->catalogue, call->name))
        return err_set(err, ERR_NOT_FOUND, 0, "unknown tool '%.80s'", call->name);
    if (workspace_job_init(&job, tool, &w->root, &w->limits, input_schema_of(w, call->name),
                           call->arguments, &problem))
        return deliver(workspace_failure(&problem), arena, out, err);
    enum err_code r = tool->runs_in_child && w->child_program
                          ? run_in_child(w, &sc, tool, call, &job.result, err)
                          : worker_run(w->worker, &sc, workspace_job_run, &job, err);
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
        .server_name = w->root.path ? "mistro workspace" : "mistro data",
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
    for (size_t i = 0; i < w->catalogue->n_tools; i++)
        json_schema_destroy(w->schemas[i]);
    free(w->schemas);
    tool_catalogue_unref(w->catalogue);
    confined_root_finish(&w->root);
    free(w->name);
    free(w->identity);
    free(w->child_program);
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

static struct tool_catalogue *make_catalogue(const struct workspace_options *options)
{
    struct tool_catalogue *catalogue = tool_catalogue_create(options->name);
    const struct workspace_tool *tools = options->root ? workspace_tools : data_tools;
    size_t n = options->root ? workspace_n_tools : data_n_tools;
    for (size_t i = 0; i < n; i++) {
        bool is_there = options->write || !tools[i].writes;
        json_t *definition = is_there ? workspace_tool_definition(&tools[i]) : NULL;
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
    struct confined_root root = { .fd = -1 };
    enum err_code r = options->root ? confined_root_init(&root, options->root, err) : ERR_NONE;
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
    w->child_program = options->child_program ? strdup(options->child_program) : NULL;
    int length = root.path
                     ? asprintf(&w->identity, "workspace%s:%s", w->write ? "+write" : "", root.path)
                     : asprintf(&w->identity, "data");
    if (length < 0)
        abort();
    w->catalogue = make_catalogue(options);
    w->schemas = calloc(w->catalogue->n_tools, sizeof *w->schemas);
    if (!w->schemas)
        abort();
    *out = &w->port;
    return ERR_NONE;
}
