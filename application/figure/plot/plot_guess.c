#include "application/figure/plot/plot_guess.h"
#include "application/figure/plot/plot_words.h"
#include "domain/base/json.h"
#include <string.h>

#define FEW_PLACES 30 /* bars or boxes that are made unasked */
#define NONE (-1)

struct guess {
    struct arena *arena;
    const struct plot_data *data;
    const char *caption, *intent;
    struct plot_wish wish;
};

static bool is_number(const struct guess *g, int column)
{
    return g->data->columns[column].is_number;
}

static bool is_few(const struct guess *g, int column, size_t max)
{
    size_t n = plot_data_distinct(g->data, (size_t)column, max);
    return n > 0 && n <= max;
}

static bool is_day(const struct guess *g, int column)
{
    return plot_data_is_date(g->data, (size_t)column);
}

/* What time or order is along: by name, or days. */
static bool is_axis(const struct guess *g, int column)
{
    return is_day(g, column) || plot_words_name_axis(g->data->columns[column].name);
}

typedef bool (*fits_fn)(const struct guess *g, int column);

static bool fits_value(const struct guess *g, int column)
{
    return is_number(g, column) && !plot_words_name_axis(g->data->columns[column].name) &&
           !plot_words_name_key(g->data->columns[column].name);
}

static bool fits_number(const struct guess *g, int column)
{
    return is_number(g, column);
}

static bool fits_place(const struct guess *g, int column)
{
    return !is_number(g, column) && is_few(g, column, FEW_PLACES);
}

static bool fits_axis(const struct guess *g, int column)
{
    return is_axis(g, column) && (is_number(g, column) || is_day(g, column));
}

static bool fits_series(const struct guess *g, int column)
{
    return !is_number(g, column) && is_few(g, column, PLOT_MAX_SERIES) && !is_few(g, column, 1) &&
           !is_day(g, column);
}

/* The column that fits, is none of two others, and is spoken of; else the first that fits. */
static int find(const struct guess *g, fits_fn fits, int not_this, int nor_that)
{
    int first = NONE;
    for (int i = 0; i < (int)g->data->n_columns; i++) {
        if (i == not_this || i == nor_that || !fits(g, i))
            continue;
        const char *name = g->data->columns[i].name;
        if (plot_words_mention(g->caption, name) || plot_words_mention(g->intent, name))
            return i;
        first = first == NONE ? i : first;
    }
    return first;
}

static int find_spoken(const struct guess *g, fits_fn fits, int not_this, int nor_that)
{
    int found = find(g, fits, not_this, nor_that);
    if (found == NONE)
        return NONE;
    const char *name = g->data->columns[found].name;
    bool is_spoken = plot_words_mention(g->caption, name) || plot_words_mention(g->intent, name);
    return is_spoken ? found : NONE;
}

/* A value of which there are several for one place would be drawn over itself. */
static bool repeats(const struct guess *g, int x, int color)
{
    json_t *seen = arena_keep_json(g->arena, json_object());
    for (size_t row = 0; row < g->data->n_rows; row++) {
        auto_str place = json_print(json_array_get(json_array_get(g->data->rows, row), (size_t)x));
        const json_t *series = color == NONE ? NULL : plot_data_cell(g->data, row, (size_t)color);
        auto_str name = json_print(series);
        const char *key = arena_printf(g->arena, "%s %s", place, name ? name : "");
        if (json_object_get(seen, key))
            return true;
        json_object_set_new_nocheck(seen, key, json_true());
    }
    return false;
}

static const char *name_of(const struct guess *g, int column)
{
    return column == NONE ? NULL : g->data->columns[column].name;
}

static bool finish(const struct guess *g, enum plot_mark mark, int x, int y, int color,
                   struct plot_spec *out)
{
    *out = (struct plot_spec){ .mark = mark,
                               .x = name_of(g, x),
                               .y = name_of(g, y),
                               .color = name_of(g, color),
                               .x_label = "",
                               .y_label = "",
                               .sorted = mark == PLOT_BAR && g->wish.sorted && !is_axis(g, x) };
    bool adds_up = mark == PLOT_BAR || mark == PLOT_LINE || mark == PLOT_AREA;
    if (!adds_up)
        return true;
    if (y == NONE)
        out->aggregate = PLOT_AGGREGATE_COUNT;
    else if (g->wish.has_aggregate)
        out->aggregate = g->wish.aggregate;
    else if (repeats(g, x, color))
        out->aggregate = mark == PLOT_AREA ? PLOT_AGGREGATE_SUM : PLOT_AGGREGATE_MEAN;
    return true;
}

