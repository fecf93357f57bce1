#include "tests/support/full/request_set.h"
#include "application/orchestrators/lexical/lexical_analyst.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/workspace/workspace_tools.h"
#include "tests/support/full/test_assets.h"
#include <stdio.h>
#include <string.h>

enum { MAX_TOOLS = 32, MAX_LINE = 4096 };

struct tool_set {
    struct tool tools[MAX_TOOLS];
    const struct tool *list[MAX_TOOLS];
    size_t n;
    struct tool_index *index;
};

static bool only_reads(const json_t *definition)
{
    const json_t *hints = json_object_get(definition, "annotations");
    return json_get_bool(hints, "readOnlyHint", false);
}

static void add_tool(struct tool_set *set, struct arena *arena, const char *server,
                     json_t *definition)
{
    if (set->n == MAX_TOOLS)
        return;
    const char *name = json_get_string(definition, "name");
    struct tool *tool = &set->tools[set->n];
    *tool = (struct tool){ .server = server,
                           .name = name,
                           .full_name = arena_printf(arena, "%s/%s", server, name),
                           .title = json_get_string(definition, "title"),
                           .description = json_get_string(definition, "description"),
                           .input_schema = json_object_get(definition, "inputSchema"),
                           .read_only = only_reads(definition) ? HINT_YES : HINT_UNSAID,
                           .definition = definition };
    set->list[set->n++] = tool;
}

static void read_workspace_tools(struct tool_set *set, struct arena *arena)
{
    for (size_t i = 0; i < workspace_n_tools; i++)
        add_tool(set, arena, "workspace",
                 arena_keep_json(arena, workspace_tool_definition(&workspace_tools[i])));
}

static void read_office_tools(struct tool_set *set, struct arena *arena)
{
    size_t i;
    json_t *definition;
    json_t *all = json_load_file(SOURCE_DIR "/tests/data/request_tools.json", 0, NULL);
    if (!all)
        return;
    arena_keep_json(arena, all);
    json_array_foreach (all, i, definition)
        add_tool(set, arena, "office", definition);
}

/* mistro's own jobs stand beside whatever is configured: they may not be taken for anything. */
static void add_job_tools(struct tool_set *set, struct arena *arena)
{
    size_t i;
    json_t *definition, *file = json_load_file(SOURCE_DIR "/data/schemas/job_tools.json", 0, NULL);
    if (!file)
        return;
    arena_keep_json(arena, file);
    json_array_foreach (json_object_get(file, "tools"), i, definition)
        add_tool(set, arena, "mistro", definition);
}

static bool is_ready(struct tool_set *set)
{
    set->index = bm25_tool_index_create();
    return set->n && !tool_index_build(set->index, set->list, set->n, NULL);
}

static bool is_wanted(const json_t *calls, const struct lexical_analysis *found, bool *out_exactly)
{
    size_t i;
    json_t *call;
    bool is_right = false;
    json_array_foreach (calls, i, call)
        if (found->tool && strcmp(json_get_string(call, "tool"), found->tool->name) == 0) {
            is_right = true;
            *out_exactly = *out_exactly || json_equal(json_object_get(call, "args"), found->args);
        }
    return is_right;
}

static void tell_of(const char *request, const json_t *calls, const struct lexical_analysis *found)
{
    auto_str wanted = json_print(calls);
    auto_str got = json_print(found->args);
    printf("%s\n  want %s\n  got  %s %s\n  %s", request, wanted,
           found->tool ? found->tool->name : "nothing", got, found->explanation);
}

static void measure(const struct tool_set *set, const json_t *entry, bool tell,
                    struct request_tally *tally)
{
    AUTO(arena) arena = { 0 };
    struct settings settings;
    struct lexical_analysis found;
    const json_t *calls = json_object_get(entry, "calls");
    settings_init(&settings);
    const struct lexical_request request = { set->index,
                                             set->list,
                                             set->n,
                                             json_get_string(entry, "request"),
                                             settings.lexical_threshold,
                                             0,
                                             test_assets() };
    if (lexical_analyse(&arena, &request, &found, NULL))
        return;
    bool is_exact = false, is_answerable = json_array_size(calls) > 0;
    bool is_right = is_wanted(calls, &found, &is_exact);
    tally->answerable += is_answerable;
    tally->right_tool += is_right;
    tally->right_call += is_exact;
    tally->irrelevant += !is_answerable;
    tally->refused += !is_answerable && !found.tool;
    if (tell && !(is_answerable ? is_exact : !found.tool))
        tell_of(request.text, calls, &found);
}

static bool measure_all(const struct tool_set *workspace, const struct tool_set *office, bool tell,
                        struct request_tally out[REQUEST_HALVES])
{
    char text[MAX_LINE];
    FILE *file = fopen(SOURCE_DIR "/tests/data/requests.jsonl", "rb");
    for (unsigned line = 0; file && fgets(text, sizeof text, file); line++) {
        json_auto_t *entry = json_loads(text, 0, NULL);
        bool is_office = strcmp(json_get_string(entry, "tools"), "office") == 0;
        measure(is_office ? office : workspace, entry, tell && line % REQUEST_HALVES == 0,
                &out[line % REQUEST_HALVES]);
    }
    return file && fclose(file) == 0;
}

bool request_set_measure(bool tell, struct request_tally out[REQUEST_HALVES])
{
    AUTO(arena) arena = { 0 };
    struct tool_set workspace = { .n = 0 }, office = { .n = 0 };
    memset(out, 0, REQUEST_HALVES * sizeof *out);
    read_workspace_tools(&workspace, &arena);
    read_office_tools(&office, &arena);
    add_job_tools(&workspace, &arena);
    add_job_tools(&office, &arena);
    bool is_measured =
        is_ready(&workspace) && is_ready(&office) && measure_all(&workspace, &office, tell, out);
    tool_index_destroy(workspace.index);
    tool_index_destroy(office.index);
    return is_measured;
}
