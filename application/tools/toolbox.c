#include "application/tools/toolbox.h"
#include "application/tools/lookup.h"
#include "domain/base/text.h"
#include <assert.h>
#include <string.h>

struct slot {
    struct toolbox *toolbox;
    struct tool_server *server;
    const struct server_config *config; /* NULL for a server that is not configured */
    struct tool_catalogue *catalogue;   /* NULL before it was listed, or when it failed */
    struct pin_verdict verdict;         /* about the catalogue */
    struct err err;                     /* of the last listing */
};

struct toolbox {
    struct services *services;
    size_t n_slots;
    struct arena snapshot; /* owns what follows */
    const struct tool **tools;
    size_t n_tools, capacity;
    struct toolbox_quarantined *quarantined;
    size_t n_quarantined, quarantined_capacity;
    struct toolbox_failure *failures;
    size_t n_failures;
    struct slot slots[];
};

struct toolbox *toolbox_create(struct services *services, struct tool_server **servers,
                               size_t n_servers)
{
    assert(n_servers <= TOOLBOX_MAX_SERVERS);
    struct toolbox *toolbox = calloc(1, sizeof *toolbox + n_servers * sizeof *toolbox->slots);
    if (!toolbox)
        abort();
    toolbox->services = services;
    toolbox->n_slots = n_servers;
    for (size_t i = 0; i < n_servers; i++) {
        toolbox->slots[i].toolbox = toolbox;
        toolbox->slots[i].server = servers[i];
        toolbox->slots[i].config = lookup_config(services->settings, tool_server_name(servers[i]));
    }
    return toolbox;
}

static void drop_snapshot(struct toolbox *toolbox)
{
    arena_finish(&toolbox->snapshot);
    toolbox->tools = NULL;
    toolbox->quarantined = NULL;
    toolbox->failures = NULL;
    toolbox->n_tools = toolbox->capacity = toolbox->n_failures = 0;
    toolbox->n_quarantined = toolbox->quarantined_capacity = 0;
}

