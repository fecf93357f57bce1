#include "application/finding/shortlist.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHARACTERS_PER_TOKEN 3.5

static bool is_listed(const struct shortlist *list, size_t n, const struct tool *tool)
{
    for (size_t i = 0; i < n; i++)
        if (list->best[i] == tool)
            return true;
    return false;
}

/* Those that must be there come first, reserved ones too: the request need not repeat their words.
 */
static void order_tools(const struct shortlist_request *request, struct shortlist *list)
{
    const struct tool_ranking *ranking = &list->ranking;
    bool is_likely = true;
    for (size_t i = 0; i < request->n_always; i++)
        for (size_t t = 0; t < request->n_tools; t++)
            if (strcmp(request->tools[t]->full_name, request->always[i]) == 0 &&
                !is_listed(list, list->n, request->tools[t]))
                list->best[list->n++] = request->tools[t];
    size_t n_always = list->n;
    for (size_t i = 0; i < ranking->n; i++) {
        if (!is_listed(list, n_always, ranking->tools[i].tool))
            list->best[list->n++] = ranking->tools[i].tool;
        is_likely = is_likely && ranking->tools[i].n_matches;
        list->n_likely = is_likely ? list->n : list->n_likely;
    }
}

/* A name of at most SHORTLIST_SHOWN_MAX bytes that endpoints take; number tells twins apart. */
static const char *shown_name(struct arena *arena, const struct tool *tool, unsigned number)
{
    const char *suffix = number > 1 ? arena_printf(arena, "_%u", number) : "";
    char *name = arena_printf(arena, "%s__%s", tool->server, tool->name);
    size_t room = SHORTLIST_SHOWN_MAX - strlen(suffix);
    if (strlen(name) > room)
        name[room] = '\0';
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
            *c = '_';
    return arena_printf(arena, "%s%s", name, suffix);
}

static bool is_shown(const struct shortlist *list, size_t n, const char *shown)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list->tools[i].shown, shown) == 0)
            return true;
    return false;
}

/* Whether the shown name is server__tool with nothing changed. */
static bool is_own_name(const struct tool *tool, const char *shown)
{
    size_t length = strlen(tool->server);
    return strncmp(shown, tool->server, length) == 0 && strncmp(shown + length, "__", 2) == 0 &&
           strcmp(shown + length + 2, tool->name) == 0;
}

/* Of "get.user" and "get_user" the second keeps its name, whichever is likelier. */
static bool is_of_another(const struct shortlist *list, const struct tool *tool, const char *shown)
{
    bool is_of_another = false;
    for (size_t i = 0; i < list->n && !is_of_another && !is_own_name(tool, shown); i++)
        is_of_another = is_own_name(list->best[i], shown);
    return is_of_another;
}

static const char *unique_name(struct arena *arena, const struct shortlist *list, size_t at)
{
    const char *shown;
    unsigned number = 1;
    do
        shown = shown_name(arena, list->tools[at].tool, number++);
    while (is_shown(list, at, shown) || is_of_another(list, list->tools[at].tool, shown));
    return shown;
}

int64_t shortlist_tokens(const char *text)
{
    return (int64_t)ceil((double)strlen(text) / CHARACTERS_PER_TOKEN);
}

/* Lines while there is room, at least one, then names; the list ends where neither has room. */
static void cut(struct arena *arena, const struct shortlist_request *request,
                struct shortlist *list)
{
    int64_t names = 0, max_names = request->max_tokens / SHORTLIST_NAMES_SHARE;
    size_t n = 0, max_lines = request->max_lines ? request->max_lines : SIZE_MAX;
    bool has_room = true;
    list->tools = arena_array(arena, struct offered_tool, list->n + 1);
    for (; n < list->n; n++) {
        struct offered_tool *offered = &list->tools[n];
        offered->tool = list->best[n];
        offered->shown = unique_name(arena, list, n);
        int64_t line = has_room ? shortlist_tokens(shortlist_line(arena, offered)) : 0;
        has_room =
            has_room && n < max_lines && (n == 0 || list->tokens + line <= request->max_tokens);
        list->tokens += has_room ? line : 0;
        if (has_room)
            continue;
        offered->as = OFFERED_NAME;
        names += shortlist_tokens(offered->shown) + 1;
        if (names > max_names)
            break;
    }
    list->is_complete = has_room;
    list->n = n;
    list->n_likely = n < list->n_likely ? n : list->n_likely;
}

