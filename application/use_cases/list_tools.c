#include "application/use_cases/list_tools.h"
#include "application/tools/server_events.h"
#include "application/tools/toolbox.h"
#include "domain/base/json.h"

static struct listed_tool listed(struct arena *arena, const struct tool *tool)
{
    return (struct listed_tool){
        .server = arena_strdup(arena, tool->server),
        .name = arena_strdup(arena, tool->name),
        .full_name = arena_strdup(arena, tool->full_name),
        .summary = tool_summary(arena, tool, LISTED_SUMMARY_COLUMNS),
        .signature = tool_signature(arena, tool, tool->full_name),
        .definition = arena_keep_json(arena, json_share(tool->definition)),
    };
}

static void take(struct arena *arena, const struct toolbox *toolbox, struct tool_listing *out)
{
    const struct tool *const *tools = toolbox_tools(toolbox, &out->n_tools);
    const struct toolbox_failure *failures = toolbox_failures(toolbox, &out->n_failures);
    out->tools = arena_array(arena, struct listed_tool, out->n_tools + 1);
    for (size_t i = 0; i < out->n_tools; i++)
        out->tools[i] = listed(arena, tools[i]);
    out->failures = arena_array(arena, struct listed_failure, out->n_failures + 1);
    for (size_t i = 0; i < out->n_failures; i++)
        out->failures[i] =
            (struct listed_failure){ arena_strdup(arena, failures[i].server), failures[i].err };
}

enum err_code list_tools(struct services *services, struct scope *scope, struct arena *arena,
                         const char *only, struct tool_listing *out, struct err *err)
{
    struct tool_server **servers = NULL;
    size_t n = 0;
    struct server_watch watch;
    enum err_code r = services_servers(services, scope, &servers, &n, err);
    if (r)
        return r;
    struct toolbox *toolbox = toolbox_create(services->runtime, services->settings, servers, n);
    server_watch_begin(&watch, services, servers, n);
    r = toolbox_refresh(toolbox, scope, only, err);
    server_watch_end(&watch);
    if (!r)
        take(arena, toolbox, out);
    toolbox_destroy(toolbox);
    return r;
}