static bool guess_histogram(const struct guess *g, struct plot_spec *out)
{
    int x = find(g, fits_value, NONE, NONE);
    if (x == NONE)
        x = find(g, fits_number, NONE, NONE);
    return x != NONE &&
           finish(g, PLOT_HISTOGRAM, x, NONE, find_spoken(g, fits_series, x, NONE), out);
}

static bool guess_box(const struct guess *g, struct plot_spec *out)
{
    int x = find(g, fits_place, NONE, NONE), y = find(g, fits_value, x, NONE);
    return x != NONE && y != NONE &&
           finish(g, PLOT_BOX, x, y, find_spoken(g, fits_series, x, y), out);
}

/* The first number that is named is across, the next one up: "weight against height" turns that. */
static bool guess_points(const struct guess *g, struct plot_spec *out)
{
    int first = find(g, fits_value, NONE, NONE);
    int second = first == NONE ? NONE : find(g, fits_value, first, NONE);
    if (second == NONE)
        second = first == NONE ? NONE : find(g, fits_number, first, NONE);
    if (second == NONE)
        return false;
    bool is_turned = plot_words_against(g->caption, name_of(g, first), name_of(g, second));
    int x = is_turned ? second : first, y = is_turned ? first : second;
    return finish(g, PLOT_POINT, x, y, find(g, fits_series, x, y), out);
}

static bool guess_along(const struct guess *g, enum plot_mark mark, struct plot_spec *out)
{
    int x = find(g, fits_axis, NONE, NONE);
    if (x == NONE)
        x = find(g, fits_number, find(g, fits_value, NONE, NONE), NONE);
    int y = x == NONE ? NONE : find(g, fits_value, x, NONE);
    if (y == NONE)
        return false;
    return finish(g, mark, x, y, find(g, fits_series, x, y), out);
}

static bool guess_bars(const struct guess *g, struct plot_spec *out)
{
    int x = find(g, fits_place, NONE, NONE);
    if (x == NONE) {
        int axis = find(g, fits_axis, NONE, NONE);
        x = axis != NONE && is_few(g, axis, FEW_PLACES) ? axis : NONE;
    }
    if (x == NONE)
        return false;
    int y = g->wish.has_aggregate && g->wish.aggregate == PLOT_AGGREGATE_COUNT
                ? NONE
                : find(g, fits_value, x, NONE);
    return finish(g, PLOT_BAR, x, y, find_spoken(g, fits_series, x, y), out);
}

static bool choose(const struct guess *g, enum plot_mark mark, struct plot_spec *out)
{
    switch (mark) {
    case PLOT_HISTOGRAM:
        return guess_histogram(g, out);
    case PLOT_BOX:
        return guess_box(g, out);
    case PLOT_POINT:
        return guess_points(g, out);
    case PLOT_LINE:
    case PLOT_AREA:
        return guess_along(g, mark, out);
    case PLOT_BAR:
        break;
    }
    return guess_bars(g, out);
}

/* What is chosen has to pass the checks of any spec. */
static bool guess_mark(const struct guess *g, enum plot_mark mark, struct plot_spec *out)
{
    struct plot_spec spec;
    struct problems problems = { .arena = g->arena };
    if (!choose(g, mark, &spec))
        return false;
    const json_t *value = arena_keep_json(g->arena, plot_spec_to_json(&spec));
    return plot_spec_from_json(g->arena, value, g->data, out, &problems);
}

/* A line is a good guess only along time, and where that is not passed over for names. */
static bool is_along(const struct guess *g)
{
    if (find_spoken(g, fits_axis, NONE, NONE) != NONE)
        return true;
    return find(g, fits_axis, NONE, NONE) != NONE && find_spoken(g, fits_place, NONE, NONE) == NONE;
}

bool plot_spec_guess(struct arena *arena, const struct plot_data *data, const char *caption,
                     const char *intent, struct plot_spec *out)
{
    static const enum plot_mark otherwise[] = { PLOT_LINE, PLOT_BAR, PLOT_POINT, PLOT_HISTOGRAM };
    struct guess g = { .arena = arena, .data = data, .caption = caption, .intent = intent };
    g.wish = plot_words_read(caption, intent);
    if (g.wish.has_mark && guess_mark(&g, g.wish.mark, out))
        return true;
    for (size_t i = is_along(&g) ? 0 : 1; i < ARRAY_LENGTH(otherwise); i++)
        if (guess_mark(&g, otherwise[i], out))
            return true;
    return false;
}
