#include "application/tools/shortlist.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The next word in lower case, or NULL; moves *at behind it. */
static const char *next_word(struct arena *arena, const char **at)
{
    while (**at && !text_is_word_byte(**at))
        ++*at;
    const char *start = *at;
    while (text_is_word_byte(**at))
        ++*at;
    if (*at == start)
        return NULL;
    char *word = arena_strndup(arena, start, (size_t)(*at - start));
    for (char *c = word; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return word;
}

static const char **words_of(struct arena *arena, const char *text, size_t *out_n)
{
    const char **words = arena_array(arena, const char *, SHORTLIST_MAX_WORDS);
    const char *at = text;
    *out_n = 0;
    for (const char *word; *out_n < SHORTLIST_MAX_WORDS && (word = next_word(arena, &at));)
        words[(*out_n)++] = word;
    return words;
}

static bool has(const struct shortlist *list, const struct tool *tool)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->best[i] == tool)
            return true;
    return false;
}

static void add(struct shortlist *list, const struct tool *tool, size_t max)
{
    if (list->n < max && !has(list, tool))
        list->best[list->n++] = tool;
}

static void add_always(struct shortlist *list, const struct shortlist_request *request)
{
    for (size_t i = 0; i < request->n_always; i++)
        for (size_t t = 0; t < request->n_tools; t++)
            if (strcmp(request->tools[t]->full_name, request->always[i]) == 0)
                add(list, request->tools[t], request->max);
}

static const json_t *reserved_words(const json_t *definition)
{
    return json_object_get(json_object_get(definition, "_meta"), SHORTLIST_ONLY_FOR);
}

/* One of its words begins a word of the request: "agree" is in "agreed". */
static bool is_asked_for(const struct tool *tool, const char *const *words, size_t n_words)
{
    const json_t *reserved = reserved_words(tool->definition);
    size_t n = json_array_size(reserved);
    for (size_t i = 0; i < n && i < SHORTLIST_MAX_ONLY_FOR; i++) {
        const char *prefix = json_string_value(json_array_get(reserved, i));
        for (size_t w = 0; prefix && *prefix && w < n_words; w++)
            if (text_starts_with(words[w], prefix))
                return true;
    }
    return n == 0;
}

/* The tools a request may be about, in their order. */
static const struct tool **in_question(struct arena *arena, const struct shortlist_request *request,
                                       const char *const *words, size_t n_words, size_t *out_n)
{
    const struct tool **tools = arena_array(arena, const struct tool *, request->n_tools + 1);
    *out_n = 0;
    for (size_t i = 0; i < request->n_tools; i++)
        if (is_asked_for(request->tools[i], words, n_words))
            tools[(*out_n)++] = request->tools[i];
    return tools;
}

static enum err_code add_found(struct arena *arena, struct tool_index *index,
                               const struct shortlist_request *request, const char *const *words,
                               size_t n_words, struct shortlist *list, struct err *err)
{
    const struct tool_search search = { words, n_words, request->max };
    struct tool_hit *hits = NULL;
    size_t n_hits = 0;
    enum err_code r =
        n_words ? tool_index_search(index, &search, arena, &hits, &n_hits, err) : ERR_NONE;
    for (size_t i = 0; !r && i < n_hits; i++)
        if (is_asked_for(request->tools[hits[i].tool], words, n_words))
            add(list, request->tools[hits[i].tool], request->max);
    return r;
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

static bool is_taken(const struct shortlist *list, size_t n, const char *shown)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list->tools[i].shown, shown) == 0)
            return true;
    return false;
}

static int by_full_name(const void *a, const void *b)
{
    const struct offered_tool *left = a, *right = b;
    return strcmp(left->tool->full_name, right->tool->full_name);
}

static void name_tools(struct arena *arena, struct shortlist *list)
{
    list->tools = arena_array(arena, struct offered_tool, list->n + 1);
    for (size_t i = 0; i < list->n; i++)
        list->tools[i].tool = list->best[i];
    qsort(list->tools, list->n, sizeof *list->tools, by_full_name);
    for (size_t i = 0; i < list->n; i++) {
        unsigned number = 1;
        do
            list->tools[i].shown = shown_name(arena, list->tools[i].tool, number++);
        while (is_taken(list, i, list->tools[i].shown));
    }
}

enum err_code shortlist_make(struct arena *arena, struct tool_index *index,
                             const struct shortlist_request *request, struct shortlist *out,
                             struct err *err)
{
    struct shortlist list = { .best = arena_array(arena, const struct tool *, request->max + 1) };
    size_t n_words = 0, n_tools = 0;
    const char **words = words_of(arena, request->text, &n_words);
    const struct tool **tools = in_question(arena, request, words, n_words, &n_tools);
    add_always(&list, request);
    enum err_code r = add_found(arena, index, request, words, n_words, &list, err);
    if (r)
        return err_prefix(err, r, "tool index");
    if (list.n == 0 || n_tools <= request->max)
        for (size_t i = 0; i < n_tools; i++)
            add(&list, tools[i], request->max);
    name_tools(arena, &list);
    *out = list;
    return ERR_NONE;
}

bool shortlist_admits(struct arena *arena, const struct tool *tool, const char *request)
{
    size_t n_words = 0;
    if (!shortlist_is_reserved(tool->definition))
        return true;
    const char **words = words_of(arena, request, &n_words);
    return is_asked_for(tool, words, n_words);
}

bool shortlist_is_reserved(const json_t *definition)
{
    return json_array_size(reserved_words(definition)) > 0;
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

json_t *shortlist_names(const struct shortlist *list)
{
    json_t *names = json_array();
    for (size_t i = 0; i < list->n; i++)
        json_array_append_new(names, json_string(list->tools[i].shown));
    json_array_append_new(names, json_string(SHORTLIST_NONE));
    return names;
}
