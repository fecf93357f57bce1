#include "application/use_cases/plans/save_plan.h"
#include "application/journal.h"
#include "application/tools/pins.h"
#include "application/use_cases/runs/recorded_plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/saved_plan.h"
#include "domain/text/redact.h"
#include <string.h>

#define KIND_OF_PLANS "run" /* in the log; every other kind of run is a turn */

struct servers {
    struct tool_server **list;
    size_t n;
};

/* Of a server in this process, which is always there; of another one as it was agreed to. */
static const json_t *definition_of(struct services *services, struct scope *scope,
                                   struct arena *arena, struct tool_server *server,
                                   const char *name)
{
    struct tool_server_status status = { 0 };
    struct tool_catalogue *catalogue = NULL;
    struct pins pins = { 0 };
    json_t *definition = NULL;
    tool_server_status(server, &status);
    if (text_equal(status.transport, "in process")) {
        if (tool_server_list(server, scope, &catalogue, NULL))
            return NULL;
        const struct tool *tool = tool_catalogue_find(catalogue, name);
        definition = tool ? json_share(tool->definition) : NULL;
        tool_catalogue_unref(catalogue);
    } else if (!pins_load(services, scope, server, arena, &pins, NULL)) {
        for (size_t i = 0; i < pins.n && !definition; i++)
            if (strcmp(pins.list[i].name, name) == 0 &&
                json_parse(pins.list[i].definition, strlen(pins.list[i].definition), JSON_FOREIGN,
                           &definition, NULL))
                return NULL;
    }
    return definition ? arena_keep_json(arena, definition) : NULL;
}

static const json_t *schema_of(struct services *services, struct scope *scope, struct arena *arena,
                               const struct servers *servers, const char *tool)
{
    const char *slash = strchr(tool, '/');
    for (size_t i = 0; slash && i < servers->n; i++) {
        const char *name = tool_server_name(servers->list[i]);
        if (strlen(name) == (size_t)(slash - tool) && text_starts_with(tool, name))
            return json_object_get(
                definition_of(services, scope, arena, servers->list[i], slash + 1), "inputSchema");
    }
    return NULL;
}

static const struct saved_step *steps_of(struct services *services, struct scope *scope,
                                         struct arena *arena, const struct plan *plan,
                                         const struct recorded_run *recorded)
{
    static const char *const done[] = { "ok", "cached", "done" };
    const struct recorded_step *ended = recorded_steps(arena, plan, recorded);
    struct saved_step *steps = arena_array(arena, struct saved_step, plan->n_steps + 1);
    json_auto_t *first = json_object(); /* of each tool, the step that uses it first */
    struct servers servers = { 0 };
    if (services_servers(services, scope, &servers.list, &servers.n, NULL))
        servers.n = 0; /* then the values say the types */
    for (size_t i = 0; i < plan->n_steps; i++) {
        const char *tool = plan->steps[i].tool;
        const json_t *at = json_object_get(first, tool);
        steps[i].is_done = text_is_one_of(ended[i].status, done, ARRAY_LENGTH(done));
        steps[i].args = ended[i].args;
        steps[i].schema = at ? steps[json_integer_value(at)].schema
                             : schema_of(services, scope, arena, &servers, tool);
        if (!at)
            json_object_set_new(first, tool, json_integer((json_int_t)i));
    }
    return steps;
}

struct lost {
    const char *path; /* of the first text that the log does not have in full; NULL: none */
    const char *how;
};

static json_t *look_for_lost(void *context, const char *path, const json_t *string)
{
    struct lost *lost = context;
    const char *text = json_string_value(string);
    lost->how = strcmp(path, "/goal") == 0              ? NULL
                : strstr(text, REDACTED)                ? "without its secret"
                : text_ends_with(text, JOURNAL_CUT_END) ? "cut"
                                                        : NULL;
    lost->path = lost->how ? path : NULL;
    return lost->path ? NULL : json_share(string);
}

static enum err_code check_is_whole(struct arena *arena, const json_t *plan, bool was_written,
                                    struct err *err)
{
    struct lost lost = { 0 };
    json_auto_t *whole = json_map_strings(arena, "", plan, look_for_lost, &lost);
    if (whole)
        return ERR_NONE;
    enum err_code r =
        err_set(err, ERR_INVALID, 0, "the log has %.200s of the plan only %s", lost.path, lost.how);
    return err_hint(err, r,
                    was_written ? "copy the file that was run"
                                : "write the plan by hand, with an input there");
}

static enum err_code make(struct services *services, struct scope *scope, struct arena *arena,
                          const struct recorded_run *recorded, const json_t **out, struct err *err)
{
    const json_t *value = recorded_plan_value(recorded);
    struct problems problems = { .arena = arena };
    struct plan *plan = NULL;
    if (json_get_int(value, "version", 1) == PLAN_NEWEST_VERSION) {
        *out = value;
        return ERR_NONE;
    }
    if (!plan_from_json(arena, value, &plan, &problems))
        return err_set(err, ERR_INVALID, 0, "the log has only a part of its plan");
    const struct saved_plan_source source = {
        .plan = plan,
        .steps = steps_of(services, scope, arena, plan, recorded),
        .request = recorded->run->title,
        .is_turn = !text_equal(recorded->run->kind, KIND_OF_PLANS),
    };
    return saved_plan_make(arena, &source, out, err);
}

enum err_code save_plan(struct services *services, struct scope *scope, struct arena *arena,
                        const char *run_id, const json_t **out, struct err *err)
{
    struct recorded_run recorded;
    enum err_code r = show_run(services, scope, arena, run_id, &recorded, err);
    if (r)
        return r;
    if (!json_array_size(json_object_get(recorded_plan_value(&recorded), "steps"))) {
        r = err_set(err, ERR_INVALID, 0, "the log has no plan of it");
        (void)err_hint(err, r, "mistro runs show %s tells what it did", recorded.run->id);
    } else if (recorded.run->status == RUN_DRY) {
        r = err_set(err, ERR_INVALID, 0, "it was a dry run, which called nothing");
    } else {
        r = make(services, scope, arena, &recorded, out, err);
    }
    if (!r)
        r = check_is_whole(arena, *out, *out == recorded_plan_value(&recorded), err);
    return r ? err_prefix(err, r, "run %.40s", recorded.run->id) : ERR_NONE;
}

static bool made_calls(const struct recorded_run *recorded)
{
    for (size_t i = 0; i < recorded->n_events; i++)
        if (recorded->events[i].kind == EVENT_TOOL_CALL)
            return true;
    return false;
}

enum err_code save_plan_find_turn(struct services *services, struct scope *scope,
                                  struct arena *arena, const char *session_id,
                                  const char **out_run_id, struct err *err)
{
    struct run *runs = NULL;
    size_t n = 0;
    enum err_code r = list_runs(services, scope, arena, 0, &runs, &n, err);
    for (size_t i = 0; !r && i < n; i++) {
        AUTO(arena) scratch = { 0 };
        struct recorded_run recorded;
        if (!text_equal(runs[i].session_id, session_id))
            continue;
        r = show_run(services, scope, &scratch, runs[i].id, &recorded, err);
        if (!r && made_calls(&recorded)) {
            *out_run_id = runs[i].id;
            return ERR_NONE;
        }
    }
    return r ? r : err_set(err, ERR_NOT_FOUND, 0, "no turn of this session made calls yet");
}
