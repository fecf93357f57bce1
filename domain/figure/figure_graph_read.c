#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/figure_graph.h"
#include "domain/figure/figure_names.h"
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 40 }; /* columns of a foreign word in a message */

struct reading {
    struct arena *arena;
    struct problems *problems;
    const char *path; /* of the element that is read */
};

/* Ids in order, to look one up among thousands. */
struct id_place {
    const char *id;
    size_t index;
};

struct id_index {
    struct id_place *list;
    size_t n;
};

static const char *below(const struct reading *reading, const char *key)
{
    return json_path_member(reading->arena, reading->path, key);
}

static const char *shown(const struct reading *reading, const char *text)
{
    return text_one_line(reading->arena, text, strlen(text), SHOWN);
}

static void refuse_unknown(const struct reading *reading, const json_t *object,
                           const char *const *names, size_t n)
{
    problems_refuse_unknown(reading->problems, NULL, reading->path, object, names, n);
}

/* A string as it may stand in a graph; NULL, with its problem, where it may not. */
static const char *read_string(const struct reading *reading, const json_t *object, const char *key,
                               size_t max_bytes)
{
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    if (text && !json_string_has_nul(value) && json_string_length(value) <= max_bytes)
        return text;
    const char *path = below(reading, key);
    if (!text)
        problems_add(reading->problems, NULL, path, value ? "must be text" : "is missing");
    else if (json_string_has_nul(value))
        problems_add(reading->problems, NULL, path, "has the character U+0000");
    else
        problems_add(reading->problems, NULL, path, "is longer than %zu bytes", max_bytes)->fix =
            "say it in fewer words";
    return NULL;
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

static const char *read_required(const struct reading *reading, const json_t *object,
                                 const char *key, size_t max_bytes)
{
    const char *text = read_string(reading, object, key, max_bytes);
    if (text && is_blank(text))
        problems_add(reading->problems, NULL, below(reading, key), "is empty");
    return text ? text : "";
}

static const char *read_optional(const struct reading *reading, const json_t *object,
                                 const char *key, size_t max_bytes, const char *fallback)
{
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value))
        return fallback;
    const char *text = read_string(reading, object, key, max_bytes);
    return text && *text ? text : fallback;
}

static unsigned read_word(const struct reading *reading, const json_t *object, const char *key,
                          const struct figure_names *names)
{
    const json_t *value = json_object_get(object, key);
    const char *word = json_string_value(value);
    if (!value)
        return 0;
    for (unsigned i = 0; word && i < names->n; i++)
        if (strcmp(word, names->list[i]) == 0)
            return i;
    const char *all = names->list[0];
    for (size_t i = 1; i < names->n; i++)
        all = arena_printf(reading->arena, "%s, %s", all, names->list[i]);
    problems_add(reading->problems, NULL, below(reading, key), "\"%s\" is none of its words",
                 word ? shown(reading, word) : "")
        ->fix = arena_printf(reading->arena, "use one of %s", all);
    return 0;
}

static bool read_flag(const struct reading *reading, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (value && !json_is_boolean(value))
        problems_add(reading->problems, NULL, below(reading, key), "must be true or false");
    return json_is_true(value);
}

static int by_id(const void *a, const void *b)
{
    const struct id_place *left = a, *right = b;
    int order = strcmp(left->id, right->id);
    if (order == 0)
        order = left->index < right->index ? -1 : left->index > right->index;
    return order;
}

static int compare_key(const void *key, const void *place)
{
    return strcmp(key, ((const struct id_place *)place)->id);
}

static const struct id_place *find_id(const struct id_index *index, const char *id)
{
    return index->n ? bsearch(id, index->list, index->n, sizeof *index->list, compare_key) : NULL;
}

