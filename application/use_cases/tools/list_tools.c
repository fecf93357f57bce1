#include "application/use_cases/tools/list_tools.h"
#include "application/tools/consent.h"
#include "application/tools/lookup.h"
#include "application/tools/quarantine.h"
#include "application/tools/server_events.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
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

enum err_code remembered_tools(struct services *services, struct scope *scope, const char *server,
                               const char *begin, struct tool_catalogue **out, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    struct tool_server *found = NULL;
    struct tool_server_status status = { 0 };
    struct pins pins = { 0 };
    enum err_code r = lookup_configured(services, scope, server, &found, err);
    if (r)
        return r;
    tool_server_status(found, &status);
    if (status.is_builtin)
        return tool_server_list(found, scope, out, err);
    if (!status.identity)
        return err_set(err, ERR_NOT_FOUND, 0, "server %s: no tools are remembered", server);
    r = pins_load(services, scope, found, &scratch, &pins, err);
    if (r)
        return r;
    struct tool_catalogue *catalogue = tool_catalogue_create(server);
    for (size_t i = 0; !r && i < pins.n; i++) {
        const struct pin *pin = &pins.list[i];
        json_auto_t *definition = NULL;
        if (!text_starts_with(pin->name, begin))
            continue;
        r = json_parse(pin->definition, strlen(pin->definition), JSON_FOREIGN, &definition, err);
        if (!r)
            r = tool_catalogue_add(catalogue, definition, err);
    }
    *out = r ? NULL : catalogue;
    if (r)
        tool_catalogue_unref(catalogue);
    return r;
}

static const char *hint_name(enum hint hint)
{
    static const char *const names[] = {
        [HINT_UNSAID] = "unsaid", [HINT_NO] = "no", [HINT_YES] = "yes"
    };
    return names[hint];
}

static enum err_code describe(struct invoker *invoker, struct scope *scope, struct arena *arena,
                              const struct tool *tool, struct shown_tool *out, struct err *err)
{
    const json_t *no_arguments = arena_keep_json(arena, json_object());
    const struct invoke_request request = { .tool = tool, .arguments = no_arguments };
    char *hash = arena_alloc(arena, DIGEST_HEX_SIZE);
    consent_definition_hash(invoker->services->digest, tool, hash);
    *out = (struct shown_tool){
        .full_name = arena_strdup(arena, tool->full_name),
        .title = arena_strdup(arena, tool->title),
        .description = arena_strdup(arena, tool->description),
        .signature = tool_signature(arena, tool, tool->full_name),
        .definition = arena_keep_json(arena, json_share(tool->definition)),
        .input_schema = arena_keep_json(arena, json_share(tool->input_schema)),
        .output_schema = arena_keep_json(arena, json_share(tool->output_schema)),
        .read_only = hint_name(tool->read_only),
        .destructive = hint_name(tool->destructive),
        .idempotent = hint_name(tool->idempotent),
        .open_world = hint_name(tool->open_world),
        .policy = policy_effect_name(consent_policy(invoker, arena, &request)),
        .may_repeat = consent_may_repeat(invoker, scope, arena, &request, NULL),
        .sha256 = hash,
    };
    return consent_is_stored(invoker->services, toolbox_server_of(invoker->toolbox, tool), scope,
                             arena, tool, &out->approved, err);
}

static enum err_code add_change(struct invoker *invoker, struct scope *scope, struct arena *arena,
                                const struct tool *tool, struct shown_tool *out, struct err *err)
{
    struct pins pins = { 0 };
    json_t *agreed = NULL;
    enum err_code r = pins_load(invoker->services, scope, toolbox_server_of(invoker->toolbox, tool),
                                arena, &pins, err);
    for (size_t i = 0; !r && i < pins.n; i++) {
        const char *text = pins.list[i].definition;
        if (strcmp(pins.list[i].name, tool->name) != 0)
            continue;
        out->change = definition_change(arena, text, tool);
        r = json_parse(text, strlen(text), JSON_FOREIGN, &agreed, err);
        out->agreed = r ? NULL : arena_keep_json(arena, agreed);
    }
    return r;
}

enum err_code show_tool(struct services *services, struct scope *scope, struct arena *arena,
                        const char *name, struct shown_tool *out, struct err *err)
{
    struct tool_server **servers = NULL;
    const struct tool *tool = NULL;
    enum pin_state state = PIN_AGREED;
    struct invoker invoker;
    struct server_watch watch;
    size_t n = 0;
    enum err_code r = services_servers(services, scope, &servers, &n, err);
    if (r)
        return r;
    struct toolbox *toolbox = toolbox_create(services, servers, n);
    invoker_init(&invoker, services, toolbox, /* journal */ NULL, /* approvals */ NULL);
    server_watch_begin(&watch, services, servers, n);
    r = toolbox_look_up(toolbox, scope, name, &tool, &state, err);
    server_watch_end(&watch);
    if (!r)
        r = describe(&invoker, scope, arena, tool, out, err);
    if (!r && state != PIN_AGREED)
        out->quarantined = pin_state_name(state);
    if (!r && state == PIN_CHANGED)
        r = add_change(&invoker, scope, arena, tool, out, err);
    invoker_finish(&invoker);
    toolbox_destroy(toolbox);
    return r;
}

json_t *shown_tool_to_json(const struct shown_tool *tool)
{
    json_t *value = json_pack("{s:s, s:s, s:O, s:{s:s, s:s, s:s, s:s}, s:{s:s, s:b, s:b}, s:s}",
                              "name", tool->full_name, "signature", tool->signature, "definition",
                              tool->definition, "hints", "readOnly", tool->read_only, "destructive",
                              tool->destructive, "idempotent", tool->idempotent, "openWorld",
                              tool->open_world, "approval", "policy", tool->policy, "approved",
                              tool->approved, "repeat", tool->may_repeat, "sha256", tool->sha256);
    if (tool->quarantined)
        json_object_set_new(value, "quarantined", json_string(tool->quarantined));
    if (tool->agreed)
        json_object_set_new(value, "agreed", json_share(tool->agreed));
    return value;
}
