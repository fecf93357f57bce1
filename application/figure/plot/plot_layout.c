#include "application/figure/plot/plot_points.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include <math.h>

#define WIDTH 480
#define HEIGHT 300
#define MAX_LENGTH 1600   /* of the axis with the places */
#define LETTER_WIDTH 0.74 /* of the font's size, as a mean */
#define LINE_HEIGHT 1.7   /* likewise, of names below each other */
#define LEAST_HEIGHT 1.4  /* likewise, of names that are written upwards */
#define PLACE_WIDTH 14    /* at least */
#define LEVEL_WIDTH 720   /* for names beside each other */
#define BAR_WIDTH 100     /* at most, where there are few */
#define SERIES_WIDTH 8    /* of a bar among the others of its place */
#define MAX_MARKS 30      /* points on a line */

static unsigned bounded(double value, unsigned least)
{
    return value < least ? least : value > MAX_LENGTH ? MAX_LENGTH : (unsigned)value;
}

static size_t longest(const struct plot_points *points)
{
    size_t most = 0;
    for (size_t i = 0; i < points->n_places; i++) {
        size_t columns = text_columns(points->places[i]);
        most = columns > most ? columns : most;
    }
    return most < PLOT_LABEL_COLUMNS ? most : PLOT_LABEL_COLUMNS;
}

struct plot_layout plot_layout_of(const struct plot_spec *spec, const struct plot_points *points,
                                  const struct figure_style *style)
{
    struct plot_layout layout = { .width = WIDTH, .height = HEIGHT, .label_step = 1 };
    bool has_bars = spec->mark == PLOT_BAR || spec->mark == PLOT_BOX;
    double size = style->edge_font_size, bars = has_bars ? (double)points->n_series : 1;
    double n = (double)points->n_places;
    layout.has_marks = spec->mark == PLOT_LINE && points->n_places <= MAX_MARKS;
    if (!points->has_places)
        return layout;
    double level = n * ((double)longest(points) + 1) * LETTER_WIDTH * size;
    double place = fmax(PLACE_WIDTH, LEAST_HEIGHT * size);
    bool fits = level <= LEVEL_WIDTH;
    /* Numbers and times stay below their bars: they are short, and run from left to right. */
    layout.is_horizontal = !fits && has_bars && !points->is_time && !points->is_number;
    layout.is_turned = !fits && !layout.is_horizontal;
    if (layout.is_horizontal) {
        layout.height = bounded(n * fmax(LINE_HEIGHT * size, SERIES_WIDTH * bars), HEIGHT / 2);
        return layout;
    }
    double least = has_bars ? fmin(WIDTH, fmax(WIDTH / 2.0, n * bars * BAR_WIDTH)) : WIDTH;
    layout.width =
        bounded(fmax(fits ? level : n * place, n * SERIES_WIDTH * bars), (unsigned)least);
    layout.label_step = 1 + (size_t)(n * place / (layout.width + place));
    return layout;
}
