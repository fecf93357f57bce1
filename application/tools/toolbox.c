#include "application/tools/toolbox.h"
#include "application/tools/lookup.h"
#include "domain/base/text.h"
#include <assert.h>
#include <string.h>

struct slot {
    struct tool_server *server;
    const struct server_config *config; /* NULL for a server nobody configured */
    struct tool_catalogue *catalogue;   /* NULL before it was listed, or when it failed */
    struct err err;                     /* of the last listing */
};

struct toolbox {
    struct runtime *runtime;
    struct slot slots[TOOLBOX_MAX_SERVERS];
    size_t n_slots;
    struct arena snapshot; /* owns what follows */
    const struct tool **tools;
    size_t n_tools, capacity;
    struct toolbox_failure *failures;
    size_t n_failures;
};

static const struct server_config *config_of(const struct settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->n_servers; i++)
        if (strcmp(settings->servers[i].name, name) == 0)
            return &settings->servers[i];
    return NULL;
}

struct toolbox *toolbox_create(struct runtime *runtime, const struct settings *settings,
                               struct tool_server **servers, size_t n_servers)
{
    assert(n_servers <= TOOLBOX_MAX_SERVERS);
    struct toolbox *toolbox = calloc(1, sizeof *toolbox);
    if (!toolbox)
        abort();
    toolbox->runtime = runtime;
    toolbox->n_slots = n_servers;
    for (size_t i = 0; i < n_servers; i++) {
        toolbox->slots[i].server = servers[i];
        toolbox->slots[i].config = config_of(settings, tool_server_name(servers[i]));
    }
    return toolbox;
}

static void drop_snapshot(struct toolbox *toolbox)
{
    arena_finish(&toolbox->snapshot);
    toolbox->tools = NULL;
    toolbox->failures = NULL;
    toolbox->n_tools = toolbox->capacity = toolbox->n_failures = 0;
}

void toolbox_destroy(struct toolbox *toolbox)
{
    if (!toolbox)
        return;
    drop_snapshot(toolbox);
    for (size_t i = 0; i < toolbox->n_slots; i++)
        tool_catalogue_unref(toolbox->slots[i].catalogue);
    free(toolbox);
}

static bool any_glob_matches(const char *const *globs, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (text_matches_glob(globs[i], name))
            return true;
    return false;
}

static bool is_offered(const struct slot *slot, const struct tool *tool)
{
    const struct server_config *config = slot->config;
    if (!config)
        return true;
    if (config->allowed_tools &&
        !any_glob_matches(config->allowed_tools, config->n_allowed_tools, tool->name))
        return false;
    return !any_glob_matches(config->disabled_tools, config->n_disabled_tools, tool->name);
}

static enum err_code list_slot(struct slot *slot, struct scope *scope)
{
    struct tool_catalogue *catalogue = NULL;
    slot->err = (struct err){ .code = ERR_NONE };
    enum err_code r = tool_server_list(slot->server, scope, &catalogue, &slot->err);
    if (r) {
        err_prefix(&slot->err, r, "server %s", tool_server_name(slot->server));
        err_about(&slot->err, r, "server");
    }
    tool_catalogue_unref(slot->catalogue);
    slot->catalogue = r ? NULL : catalogue;
    return r;
}

static enum err_code list_task(struct runtime *runtime, struct scope *scope, void *slot)
{
    (void)runtime;
    return list_slot(slot, scope);
}

static void list_all(struct toolbox *toolbox, struct scope *scope)
{
    struct task *tasks[TOOLBOX_MAX_SERVERS];
    for (size_t i = 0; i < toolbox->n_slots; i++)
        tasks[i] = runtime_spawn(toolbox->runtime, scope, list_task, &toolbox->slots[i]);
    for (size_t i = 0; i < toolbox->n_slots; i++)
        (void)runtime_wait(toolbox->runtime, tasks[i]);
}

static int by_full_name(const void *a, const void *b)
{
    const struct tool *const *left = a, *const *right = b;
    return strcmp((*left)->full_name, (*right)->full_name);
}

static void snapshot_slot(struct toolbox *toolbox, const struct slot *slot)
{
    if (!slot->catalogue) {
        struct toolbox_failure *failure = &toolbox->failures[toolbox->n_failures++];
        failure->server = tool_server_name(slot->server);
        failure->err = slot->err;
        return;
    }
    for (size_t i = 0; i < slot->catalogue->n_tools; i++)
        if (is_offered(slot, &slot->catalogue->tools[i]))
            *arena_push(&toolbox->snapshot, toolbox->tools, toolbox->n_tools, toolbox->capacity) =
                &slot->catalogue->tools[i];
}

static void take_snapshot(struct toolbox *toolbox, const struct slot *only)
{
    drop_snapshot(toolbox);
    toolbox->failures =
        arena_array(&toolbox->snapshot, struct toolbox_failure, toolbox->n_slots + 1);
    for (size_t i = 0; i < toolbox->n_slots; i++)
        if (!only || only == &toolbox->slots[i])
            snapshot_slot(toolbox, &toolbox->slots[i]);
    if (toolbox->n_tools)
        qsort(toolbox->tools, toolbox->n_tools, sizeof *toolbox->tools, by_full_name);
}

static struct slot *slot_named(struct toolbox *toolbox, const char *name, size_t length)
{
    for (size_t i = 0; i < toolbox->n_slots; i++) {
        const char *candidate = tool_server_name(toolbox->slots[i].server);
        if (strlen(candidate) == length && memcmp(candidate, name, length) == 0)
            return &toolbox->slots[i];
    }
    return NULL;
}

