/* A text as a graph without a model: sentences of known forms ("A sends B to C", "A turns B into
 * C", "A → B", "in the A state …; when E, it becomes B", steps, decisions) become nodes and edges;
 * docs/figure.md lists them. Right or silent: a sentence is read to its last word or not at all,
 * and where more than a third of them are not, or what was read falls apart, there is no graph: a
 * picture of the rest would be a wrong one. Pure. */
#ifndef APPLICATION_FIGURE_TEXT_GRAPH_TEXT_GRAPH_H
#define APPLICATION_FIGURE_TEXT_GRAPH_TEXT_GRAPH_H

#include "domain/figure/figure_graph.h"

#define TEXT_GRAPH_MAX_NODES 40
#define TEXT_GRAPH_MAX_EDGES 80
#define TEXT_GRAPH_MAX_SENTENCES 400 /* that are read */

/* False where the text is not understood: *out is empty then, and *out_note says why. Else
 * *out_note is what was left out, one line; or NULL. Strings in the arena. */
bool text_graph(struct arena *arena, const char *text, struct figure_graph *out,
                const char **out_note);
/* The first ten sentences of a text in their order, one below the other; at least one node for
 * every text that is not blank. *out_note says that it is that. */
void text_graph_of_sentences(struct arena *arena, const char *text, struct figure_graph *out,
                             const char **out_note);

#endif
