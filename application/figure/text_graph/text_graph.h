/* A text as a graph without a model: sentences of a few known forms ("A sends B to C", "A turns B
 * into C", "A → B", "A consists of B, C and D", numbered steps) become nodes and edges. What is
 * said in another form is left out, and where that is most of the text, or what was read falls
 * apart, the figure shows its sentences in their order. Pure. */
#ifndef APPLICATION_FIGURE_TEXT_GRAPH_TEXT_GRAPH_H
#define APPLICATION_FIGURE_TEXT_GRAPH_TEXT_GRAPH_H

#include "domain/figure/figure_graph.h"

#define TEXT_GRAPH_MAX_NODES 40
#define TEXT_GRAPH_MAX_EDGES 80
#define TEXT_GRAPH_MAX_SENTENCES 400 /* that are read */

/* A graph with at least one node for every text that is not blank. *out_note: what was left out or
 * not understood, one line; or NULL. Strings in the arena. */
void text_graph(struct arena *arena, const char *text, struct figure_graph *out,
                const char **out_note);

#endif
