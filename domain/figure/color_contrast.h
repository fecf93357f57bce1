/* How well colours can be told apart. The contrast is that of WCAG 2 (1 to 21); the distance is
 * Euclidean in the perceptual space OKLab (black to white is 1, and about 0.02 is just seen), as
 * people with normal sight and with each kind of missing cone see it (Machado, Oliveira and
 * Fernandes 2009, complete). Pure. */
#ifndef DOMAIN_FIGURE_COLOR_CONTRAST_H
#define DOMAIN_FIGURE_COLOR_CONTRAST_H

#include "domain/figure/figure_style.h"

#define COLOR_TEXT_CONTRAST 4.5 /* WCAG 1.4.3 */
#define COLOR_LINE_CONTRAST 3.0 /* WCAG 1.4.11 */
#define COLOR_APART 0.025       /* of two areas side by side that mean different things */

/* X(vision, name) */
#define COLOR_VISIONS(X)                                                                           \
    X(NORMAL, "normal sight")                                                                      \
    X(PROTANOPIA, "protanopia")                                                                    \
    X(DEUTERANOPIA, "deuteranopia")                                                                \
    X(TRITANOPIA, "tritanopia")

enum color_vision {
#define X(vision, name) COLOR_##vision,
    COLOR_VISIONS(X)
#undef X
};

/* Of the grey that a copier makes of it, on the same scale as the distance: 0 is black, 1 white. */
double color_lightness(struct figure_color color);
double color_contrast(struct figure_color a, struct figure_color b);
double color_distance(struct figure_color a, struct figure_color b, enum color_vision vision);
/* The smallest of the four distances, and whose it is. */
double color_smallest_distance(struct figure_color a, struct figure_color b,
                               enum color_vision *out_vision);
const char *color_vision_name(enum color_vision vision);

#endif
