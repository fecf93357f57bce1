/* Which way a flow reads. An edge that closes a circle is a feedback, and is laid out from its end
 * to its beginning: then the nodes stand in the order in which they follow from each other,
 * whatever the groups around them are. What is dashed or leads back to a node that was told before
 * is taken for the feedback, rather than what leads on. A graph that is one circle is laid out as a
 * ring, there and back, instead of a line with a long way home. Pure. */
#ifndef APPLICATION_FIGURE_DOT_GRAPH_ORDER_H
#define APPLICATION_FIGURE_DOT_GRAPH_ORDER_H

#include "domain/base/arena.h"
#include "domain/figure/figure_graph.h"

#define GRAPH_ORDER_MIN_RING 4 /* nodes of a circle that is drawn as a ring */

struct graph_order {
    const bool *is_back;   /* per edge: laid out from its end to its beginning */
    const bool *is_beside; /* per edge: dashed, between nodes that the other edges put side by side;
                              it moves neither */
};

/* The graph must fit (figure_graph_fits). */
struct graph_order graph_order_find(struct arena *arena, const struct figure_graph *graph);

#endif
