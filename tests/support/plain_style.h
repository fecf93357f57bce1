/* A style for tests: the colours of config/styles/plain.yml at the time of writing. */
#ifndef TESTS_SUPPORT_PLAIN_STYLE_H
#define TESTS_SUPPORT_PLAIN_STYLE_H

#include "domain/figure/figure_style.h"

extern const struct figure_style plain_style;

#endif
