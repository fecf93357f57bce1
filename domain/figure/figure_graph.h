/* What a diagram says, without saying how it is drawn: nodes, the edges between them, groups around
 * them. A model answers this and never the language of a renderer; a style gives each role its
 * look. Two kinds: a flow, which reads along its direction, and a sequence, whose nodes are
 * participants side by side and whose edges are messages in their order from top to bottom.
 * A plain value; strings belong to an arena. */
#ifndef DOMAIN_FIGURE_FIGURE_GRAPH_H
#define DOMAIN_FIGURE_FIGURE_GRAPH_H

#include "domain/base/arena.h"
#include "domain/base/problem.h"
#include <jansson.h>
#include <stdbool.h>

#define FIGURE_MAX_NODES 300 /* that are drawn; more is a labelled fallback */
#define FIGURE_MAX_EDGES 1000
#define FIGURE_MAX_GROUPS 50
#define FIGURE_MAX_GROUP_DEPTH 4
/* Longer ones are refused, or cut with … where they are shown. */
#define FIGURE_MAX_LABEL_BYTES 300
#define FIGURE_MAX_DESCRIPTION_BYTES 1048576 /* of a graph in sentences; the rest is left out */
#define FIGURE_MAX_ID_BYTES 64

/* X(kind, name) */
#define FIGURE_KINDS(X)                                                                            \
    X(FLOW, "flow")                                                                                \
    X(SEQUENCE, "sequence")

enum figure_kind {
#define X(kind, name) FIGURE_##kind,
    FIGURE_KINDS(X)
#undef X
};

/* X(direction, name) */
#define FIGURE_DIRECTIONS(X)                                                                       \
    X(LEFT_TO_RIGHT, "left_to_right")                                                              \
    X(TOP_TO_BOTTOM, "top_to_bottom")

enum figure_direction {
#define X(direction, name) FIGURE_##direction,
    FIGURE_DIRECTIONS(X)
#undef X
};

/* X(role, name): what a node is; the style decides its shape and colours */
#define FIGURE_ROLES(X)                                                                            \
    X(PROCESS, "process")                                                                          \
    X(DATA, "data")                                                                                \
    X(STORE, "store")                                                                              \
    X(DECISION, "decision")                                                                        \
    X(ACTOR, "actor")                                                                              \
    X(START, "start")                                                                              \
    X(END, "end")                                                                                  \
    X(NOTE, "note")

enum figure_role {
#define X(role, name) FIGURE_ROLE_##role,
    FIGURE_ROLES(X)
#undef X
};

/* X(role, name): how much a node stands out */
#define FIGURE_EMPHASES(X)                                                                         \
    X(NORMAL, "normal")                                                                            \
    X(ACCENT, "accent")                                                                            \
    X(MUTED, "muted")

enum figure_emphasis {
#define X(emphasis, name) FIGURE_EMPHASIS_##emphasis,
    FIGURE_EMPHASES(X)
#undef X
};

/* X(line, name) */
#define FIGURE_LINES(X)                                                                            \
    X(SOLID, "solid")                                                                              \
    X(DASHED, "dashed")

enum figure_line {
#define X(line, name) FIGURE_LINE_##line,
    FIGURE_LINES(X)
#undef X
};

struct figure_node {
    const char *id, *label;
    const char *sub_label; /* a smaller line below the label ("6 layers"), or NULL */
    enum figure_role role;
    enum figure_emphasis emphasis;
    const char *group; /* id, or NULL */
};

struct figure_edge {
    const char *from, *to; /* ids of nodes */
    const char *label;     /* or "" */
    enum figure_line line;
    bool both_ways;
};

struct figure_group {
    const char *id, *label;
    const char *parent; /* id of a group, or NULL */
};

struct figure_graph {
    enum figure_kind kind;
    enum figure_direction direction;
    struct figure_node *nodes;
    size_t n_nodes;
    struct figure_edge *edges;
    size_t n_edges;
    struct figure_group *groups;
    size_t n_groups;
};

/* {"kind":"flow","direction":"left_to_right","nodes":[{"id","label","sub_label","role","emphasis",
 * "group"}],"edges":[{"from","to","label","line","both_ways"}],"groups":[{"id","label","parent"}]};
 * only ids and labels are required. Unknown ends, duplicate ids, circles of groups, labels that are
 * empty or too long, and U+0000 are problems with their path. Counts beyond the bounds are not:
 * figure_graph_fits tells. */
bool figure_graph_from_json(struct arena *arena, const json_t *value, struct figure_graph *out,
                            struct problems *problems);
json_t *figure_graph_to_json(const struct figure_graph *graph); /* owned by the caller */
bool figure_graph_fits(const struct figure_graph *graph);
/* Index of the node with that id, or -1. */
int figure_graph_find(const struct figure_graph *graph, const char *id);
/* The graph in sentences, one per line: for a description, a critic that takes no pictures, and the
 * storyboard of what could not be drawn. In the arena. */
const char *figure_graph_describe(struct arena *arena, const struct figure_graph *graph);

#endif