/* ids at `first`, so many bytes apart. Every one that came before is a problem. */
static struct id_index index_ids(const struct reading *reading, const char *list, const void *first,
                                 size_t n, size_t stride)
{
    struct id_index index = { arena_array(reading->arena, struct id_place, n + 1), n };
    for (size_t i = 0; i < n; i++) {
        const char *at = (const char *)first + i * stride;
        memcpy(&index.list[i].id, at, sizeof index.list[i].id);
        index.list[i].index = i;
    }
    qsort(index.list, n, sizeof *index.list, by_id);
    for (size_t i = 1; i < n; i++) {
        const struct id_place *place = &index.list[i];
        if (!*place->id || strcmp(place->id, index.list[i - 1].id) != 0)
            continue;
        const char *path = json_path_element(reading->arena, list, place->index);
        problems_add(reading->problems, NULL, json_path_member(reading->arena, path, "id"),
                     "\"%s\" is the id of another one as well", shown(reading, place->id));
    }
    return index;
}

static struct figure_node read_node(const struct reading *reading, const json_t *value)
{
    static const char *const members[] = { "id", "label", "role", "emphasis", "group" };
    refuse_unknown(reading, value, members, ARRAY_LENGTH(members));
    return (struct figure_node){
        .id = read_required(reading, value, "id", FIGURE_MAX_ID_BYTES),
        .label = read_required(reading, value, "label", FIGURE_MAX_LABEL_BYTES),
        .role = read_word(reading, value, "role", &figure_role_names),
        .emphasis = read_word(reading, value, "emphasis", &figure_emphasis_names),
        .group = read_optional(reading, value, "group", FIGURE_MAX_ID_BYTES, NULL),
    };
}

static struct figure_edge read_edge(const struct reading *reading, const json_t *value)
{
    static const char *const members[] = { "from", "to", "label", "line", "both_ways" };
    refuse_unknown(reading, value, members, ARRAY_LENGTH(members));
    return (struct figure_edge){
        .from = read_required(reading, value, "from", FIGURE_MAX_ID_BYTES),
        .to = read_required(reading, value, "to", FIGURE_MAX_ID_BYTES),
        .label = read_optional(reading, value, "label", FIGURE_MAX_LABEL_BYTES, ""),
        .line = read_word(reading, value, "line", &figure_line_names),
        .both_ways = read_flag(reading, value, "both_ways"),
    };
}

static struct figure_group read_group(const struct reading *reading, const json_t *value)
{
    static const char *const members[] = { "id", "label", "parent" };
    refuse_unknown(reading, value, members, ARRAY_LENGTH(members));
    return (struct figure_group){
        .id = read_required(reading, value, "id", FIGURE_MAX_ID_BYTES),
        .label = read_required(reading, value, "label", FIGURE_MAX_LABEL_BYTES),
        .parent = read_optional(reading, value, "parent", FIGURE_MAX_ID_BYTES, NULL),
    };
}

static const json_t *list_of(const struct reading *reading, const json_t *value, const char *key)
{
    const json_t *list = json_object_get(value, key);
    if (list && !json_is_array(list))
        problems_add(reading->problems, NULL, below(reading, key), "must be a list");
    return json_is_array(list) ? list : NULL;
}

static struct reading reading_of(const struct reading *reading, const char *list, size_t i)
{
    const char *path = json_path_element(reading->arena, below(reading, list), i);
    return (struct reading){ reading->arena, reading->problems, path };
}

static void read_nodes(const struct reading *reading, const json_t *value, struct figure_graph *out)
{
    const json_t *list = list_of(reading, value, "nodes"), *element;
    size_t i;
    out->nodes = arena_array(reading->arena, struct figure_node, json_array_size(list) + 1);
    json_array_foreach (list, i, element) {
        struct reading inner = reading_of(reading, "nodes", i);
        out->nodes[out->n_nodes++] = read_node(&inner, element);
    }
    if (list && !out->n_nodes)
        problems_add(reading->problems, NULL, "/nodes", "a graph has at least one node");
    if (!json_object_get(value, "nodes"))
        problems_add(reading->problems, NULL, "/nodes", "is missing");
}

static void read_edges(const struct reading *reading, const json_t *value, struct figure_graph *out)
{
    const json_t *list = list_of(reading, value, "edges"), *element;
    size_t i;
    out->edges = arena_array(reading->arena, struct figure_edge, json_array_size(list) + 1);
    json_array_foreach (list, i, element) {
        struct reading inner = reading_of(reading, "edges", i);
        out->edges[out->n_edges++] = read_edge(&inner, element);
    }
}

