/* A typed graph in the languages of two programs in which a person can change it: Mermaid, which is
 * text, and draw.io. They have the graph's nodes, groups and edges, the looks of the style, and the
 * lines of the picture's labels; Mermaid lays a graph out by itself. Every byte of a label is data
 * there too. Pure. */
#ifndef APPLICATION_FIGURE_DOT_GRAPH_EXPORT_H
#define APPLICATION_FIGURE_DOT_GRAPH_EXPORT_H

#include "domain/figure/figure_graph.h"
#include "domain/figure/figure_style.h"

/* Both in the arena. The graph must fit (figure_graph_fits). */
const char *graph_mermaid(struct arena *arena, const struct figure_graph *graph,
                          const struct figure_style *style);
/* geometry: what `dot -Tjson` wrote for the picture of this graph, whose places are taken; NULL, or
 * without a place for a node: it stands in a grid. */
const char *graph_drawio(struct arena *arena, const struct figure_graph *graph,
                         const struct figure_style *style, const json_t *geometry);

#endif
