/* A typed graph and a style as a graph in Graphviz' language. Every byte of a label is data: it is
 * quoted, wrapped and cut here, so that no label can say anything in that language. Pure. */
#ifndef APPLICATION_FIGURE_DOT_GRAPH_DOT_H
#define APPLICATION_FIGURE_DOT_GRAPH_DOT_H

#include "domain/figure/figure_graph.h"
#include "domain/figure/figure_style.h"

/* In the arena. The graph must fit (figure_graph_fits). */
const char *graph_dot(struct arena *arena, const struct figure_graph *graph,
                      const struct figure_style *style);

#endif
