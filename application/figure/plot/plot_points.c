/* Places (the different x) and series are numbered as they come, then the values of each place and
 * series are added up where the spec asks for it, at last the places are put into their order. */
#include "application/figure/plot/plot_points.h"
#include "domain/base/json.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_SERIES "(none)"
#define LARGEST 1.7e308
#define EXACT_INTEGERS 1e15 /* whole numbers below are exact as doubles */

/* Different texts in the order in which they came. */
struct names {
    struct arena *arena;
    const char **list;
    size_t n, capacity;
    json_t *index;
};

/* A place while they are put into order. */
struct place {
    size_t number; /* in the order in which it came */
    const json_t *x;
    double total;
};

struct gathering {
    struct arena *arena;
    const struct plot_spec *spec;
    const struct plot_data *data;
    struct plot_points points;
    size_t capacity;
    struct names places, series;
    const json_t **x_of; /* of each place */
    size_t n_x, x_capacity;
};

static size_t number_of(struct names *names, const char *name)
{
    const json_t *known = json_object_get(names->index, name);
    if (known)
        return (size_t)json_integer_value(known);
    json_object_set_new_nocheck(names->index, name, json_integer((json_int_t)names->n));
    *arena_push(names->arena, names->list, names->n, names->capacity) =
        arena_strdup(names->arena, name);
    return names->n - 1;
}

static size_t number_of_cell(struct names *names, const json_t *cell)
{
    if (json_is_string(cell))
        return number_of(names, json_string_value(cell));
    if (json_is_null(cell))
        return number_of(names, NO_SERIES);
    auto_str text = json_print(cell);
    return number_of(names, text);
}

static bool has_y(const struct plot_spec *spec)
{
    return spec->y && spec->mark != PLOT_HISTOGRAM && spec->aggregate != PLOT_AGGREGATE_COUNT;
}

/* Bars and areas show one value for each place, whatever the spec says of it. */
static bool adds_up(const struct plot_spec *spec)
{
    if (spec->mark == PLOT_HISTOGRAM || spec->mark == PLOT_BOX)
        return false;
    return spec->aggregate != PLOT_AGGREGATE_NONE || spec->mark == PLOT_BAR ||
           spec->mark == PLOT_AREA;
}

static void gather(struct gathering *g)
{
    const struct plot_spec *spec = g->spec;
    size_t x = (size_t)plot_data_find(g->data, spec->x);
    int y = has_y(spec) ? plot_data_find(g->data, spec->y) : -1;
    int color = spec->color ? plot_data_find(g->data, spec->color) : -1;
    if (color < 0)
        number_of(&g->series, "");
    for (size_t row = 0; row < g->data->n_rows; row++) {
        struct plot_point point = { .x = plot_data_cell(g->data, row, x), .row = row };
        point.y = y < 0 ? NULL : plot_data_cell(g->data, row, (size_t)y);
        if (json_is_null(point.x) || json_is_null(point.y)) {
            g->points.n_missing++;
            continue;
        }
        point.place = number_of_cell(&g->places, point.x);
        if (point.place == g->n_x)
            *arena_push(g->arena, g->x_of, g->n_x, g->x_capacity) = point.x;
        if (color >= 0)
            point.series = number_of_cell(&g->series, plot_data_cell(g->data, row, (size_t)color));
        *arena_push(g->arena, g->points.list, g->points.n, g->capacity) = point;
    }
}

static json_t *number(double value)
{
    bool is_whole = floor(value) == value && fabs(value) < EXACT_INTEGERS;
    return is_whole ? json_integer((json_int_t)value) : json_real(value);
}

/* A sum of finite numbers may be infinite, which JSON cannot say: it stays at the largest. */
static double sum(double a, double b)
{
    return isinf(a + b) ? copysign(LARGEST, a + b) : a + b;
}

