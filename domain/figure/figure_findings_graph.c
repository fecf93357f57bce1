/* What hangs together in a graph, and what does not. */
#include "domain/figure/figure_finding.h"
#include <string.h>

/* Union-find over the indices of nodes. */
static size_t root_of(size_t *parents, size_t i)
{
    while (parents[i] != i)
        i = parents[i] = parents[parents[i]];
    return i;
}

static void join_ends(const struct figure_graph *graph, size_t *parents, bool *has_edge)
{
    for (size_t i = 0; i < graph->n_edges; i++) {
        int from = figure_graph_find(graph, graph->edges[i].from);
        int to = figure_graph_find(graph, graph->edges[i].to);
        if (from < 0 || to < 0)
            continue;
        has_edge[from] = has_edge[to] = true;
        parents[root_of(parents, (size_t)from)] = root_of(parents, (size_t)to);
    }
}

static void tell_lonely(struct figure_findings *findings, const struct figure_graph *graph,
                        const bool *has_edge)
{
    for (size_t i = 0; i < graph->n_nodes; i++)
        if (!has_edge[i] && graph->nodes[i].role != FIGURE_ROLE_NOTE)
            figure_finding_add(findings, "node_unconnected", FINDING_DOUBTFUL,
                               "connect it as the text says, or leave it out",
                               "\"%s\" is connected with nothing",
                               figure_finding_name(findings, graph->nodes[i].label));
}

static void tell_islands(struct figure_findings *findings, const struct figure_graph *graph,
                         size_t *parents, const bool *has_edge)
{
    size_t islands = 0;
    for (size_t i = 0; i < graph->n_nodes; i++)
        islands += has_edge[i] && root_of(parents, i) == i;
    if (islands > 1)
        figure_finding_add(findings, "islands", FINDING_DOUBTFUL,
                           "say how the parts belong together",
                           "the picture falls into %zu parts that are not connected", islands);
}

static void tell_twins(struct figure_findings *findings, const struct figure_graph *graph)
{
    for (size_t i = 0; i < graph->n_nodes; i++)
        for (size_t k = 0; k < i; k++)
            if (strcasecmp(graph->nodes[i].label, graph->nodes[k].label) == 0) {
                figure_finding_add(findings, "label_twice", FINDING_HARD_TO_READ,
                                   "make them one node, or tell them apart",
                                   "two nodes are called \"%s\"",
                                   figure_finding_name(findings, graph->nodes[i].label));
                break;
            }
}

void find_graph_faults(struct figure_findings *findings, const struct figure_graph *graph)
{
    size_t n = graph->n_nodes;
    if (n == 0) {
        figure_finding_add(findings, "graph_empty", FINDING_UNFAITHFUL,
                           "draw what the text speaks of", "there is nothing in the picture");
        return;
    }
    tell_twins(findings, graph);
    if (graph->n_edges == 0)
        return;
    size_t *parents = arena_array(findings->arena, size_t, n);
    bool *has_edge = arena_array(findings->arena, bool, n);
    for (size_t i = 0; i < n; i++)
        parents[i] = i;
    join_ends(graph, parents, has_edge);
    tell_lonely(findings, graph, has_edge);
    tell_islands(findings, graph, parents, has_edge);
}
