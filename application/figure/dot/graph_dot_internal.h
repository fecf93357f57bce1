/* What the two kinds of picture have in common. Private to graph_dot*.c. */
#ifndef APPLICATION_FIGURE_DOT_GRAPH_DOT_INTERNAL_H
#define APPLICATION_FIGURE_DOT_GRAPH_DOT_INTERNAL_H

#include "application/figure/dot/dot_label.h"
#include "application/figure/dot/graph_dot.h"
#include "domain/base/attributes.h"

#define POINTS_PER_INCH 72.0
#define LINE_HEIGHT 1.25 /* of the font's size */

struct dot_writing {
    struct arena *arena;
    const struct figure_graph *graph;
    const struct figure_style *style;
    struct buf out;
};

/* The buffer has no bound: the graph has one. */
void dot_put(struct dot_writing *writing, const char *format, ...) PRINTF_LIKE(2, 3);
void dot_put_label(struct dot_writing *writing, const struct dot_label *label, bool left);
/* ` fillcolor="#…" color="#…" fontcolor="#…"` of a node: its role's, or its emphasis' instead. */
void dot_put_look(struct dot_writing *writing, const struct figure_node *node);
/* `"#rrggbb"`; in the arena. */
const char *dot_color(struct dot_writing *writing, struct figure_color color);
/* What stands at the beginning of each: margins, fonts, lines. extra: of the graph. */
void dot_put_defaults(struct dot_writing *writing, const char *extra);

void dot_put_flow(struct dot_writing *writing);
void dot_put_sequence(struct dot_writing *writing);

#endif
