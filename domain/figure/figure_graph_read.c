/* A graph from JSON: first each element by itself, in the order of the document, then what they say
 * of each other: ids that stand twice, ends and parents that do not exist, groups within
 * themselves. Ids are looked up in sorted lists, so a graph of thousands of elements is read as
 * fast. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/figure_graph.h"
#include "domain/figure/figure_reading.h"
#include <stdlib.h>
#include <string.h>

#define NAMES(list) ((struct figure_names){ list, ARRAY_LENGTH(list) })

/* Ids in order, to look one up among thousands. */
struct id_place {
    const char *id;
    size_t index;
};

struct id_index {
    struct id_place *list;
    size_t n;
};

/* A string as it may stand in a graph; NULL, with its problem, where it may not. */
static const char *read_string(const struct figure_reading *reading, const char *key,
                               size_t max_bytes)
{
    const json_t *value = json_object_get(reading->object, key);
    const char *text = json_string_value(value);
    if (!text)
        figure_complain(reading, key, NULL, value ? "must be text" : "is missing");
    else if (json_string_has_nul(value))
        figure_complain(reading, key, NULL, "has the character U+0000");
    else if (json_string_length(value) > max_bytes)
        figure_complain(reading, key, "say it in fewer words", "is longer than %zu bytes",
                        max_bytes);
    else
        return text;
    return NULL;
}

static const char *read_required(const struct figure_reading *reading, const char *key,
                                 size_t max_bytes)
{
    const char *text = read_string(reading, key, max_bytes);
    if (text && !text[strspn(text, " \t\r\n")])
        figure_complain(reading, key, NULL, "is empty");
    return text ? text : "";
}

static const char *read_optional(const struct figure_reading *reading, const char *key,
                                 size_t max_bytes, const char *fallback)
{
    const json_t *value = json_object_get(reading->object, key);
    if (!value || json_is_null(value))
        return fallback;
    const char *text = read_string(reading, key, max_bytes);
    return text && *text ? text : fallback;
}

/* The value of an enum, the first one where the member is absent or wrong. */
static unsigned read_choice(const struct figure_reading *reading, const char *key,
                            struct figure_names names)
{
    bool is_there = json_object_get(reading->object, key) != NULL;
    int choice = is_there ? figure_read_word(reading, key, names) : 0;
    return choice < 0 ? 0 : (unsigned)choice;
}