void toolbox_destroy(struct toolbox *toolbox)
{
    if (!toolbox)
        return;
    drop_snapshot(toolbox);
    for (size_t i = 0; i < toolbox->n_slots; i++) {
        tool_catalogue_unref(toolbox->slots[i].catalogue);
        pin_verdict_finish(&toolbox->slots[i].verdict);
    }
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

static enum pin_state state_of(const struct slot *slot, const struct tool *tool)
{
    return pin_verdict_of(&slot->verdict, (size_t)(tool - slot->catalogue->tools));
}

/* A catalogue that was found in order once stays so. */
static enum err_code judge(struct slot *slot, struct scope *scope,
                           const struct tool_catalogue *catalogue)
{
    if (catalogue == slot->catalogue && !slot->verdict.states)
        return ERR_NONE;
    pin_verdict_finish(&slot->verdict);
    if (!pins_apply(slot->server, slot->config))
        return ERR_NONE;
    return pins_judge(slot->toolbox->services, scope, slot->server, catalogue, &slot->verdict,
                      &slot->err);
}

static enum err_code list_slot(struct slot *slot, struct scope *scope)
{
    struct tool_catalogue *catalogue = NULL;
    slot->err = (struct err){ .code = ERR_NONE };
    enum err_code r = tool_server_list(slot->server, scope, &catalogue, &slot->err);
    if (!r)
        r = judge(slot, scope, catalogue);
    if (r) {
        err_prefix(&slot->err, r, "server %s", tool_server_name(slot->server));
        err_about(&slot->err, r, "server");
    }
    tool_catalogue_unref(slot->catalogue);
    if (r)
        tool_catalogue_unref(catalogue);
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
        tasks[i] = runtime_spawn(toolbox->services->runtime, scope, list_task, &toolbox->slots[i]);
    for (size_t i = 0; i < toolbox->n_slots; i++)
        (void)runtime_wait(toolbox->services->runtime, tasks[i]);
}

static int by_full_name(const void *a, const void *b)
{
    const struct tool *const *left = a, *const *right = b;
    return strcmp((*left)->full_name, (*right)->full_name);
}

static int by_name_of_tool(const void *a, const void *b)
{
    const struct toolbox_quarantined *left = a, *right = b;
    return by_full_name(&left->tool, &right->tool);
}

static void add_failure(struct toolbox_failure *list, size_t *n, const struct slot *slot,
                        const struct err *err)
{
    list[(*n)++] = (struct toolbox_failure){ tool_server_name(slot->server), *err };
}

static void snapshot_tool(struct toolbox *toolbox, const struct slot *slot, const struct tool *tool)
{
    enum pin_state state = state_of(slot, tool);
    if (state == PIN_AGREED)
        *arena_push(&toolbox->snapshot, toolbox->tools, toolbox->n_tools, toolbox->capacity) = tool;
    else
        *arena_push(&toolbox->snapshot, toolbox->quarantined, toolbox->n_quarantined,
                    toolbox->quarantined_capacity) = (struct toolbox_quarantined){ tool, state };
}

static void snapshot_slot(struct toolbox *toolbox, const struct slot *slot, bool for_plans)
{
    struct tool_server_status status = { 0 };
    if (!slot->catalogue) {
        add_failure(toolbox->failures, &toolbox->n_failures, slot, &slot->err);
        return;
    }
    tool_server_status(slot->server, &status);
    for (size_t i = 0; i < slot->catalogue->n_tools; i++) {
        const struct tool *tool = &slot->catalogue->tools[i];
        bool is_shown = for_plans || !status.is_builtin || !tool_is_for_plans(tool);
        if (is_shown && is_offered(slot, tool))
            snapshot_tool(toolbox, slot, tool);
    }
}

static void take_snapshot(struct toolbox *toolbox, const struct slot *only)
{
    drop_snapshot(toolbox);
    toolbox->failures =
        arena_array(&toolbox->snapshot, struct toolbox_failure, toolbox->n_slots + 1);
    for (size_t i = 0; i < toolbox->n_slots; i++)
        if (!only || only == &toolbox->slots[i])
            snapshot_slot(toolbox, &toolbox->slots[i], only != NULL);
    if (toolbox->n_tools)
        qsort(toolbox->tools, toolbox->n_tools, sizeof *toolbox->tools, by_full_name);
    if (toolbox->n_quarantined)
        qsort(toolbox->quarantined, toolbox->n_quarantined, sizeof *toolbox->quarantined,
              by_name_of_tool);
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

const char *toolbox_folder_path(const struct toolbox *toolbox, const char *server)
{
    for (size_t i = 0; i < toolbox->n_slots; i++) {
        const struct slot *slot = &toolbox->slots[i];
        struct tool_server_status status = { 0 };
        if (!slot->verdict.is_moved || strcmp(tool_server_name(slot->server), server) != 0)
            continue;
        tool_server_status(slot->server, &status);
        return status.folder_path;
    }
    return NULL;
}

static enum err_code no_such_server(const struct toolbox *toolbox, const char *name, size_t length,
                                    struct err *err)
{
    struct tool_server *servers[TOOLBOX_MAX_SERVERS];
    for (size_t i = 0; i < toolbox->n_slots; i++)
        servers[i] = toolbox->slots[i].server;
    return lookup_no_server(toolbox->services->settings, servers, toolbox->n_slots, name, length,
                            err);
}

/* mistro's own servers are always there: they do not make up for the configured ones. */
static bool all_failed(const struct toolbox *toolbox)
{
    size_t n_configured = 0, n_lost = 0;
    for (size_t i = 0; i < toolbox->n_slots; i++) {
        struct tool_server_status status = { 0 };
        tool_server_status(toolbox->slots[i].server, &status);
        n_configured += !status.is_builtin;
        n_lost += !status.is_builtin && !toolbox->slots[i].catalogue;
    }
    return (n_configured && n_lost == n_configured) ||
           (toolbox->n_slots && toolbox->n_failures == toolbox->n_slots);
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
    enum err_code r = scope_check(scope, runtime_now_ms(toolbox->services->runtime), err);
    if (r)
        return r;
    if (slot ? !toolbox->n_failures : !all_failed(toolbox))
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

const struct toolbox_quarantined *toolbox_quarantine(const struct toolbox *toolbox, size_t *out_n)
{
    *out_n = toolbox->n_quarantined;
    return toolbox->quarantined;
}

const struct toolbox_failure *toolbox_take_unpinned(struct toolbox *toolbox, struct arena *arena,
                                                    size_t *out_n)
{
    struct toolbox_failure *list = arena_array(arena, struct toolbox_failure, toolbox->n_slots + 1);
    *out_n = 0;
    for (size_t i = 0; i < toolbox->n_slots; i++) {
        struct slot *slot = &toolbox->slots[i];
        if (slot->verdict.unstored.code)
            add_failure(list, out_n, slot, &slot->verdict.unstored);
        slot->verdict.unstored = (struct err){ .code = ERR_NONE };
    }
    return list;
}

static bool is_given_out(const struct slot *slot, const struct tool *tool)
{
    return is_offered(slot, tool) && state_of(slot, tool) == PIN_AGREED;
}

const struct tool *const *toolbox_known(const struct toolbox *toolbox, struct arena *arena,
                                        size_t *out_n)
{
    const struct tool **tools = NULL;
    size_t n = 0, capacity = 0;
    for (size_t i = 0; i < toolbox->n_slots; i++) {
        const struct slot *slot = &toolbox->slots[i];
        for (size_t t = 0; slot->catalogue && t < slot->catalogue->n_tools; t++)
            if (is_given_out(slot, &slot->catalogue->tools[t]))
                *arena_push(arena, tools, n, capacity) = &slot->catalogue->tools[t];
    }
    *out_n = n;
    return tools;
}

const struct tool_catalogue *toolbox_catalogue(const struct toolbox *toolbox, const char *server,
                                               const struct pin_verdict **out_verdict)
{
    for (size_t i = 0; i < toolbox->n_slots; i++) {
        const struct slot *slot = &toolbox->slots[i];
        if (!slot->catalogue || strcmp(tool_server_name(slot->server), server) != 0)
            continue;
        *out_verdict = &slot->verdict;
        return slot->catalogue;
    }
    return NULL;
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
        if (slot && !is_given_out(slot, tool))
            continue;
        names[n] = tool->name;
        full_names[n++] = tool->full_name;
    }
    const char *wanted = slot ? name + strlen(slot->catalogue->server) + 1 : name;
    char *shown = text_one_line(&scratch, name, strlen(name), 80);
    enum err_code r = err_set(err, ERR_NOT_FOUND, 0, "no tool is named \"%s\"", shown);
    err_about(err, r, "tool");
    (void)lookup_hint(err, r, wanted, names, full_names, n);
    if (strcmp(name, "files/write_file") == 0 || strcmp(name, "files/edit_file") == 0)
        (void)err_hint(err, r, "workspace.write: true in the settings offers it");
    return err_hint(err, r, "use one that mistro tools lists");
}

static enum err_code find_by_full_name(struct toolbox *toolbox, struct scope *scope,
                                       const char *name, size_t server_length,
                                       struct toolbox_quarantined *out, struct err *err)
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
    *out = (struct toolbox_quarantined){ tool, state_of(slot, tool) };
    return ERR_NONE;
}

static enum err_code find_by_bare_name(struct toolbox *toolbox, struct scope *scope,
                                       const char *name, struct toolbox_quarantined *out,
                                       struct err *err)
{
    const struct tool *found = NULL;
    bool was_listed = toolbox->n_tools || toolbox->n_quarantined;
    enum err_code r = was_listed ? ERR_NONE : toolbox_refresh(toolbox, scope, NULL, err);
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
    *out = (struct toolbox_quarantined){ found, PIN_AGREED };
    /* Where no tool that may be used has the name, the first in quarantine that has. */
    for (size_t i = 0; !out->tool && i < toolbox->n_quarantined; i++)
        if (strcmp(toolbox->quarantined[i].tool->name, name) == 0)
            *out = toolbox->quarantined[i];
    return out->tool ? ERR_NONE : no_such_tool(toolbox, NULL, name, err);
}

static enum err_code refuse(const struct toolbox *toolbox, const struct toolbox_quarantined *found,
                            struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *name = found->tool->full_name;
    const char *path = toolbox_folder_path(toolbox, found->tool->server);
    const char *why = "it is new since its server was approved";
    name = text_one_line(&scratch, name, strlen(name), 120);
    if (path)
        why = arena_printf(&scratch, "its server's " TOOLBOX_FOLDER_REASON,
                           text_one_line(&scratch, path, strlen(path), 120));
    enum err_code r = found->why == PIN_CHANGED
                          ? err_set(err, ERR_MISMATCH, 0, "%s differs from what was approved", name)
                          : err_set(err, ERR_DENIED, 0, "%s is quarantined: %s", name, why);
    err_about(err, r, "tool");
    return err_hint(err, r, "see what changed and approve it: mistro servers review %s",
                    found->tool->server);
}

enum err_code toolbox_look_up(struct toolbox *toolbox, struct scope *scope, const char *name,
                              const struct tool **out_tool, enum pin_state *out_state,
                              struct err *err)
{
    struct toolbox_quarantined found = { 0 };
    const char *slash = strchr(name, '/');
    enum err_code r =
        slash ? find_by_full_name(toolbox, scope, name, (size_t)(slash - name), &found, err)
              : find_by_bare_name(toolbox, scope, name, &found, err);
    if (r)
        return r;
    *out_tool = found.tool;
    *out_state = found.why;
    return ERR_NONE;
}

enum err_code toolbox_find(struct toolbox *toolbox, struct scope *scope, const char *name,
                           const struct tool **out_tool, struct tool_server **out_server,
                           struct err *err)
{
    struct toolbox_quarantined found = { 0 };
    enum err_code r = toolbox_look_up(toolbox, scope, name, &found.tool, &found.why, err);
    if (!r && found.why != PIN_AGREED)
        r = refuse(toolbox, &found, err);
    if (r)
        return r;
    if (out_tool)
        *out_tool = found.tool;
    if (out_server)
        *out_server = toolbox_server_of(toolbox, found.tool);
    return ERR_NONE;
}
