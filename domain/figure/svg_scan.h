/* Just enough of XML to say that an SVG is one, and harmless. Private to picture_bytes.c. */
#ifndef DOMAIN_FIGURE_SVG_SCAN_H
#define DOMAIN_FIGURE_SVG_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the first element is an svg. */
bool svg_starts(const char *bytes, size_t length);
const char *svg_fault(const char *bytes, size_t length);
/* In points, from the attributes of its first element. */
bool svg_size(const char *bytes, size_t length, double *out_width, double *out_height);

#endif
