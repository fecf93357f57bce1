/* The specification is made channel by channel: x, y, and for series a colour and a second channel.
 * Places are an ordinal axis, times a temporal one, numbers a quantitative one. What lies has its
 * places on y. */
#include "application/figure/plot/plot.h"
#include "application/figure/plot/plot_palette.h"
#include "application/figure/plot/plot_points.h"
#include "application/figure/plot/plot_titles.h"
#include "domain/base/json.h"
#include <string.h>

#define SCHEMA "https://vega.github.io/schema/vega-lite/v5.json"
#define LABEL_LIMIT 0.8 /* of the font's size, for a column of a name */
#define DASH_SIZE 900   /* in a legend: a line of 30 pixels shows its dashes */
#define MARK_SIZE 30
#define PADDING 8
#define N_DASHES 8

/* DASHES and MARKERS of data/figure/matplotlib/helpers.py. */
static const char dashes[] = "[[1,0],[6,3],[2,2],[8,3,2,3],[12,4],[4,6],[12,3,2,3,2,3],[1,4]]";
static const char widths[] = "[2,2,2,2,2,2,2,2,4,4,4,4]"; /* a dash that comes again is bold */
static const char shapes[] =
    "[\"circle\",\"square\",\"triangle-up\",\"diamond\",\"triangle-down\",\"cross\","
    "\"M-1,-.5L-.5,-1L0,-.5L.5,-1L1,-.5L.5,0L1,.5L.5,1L0,.5L-.5,1L-1,.5L-.5,0Z\","
    "\"triangle-left\",\"triangle-right\","
    "\"M0,-1L.22,-.31L.95,-.31L.36,.12L.59,.81L0,.38L-.59,.81L-.36,.12L-.95,-.31L-.22,-.31Z\","
    "\"M0,-1L.95,-.31L.59,.81L-.59,.81L-.95,-.31Z\","
    "\"M0,-1L.87,-.5L.87,.5L0,1L-.87,.5L-.87,-.5Z\"]";

/* The powers of LogLabels in the same file: 10⁷, 3×10⁻⁶. */
static const char log_label[] =
    "!datum.label ? datum.label : "
    "replace(split(format(datum.value, '~e'), 'e')[0] + '×10', /^1×/, '') + "
    "split('⁻²⁰ ⁻¹⁹ ⁻¹⁸ ⁻¹⁷ ⁻¹⁶ ⁻¹⁵ ⁻¹⁴ ⁻¹³ ⁻¹² ⁻¹¹ ⁻¹⁰ ⁻⁹ ⁻⁸ ⁻⁷ ⁻⁶ ⁻⁵ ⁻⁴ ⁻³ ⁻² ⁻¹ ⁰ ¹ ² ³ ⁴ ⁵ ⁶ ⁷ "
    "⁸ ⁹ "
    "¹⁰ ¹¹ ¹² ¹³ ¹⁴ ¹⁵ ¹⁶ ¹⁷ ¹⁸ ¹⁹ ²⁰', ' ')[toNumber(split(format(datum.value, '~e'), 'e')[1]) + "
    "20]";

/* Members are called x, y and series whatever the columns are called: so the name of a column is
 * never read as a path, and stands only where text is shown. */
struct drawing {
    struct arena *arena;
    const struct plot_spec *spec;
    const struct figure_style *style;
    struct plot_points points;
    struct plot_layout layout;
    struct plot_palette palette;
    bool is_stacked;
};

/* A time of day is UTC only with a Z. */
static json_t *x_value(const struct drawing *d, const struct plot_point *point)
{
    if (d->points.has_places)
        return json_string(d->points.places[point->place]);
    if (!d->points.is_time || !strchr(json_string_value(point->x), 'T'))
        return json_share(point->x);
    return json_string(arena_printf(d->arena, "%sZ", json_string_value(point->x)));
}

