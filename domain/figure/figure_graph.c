/* The graph of a figure as a value: names of its enums, bounds, JSON, and sentences. Reading it
 * from JSON is figure_graph_read.c. */
#include "domain/figure/figure_graph.h"
#include "domain/base/buf.h"
#include "domain/figure/figure_reading.h"
#include <string.h>

#define X(value, name) name,
static const char *const kinds[] = { FIGURE_KINDS(X) };
static const char *const directions[] = { FIGURE_DIRECTIONS(X) };
static const char *const roles[] = { FIGURE_ROLES(X) };
static const char *const emphases[] = { FIGURE_EMPHASES(X) };
static const char *const lines[] = { FIGURE_LINES(X) };
#undef X

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

bool figure_graph_fits(const struct figure_graph *graph)
{
    if (graph->n_nodes > FIGURE_MAX_NODES || graph->n_edges > FIGURE_MAX_EDGES ||
        graph->n_groups > FIGURE_MAX_GROUPS)
        return false;
    for (size_t i = 0; i < graph->n_groups; i++) {
        const struct figure_group *group = &graph->groups[i];
        for (unsigned depth = 0; group; depth++) {
            if (depth == FIGURE_MAX_GROUP_DEPTH)
                return false;
            group = find_group(graph, group->parent);
        }
    }
    return true;
}

json_t *figure_graph_to_json(const struct figure_graph *graph)
{
    json_t *nodes = json_array(), *edges = json_array(), *groups = json_array();
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const struct figure_node *node = &graph->nodes[i];
        json_array_append_new(nodes, json_pack("{ss ss ss* ss ss ss*}", "id", node->id, "label",
                                               node->label, "sub_label", node->sub_label, "role",
                                               roles[node->role], "emphasis",
                                               emphases[node->emphasis], "group", node->group));
    }
    for (size_t i = 0; i < graph->n_edges; i++) {
        const struct figure_edge *edge = &graph->edges[i];
        json_array_append_new(edges, json_pack("{ss ss ss ss sb}", "from", edge->from, "to",
                                               edge->to, "label", edge->label, "line",
                                               lines[edge->line], "both_ways", edge->both_ways));
    }
    for (size_t i = 0; i < graph->n_groups; i++)
        json_array_append_new(groups,
                              json_pack("{ss ss ss*}", "id", graph->groups[i].id, "label",
                                        graph->groups[i].label, "parent", graph->groups[i].parent));
    return json_pack("{ss ss so so so}", "kind", kinds[graph->kind], "direction",
                     directions[graph->direction], "nodes", nodes, "edges", edges, "groups",
                     groups);
}

struct description {
    struct arena *arena;
    const struct figure_graph *graph;
    struct buf text;
};

/* The buffer's bound lies far beyond any graph that fits; what exceeds it is dropped. */
static void add_sentence(struct description *description, const char *sentence)
{
    (void)!buf_puts(&description->text, sentence);
}

/* A label on one line, in quotes; quotes of its own stay as they are. */
static const char *quoted(struct description *description, const char *label)
{
    char *copy = arena_strdup(description->arena, label);
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return arena_printf(description->arena, "\"%s\"", copy);
}

static const char *node_name(struct description *description, const char *id)
{
    int i = figure_graph_find(description->graph, id);
    return quoted(description, i < 0 ? id : description->graph->nodes[i].label);
}

/* "Encoder" ("6 layers") */
static const char *full_name(struct description *description, const struct figure_node *node)
{
    const char *name = quoted(description, node->label);
    return node->sub_label ? arena_printf(description->arena, "%s (%s)", name,
                                          quoted(description, node->sub_label))
                           : name;
}

static const char *group_name(struct description *description, const char *id)
{
    const struct figure_group *group = find_group(description->graph, id);
    return quoted(description, group ? group->label : id);
}

static const char *amount(struct description *description, size_t n, const char *what)
{
    return arena_printf(description->arena, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

static void describe_whole(struct description *description)
{
    const struct figure_graph *graph = description->graph;
    if (graph->kind == FIGURE_SEQUENCE)
        add_sentence(description, arena_printf(description->arena, "A sequence of %s between %s.\n",
                                               amount(description, graph->n_edges, "message"),
                                               amount(description, graph->n_nodes, "participant")));
    else
        add_sentence(description,
                     arena_printf(description->arena, "A flow from %s with %s and %s.\n",
                                  graph->direction == FIGURE_LEFT_TO_RIGHT ? "left to right"
                                                                           : "top to bottom",
                                  amount(description, graph->n_nodes, "node"),
                                  amount(description, graph->n_edges, "edge")));
}

static void describe_group(struct description *description, const struct figure_group *group)
{
    const char *within = group->parent ? arena_printf(description->arena, " within %s",
                                                      group_name(description, group->parent))
                                       : "";
    add_sentence(description, arena_printf(description->arena, "%s is a group%s.\n",
                                           quoted(description, group->label), within));
}

static void describe_node(struct description *description, const struct figure_node *node)
{
    const char *stands_out = node->emphasis == FIGURE_EMPHASIS_ACCENT  ? ", which stands out"
                             : node->emphasis == FIGURE_EMPHASIS_MUTED ? ", which stands back"
                                                                       : "";
    const char *within = node->group ? arena_printf(description->arena, " in the group %s",
                                                    group_name(description, node->group))
                                     : "";
    const char *role = roles[node->role];
    const char *article = strchr("aeiou", *role) ? "an" : "a";
    if (node->role == FIGURE_ROLE_DATA)
        article = "some";
    if (node->role == FIGURE_ROLE_START || node->role == FIGURE_ROLE_END)
        article = "the";
    add_sentence(description,
                 arena_printf(description->arena, "%s is %s %s%s%s.\n",
                              full_name(description, node), article, role, within, stands_out));
}

static void describe_edge(struct description *description, size_t i)
{
    const struct figure_edge *edge = &description->graph->edges[i];
    const char *from = node_name(description, edge->from), *to = node_name(description, edge->to);
    const char *label =
        *edge->label ? arena_printf(description->arena, ": %s", quoted(description, edge->label))
                     : "";
    const char *line = edge->line == FIGURE_LINE_DASHED ? " by a dashed line" : "";
    if (description->graph->kind == FIGURE_SEQUENCE)
        add_sentence(description,
                     arena_printf(description->arena, "%zu. %s %s %s%s.\n", i + 1, from,
                                  edge->both_ways                    ? "exchanges messages with"
                                  : edge->line == FIGURE_LINE_DASHED ? "answers"
                                                                     : "sends to",
                                  to, label));
    else if (edge->both_ways)
        add_sentence(description,
                     arena_printf(description->arena, "%s and %s are linked both ways%s%s.\n", from,
                                  to, line, label));
    else
        add_sentence(description, arena_printf(description->arena, "%s goes to %s%s%s.\n", from, to,
                                               line, label));
}

const char *figure_graph_describe(struct arena *arena, const struct figure_graph *graph)
{
    struct description description = { .arena = arena, .graph = graph };
    buf_init(&description.text, FIGURE_MAX_DESCRIPTION_BYTES);
    describe_whole(&description);
    for (size_t i = 0; i < graph->n_groups; i++)
        describe_group(&description, &graph->groups[i]);
    for (size_t i = 0; i < graph->n_nodes; i++)
        describe_node(&description, &graph->nodes[i]);
    for (size_t i = 0; i < graph->n_edges; i++)
        describe_edge(&description, i);
    const char *text = arena_strdup(arena, buf_string(&description.text));
    buf_finish(&description.text);
    return text;
}
