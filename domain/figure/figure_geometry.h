/* Where the parts of a picture lie, from what `dot -Tjson` wrote, and how well it can be read on
 * the page that it is for. Lengths are points, and y goes up. Pure. */
#ifndef DOMAIN_FIGURE_FIGURE_GEOMETRY_H
#define DOMAIN_FIGURE_FIGURE_GEOMETRY_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>

struct figure_box {
    double left, low, right, high;
};

bool figure_boxes_overlap(const struct figure_box *a, const struct figure_box *b, double tolerance);
bool figure_box_is_within(const struct figure_box *inner, const struct figure_box *outer,
                          double tolerance);

struct figure_segment {
    double x1, y1, x2, y2;
};

/* The route of an edge ("e,1,2 3,4 5,6 7,8 9,10": the tip of an arrow, then curves of four points
 * each, of which the last begins the next) in straight pieces, at most max; how many there are. */
size_t figure_route_read(const char *route, struct figure_segment *out, size_t max);
/* Whether the line comes nearer to the box than margin (which may be below 0). */
bool figure_line_meets(const struct figure_segment *line, const struct figure_box *box,
                       double margin);
/* The box of the node or group that Graphviz calls by that name, NULL: of the whole; false where
 * there is none. */
bool figure_geometry_find(const json_t *geometry, const char *name, struct figure_box *out);

/* What a picture is printed on. It is made smaller where it is larger than that, and never larger.
 */
struct figure_page {
    double width;
    double height; /* 0: as high as it gets */
};
#define FIGURE_SMALLEST_LETTER 6.0 /* points, as printed */
#define FIGURE_MAX_ASPECT 2.0      /* the longer side, of the shorter one */

/* How hard the picture is to read, as a number that only says which of several pictures of a graph
 * is best: text that is not to be read or has something on it, small letters, edges that cross or
 * bend, a shape that is too long, white space. *out_fits: its letters are large enough, nothing is
 * found wrong with it, and it is not too long. */
double figure_geometry_cost(struct arena *arena, const json_t *geometry,
                            const struct figure_page *page, bool *out_fits);

#endif
