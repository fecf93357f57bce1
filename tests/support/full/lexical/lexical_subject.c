#include "tests/support/full/lexical/lexical_subject.h"
#include "application/orchestrators/lexical/lexical_analyst.h"
#include "application/settings.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/confidence.h"
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/workspace/workspace_tools.h"
#include "tests/support/full/test_assets.h"
#include <string.h>

static enum hint hint_of(const json_t *definition, const char *name)
{
    const json_t *hint = json_object_get(json_object_get(definition, "annotations"), name);
    return json_is_true(hint) ? HINT_YES : json_is_false(hint) ? HINT_NO : HINT_UNSAID;
}

void lexical_tools_add(struct lexical_tools *tools, const char *server, json_t *definition)
{
    struct arena *arena = &tools->arena;
    struct tool *tool = arena_new(arena, struct tool);
    const char *name = json_get_string(arena_keep_json(arena, definition), "name");
    *tool = (struct tool){ .server = server,
                           .name = name,
                           .full_name = arena_printf(arena, "%s/%s", server, name),
                           .title = json_get_string(definition, "title"),
                           .description = json_get_string(definition, "description"),
                           .input_schema = json_object_get(definition, "inputSchema"),
                           .output_schema = json_object_get(definition, "outputSchema"),
                           .read_only = hint_of(definition, "readOnlyHint"),
                           .destructive = hint_of(definition, "destructiveHint"),
                           .idempotent = hint_of(definition, "idempotentHint"),
                           .open_world = hint_of(definition, "openWorldHint"),
                           .definition = definition };
    *arena_push(arena, tools->list, tools->n, tools->capacity) = tool;
}

void lexical_tools_add_workspace(struct lexical_tools *tools, bool with_writing)
{
    for (size_t i = 0; i < workspace_n_tools; i++)
        if (with_writing || !workspace_tools[i].writes)
            lexical_tools_add(tools, "files", workspace_tool_definition(&workspace_tools[i]));
}

void lexical_tools_add_jobs(struct lexical_tools *tools)
{
    size_t i;
    json_t *definition;
    json_auto_t *file = json_load_file(SOURCE_DIR "/data/schemas/job_tools.json", 0, NULL);
    json_array_foreach (json_object_get(file, "tools"), i, definition)
        lexical_tools_add(tools, "mistro", json_incref(definition));
}

static int by_full_name(const void *a, const void *b)
{
    const struct tool *const *left = a, *const *right = b;
    return strcmp((*left)->full_name, (*right)->full_name);
}

bool lexical_tools_index(struct lexical_tools *tools)
{
    if (tools->n)
        qsort(tools->list, tools->n, sizeof *tools->list, by_full_name);
    if (!tools->index)
        tools->index = bm25_tool_index_create();
    return tool_index_build(tools->index, tools->list, tools->n, NULL) == ERR_NONE;
}

void lexical_tools_finish(struct lexical_tools *tools)
{
    if (tools->index)
        tool_index_destroy(tools->index);
    arena_finish(&tools->arena);
}

static void ask_for(struct arena *arena, struct lexical_outcome *out, const char *key)
{
    size_t capacity = out->n_keys; /* questions are few */
    out->did = LEXICAL_ASKED;
    *arena_push(arena, out->keys, out->n_keys, capacity) = key;
}

/* What the confidence gate asks about a call: required parameters without a value, and values that
 * the schema does not admit. */
static void ask_about(struct arena *arena, const struct lexical_act *call,
                      struct lexical_outcome *out)
{
    size_t i;
    const char *name;
    json_t *value;
    json_array_foreach (json_object_get(call->tool->input_schema, "required"), i, value)
        if (!json_object_get(call->args, json_string_value(value)))
            ask_for(arena, out, json_string_value(value));
    json_each_member (call->args, name, value)
        if (!confidence_value_fits(call->tool, name, value))
            ask_for(arena, out, name);
}

static void act(struct arena *arena, const struct tool *tool, const json_t *args,
                struct lexical_outcome *out)
{
    size_t capacity = out->n_calls;
    struct lexical_act *call = arena_push(arena, out->calls, out->n_calls, capacity);
    *call = (struct lexical_act){ tool, args };
    if (out->did == LEXICAL_REFUSED)
        out->did = LEXICAL_ACTED;
    ask_about(arena, call, out);
}

enum err_code lexical_outcome_of(struct arena *arena, const struct lexical_tools *tools,
                                 const char *text, struct lexical_outcome *out, struct err *err)
{
    struct settings settings;
    struct lexical_analysis found;
    settings_init(&settings);
    const struct lexical_request request = { .index = tools->index,
                                             .tools = tools->list,
                                             .n_tools = tools->n,
                                             .text = text,
                                             .threshold = settings.lexical_threshold,
                                             .today = tools->today,
                                             .assets = test_assets() };
    enum err_code r = lexical_analyse(arena, &request, &found, err);
    if (r)
        return r;
    *out = (struct lexical_outcome){ .did = LEXICAL_REFUSED,
                                     .choices = found.choices,
                                     .n_choices = found.n_choices,
                                     .score = found.score,
                                     .tool_score = found.tool_score,
                                     .refusal = found.refusal,
                                     .explanation = found.explanation };
    for (size_t i = 0; i < found.n_calls; i++)
        act(arena, found.calls[i].tool, found.calls[i].args, out);
    if (found.n_calls && found.wanting)
        ask_for(arena, out, found.wanting);
    if (found.n_calls && found.doubt)
        ask_for(arena, out, "confirm");
    if (!found.n_calls && found.n_choices)
        ask_for(arena, out, "tool");
    return ERR_NONE;
}