static json_t *values(const struct drawing *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->points.n; i++) {
        const struct plot_point *point = &d->points.list[i];
        json_t *value = json_pack("{s:o}", "x", x_value(d, point));
        if (d->points.edges)
            json_object_set_new_nocheck(value, "x2", json_real(d->points.edges[point->place + 1]));
        json_object_set_new_nocheck(value, "y", json_share(point->y));
        if (d->spec->color)
            json_object_set_new_nocheck(value, "series",
                                        json_string(d->points.series[point->series]));
        if (d->is_stacked)
            json_object_set_new_nocheck(value, "order", json_integer((json_int_t)point->series));
        json_array_append_new(list, value);
    }
    return list;
}

/* Half of the room that a box has. */
static json_int_t box_width(const struct drawing *d)
{
    size_t n = d->points.n_places * d->points.n_series;
    unsigned length = d->layout.is_horizontal ? d->layout.height : d->layout.width;
    json_int_t room = (json_int_t)(length / (n ? n : 1) / 2);
    return room < 4 ? 4 : room > 80 ? 80 : room;
}

/* Areas of several series have outlines, which tell neighbours of a like colour apart. */
static json_t *mark(const struct drawing *d)
{
    const char *color = d->palette.series[0], *line = d->palette.line;
    double outline = d->points.n_series > 1 || d->points.edges ? 0.5 : 0;
    switch (d->spec->mark) {
    case PLOT_LINE:
        return json_pack(
            "{s:s, s:s, s:o*}", "type", "line", "color", color, "point",
            d->layout.has_marks ? json_pack("{s:b, s:i}", "filled", 1, "size", MARK_SIZE) : NULL);
    case PLOT_POINT:
        return json_pack("{s:s, s:b, s:f, s:s}", "type", "point", "filled", 1, "opacity", 0.75,
                         "color", color);
    case PLOT_BOX:
        return json_pack(
            "{s:s, s:f, s:s, s:I, s:{s:s, s:i, s:i}, s:{s:s, s:f}, s:{s:s}, s:{s:s, s:I}, "
            "s:{s:b, s:s, s:f}}",
            "type", "boxplot", "extent", 1.5, "color", color, "size", box_width(d), "median",
            "color", d->palette.text, "thickness", 2, "opacity", 1, "box", "stroke", line,
            "strokeWidth", 0.5, "rule", "color", line, "ticks", "color", line, "size",
            box_width(d) / 2, "outliers", "filled", 1, "stroke", line, "strokeWidth", 0.5);
    case PLOT_AREA:
    case PLOT_BAR:
    case PLOT_HISTOGRAM:
        break;
    }
    return json_pack("{s:s, s:s, s:s, s:f, s:i}", "type",
                     d->spec->mark == PLOT_AREA ? "area" : "bar", "color", color, "stroke", line,
                     "strokeWidth", outline, "binSpacing", 0);
}

/* Every so many names; of a stack the last first, as it is seen. */
static json_t *names(const char *const *list, size_t n, size_t step, bool is_reversed)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i += step)
        json_array_append_new(array, json_string(list[is_reversed ? n - 1 - i : i]));
    return array;
}

static json_t *series_names(const struct drawing *d)
{
    return names(d->points.series, d->points.n_series, 1, d->is_stacked);
}

static bool has_whole_x(const struct drawing *d)
{
    for (size_t i = 0; i < d->points.n; i++)
        if (!json_is_integer(d->points.list[i].x))
            return false;
    return !d->spec->log_x;
}

static int label_limit(const struct drawing *d)
{
    return (int)(PLOT_LABEL_COLUMNS * LABEL_LIMIT * d->style->edge_font_size);
}

static void set_places(const struct drawing *d, json_t *x, json_t *axis)
{
    const struct plot_points *points = &d->points;
    json_object_set_new(x, "type", json_string("ordinal"));
    json_object_set_new(x, "sort", names(points->places, points->n_places, 1, false));
    json_object_set_new(
        x, "scale",
        json_pack("{s:o}", "domain", names(points->places, points->n_places, 1, false)));
    json_object_set_new(axis, "labelAngle", json_integer(d->layout.is_turned ? -40 : 0));
    json_object_set_new(axis, "labelLimit", json_integer(label_limit(d)));
    json_object_set_new(axis, "maxExtent", json_integer(2 * label_limit(d)));

    if (d->layout.label_step > 1)
        json_object_set_new(axis, "values",
                            names(points->places, points->n_places, d->layout.label_step, false));
}

