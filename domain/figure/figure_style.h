/* How figures look, as data (config/styles/NAME.yml): colours for each role of a node, fonts,
 * spacing. A style is checked before it is used: every text has a contrast of at least 4.5 to what
 * it stands on, every line at least 3 to the background, and fills of different roles stay apart
 * for the three kinds of colour blindness. */
#ifndef DOMAIN_FIGURE_FIGURE_STYLE_H
#define DOMAIN_FIGURE_FIGURE_STYLE_H

#include "domain/figure/figure_graph.h"
#include <stdint.h>

#define FIGURE_STYLE_ASSET "config/styles/%s.yml"
#define FIGURE_MAX_GUIDE_BYTES 8192

/* Shapes of Graphviz, and "rounded", a box with round corners. Two roles have different shapes, or
 * fills that can be told apart. */
#define FIGURE_SHAPES                                                                              \
    "box", "rounded", "ellipse", "diamond", "hexagon", "cylinder", "parallelogram", "note",        \
        "component", "folder", "plain"
/* Families whose letters are nowhere wider than where the picture was laid out. */
#define FIGURE_FONTS                                                                               \
    "DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono", "Liberation Sans", "Liberation Serif",      \
        "Helvetica", "Arial"

struct figure_color {
    uint8_t red, green, blue;
};

struct figure_look {
    const char
        *shape; /* one of FIGURE_SHAPES; NULL for accent and muted, which keep that of the role */
    struct figure_color fill, stroke, text;
};

struct figure_style {
    const char *name, *description;
    const char *font; /* one of FIGURE_FONTS */
    double font_size; /* points, 6 … 48 */
    double edge_font_size;
    struct figure_color background, edge, edge_text, group_fill, group_stroke, group_text;
    struct figure_look roles[FIGURE_ROLE_NOTE + 1];
    struct figure_look accent, muted;
    double node_gap, rank_gap, line_width; /* inches, inches, points */
    unsigned wrap;                         /* characters after which a label goes on below */
    unsigned dpi;                          /* of a PNG */
    const char *guide;                     /* in words: what the Stylist and the Critic are given */
};

/* From the value of a YAML or JSON document. False with every problem and its path, also those of
 * contrast and colour blindness. */
bool figure_style_from_json(struct arena *arena, const char *name, const json_t *value,
                            struct figure_style *out, struct problems *problems);

#endif