static bool read_flag(const struct figure_reading *reading, const char *key)
{
    const json_t *value = json_object_get(reading->object, key);
    if (value && !json_is_boolean(value))
        figure_complain(reading, key, NULL, "must be true or false");
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

/* The list of that name below the object; NULL, with its problem, where it is not a list. */
static const json_t *list_of(const struct figure_reading *reading, const char *key)
{
    const json_t *list = json_object_get(reading->object, key);
    if (list && !json_is_array(list))
        figure_complain(reading, key, NULL, "must be a list");
    return json_is_array(list) ? list : NULL;
}

static struct figure_reading element_of(const struct figure_reading *reading, const char *list,
                                        size_t i)
{
    struct arena *arena = reading->problems->arena;
    const json_t *element = json_array_get(json_object_get(reading->object, list), i);
    const char *path = json_path_element(arena, json_path_member(arena, "", list), i);
    return (struct figure_reading){ reading->arena, reading->problems, element, path };
}

/* Indexes n ids, the first of which is at `first` and each next one `stride` bytes further. An id
 * that came before is a problem. */
static struct id_index index_ids(const struct figure_reading *reading, const char *list,
                                 const void *first, size_t n, size_t stride)
{
    struct id_index index = { arena_array(reading->arena, struct id_place, n + 1), n };
    for (size_t i = 0; i < n; i++) {
        memcpy(&index.list[i].id, (const char *)first + i * stride, sizeof index.list[i].id);
        index.list[i].index = i;
    }
    qsort(index.list, n, sizeof *index.list, by_id);
    for (size_t i = 1; i < n; i++) {
        const struct id_place *place = &index.list[i];
        if (!*place->id || strcmp(place->id, index.list[i - 1].id) != 0)
            continue;
        struct figure_reading element = element_of(reading, list, place->index);
        figure_complain(&element, "id", NULL, "\"%s\" is the id of another one as well",
                        figure_shown(reading, place->id));
    }
    return index;
}

static void read_nodes(const struct figure_reading *outer, struct figure_graph *out)
{
    static const char *const members[] = {
        "id", "label", "sub_label", "role", "emphasis", "group"
    };
    const json_t *list = list_of(outer, "nodes");
    size_t n = json_array_size(list);
    out->nodes = arena_array(outer->arena, struct figure_node, n + 1);
    for (; out->n_nodes < n; out->n_nodes++) {
        struct figure_reading reading = element_of(outer, "nodes", out->n_nodes);
        figure_refuse_unknown(&reading, NAMES(members));
        out->nodes[out->n_nodes] = (struct figure_node){
            .id = read_required(&reading, "id", FIGURE_MAX_ID_BYTES),
            .label = read_required(&reading, "label", FIGURE_MAX_LABEL_BYTES),
            .sub_label = read_optional(&reading, "sub_label", FIGURE_MAX_LABEL_BYTES, NULL),
            .role = read_choice(&reading, "role", figure_role_names),
            .emphasis = read_choice(&reading, "emphasis", figure_emphasis_names),
            .group = read_optional(&reading, "group", FIGURE_MAX_ID_BYTES, NULL),
        };
    }
    if (list && !n)
        figure_complain(outer, "nodes", NULL, "a graph has at least one node");
    if (!json_object_get(outer->object, "nodes"))
        figure_complain(outer, "nodes", NULL, "is missing");
}

static void read_edges(const struct figure_reading *outer, struct figure_graph *out)
{
    static const char *const members[] = { "from", "to", "label", "line", "both_ways" };
    size_t n = json_array_size(list_of(outer, "edges"));
    out->edges = arena_array(outer->arena, struct figure_edge, n + 1);
    for (; out->n_edges < n; out->n_edges++) {
        struct figure_reading reading = element_of(outer, "edges", out->n_edges);
        figure_refuse_unknown(&reading, NAMES(members));
        out->edges[out->n_edges] = (struct figure_edge){
            .from = read_required(&reading, "from", FIGURE_MAX_ID_BYTES),
            .to = read_required(&reading, "to", FIGURE_MAX_ID_BYTES),
            .label = read_optional(&reading, "label", FIGURE_MAX_LABEL_BYTES, ""),
            .line = read_choice(&reading, "line", figure_line_names),
            .both_ways = read_flag(&reading, "both_ways"),
        };
    }
}

static void read_groups(const struct figure_reading *outer, struct figure_graph *out)
{
    static const char *const members[] = { "id", "label", "parent" };
    size_t n = json_array_size(list_of(outer, "groups"));
    out->groups = arena_array(outer->arena, struct figure_group, n + 1);
    for (; out->n_groups < n; out->n_groups++) {
        struct figure_reading reading = element_of(outer, "groups", out->n_groups);
        figure_refuse_unknown(&reading, NAMES(members));
        out->groups[out->n_groups] = (struct figure_group){
            .id = read_required(&reading, "id", FIGURE_MAX_ID_BYTES),
            .label = read_required(&reading, "label", FIGURE_MAX_LABEL_BYTES),
            .parent = read_optional(&reading, "parent", FIGURE_MAX_ID_BYTES, NULL),
        };
    }
    if (n && out->kind == FIGURE_SEQUENCE)
        figure_complain(outer, "groups", "leave them out, or make it a flow",
                        "a sequence has no groups");
}

static void check_known(const struct figure_reading *element, const char *key, const char *id,
                        const struct id_index *ids, const char *what)
{
    if (id && *id && !find_id(ids, id))
        figure_complain(element, key, NULL, "no %s has the id \"%s\"", what,
                        figure_shown(element, id));
}

/* Each group is walked from once: a walk that meets its own trace is in a circle. */
static void check_circles(const struct figure_reading *reading, const struct figure_graph *graph,
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
        if (!place || walk[at] != i + 1)
            continue;
        struct figure_reading element = element_of(reading, "groups", at);
        figure_complain(&element, "parent", NULL, "the group \"%s\" is within itself",
                        figure_shown(reading, graph->groups[at].id));
    }
}

static void check_ends(const struct figure_reading *reading, const struct figure_graph *graph)
{
    struct id_index nodes =
        index_ids(reading, "nodes", &graph->nodes[0].id, graph->n_nodes, sizeof *graph->nodes);
    struct id_index groups =
        index_ids(reading, "groups", &graph->groups[0].id, graph->n_groups, sizeof *graph->groups);
    for (size_t i = 0; i < graph->n_nodes; i++) {
        struct figure_reading element = element_of(reading, "nodes", i);
        check_known(&element, "group", graph->nodes[i].group, &groups, "group");
    }
    for (size_t i = 0; i < graph->n_edges; i++) {
        struct figure_reading element = element_of(reading, "edges", i);
        check_known(&element, "from", graph->edges[i].from, &nodes, "node");
        check_known(&element, "to", graph->edges[i].to, &nodes, "node");
    }
    for (size_t i = 0; i < graph->n_groups; i++) {
        struct figure_reading element = element_of(reading, "groups", i);
        check_known(&element, "parent", graph->groups[i].parent, &groups, "group");
    }
    check_circles(reading, graph, &groups);
}

bool figure_graph_from_json(struct arena *arena, const json_t *value, struct figure_graph *out,
                            struct problems *problems)
{
    static const char *const members[] = { "kind", "direction", "nodes", "edges", "groups" };
    struct figure_reading reading = { arena, problems, value, "" };
    struct figure_graph graph = { 0 };
    size_t before = problems->n + problems->dropped;
    if (!json_is_object(value)) {
        problems_add(problems, NULL, "", "a graph must be an object");
        return false;
    }
    arena_keep_json(arena, json_share(value));
    figure_refuse_unknown(&reading, NAMES(members));
    graph.kind = read_choice(&reading, "kind", figure_kind_names);
    graph.direction = read_choice(&reading, "direction", figure_direction_names);
    read_nodes(&reading, &graph);
    read_edges(&reading, &graph);
    read_groups(&reading, &graph);
    check_ends(&reading, &graph);
    if (problems->n + problems->dropped > before)
        return false;
    *out = graph;
    return true;
}