/* Points lie apart from the axes, and areas end where their values do. */
static json_t *number_scale(const struct drawing *d, bool is_log)
{
    json_t *scale = is_log ? json_pack("{s:s}", "type", "log") : json_pack("{s:b}", "zero", 0);
    if (d->spec->mark == PLOT_POINT)
        json_object_set_new(scale, "padding", json_integer(PADDING));
    if (d->spec->mark == PLOT_AREA)
        json_object_set_new(scale, "nice", json_false());
    return scale;
}

/* One form for all labels, with as much as tells them apart: Vega chooses how far apart they are by
 * the same quotient, which these bounds are the geometric means of two steps of. */
static const char *time_format(const struct plot_points *points)
{
    int64_t first = 0, last = 0;
    if (points->n_places) {
        (void)plot_time_read(points->places[0], &first);
        (void)plot_time_read(points->places[points->n_places - 1], &last);
    }
    double days = (double)(last - first) / 86400000 / PLOT_TIME_LABELS;
    return days > 181.2           ? "%Y"
           : days > 14.49         ? "%Y-%m"
           : days > 0.7071        ? "%Y-%m-%d"
           : days > 42.43 / 86400 ? "%m-%d %H:%M"
                                  : "%H:%M:%S";
}

static json_t *x_channel(const struct drawing *d)
{
    json_t *x = json_pack("{s:s, s:s}", "field", "x", "title", plot_x_title(d->arena, d->spec));
    json_t *axis = json_pack("{s:b}", "grid", 0);
    if (d->points.has_places) {
        set_places(d, x, axis);
    } else if (d->points.is_time) {
        json_object_set_new(x, "type", json_string("temporal"));
        json_object_set_new(x, "scale", json_pack("{s:s}", "type", "utc"));
        json_object_update_new(axis, json_pack("{s:s, s:i, s:b}", "format", time_format(&d->points),
                                               "tickCount", PLOT_TIME_LABELS, "labelFlush", 0));
    } else {
        json_object_set_new(x, "type", json_string("quantitative"));
        if (d->points.edges)
            json_object_set_new(x, "bin",
                                json_pack("{s:b, s:f}", "binned", 1, "step",
                                          d->points.edges[1] - d->points.edges[0]));
        else
            json_object_set_new(x, "scale", number_scale(d, d->spec->log_x));
        if (d->spec->log_x && plot_has_powers(&d->points, false))
            json_object_set_new(axis, "labelExpr", json_string(log_label));
        if (has_whole_x(d))
            json_object_set_new(axis, "tickMinStep", json_integer(1));
        if (d->points.is_year)
            json_object_set_new(axis, "format", json_string("d"));
    }
    json_object_set_new(x, "axis", axis);
    return x;
}

static json_t *y_channel(const struct drawing *d)
{
    json_t *y = json_pack("{s:s, s:s, s:s}", "field", "y", "type", "quantitative", "title",
                          plot_y_title(d->arena, d->spec));
    if (d->spec->log_y)
        json_object_set_new(y, "axis",
                            json_pack("{s:s*, s:{s:{s:s, s:i}, s:f}}", "labelExpr",
                                      plot_has_powers(&d->points, true) ? log_label : NULL,
                                      "gridOpacity", "condition", "test", "!datum.label", "value",
                                      0, "value", 0.2));
    else if (plot_counts(d->spec))
        json_object_set_new(y, "axis", json_pack("{s:i}", "tickMinStep", 1));
    if (d->is_stacked)
        json_object_set_new(y, "stack", json_string("zero"));
    if (d->spec->mark == PLOT_POINT || d->spec->mark == PLOT_LINE || d->spec->mark == PLOT_BOX)
        json_object_set_new(y, "scale", number_scale(d, d->spec->log_y));
    return y;
}

/* The channel of the series with this range, which begins again where it ends. Steals range. */
static json_t *series_channel(const struct drawing *d, json_t *range)
{
    return json_pack("{s:s, s:s, s:s, s:{s:o, s:o}}", "field", "series", "type", "nominal", "title",
                     plot_series_title(d->arena, d->spec), "scale", "domain", series_names(d),
                     "range", range);
}