/* One value for each place and series that has any; an area needs all of them. */
static void add_up(struct gathering *g)
{
    size_t n_series = g->series.n, n_cells = g->places.n * n_series, n = 0;
    double *sums = arena_array(g->arena, double, n_cells + 1);
    size_t *counts = arena_array(g->arena, size_t, n_cells + 1);
    for (size_t i = 0; i < g->points.n; i++) {
        const struct plot_point *point = &g->points.list[i];
        size_t cell = point->place * n_series + point->series;
        sums[cell] = sum(sums[cell], point->y ? json_number_value(point->y) : 1);
        counts[cell]++;
    }
    struct plot_point *list = arena_array(g->arena, struct plot_point, n_cells + 1);
    for (size_t cell = 0; cell < n_cells; cell++) {
        size_t place = cell / n_series;
        double value = sums[cell];
        if (!counts[cell] && g->spec->mark != PLOT_AREA)
            continue;
        if (g->spec->aggregate == PLOT_AGGREGATE_MEAN && counts[cell])
            value /= (double)counts[cell];
        list[n++] = (struct plot_point){ .x = g->x_of[place],
                                         .y = arena_keep_json(g->arena, number(value)),
                                         .place = place,
                                         .series = cell % n_series };
    }
    g->points.list = list;
    g->points.n = n;
}

static int by_order(const struct place *a, const struct place *b)
{
    return (a->number > b->number) - (a->number < b->number);
}

static int by_x(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (json_is_string(a->x))
        return strcmp(json_string_value(a->x), json_string_value(b->x));
    double x = json_number_value(a->x), y = json_number_value(b->x);
    return x == y ? by_order(a, b) : x < y ? -1 : 1;
}

static int by_total(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return a->total == b->total ? by_order(a, b) : a->total > b->total ? -1 : 1;
}

/* Numbers and days in their order, bars by height where that is asked for, text as it came. */
static void order_places(struct gathering *g)
{
    size_t n = g->places.n;
    struct place *places = arena_array(g->arena, struct place, n + 1);
    size_t *rank = arena_array(g->arena, size_t, n + 1);
    for (size_t i = 0; i < n; i++)
        places[i] = (struct place){ .number = i, .x = g->x_of[i] };
    for (size_t i = 0; i < g->points.n; i++) {
        struct place *place = &places[g->points.list[i].place];
        place->total = sum(place->total, json_number_value(g->points.list[i].y));
    }
    if (g->spec->sorted)
        qsort(places, n, sizeof *places, by_total);
    else if (n && (g->points.is_date || json_is_number(places[0].x)))
        qsort(places, n, sizeof *places, by_x);
    g->points.places = arena_array(g->arena, const char *, n + 1);
    g->points.n_places = n;
    for (size_t i = 0; i < n; i++) {
        g->points.places[i] = g->places.list[places[i].number];
        rank[places[i].number] = i;
    }
    for (size_t i = 0; i < g->points.n; i++)
        g->points.list[i].place = rank[g->points.list[i].place];
}

/* By series, then by place; those of one place stay as they came. */
static int by_series(const void *left, const void *right)
{
    const struct plot_point *a = left, *b = right;
    if (a->series != b->series)
        return a->series < b->series ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

void plot_points_init(struct arena *arena, const struct plot_spec *spec,
                      const struct plot_data *data, struct plot_points *out)
{
    struct gathering g = { .arena = arena, .spec = spec, .data = data };
    g.places = (struct names){ .arena = arena, .index = arena_keep_json(arena, json_object()) };
    g.series = (struct names){ .arena = arena, .index = arena_keep_json(arena, json_object()) };
    size_t x = (size_t)plot_data_find(data, spec->x);
    bool has_boxes = spec->mark == PLOT_BAR || spec->mark == PLOT_BOX;
    g.points.is_date = plot_data_is_date(data, x);
    g.points.has_places = has_boxes || !(data->columns[x].is_number || g.points.is_date);
    gather(&g);
    if (adds_up(spec))
        add_up(&g);
    order_places(&g);
    if (spec->mark != PLOT_POINT && spec->mark != PLOT_HISTOGRAM && g.points.n)
        qsort(g.points.list, g.points.n, sizeof *g.points.list, by_series);
    g.points.series = g.series.list;
    g.points.n_series = g.series.n;
    *out = g.points;
}
