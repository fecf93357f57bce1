#include "application/use_cases/tools/search_tools.h"
#include "application/finding/shortlist.h"
#include "application/tools/server_events.h"
#include "application/tools/toolbox.h"

#define SUMMARY_COLUMNS 80

static const char *shown_as(const struct shortlist *list, const struct tool *tool)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->tools[i].tool == tool)
            return list->tools[i].as == OFFERED_LINE ? "line" : "name";
    return "no";
}

static json_t *tool_to_json(struct arena *arena, const struct shortlist *list,
                            const struct ranked_tool *ranked)
{
    json_t *matches = json_array();
    for (size_t i = 0; i < ranked->n_matches; i++) {
        const struct tool_match *match = &ranked->matches[i];
        const char *word = list->ranking.request.words[match->word].plain;
        json_array_append_new(matches, json_pack("{s:s, s:s, s:f}", "word", word, "as", match->as,
                                                 "score", match->score));
    }
    return json_pack("{s:s, s:s, s:f, s:s, s:o}", "name", ranked->tool->full_name, "summary",
                     tool_summary(arena, ranked->tool, SUMMARY_COLUMNS), "score", ranked->score,
                     "shown", shown_as(list, ranked->tool), "matches", matches);
}

/* In the order in which prompts take the tools. */
static enum err_code search(struct services *services, struct arena *arena,
                            const struct toolbox *toolbox,
                            const struct search_tools_request *request, const json_t **out,
                            struct err *err)
{
    struct tool_index *index;
    struct shortlist list;
    struct shortlist_request wanted = { .text = request->words,
                                        .max_tokens = services->settings->tools_prompt_tokens,
                                        .max_lines = (size_t)services->settings->tools_shortlist };
    size_t n_failures = 0;
    wanted.tools = toolbox_tools(toolbox, &wanted.n_tools);
    enum err_code r = services_index(services, &index, err);
    if (!r)
        r = tool_index_build(index, wanted.tools, wanted.n_tools, err);
    if (!r)
        r = shortlist_make(arena, index, services->assets, &wanted, &list, err);
    if (r)
        return r;
    json_t *tools = json_array(), *failures = json_array();
    for (size_t i = 0; i < list.ranking.n && i < request->max; i++)
        json_array_append_new(tools, tool_to_json(arena, &list, &list.ranking.tools[i]));
    const struct toolbox_failure *lost = toolbox_failures(toolbox, &n_failures);
    for (size_t i = 0; i < n_failures; i++)
        json_array_append_new(failures, json_string(lost[i].err.message));
    *out = arena_keep_json(arena, json_pack("{s:i, s:s, s:b, s:o, s:I, s:o}", "version",
                                            SEARCH_TOOLS_VERSION, "language",
                                            list.ranking.request.language, "matched",
                                            list.n_likely > 0, "tools", tools, "n_tools",
                                            (json_int_t)list.ranking.n, "failures", failures));
    return ERR_NONE;
}

enum err_code search_tools(struct services *services, struct scope *scope, struct arena *arena,
                           const struct search_tools_request *request, const json_t **out,
                           struct err *err)
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
