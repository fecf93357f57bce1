/* A typed graph and a style as a graph in Graphviz' language. Every byte of a label is data: it is
 * quoted, wrapped and cut here, so that no label can say anything in that language. Pure. */
#ifndef APPLICATION_FIGURE_DOT_GRAPH_DOT_H
#define APPLICATION_FIGURE_DOT_GRAPH_DOT_H

#include "domain/figure/figure_graph.h"
#include "domain/figure/figure_style.h"

/* One of the ways to lay a graph out. All 0: as the graph and the style have it. */
struct graph_layout {
    bool is_turned;        /* a flow: in the other direction */
    int narrower;          /* percent by which lines of labels are shorter; below 0: longer */
    int nearer;            /* percent by which gaps and margins are smaller */
    bool has_even_letters; /* labels of edges, and smaller lines, have letters as large as others */
    /* What `dot -Tjson` wrote for the layout without this: a flow keeps its places, but edges are
     * straight where nothing is in their way. NULL: Graphviz finds the places. */
    const json_t *places;
    unsigned rows; /* a flow from left to right, with places: folded into so many, there and back */
};

/* In the arena. The graph must fit (figure_graph_fits). layout: NULL for all 0. */
const char *graph_dot(struct arena *arena, const struct figure_graph *graph,
                      const struct figure_style *style, const struct graph_layout *layout);

#endif
