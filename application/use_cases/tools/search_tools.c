#include "application/use_cases/tools/search_tools.h"
#include "application/finding/shortlist.h"
#include "application/tools/server_events.h"
#include "application/tools/toolbox.h"

#define SUMMARY_COLUMNS 80

static const char *const field_names[N_TOOL_FIELDS] = {
    [TOOL_FIELD_NAME] = "name",
    [TOOL_FIELD_TITLE] = "title",
    [TOOL_FIELD_DESCRIPTION] = "description",
    [TOOL_FIELD_PARAMETERS] = "parameters",
    [TOOL_FIELD_PARAMETER_DESCRIPTIONS] = "parameter descriptions",
    [TOOL_FIELD_SERVER] = "server",
};

static const char *shown_as(const struct shortlist *list, const struct tool *tool)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->tools[i].tool == tool)
            return list->tools[i].as == OFFERED_LINE ? "line" : "name";
    return "no";
}

/* What the ranking says of the tool; NULL: nothing. */
static const struct ranked_tool *rank_of(const struct tool_ranking *ranking,
                                         const struct tool_query *query, const struct tool *tool)
{
    for (size_t i = 0; i < ranking->n; i++)
        if (query->tools[ranking->tools[i].tool] == tool)
            return &ranking->tools[i];
    return NULL;
}

static void add(struct arena *arena, const struct tool *tool, const struct tool_ranking *ranking,
                const struct ranked_tool *ranked, const char *shown, struct tool_search_result *out)
{
    struct found_tool *found = &out->tools[out->n_tools++];
    *found = (struct found_tool){ .full_name = arena_strdup(arena, tool->full_name),
                                  .summary = tool_summary(arena, tool, SUMMARY_COLUMNS),
                                  .score = ranked ? ranked->score : 0,
                                  .shown = shown };
    size_t n = ranked ? ranked->n_matches : 0;
    found->matches = arena_array(arena, struct found_match, n + 1);
    for (; found->n_matches < n; found->n_matches++) {
        const struct tool_match *match = &ranked->matches[found->n_matches];
        found->matches[found->n_matches] =
            (struct found_match){ ranking->said[match->word], match->as, field_names[match->field],
                                  match->score };
    }
}

static void add_failures(struct arena *arena, const struct toolbox *toolbox,
                         struct tool_search_result *out)
{
    const struct toolbox_failure *failures = toolbox_failures(toolbox, &out->n_failures);
    out->failures = arena_array(arena, const char *, out->n_failures + 1);
    for (size_t i = 0; i < out->n_failures; i++)
        out->failures[i] = arena_strdup(arena, failures[i].err.message);
}

/* In the order in which prompts take them. */
static enum err_code search(struct services *services, struct arena *arena,
                            const struct toolbox *toolbox,
                            const struct search_tools_request *request,
                            struct tool_search_result *out, struct err *err)
{
    const struct settings *settings = services->settings;
    struct tool_query query = { .assets = services->assets, .text = request->words };
    struct tool_ranking ranking;
    struct shortlist list;
    query.tools = toolbox_tools(toolbox, &query.n_tools);
    const struct shortlist_request wanted = { .tools = query.tools,
                                              .n_tools = query.n_tools,
                                              .text = request->words,
                                              .max_tokens = settings->tools_prompt_tokens,
                                              .max_lines = (size_t)settings->tools_shortlist };
    enum err_code r = services_index(services, &query.index, err);
    if (!r)
        r = tool_index_build(query.index, query.tools, query.n_tools, err);
    if (!r)
        r = tool_ranking_make(arena, &query, &ranking, err);
    if (!r)
        r = shortlist_make(arena, query.index, query.assets, &wanted, &list, err);
    if (r)
        return r;
    size_t max = request->max < SEARCH_TOOLS_MAX ? request->max : SEARCH_TOOLS_MAX;
    *out = (struct tool_search_result){ .language = ranking.request.language,
                                        .has_match = list.n_likely > 0,
                                        .n_all = list.n_all };
    out->tools = arena_array(arena, struct found_tool, max + 1);
    for (size_t i = 0; i < list.n_all && out->n_tools < max; i++)
        add(arena, list.best[i], &ranking, rank_of(&ranking, &query, list.best[i]),
            shown_as(&list, list.best[i]), out);
    add_failures(arena, toolbox, out);
    return ERR_NONE;
}

enum err_code search_tools(struct services *services, struct scope *scope, struct arena *arena,
                           const struct search_tools_request *request,
                           struct tool_search_result *out, struct err *err)
{
    struct tool_server **servers = NULL;
    size_t n = 0;
    struct server_watch watch;
    enum err_code r = services_servers(services, scope, &servers, &n, err);
    if (r)
        return r;
    struct toolbox *toolbox = toolbox_create(services, servers, n);
    server_watch_begin(&watch, services, servers, n);
    r = toolbox_refresh(toolbox, scope, request->only, err);
    server_watch_end(&watch);
    if (!r)
        r = search(services, arena, toolbox, request, out, err);
    toolbox_destroy(toolbox);
    return r;
}

json_t *tool_search_result_to_json(const struct tool_search_result *result)
{
    json_t *tools = json_array(), *failures = json_array();
    for (size_t i = 0; i < result->n_failures; i++)
        json_array_append_new(failures, json_string(result->failures[i]));
    for (size_t i = 0; i < result->n_tools; i++) {
        const struct found_tool *tool = &result->tools[i];
        json_t *matches = json_array();
        for (size_t m = 0; m < tool->n_matches; m++) {
            const struct found_match *match = &tool->matches[m];
            json_array_append_new(matches, json_pack("{s:s, s:s, s:s, s:f}", "word", match->word,
                                                     "as", match->as, "field", match->where,
                                                     "score", match->score));
        }
        json_array_append_new(tools, json_pack("{s:s, s:s, s:f, s:s, s:o}", "name", tool->full_name,
                                               "summary", tool->summary, "score", tool->score,
                                               "shown", tool->shown, "matches", matches));
    }
    return json_pack("{s:s, s:b, s:o, s:I, s:o}", "language", result->language, "matched",
                     result->has_match, "tools", tools, "n_tools", (json_int_t)result->n_all,
                     "failures", failures);
}
