/* Places (the different x) and series are numbered as they come, then the values of each place and
 * series are added up where the spec asks for it, at last both are put into their order. */
#include "application/figure/plot/plot_points.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_SERIES "(none)"
#define LARGEST 1.7e308
#define EXACT_INTEGERS 1e15 /* whole numbers below are exact as doubles */
#define MS_PER_DAY 86400000
#define MIN_BINS 8
#define MAX_BINS 40
#define MOST_EVEN 400 /* places in time, with those that have no value: the days of a year */

/* Different values in the order in which they came, as texts and as the cell that had each first.
 */
struct names {
    struct arena *arena;
    const char **list;
    const json_t **cells;
    size_t n, capacity, n_cells, cell_capacity;
    json_t *index;
};

/* A place or a series while they are put into order. */
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
    bool has_months; /* x is a time, and each is a month or the first of one */
    bool has_days;   /* x is a time, and a cell has more than year and month */
};

static size_t number_of(struct names *names, const json_t *cell)
{
    auto_str printed = json_is_string(cell) ? NULL : json_print(cell);
    const char *name = printed ? printed : json_string_value(cell);
    name = json_is_null(cell) ? NO_SERIES : name;
    const json_t *known = json_object_get(names->index, name);
    if (known)
        return (size_t)json_integer_value(known);
    json_object_set_new_nocheck(names->index, name, json_integer((json_int_t)names->n));
    *arena_push(names->arena, names->cells, names->n_cells, names->cell_capacity) = cell;
    *arena_push(names->arena, names->list, names->n, names->capacity) =
        arena_strdup(names->arena, name);
    return names->n - 1;
}

/* "2026-11-21", with the time where it is not midnight. */
static const json_t *as_time(struct gathering *g, int64_t ms)
{
    char text[RFC3339_SIZE];
    rfc3339_print(ms, text);
    text[ms % MS_PER_DAY == 0 ? strlen("2026-11-21") : ms % 1000 == 0 ? 19 : 23] = '\0';
    return arena_keep_json(g->arena, json_string(text));
}

static const json_t *time_cell(struct gathering *g, const json_t *cell)
{
    int64_t ms = 0;
    (void)plot_time_read(json_string_value(cell), &ms);
    const json_t *time = as_time(g, ms);
    g->has_months &= text_ends_with(json_string_value(time), "-01");
    g->has_days |= json_string_length(cell) > strlen("2026-11");
    return time;
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
    const json_t *only = arena_keep_json(g->arena, json_string(""));
    if (color < 0)
        number_of(&g->series, only);
    for (size_t row = 0; row < g->data->n_rows; row++) {
        struct plot_point point = { .x = plot_data_cell(g->data, row, x), .row = row };
        point.y = y < 0 ? NULL : plot_data_cell(g->data, row, (size_t)y);
        if (json_is_null(point.x) || json_is_null(point.y))
            continue;
        if (g->points.is_time)
            point.x = time_cell(g, point.x);
        point.place = number_of(&g->places, point.x);
        if (color >= 0)
            point.series = number_of(&g->series, plot_data_cell(g->data, row, (size_t)color));
        *arena_push(g->arena, g->points.list, g->points.n, g->capacity) = point;
    }
    g->has_months &= !g->has_days || g->places.n > 1; /* a single day is a day */
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
        list[n++] = (struct plot_point){ .x = g->places.cells[place],
                                         .y = arena_keep_json(g->arena, number(value)),
                                         .place = place,
                                         .series = cell % n_series };
    }
    g->points.list = list;
    g->points.n = n;
}

typedef int (*order_fn)(const void *left, const void *right);

static int by_order(const struct place *a, const struct place *b)
{
    return (a->number > b->number) - (a->number < b->number);
}

static int by_x(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (json_is_string(a->x) && json_is_string(b->x))
        return strcmp(json_string_value(a->x), json_string_value(b->x));
    double x = json_is_null(a->x) ? INFINITY : json_number_value(a->x);
    double y = json_is_null(b->x) ? INFINITY : json_number_value(b->x);
    return x == y ? by_order(a, b) : x < y ? -1 : 1;
}

static int by_total(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return a->total == b->total ? by_order(a, b) : a->total > b->total ? -1 : 1;
}

/* Where each of the names stands when they are in order; the sorted places go to *out_sorted. */
static size_t *order_names(struct gathering *g, const struct names *names, order_fn order,
                           struct place **out_sorted)
{
    struct place *sorted = arena_array(g->arena, struct place, names->n + 1);
    size_t *rank = arena_array(g->arena, size_t, names->n + 1);
    for (size_t i = 0; i < names->n; i++)
        sorted[i] = (struct place){ .number = i, .x = names->cells[i] };
    for (size_t i = 0; order == by_total && i < g->points.n; i++) {
        struct place *place = &sorted[g->points.list[i].place];
        place->total = sum(place->total, json_number_value(g->points.list[i].y));
    }
    if (order && names->n)
        qsort(sorted, names->n, sizeof *sorted, order);
    for (size_t i = 0; i < names->n; i++)
        rank[sorted[i].number] = i;
    *out_sorted = sorted;
    return rank;
}

