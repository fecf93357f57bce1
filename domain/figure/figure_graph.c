#include "domain/figure/figure_graph.h"
#include "domain/figure/figure_names.h"
#include <string.h>

static const char *const kinds[] = {
#define X(kind, name) name,
    FIGURE_KINDS(X)
#undef X
};

static const char *const directions[] = {
#define X(direction, name) name,
    FIGURE_DIRECTIONS(X)
#undef X
};

static const char *const roles[] = {
#define X(role, name) name,
    FIGURE_ROLES(X)
#undef X
};

static const char *const emphases[] = {
#define X(emphasis, name) name,
    FIGURE_EMPHASES(X)
#undef X
};

static const char *const lines[] = {
#define X(line, name) name,
    FIGURE_LINES(X)
#undef X
};

const struct figure_names figure_kind_names = { kinds, ARRAY_LENGTH(kinds) };
const struct figure_names figure_direction_names = { directions, ARRAY_LENGTH(directions) };
const struct figure_names figure_role_names = { roles, ARRAY_LENGTH(roles) };
const struct figure_names figure_emphasis_names = { emphases, ARRAY_LENGTH(emphases) };
const struct figure_names figure_line_names = { lines, ARRAY_LENGTH(lines) };

int figure_graph_find(const struct figure_graph *graph, const char *id)
{
    for (size_t i = 0; i < graph->n_nodes; i++)
        if (strcmp(graph->nodes[i].id, id) == 0)
            return (int)i;
    return -1;
}

static const struct figure_group *find_group(const struct figure_graph *graph, const char *id)
{
    for (size_t i = 0; id && i < graph->n_groups; i++)
        if (strcmp(graph->groups[i].id, id) == 0)
            return &graph->groups[i];
    return NULL;
}

/* A group without a parent has depth 1. */
static unsigned depth_of(const struct figure_graph *graph, const struct figure_group *group)
{
    unsigned depth = 0;
    for (; group && depth <= FIGURE_MAX_GROUP_DEPTH; depth++)
        group = find_group(graph, group->parent);
    return depth;
}

bool figure_graph_fits(const struct figure_graph *graph)
{
    if (graph->n_nodes > FIGURE_MAX_NODES || graph->n_edges > FIGURE_MAX_EDGES ||
        graph->n_groups > FIGURE_MAX_GROUPS)
        return false;
    for (size_t i = 0; i < graph->n_groups; i++)
        if (depth_of(graph, &graph->groups[i]) > FIGURE_MAX_GROUP_DEPTH)
            return false;
    return true;
}

static json_t *node_to_json(const struct figure_node *node)
{
    json_t *value = json_pack("{ss ss ss ss}", "id", node->id, "label", node->label, "role",
                              roles[node->role], "emphasis", emphases[node->emphasis]);
    if (node->group)
        json_object_set_new(value, "group", json_string(node->group));
    return value;
}

static json_t *edge_to_json(const struct figure_edge *edge)
{
    return json_pack("{ss ss ss ss sb}", "from", edge->from, "to", edge->to, "label", edge->label,
                     "line", lines[edge->line], "both_ways", edge->both_ways);
}

static json_t *group_to_json(const struct figure_group *group)
{
    json_t *value = json_pack("{ss ss}", "id", group->id, "label", group->label);
    if (group->parent)
        json_object_set_new(value, "parent", json_string(group->parent));
    return value;
}

json_t *figure_graph_to_json(const struct figure_graph *graph)
{
    json_t *nodes = json_array(), *edges = json_array(), *groups = json_array();
    for (size_t i = 0; i < graph->n_nodes; i++)
        json_array_append_new(nodes, node_to_json(&graph->nodes[i]));
    for (size_t i = 0; i < graph->n_edges; i++)
        json_array_append_new(edges, edge_to_json(&graph->edges[i]));
    for (size_t i = 0; i < graph->n_groups; i++)
        json_array_append_new(groups, group_to_json(&graph->groups[i]));
    return json_pack("{ss ss so so so}", "kind", kinds[graph->kind], "direction",
                     directions[graph->direction], "nodes", nodes, "edges", edges, "groups",
                     groups);
}
