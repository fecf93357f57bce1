/* The words a figure's graph and style use, by enum, for whoever reads or writes them. */
#ifndef DOMAIN_FIGURE_FIGURE_NAMES_H
#define DOMAIN_FIGURE_FIGURE_NAMES_H

#include "domain/base/attributes.h"
#include <stddef.h>

struct figure_names {
    const char *const *list;
    size_t n;
};

extern const struct figure_names figure_kind_names, figure_direction_names, figure_role_names,
    figure_emphasis_names, figure_line_names;

#endif