/* Numbers and times are; text stays as it came. */
static order_fn order_of(const struct gathering *g, const char *column)
{
    int index = plot_data_find(g->data, column);
    bool has_order = g->data->columns[index].is_number || plot_data_is_time(g->data, (size_t)index);
    return has_order ? by_x : NULL;
}

static void order_series(struct gathering *g)
{
    struct place *sorted;
    order_fn order = g->spec->color ? order_of(g, g->spec->color) : NULL;
    size_t *rank = order_names(g, &g->series, order, &sorted);
    g->points.series = arena_array(g->arena, const char *, g->series.n + 1);
    g->points.n_series = g->series.n;
    for (size_t i = 0; i < g->series.n; i++)
        g->points.series[rank[i]] = g->series.list[i];
    for (size_t i = 0; i < g->points.n; i++)
        g->points.list[i].series = rank[g->points.list[i].series];
}

/* A year, a month or a millisecond as a number that goes on evenly. */
static int64_t tick_of(const struct gathering *g, const json_t *x)
{
    int64_t ms = 0;
    const char *text = json_string_value(x);
    if (!text)
        return json_integer_value(x);
    if (g->has_months)
        return strtoll(text, NULL, 10) * 12 + strtoll(text + strlen("2026-"), NULL, 10) - 1;
    (void)plot_time_read(text, &ms);
    return ms;
}

static const char *tick_name(struct gathering *g, int64_t tick)
{
    if (g->has_months)
        return arena_printf(g->arena, "%04lld-%02lld", (long long)tick / 12,
                            (long long)tick % 12 + 1);
    return g->points.is_time ? json_string_value(as_time(g, tick))
                             : arena_printf(g->arena, "%lld", (long long)tick);
}

/* The step that all places of a time are apart by multiples of, and how many there are then. */
static int64_t even_step(const struct gathering *g, const struct place *sorted, size_t *out_n)
{
    int64_t first = tick_of(g, sorted[0].x), last = tick_of(g, sorted[g->places.n - 1].x), step = 0;
    for (size_t i = 1; i < g->places.n; i++)
        for (int64_t rest = tick_of(g, sorted[i].x) - first, next; rest; rest = next) {
            next = step ? step % rest : 0;
            step = rest;
        }
    *out_n = step ? (size_t)((last - first) / step) + 1 : 1;
    return step ? step : 1;
}

/* Numbers and times in their order, bars by height where that is asked for, text as it came. Bars
 * over time leave room for what is missing between them, where that is not too much. */