static void read_groups(const struct reading *reading, const json_t *value,
                        struct figure_graph *out)
{
    const json_t *list = list_of(reading, value, "groups"), *element;
    size_t i;
    out->groups = arena_array(reading->arena, struct figure_group, json_array_size(list) + 1);
    json_array_foreach (list, i, element) {
        struct reading inner = reading_of(reading, "groups", i);
        out->groups[out->n_groups++] = read_group(&inner, element);
    }
    if (out->n_groups && out->kind == FIGURE_SEQUENCE)
        problems_add(reading->problems, NULL, "/groups", "a sequence has no groups")->fix =
            "leave them out, or make it a flow";
}

static void check_known(const struct reading *reading, const char *list, size_t i, const char *key,
                        const char *id, const struct id_index *ids, const char *what)
{
    if (!id || !*id || find_id(ids, id))
        return;
    const char *path = json_path_element(reading->arena, list, i);
    problems_add(reading->problems, NULL, json_path_member(reading->arena, path, key),
                 "no %s has the id \"%s\"", what, shown(reading, id));
}

/* Each group is walked from once: whoever meets his own way again is in a circle. */
static void check_circles(const struct reading *reading, const struct figure_graph *graph,
                          const struct id_index *groups)
{
    size_t *walk = arena_array(reading->arena, size_t, graph->n_groups + 1);
    for (size_t i = 0; i < graph->n_groups; i++) {
        size_t at = i;
        const struct id_place *place = NULL;
        while (!walk[at]) {
            walk[at] = i + 1;
            const char *parent = graph->groups[at].parent;
            place = parent ? find_id(groups, parent) : NULL;
            if (!place)
                break;
            at = place->index;
        }
        if (place && walk[at] == i + 1)
            problems_add(reading->problems, NULL,
                         json_path_member(reading->arena,
                                          json_path_element(reading->arena, "/groups", at),
                                          "parent"),
                         "the group \"%s\" is within itself", shown(reading, graph->groups[at].id));
    }
}

static void check_ends(const struct reading *reading, const struct figure_graph *graph)
{
    struct id_index nodes =
        index_ids(reading, "/nodes", &graph->nodes[0].id, graph->n_nodes, sizeof *graph->nodes);
    struct id_index groups =
        index_ids(reading, "/groups", &graph->groups[0].id, graph->n_groups, sizeof *graph->groups);
    for (size_t i = 0; i < graph->n_nodes; i++)
        check_known(reading, "/nodes", i, "group", graph->nodes[i].group, &groups, "group");
    for (size_t i = 0; i < graph->n_edges; i++) {
        check_known(reading, "/edges", i, "from", graph->edges[i].from, &nodes, "node");
        check_known(reading, "/edges", i, "to", graph->edges[i].to, &nodes, "node");
    }
    for (size_t i = 0; i < graph->n_groups; i++)
        check_known(reading, "/groups", i, "parent", graph->groups[i].parent, &groups, "group");
    check_circles(reading, graph, &groups);
}

bool figure_graph_from_json(struct arena *arena, const json_t *value, struct figure_graph *out,
                            struct problems *problems)
{
    static const char *const members[] = { "kind", "direction", "nodes", "edges", "groups" };
    struct reading reading = { arena, problems, "" };
    struct figure_graph graph = { 0 };
    size_t before = problems->n + problems->dropped;
    if (!json_is_object(value)) {
        problems_add(problems, NULL, "", "a graph must be an object");
        return false;
    }
    arena_keep_json(arena, json_share(value));
    refuse_unknown(&reading, value, members, ARRAY_LENGTH(members));
    graph.kind = read_word(&reading, value, "kind", &figure_kind_names);
    graph.direction = read_word(&reading, value, "direction", &figure_direction_names);
    read_nodes(&reading, value, &graph);
    read_edges(&reading, value, &graph);
    read_groups(&reading, value, &graph);
    check_ends(&reading, &graph);
    if (problems->n + problems->dropped > before)
        return false;
    *out = graph;
    return true;
}
