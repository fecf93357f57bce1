#include "application/use_cases/tools/list_tools.h"
#include "application/tools/quarantine.h"
#include "application/tools/server_events.h"
#include "domain/base/json.h"
#include <string.h>

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

static int by_full_name(const void *a, const void *b)
{
    const struct listed_tool *left = a, *right = b;
    return strcmp(left->full_name, right->full_name);
}

static void add_quarantined(struct arena *arena, const struct toolbox *toolbox,
                            struct tool_listing *out)
{
    size_t n = 0;
    const struct toolbox_quarantined *tools = toolbox_quarantine(toolbox, &n);
    for (size_t i = 0; i < n; i++) {
        struct listed_tool *tool = &out->tools[out->n_tools++];
        *tool = listed(arena, tools[i].tool);
        tool->quarantined = pin_state_name(tools[i].why);
    }
    if (n)
        qsort(out->tools, out->n_tools, sizeof *out->tools, by_full_name);
}

static void add_warnings(struct arena *arena, struct toolbox *toolbox, struct tool_listing *out)
{
    size_t n = 0;
    const struct quarantined_server *servers = quarantine_count(arena, toolbox, &n);
    size_t n_unpinned = 0;
    const char *const *unpinned = quarantine_take_unpinned(arena, toolbox, &n_unpinned);
    out->warnings = arena_array(arena, const char *, n + n_unpinned + 1);
    out->n_warnings = 0;
    for (size_t i = 0; i < n; i++)
        out->warnings[out->n_warnings++] = quarantine_sentence(arena, &servers[i]);
    for (size_t i = 0; i < n_unpinned; i++)
        out->warnings[out->n_warnings++] = unpinned[i];
}

static void take(struct arena *arena, struct toolbox *toolbox, struct tool_listing *out)
{
    const struct tool *const *tools = toolbox_tools(toolbox, &out->n_tools);
    const struct toolbox_failure *failures = toolbox_failures(toolbox, &out->n_failures);
    size_t n_quarantined = 0;
    (void)toolbox_quarantine(toolbox, &n_quarantined);
    out->tools = arena_array(arena, struct listed_tool, out->n_tools + n_quarantined + 1);
    for (size_t i = 0; i < out->n_tools; i++)
        out->tools[i] = listed(arena, tools[i]);
    out->failures = arena_array(arena, struct listed_failure, out->n_failures + 1);
    for (size_t i = 0; i < out->n_failures; i++)
        out->failures[i] =
            (struct listed_failure){ arena_strdup(arena, failures[i].server), failures[i].err };
    add_quarantined(arena, toolbox, out);
    add_warnings(arena, toolbox, out);
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
    struct toolbox *toolbox = toolbox_create(services, servers, n);
    server_watch_begin(&watch, services, servers, n);
    r = toolbox_refresh(toolbox, scope, only, err);
    server_watch_end(&watch);
    if (!r)
        take(arena, toolbox, out);
    toolbox_destroy(toolbox);
    return r;
}