/* A list of the file's top. */
static json_t *parsed(const char *list)
{
    json_t *value = NULL;
    (void)!json_parse(list, strlen(list), JSON_OURS, &value, NULL /* err */);
    return value;
}

static json_t *encoding(const struct drawing *d)
{
    bool lies = d->layout.is_horizontal;
    json_t *encoding =
        json_pack("{s:o, s:o}", lies ? "y" : "x", x_channel(d), lies ? "x" : "y", y_channel(d));
    if (d->points.edges)
        json_object_set_new(encoding, "x2", json_pack("{s:s}", "field", "x2"));
    if (d->is_stacked)
        json_object_set_new(encoding, "order",
                            json_pack("{s:s, s:s}", "field", "order", "type", "quantitative"));
    if (!d->spec->color)
        return encoding;
    json_object_set_new(
        encoding, "color",
        series_channel(d, names(d->palette.colors, d->points.n_series, 1, d->is_stacked)));
    if (d->spec->mark == PLOT_LINE) {
        json_object_set_new(encoding, "strokeDash", series_channel(d, parsed(dashes)));
        if (d->points.n_series > N_DASHES) {
            json_t *width = series_channel(d, parsed(widths));
            json_object_set_new(width, "type", json_string("ordinal"));
            json_object_set_new(json_object_get(width, "scale"), "type", json_string("ordinal"));
            json_object_set_new(encoding, "strokeWidth", width);
        }
    }
    if (d->spec->mark == PLOT_POINT || d->layout.has_marks)
        json_object_set_new(encoding, "shape", series_channel(d, parsed(shapes)));
    if (d->spec->mark == PLOT_BAR || d->spec->mark == PLOT_BOX)
        json_object_set_new(encoding, lies ? "yOffset" : "xOffset",
                            json_pack("{s:s, s:o}", "field", "series", "sort", series_names(d)));
    return encoding;
}

static json_t *config(const struct drawing *d)
{
    const char *text = d->palette.text, *line = d->palette.line;
    double size = d->style->edge_font_size;
    json_t *config = json_pack("{s:s, s:s, s:{s:n}}", "font", d->style->font, "background",
                               d->palette.background, "view", "stroke");
    json_object_set_new(config, "axis",
                        json_pack("{s:f, s:f, s:s, s:s, s:s, s:s, s:s, s:f, s:s}", "labelFontSize",
                                  size, "titleFontSize", d->style->font_size, "labelColor", text,
                                  "titleColor", text, "domainColor", line, "tickColor", line,
                                  "gridColor", line, "gridOpacity", 0.2, "titleFontWeight",
                                  "normal"));
    json_t *legend = json_pack("{s:f, s:f, s:s, s:s, s:i, s:s}", "labelFontSize", size,
                               "titleFontSize", size, "labelColor", text, "titleColor", text,
                               "labelLimit", label_limit(d), "titleFontWeight", "normal");
    if (d->spec->mark == PLOT_LINE && !d->layout.has_marks)
        json_object_set_new(legend, "symbolSize", json_integer(DASH_SIZE));
    else if (d->spec->mark != PLOT_POINT && d->spec->mark != PLOT_LINE)
        json_object_update_new(legend, json_pack("{s:s, s:i, s:s}", "symbolType", "square",
                                                 "symbolOpacity", 1, "symbolStrokeColor", line));
    json_object_set_new(config, "legend", legend);
    return config;
}

json_t *plot_vega_lite(const struct plot_spec *spec, const struct plot_data *data,
                       const struct figure_style *style)
{
    AUTO(arena) arena = { 0 };
    struct drawing d = {
        .arena = &arena, .spec = spec, .style = style, .is_stacked = plot_is_stacked(spec)
    };
    plot_points_init(&arena, spec, data, &d.points);
    d.layout = plot_layout_of(spec, &d.points, style);
    plot_palette_init(&d.palette, style, spec->mark, d.points.n_series);
    return json_pack("{s:s, s:i, s:i, s:{s:o}, s:o, s:o, s:o}", "$schema", SCHEMA, "width",
                     (int)d.layout.width, "height", (int)d.layout.height, "data", "values",
                     values(&d), "mark", mark(&d), "encoding", encoding(&d), "config", config(&d));
}
