/* What graph_dot.h is made of: labels as lines of a picture, the way a flow reads, and what the two
 * kinds of picture write alike. Private to the room. */
#ifndef APPLICATION_FIGURE_DOT_GRAPH_DOT_INTERNAL_H
#define APPLICATION_FIGURE_DOT_GRAPH_DOT_INTERNAL_H

#include "application/figure/dot/graph_dot.h"
#include "domain/base/buf.h"
#include <stdbool.h>

/* A label is wrapped at blanks by display width, in lines of about the same length, and cut with …
 * where there would be too many of them. A word is broken at the end of a line only in a script
 * that is written without blanks; a word of usual length makes the lines wider instead, and a
 * longer one is broken where a reader would. A line break in the label is kept. Writing for
 * Graphviz escapes everything that means something there: quotes and backslashes (so that \N and \G
 * are two letters), entities, control characters and bidi overrides. */
#define DOT_LABEL_MAX_LINES 8
#define DOT_LABEL_MIN_WRAP 6    /* columns; a smaller wrap is taken for this */
#define DOT_LABEL_WHOLE_WORD 16 /* columns of a word that is not broken */

struct dot_label {
    const char *lines[DOT_LABEL_MAX_LINES]; /* in the arena; as text, nothing is escaped yet */
    size_t n;
};

/* wrap: columns of a line (text_columns). */
struct dot_label dot_label_wrap(struct arena *arena, const char *text, size_t wrap);
/* The width of the widest line as a multiple of the font's size, never less than DejaVu Sans needs.
 */
double dot_label_width(const struct dot_label *label);
/* As a quoted string; left: lines begin at the left, else they are centred. Both return false when
 * the buffer is full. */
MUST_CHECK
bool dot_label_write(struct buf *out, const struct dot_label *label, bool left);
/* In Graphviz' markup, with the lines of sub below it in letters of that size. */
MUST_CHECK
bool dot_label_write_with_sub(struct buf *out, const struct dot_label *label,
                              const struct dot_label *sub, double size);
/* As the value of an attribute in XML, without its quotes. */
MUST_CHECK
bool dot_label_write_xml(struct buf *out, const struct dot_label *label);
/* As a table of one cell in Graphviz' markup, with so many points around it that no edge beside it
 * touches it: plain labels of edges have no margin. */
MUST_CHECK
bool dot_label_write_padded(struct buf *out, const struct dot_label *label, unsigned padding);

/* Which way a flow reads. An edge that closes a circle is a feedback, and is laid out from its end
 * to its beginning: then the nodes stand in the order in which they follow from each other,
 * whatever the groups around them are. An edge that is dashed, or leads back to a node that came
 * before, is taken for the feedback rather than one that leads on. A graph that is one circle is
 * laid out as a ring, there and back, instead of a line with a long way home. */
#define GRAPH_ORDER_MIN_RING 4 /* nodes of a circle that is drawn as a ring */

struct graph_order {
    const bool *is_back;   /* per edge: laid out from its end to its beginning */
    const bool *is_beside; /* per edge: dashed, between nodes that the other edges put side by side,
                              and to move neither of them */
    const size_t *levels;  /* per node: how many come before it at most */
};

/* The graph must fit (figure_graph_fits). */
struct graph_order graph_order_find(struct arena *arena, const struct figure_graph *graph);

#define POINTS_PER_INCH 72.0
#define FRAME_MARGIN 14.0 /* points, between the frame of a group and its nodes */
#define LINE_HEIGHT 1.25  /* of the font's size */

struct dot_writing {
    struct arena *arena;
    const struct figure_graph *graph;
    const struct figure_style *style;
    struct graph_layout layout;
    struct buf out;
};

/* Columns of the style's lines in this layout. */
static inline unsigned dot_wrap(const struct dot_writing *writing)
{
    return writing->style->wrap * (unsigned)(100 - writing->layout.narrower) / 100;
}
/* The size of the letters of edges and smaller lines, likewise. */
static inline double dot_small_size(const struct dot_writing *writing)
{
    return writing->layout.has_even_letters ? writing->style->font_size
                                            : writing->style->edge_font_size;
}
/* A gap of the style, likewise. */
static inline double dot_gap(const struct dot_writing *writing, double gap)
{
    return gap * (100 - writing->layout.nearer) / 100;
}

/* The buffer has no bound, because the graph has one. */
void dot_put(struct dot_writing *writing, const char *format, ...) PRINTF_LIKE(2, 3);
void dot_put_label(struct dot_writing *writing, const struct dot_label *label, bool left);
/* The label of a node, with its sub-label where it has one. */
struct dot_node_label {
    struct dot_label label, sub;
    double width, height; /* points, of the text; never less than DejaVu Sans needs */
};
struct dot_node_label dot_node_label(const struct dot_writing *writing,
                                     const struct figure_node *node, size_t wrap);
void dot_put_node_label(struct dot_writing *writing, const struct dot_node_label *label, bool left);
/* A shape of a style in the three languages. */
struct dot_shape {
    const char *name;
    const char *attributes;    /* of Graphviz */
    double margin_x, margin_y; /* inches around its text */
    double wrap;               /* of the style's: slanted sides take room at both ends of a line */
    const char *before, *behind; /* its label, in Mermaid */
    const char *drawio;          /* a style */
};
const struct dot_shape *dot_shape_of(const struct dot_writing *writing,
                                     const struct figure_node *node);
struct figure_look dot_group_look(const struct figure_style *style);
/* How a node looks: by its emphasis, or else its role. */
const struct figure_look *dot_look(const struct figure_style *style,
                                   const struct figure_node *node);
/* ` fillcolor="#…" color="#…" fontcolor="#…"` of a node. */
void dot_put_look(struct dot_writing *writing, const struct figure_node *node);
/* `#rrggbb`, and in quotes; in the arena. */
const char *dot_hex(struct arena *arena, struct figure_color color);
const char *dot_color(struct dot_writing *writing, struct figure_color color);
/* What a picture begins with: margins, fonts, lines. extra: further attributes of the graph. */
void dot_put_defaults(struct dot_writing *writing, const char *extra);

/* What was written, in the arena; frees the buffer. */
const char *dot_finish(struct dot_writing *writing);

void dot_put_sequence(struct dot_writing *writing);
/* What a flow is made of; place: further attributes, "" or from " " on. */
void dot_put_node(struct dot_writing *writing, size_t i, const char *place);
void dot_put_edge(struct dot_writing *writing, const struct graph_order *order, size_t i,
                  const char *place);
struct dot_label dot_edge_label(const struct dot_writing *writing, size_t edge);
/* Another edge between the nodes of this one, whichever way: one with a label where there is one.
 * NULL: there is none. */
const struct figure_edge *dot_twin(const struct figure_graph *graph, size_t edge);
/* ` style="filled,rounded" …`: the looks of the frame around a group. */
void dot_put_frame(struct dot_writing *writing);
/* Columns of a group's title. */
unsigned dot_title_wrap(const struct dot_writing *writing);
/* The title of a group as a node, which edges avoid. */
void dot_put_title(struct dot_writing *writing, const char *name, const struct dot_label *title,
                   const char *place);
/* Whether the node stands in the group or in one within it. */
bool dot_is_member(const struct figure_graph *graph, size_t group, int node);
/* A flow with the places of the layout. False, with nothing written, where they are those of
 * something else. */
MUST_CHECK
bool dot_put_places(struct dot_writing *writing);

#endif
