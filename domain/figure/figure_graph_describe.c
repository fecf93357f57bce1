#include "domain/base/buf.h"
#include "domain/base/text.h"
#include "domain/figure/figure_graph.h"
#include "domain/figure/figure_names.h"
#include <stdint.h>
#include <string.h>

struct telling {
    struct arena *arena;
    const struct figure_graph *graph;
    struct buf text;
};

/* Beyond the buffer's bound, which no graph that fits comes near, there is nothing to say. */
static void say(struct telling *telling, const char *sentence)
{
    (void)!buf_puts(&telling->text, sentence);
}

/* A label in one line, its own quotes and all. */
static const char *quoted(struct telling *telling, const char *label)
{
    char *copy = arena_strdup(telling->arena, label);
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return arena_printf(telling->arena, "\"%s\"", copy);
}

static const char *node_name(struct telling *telling, const char *id)
{
    int i = figure_graph_find(telling->graph, id);
    return quoted(telling, i < 0 ? id : telling->graph->nodes[i].label);
}

static const char *group_name(struct telling *telling, const char *id)
{
    for (size_t i = 0; i < telling->graph->n_groups; i++)
        if (strcmp(telling->graph->groups[i].id, id) == 0)
            return quoted(telling, telling->graph->groups[i].label);
    return quoted(telling, id);
}

static const char *amount(struct telling *telling, size_t n, const char *what)
{
    return arena_printf(telling->arena, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

static void tell_whole(struct telling *telling)
{
    const struct figure_graph *graph = telling->graph;
    if (graph->kind == FIGURE_SEQUENCE)
        say(telling, arena_printf(telling->arena, "A sequence of %s between %s.\n",
                                  amount(telling, graph->n_edges, "message"),
                                  amount(telling, graph->n_nodes, "participant")));
    else
        say(telling, arena_printf(telling->arena, "A flow from %s with %s and %s.\n",
                                  graph->direction == FIGURE_LEFT_TO_RIGHT ? "left to right"
                                                                           : "top to bottom",
                                  amount(telling, graph->n_nodes, "node"),
                                  amount(telling, graph->n_edges, "edge")));
}

static void tell_group(struct telling *telling, const struct figure_group *group)
{
    const char *within = group->parent ? arena_printf(telling->arena, " within %s",
                                                      group_name(telling, group->parent))
                                       : "";
    say(telling,
        arena_printf(telling->arena, "%s is a group%s.\n", quoted(telling, group->label), within));
}

static void tell_node(struct telling *telling, const struct figure_node *node)
{
    const char *stands_out = node->emphasis == FIGURE_EMPHASIS_ACCENT  ? ", which stands out"
                             : node->emphasis == FIGURE_EMPHASIS_MUTED ? ", which stands back"
                                                                       : "";
    const char *within = node->group ? arena_printf(telling->arena, " in the group %s",
                                                    group_name(telling, node->group))
                                     : "";
    const char *role = figure_role_names.list[node->role];
    const char *article = strchr("aeiou", *role) ? "an" : "a";
    if (node->role == FIGURE_ROLE_DATA)
        article = "some";
    if (node->role == FIGURE_ROLE_START || node->role == FIGURE_ROLE_END)
        article = "the";
    say(telling, arena_printf(telling->arena, "%s is %s %s%s%s.\n", quoted(telling, node->label),
                              article, role, within, stands_out));
}

static void tell_edge(struct telling *telling, size_t i)
{
    const struct figure_edge *edge = &telling->graph->edges[i];
    const char *from = node_name(telling, edge->from), *to = node_name(telling, edge->to);
    const char *label =
        *edge->label ? arena_printf(telling->arena, ": %s", quoted(telling, edge->label)) : "";
    const char *line = edge->line == FIGURE_LINE_DASHED ? " by a dashed line" : "";
    if (telling->graph->kind == FIGURE_SEQUENCE)
        say(telling, arena_printf(telling->arena, "%zu. %s %s %s%s.\n", i + 1, from,
                                  edge->both_ways                    ? "exchanges messages with"
                                  : edge->line == FIGURE_LINE_DASHED ? "answers"
                                                                     : "sends to",
                                  to, label));
    else if (edge->both_ways)
        say(telling, arena_printf(telling->arena, "%s and %s are linked both ways%s%s.\n", from, to,
                                  line, label));
    else
        say(telling, arena_printf(telling->arena, "%s goes to %s%s%s.\n", from, to, line, label));
}

const char *figure_graph_describe(struct arena *arena, const struct figure_graph *graph)
{
    struct telling telling = { .arena = arena, .graph = graph };
    buf_init(&telling.text, FIGURE_MAX_DESCRIPTION_BYTES);
    tell_whole(&telling);
    for (size_t i = 0; i < graph->n_groups; i++)
        tell_group(&telling, &graph->groups[i]);
    for (size_t i = 0; i < graph->n_nodes; i++)
        tell_node(&telling, &graph->nodes[i]);
    for (size_t i = 0; i < graph->n_edges; i++)
        tell_edge(&telling, i);
    const char *text = arena_strdup(arena, buf_string(&telling.text));
    buf_finish(&telling.text);
    return text;
}
