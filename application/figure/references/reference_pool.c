#include "application/figure/references/reference_pool.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/figure_graph.h"
#include <string.h>

#define SUFFIX ".json"
#define SHOWN_COLUMNS 200

struct loading {
    struct assets *assets;
    struct arena *arena;
    struct reference_pool *pool;
    size_t capacity, warnings_capacity;
};

/* "data/references/x.json" for the name of a file in the folder. */
static const char *path_of(struct arena *arena, const char *name)
{
    return arena_printf(arena, REFERENCE_FOLDER "/%s", name);
}

static void warn(struct loading *loading, const char *file, const char *why)
{
    struct reference_pool *pool = loading->pool;
    pool->n_passed_over++;
    if (pool->n_warnings == REFERENCE_MAX_WARNINGS)
        return;
    *arena_push(loading->arena, pool->warnings, pool->n_warnings, loading->warnings_capacity) =
        arena_printf(loading->arena, "%s: %s",
                     text_one_line(loading->arena, file, strlen(file), SHOWN_COLUMNS),
                     text_one_line(loading->arena, why, strlen(why), SHOWN_COLUMNS));
}

/* NULL with *out_why when the member is not a text of 1 to max_bytes. */
static const char *text_member(struct arena *arena, const json_t *value, const char *key,
                               size_t max_bytes, const char **out_why)
{
    const json_t *member = json_object_get(value, key);
    if (!json_is_string(member) || json_string_has_nul(member) || !json_string_length(member))
        *out_why = arena_printf(arena, "/%s: a text is expected", key);
    else if (json_string_length(member) > max_bytes)
        *out_why = arena_printf(arena, "/%s: longer than %zu bytes", key, max_bytes);
    else
        return json_string_value(member);
    return NULL;
}

/* What is wrong with the drawing of an entry, or NULL. */
static const char *check_drawing(struct arena *arena, const json_t *value,
                                 struct figure_reference *entry)
{
    struct figure_graph graph;
    struct problems problems = { .arena = arena };
    entry->graph = json_object_get(value, "graph");
    entry->plot = json_object_get(value, "plot");
    if (!entry->graph && !entry->plot)
        return "it has neither a graph nor a plot";
    if (entry->graph && entry->plot)
        return "it has a graph and a plot; one of them is expected";
    if (entry->plot)
        return json_is_object(entry->plot) ? NULL : "/plot: an object is expected";
    if (!figure_graph_from_json(arena, entry->graph, &graph, &problems))
        return arena_printf(arena, "/graph%s", problem_print(&problems, &problems.list[0]));
    return figure_graph_fits(&graph) ? NULL : "/graph: too many nodes or edges";
}

/* What keeps the value from being the entry of that file, or NULL. */
static const char *read_entry(struct arena *arena, const char *name, const json_t *value,
                              struct figure_reference *out)
{
    const char *why = NULL;
    if (!json_is_object(value))
        return "an object is expected";
    out->id = text_member(arena, value, "id", REFERENCE_MAX_WORD_BYTES, &why);
    if (out->id && strcmp(arena_printf(arena, "%s" SUFFIX, out->id), name) != 0)
        return "/id: it is not the name of the file";
    if (out->id)
        out->summary = text_member(arena, value, "summary", REFERENCE_MAX_SUMMARY_BYTES, &why);
    if (out->summary)
        out->domain = text_member(arena, value, "domain", REFERENCE_MAX_WORD_BYTES, &why);
    if (out->domain)
        out->diagram_type =
            text_member(arena, value, "diagram_type", REFERENCE_MAX_WORD_BYTES, &why);
    return out->diagram_type ? check_drawing(arena, value, out) : why;
}

static void load_one(struct loading *loading, const char *name)
{
    const char *text, *origin;
    struct figure_reference entry = { 0 };
    struct err err;
    json_t *value = NULL;
    enum err_code r = assets_get(loading->assets, path_of(loading->arena, name), loading->arena,
                                 &text, &origin, &err);
    if (r) {
        warn(loading, path_of(loading->arena, name), err.message);
        return;
    }
    const char *file = strcmp(origin, "built in") == 0 ? path_of(loading->arena, name) : origin;
    const char *why = NULL;
    if (strlen(text) > REFERENCE_MAX_FILE_BYTES)
        why = "too large for a reference";
    else if (json_parse(text, strlen(text), JSON_OURS, &value, &err))
        why = err.message;
    else
        why = read_entry(loading->arena, name, arena_keep_json(loading->arena, value), &entry);
    if (why)
        warn(loading, file, why);
    else
        *arena_push(loading->arena, loading->pool->entries, loading->pool->n, loading->capacity) =
            entry;
}

enum err_code reference_pool_load(struct assets *assets, struct arena *arena,
                                  struct reference_pool *out, struct err *err)
{
    const char **names;
    size_t n;
    struct reference_pool pool = { 0 };
    struct loading loading = { .assets = assets, .arena = arena, .pool = &pool };
    enum err_code r = assets_list(assets, REFERENCE_FOLDER, arena, &names, &n, err);
    if (r)
        return err_prefix(err, r, "references");
    for (size_t i = 0; i < n; i++) {
        if (!text_ends_with(names[i], SUFFIX))
            continue;
        if (pool.n < FIGURE_MAX_POOL)
            load_one(&loading, names[i]);
        else
            warn(&loading, path_of(arena, names[i]), "the pool is full without it");
    }
    *out = pool;
    return ERR_NONE;
}
