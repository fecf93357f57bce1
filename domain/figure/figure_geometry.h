/* Where the parts of a picture lie, from what `dot -Tjson` wrote. Lengths are points, and y goes
 * up. Pure. */
#ifndef DOMAIN_FIGURE_FIGURE_GEOMETRY_H
#define DOMAIN_FIGURE_FIGURE_GEOMETRY_H

#include <jansson.h>
#include <stdbool.h>

struct figure_box {
    double left, low, right, high;
};

/* The box of the node or group that Graphviz calls by that name, NULL: of the whole; false where
 * there is none. */
bool figure_geometry_find(const json_t *geometry, const char *name, struct figure_box *out);

#endif