static int by_full_name(const void *a, const void *b)
{
    const struct offered_tool *left = a, *right = b;
    return strcmp(left->tool->full_name, right->tool->full_name);
}

enum err_code shortlist_make(struct arena *arena, struct tool_index *index, struct assets *assets,
                             const struct shortlist_request *request, struct shortlist *out,
                             struct err *err)
{
    const struct tool_query query = { index, assets, request->tools, request->n_tools,
                                      request->text };
    *out = (struct shortlist){ 0 };
    enum err_code r = tool_ranking_make(arena, &query, &out->ranking, err);
    if (r)
        return err_prefix(err, r, "tool index");
    out->best = arena_array(arena, const struct tool *, request->n_tools + 1);
    order_tools(request, out);
    cut(arena, request, out);
    qsort(out->tools, out->n, sizeof *out->tools, by_full_name);
    return ERR_NONE;
}

bool shortlist_admits(struct arena *arena, const struct tool *tool, const char *request)
{
    struct query_words words;
    if (!shortlist_is_reserved(tool->definition))
        return true;
    query_words_split(arena, request, &words);
    return tool_is_admitted(tool, &words);
}

bool shortlist_is_reserved(const json_t *definition)
{
    return json_array_size(
               json_object_get(json_object_get(definition, "_meta"), SHORTLIST_ONLY_FOR)) > 0;
}

const struct tool *shortlist_find(const struct shortlist *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->tools[i].shown, name) == 0 ||
            strcmp(list->tools[i].tool->full_name, name) == 0)
            return list->tools[i].tool;
    return NULL;
}

const char *shortlist_shown(const struct shortlist *list, const struct tool *tool)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->tools[i].tool == tool)
            return list->tools[i].shown;
    return tool->full_name;
}

const char *shortlist_line(struct arena *arena, const struct offered_tool *offered)
{
    return arena_printf(arena, "- %s\n", tool_line(arena, offered->tool, offered->shown));
}

void shortlist_unfold(struct shortlist *list, const char *name)
{
    const struct tool *tool = shortlist_find(list, name);
    for (size_t i = 0; i < list->n; i++)
        if (list->tools[i].tool == tool && list->tools[i].as == OFFERED_NAME)
            list->tools[i].as = OFFERED_NAME_LINE;
}

static const char *print_names(struct arena *arena, const struct shortlist *list)
{
    const char *text = "";
    for (size_t i = 0; i < list->n; i++)
        if (list->tools[i].as != OFFERED_LINE)
            text = arena_printf(arena, "%s%s%s", text, *text ? ", " : "", list->tools[i].shown);
    return *text ? arena_printf(arena, "Further tools, by name: %s\n", text) : "";
}

static const char *print_likeliest(struct arena *arena, const struct shortlist *list)
{
    const char *text = "";
    if (list->n <= SHORTLIST_LIKELIEST)
        return "";
    if (list->n_likely == 0)
        return list->is_complete ? "" : "No tool has a word of the request.\n";
    for (size_t i = 0; i < list->n_likely && i < SHORTLIST_LIKELIEST; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? ", " : "",
                            shortlist_shown(list, list->best[i]));
    return arena_printf(arena, "Likeliest: %s\n", text);
}

const char *shortlist_tail(struct arena *arena, const struct shortlist *list)
{
    const char *text =
        arena_printf(arena, "%s%s", print_names(arena, list), print_likeliest(arena, list));
    for (size_t i = 0; i < list->n; i++)
        if (list->tools[i].as == OFFERED_NAME_LINE)
            text = arena_printf(arena, "%s%s", text, shortlist_line(arena, &list->tools[i]));
    return text;
}

json_t *shortlist_names(const struct shortlist *list)
{
    json_t *names = json_array();
    for (size_t i = 0; i < list->n; i++)
        json_array_append_new(names, json_string(list->tools[i].shown));
    json_array_append_new(names, json_string(SHORTLIST_NONE));
    return names;
}
