/* What waits for what in a plan, as text, as a picture, and in two languages of graphs. */
#ifndef APPLICATION_USE_CASES_PLAN_GRAPH_H
#define APPLICATION_USE_CASES_PLAN_GRAPH_H

#include "application/services.h"
#include "domain/figure/figure_graph.h"
#include "domain/plan/plan.h"

/* X(form, name) */
#define PLAN_GRAPH_FORMS(X)                                                                        \
    X(TEXT, "text")                                                                                \
    X(SVG, "svg")                                                                                  \
    X(MERMAID, "mermaid")                                                                          \
    X(DOT, "dot")

enum plan_graph_form {
#define X(form, name) PLAN_GRAPH_##form,
    PLAN_GRAPH_FORMS(X)
#undef X
};

/* A node for each step, a group for each body, and an edge from each step to those of its list that
 * wait for it, or from a block to those in it that wait for none. In the arena. */
struct figure_graph plan_graph(struct arena *arena, const struct plan *plan);
/* *out in the arena. ERR_LIMIT: dot and svg have fewer nodes and edges than that, and none is drawn
 * without a step; ERR_UNAVAILABLE: an SVG needs Graphviz. */
awaits MUST_CHECK enum err_code plan_graph_print(struct services *services, struct scope *scope,
                                                 struct arena *arena, const struct plan *plan,
                                                 enum plan_graph_form form, const char **out,
                                                 struct err *err);

#endif