static void order_places(struct gathering *g)
{
    struct place *sorted;
    size_t n = g->places.n, n_even = 0;
    order_fn order = g->spec->sorted ? by_total : order_of(g, g->spec->x);
    size_t *rank = order_names(g, &g->places, order, &sorted);
    bool is_time =
        g->points.has_places && order == by_x && (g->points.is_time || g->points.is_year);
    int64_t first = n && is_time ? tick_of(g, sorted[0].x) : 0;
    int64_t step = n && is_time ? even_step(g, sorted, &n_even) : 1;
    is_time = n_even > 0 && n_even <= MOST_EVEN;
    g->points.n_places = is_time ? n_even : n;
    g->points.places = arena_array(g->arena, const char *, g->points.n_places + 1);
    for (size_t i = 0; i < g->points.n_places; i++)
        g->points.places[i] = is_time         ? tick_name(g, first + (int64_t)i * step)
                              : g->has_months ? tick_name(g, tick_of(g, sorted[i].x))
                                              : g->places.list[sorted[i].number];
    for (size_t i = 0; is_time && i < n; i++)
        rank[i] = (size_t)((tick_of(g, g->places.cells[i]) - first) / step);
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

/* The width of bins: the least of 1, 2 and 5 by a power of ten that makes at most so many of the
 * span. It is *out_factor / *out_per, so that the edges 1 / 10, 2 / 10, … are exact. */
static double bin_width(double span, double most, double *out_factor, double *out_per)
{
    static const double steps[] = { 1, 2, 5, 10 };
    double power = floor(log(span / most) / log(10)), scale = power > 0 ? pow(10, power) : 1;
    size_t i = 0;
    *out_per = power < 0 ? pow(10, -power) : 1;
    while (i + 1 < ARRAY_LENGTH(steps) && span > most * steps[i] * scale / *out_per)
        i++;
    *out_factor = steps[i] * scale;
    return *out_factor / *out_per;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The rule of Freedman and Diaconis, by which a few far values do not make all bins wide, or twice
 * the cube root, which is more of some. */
static double bins_wanted(struct gathering *g, double span)
{
    size_t n = g->points.n;
    double *values = arena_array(g->arena, double, n), root = pow((double)n, 1 / 3.0);
    for (size_t i = 0; i < n; i++)
        values[i] = json_number_value(g->points.list[i].x);
    qsort(values, n, sizeof *values, by_value);
    double middle = values[n * 3 / 4] - values[n / 4];
    return middle > 0 ? fmax(2 * root, span / (2 * middle / root)) : 2 * root;
}

/* Edges of bins of one width that hold everything from least to most; around whole numbers where
 * each has a bin of its own. What is too far apart or too near to be told apart is one bin. */
static double *bin_edges(struct gathering *g, double least, double most, bool is_whole)
{
    double span = most > least ? most - least : fmax(1, fabs(most) / MAX_BINS), factor, per;
    double n_wanted = fmin(MAX_BINS, fmax(MIN_BINS, bins_wanted(g, span)));
    double width = bin_width(span, n_wanted, &factor, &per);
    if (is_whole && width < 1)
        width = factor = per = 1;
    double first = floor(least / width), n = floor(most / width) - first + 1;
    bool is_round = isfinite(factor) && n >= 1 && n <= 2 * MAX_BINS && fabs(first) < EXACT_INTEGERS;
    g->points.n_bins = is_round ? (size_t)n : 1;
    double *edges = arena_array(g->arena, double, g->points.n_bins + 1);
    for (size_t i = 0; i <= g->points.n_bins; i++)
        edges[i] = is_round ? (first + (double)i) * factor / per : i ? most : least;
    for (size_t i = 0; is_whole && is_round && width == 1 && i <= g->points.n_bins; i++)
        edges[i] -= 0.5;
    return edges;
}

/* Counts what lies in each bin, for each series. */
static void count_bins(struct gathering *g)
{
    struct plot_points *points = &g->points;
    size_t n_series = points->n_series, n = 0;
    double least = INFINITY, most = -INFINITY;
    bool is_whole = true;
    for (size_t i = 0; i < points->n; i++) {
        double value = json_number_value(points->list[i].x);
        least = fmin(least, value);
        most = fmax(most, value);
        is_whole = is_whole && json_is_integer(points->list[i].x);
    }
    if (!points->n)
        return;
    double *edges = bin_edges(g, least, most, is_whole);
    size_t *counts = arena_array(g->arena, size_t, points->n_bins * n_series + 1);
    for (size_t i = 0; i < points->n; i++) {
        double value = json_number_value(points->list[i].x);
        size_t bin = 0;
        while (bin + 1 < points->n_bins && value >= edges[bin + 1])
            bin++;
        counts[bin * n_series + points->list[i].series]++;
    }
    points->list = arena_array(g->arena, struct plot_point, points->n_bins * n_series + 1);
    for (size_t series = 0; series < n_series; series++)
        for (size_t bin = 0; bin < points->n_bins; bin++)
            points->list[n++] = (struct plot_point){
                .x = arena_keep_json(g->arena, number(edges[bin])),
                .y = arena_keep_json(g->arena,
                                     json_integer((json_int_t)counts[bin * n_series + series])),
                .place = bin,
                .series = series,
            };
    points->edges = edges;
    points->n = n;
}

void plot_points_init(struct arena *arena, const struct plot_spec *spec,
                      const struct plot_data *data, struct plot_points *out)
{
    struct gathering g = { .arena = arena, .spec = spec, .data = data };
    g.places = (struct names){ .arena = arena, .index = arena_keep_json(arena, json_object()) };
    g.series = (struct names){ .arena = arena, .index = arena_keep_json(arena, json_object()) };
    size_t x = (size_t)plot_data_find(data, spec->x);
    bool has_boxes = spec->mark == PLOT_BAR || spec->mark == PLOT_BOX;
    g.points.is_time = g.has_months = plot_data_is_time(data, x);
    g.points.is_number = data->columns[x].is_number;
    g.points.is_year = plot_data_is_year(data, x);
    g.points.has_places = has_boxes || !(g.points.is_number || g.points.is_time);
    gather(&g);
    order_series(&g);
    if (adds_up(spec))
        add_up(&g);
    order_places(&g);
    if (spec->mark == PLOT_HISTOGRAM)
        count_bins(&g);
    else if (spec->mark != PLOT_POINT && g.points.n)
        qsort(g.points.list, g.points.n, sizeof *g.points.list, by_series);
    *out = g.points;
}

bool plot_has_powers(const struct plot_points *points, bool of_y)
{
    for (size_t i = 0; i < points->n; i++) {
        double value = json_number_value(of_y ? points->list[i].y : points->list[i].x);
        if (value <= 1e-4 || value >= 1e5)
            return true;
    }
    return false;
}
