/* Whether a style's colours can be read and told apart. Private to figure_style.c. */
#ifndef DOMAIN_FIGURE_FIGURE_STYLE_CHECK_H
#define DOMAIN_FIGURE_FIGURE_STYLE_CHECK_H

#include "domain/figure/figure_style.h"

/* Every pair of colours that is too near, with the path of the one to change. */
void figure_style_check(const struct figure_style *style, struct problems *problems);

#endif