static enum err_code no_such_server(const struct toolbox *toolbox, const char *name, size_t length,
                                    struct err *err)
{
    struct tool_server *servers[TOOLBOX_MAX_SERVERS];
    for (size_t i = 0; i < toolbox->n_slots; i++)
        servers[i] = toolbox->slots[i].server;
    return lookup_no_server(servers, toolbox->n_slots, name, length, err);
}

enum err_code toolbox_refresh(struct toolbox *toolbox, struct scope *scope, const char *only,
                              struct err *err)
{
    struct slot *slot = only ? slot_named(toolbox, only, strlen(only)) : NULL;
    if (only && !slot)
        return no_such_server(toolbox, only, strlen(only), err);
    if (slot)
        (void)list_slot(slot, scope);
    else
        list_all(toolbox, scope);
    take_snapshot(toolbox, slot);
    enum err_code r = scope_check(scope, runtime_now_ms(toolbox->runtime), err);
    if (r)
        return r;
    size_t n_asked = slot ? 1 : toolbox->n_slots;
    if (n_asked == 0 || toolbox->n_failures < n_asked)
        return ERR_NONE;
    if (err)
        *err = toolbox->failures[0].err;
    return toolbox->failures[0].err.code;
}

const struct tool *const *toolbox_tools(const struct toolbox *toolbox, size_t *out_n)
{
    *out_n = toolbox->n_tools;
    return toolbox->tools;
}

const struct toolbox_failure *toolbox_failures(const struct toolbox *toolbox, size_t *out_n)
{
    *out_n = toolbox->n_failures;
    return toolbox->failures;
}

const struct tool *const *toolbox_known(const struct toolbox *toolbox, struct arena *arena,
                                        size_t *out_n)
{
    const struct tool **tools = NULL;
    size_t n = 0, capacity = 0;
    for (size_t i = 0; i < toolbox->n_slots; i++) {
        const struct slot *slot = &toolbox->slots[i];
        for (size_t t = 0; slot->catalogue && t < slot->catalogue->n_tools; t++)
            if (is_offered(slot, &slot->catalogue->tools[t]))
                *arena_push(arena, tools, n, capacity) = &slot->catalogue->tools[t];
    }
    *out_n = n;
    return tools;
}

struct tool_server *toolbox_server_of(const struct toolbox *toolbox, const struct tool *tool)
{
    for (size_t i = 0; i < toolbox->n_slots; i++)
        if (strcmp(tool_server_name(toolbox->slots[i].server), tool->server) == 0)
            return toolbox->slots[i].server;
    return NULL;
}

static enum err_code no_such_tool(struct toolbox *toolbox, const struct slot *slot,
                                  const char *name, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    size_t room = 1 + (slot ? slot->catalogue->n_tools : toolbox->n_tools), n = 0;
    const char **names = arena_array(&scratch, const char *, room);
    const char **full_names = arena_array(&scratch, const char *, room);
    for (size_t i = 0; i + 1 < room; i++) {
        const struct tool *tool = slot ? &slot->catalogue->tools[i] : toolbox->tools[i];
        if (slot && !is_offered(slot, tool))
            continue;
        names[n] = tool->name;
        full_names[n++] = tool->full_name;
    }
    const char *wanted = slot ? name + strlen(slot->catalogue->server) + 1 : name;
    char *shown = text_one_line(&scratch, name, strlen(name), 80);
    enum err_code r = err_set(err, ERR_NOT_FOUND, 0, "no tool is named \"%s\"", shown);
    err_about(err, r, "tool");
    (void)lookup_hint(err, r, wanted, names, full_names, n);
    return err_hint(err, r, "mistro tools lists what there is");
}

static enum err_code find_by_full_name(struct toolbox *toolbox, struct scope *scope,
                                       const char *name, size_t server_length,
                                       const struct tool **out, struct err *err)
{
    struct slot *slot = slot_named(toolbox, name, server_length);
    if (!slot)
        return no_such_server(toolbox, name, server_length, err);
    if (!slot->catalogue && list_slot(slot, scope)) {
        if (err)
            *err = slot->err;
        return slot->err.code;
    }
    const struct tool *tool = tool_catalogue_find(slot->catalogue, name + server_length + 1);
    if (!tool || !is_offered(slot, tool))
        return no_such_tool(toolbox, slot, name, err);
    *out = tool;
    return ERR_NONE;
}

static enum err_code find_by_bare_name(struct toolbox *toolbox, struct scope *scope,
                                       const char *name, const struct tool **out, struct err *err)
{
    const struct tool *found = NULL;
    enum err_code r = toolbox->n_tools ? ERR_NONE : toolbox_refresh(toolbox, scope, NULL, err);
    if (r)
        return r;
    for (size_t i = 0; i < toolbox->n_tools; i++) {
        if (strcmp(toolbox->tools[i]->name, name) != 0)
            continue;
        if (found) {
            r = err_set(err, ERR_INVALID, 0, "several servers have a tool \"%.80s\"", name);
            err_about(err, r, "tool");
            return err_hint(err, r, "say which: %.100s or %.100s", found->full_name,
                            toolbox->tools[i]->full_name);
        }
        found = toolbox->tools[i];
    }
    if (!found)
        return no_such_tool(toolbox, NULL, name, err);
    *out = found;
    return ERR_NONE;
}

enum err_code toolbox_find(struct toolbox *toolbox, struct scope *scope, const char *name,
                           const struct tool **out_tool, struct tool_server **out_server,
                           struct err *err)
{
    const struct tool *tool = NULL;
    const char *slash = strchr(name, '/');
    enum err_code r =
        slash ? find_by_full_name(toolbox, scope, name, (size_t)(slash - name), &tool, err)
              : find_by_bare_name(toolbox, scope, name, &tool, err);
    if (r)
        return r;
    if (out_tool)
        *out_tool = tool;
    if (out_server)
        *out_server = toolbox_server_of(toolbox, tool);
    return ERR_NONE;
}
