/* The specification is made channel by channel: x, y, and for series a colour and a second channel.
 * Places are an ordinal axis, days a temporal one, numbers a quantitative one. */
#include "application/figure/plot/plot.h"
#include "application/figure/plot/plot_palette.h"
#include "application/figure/plot/plot_points.h"
#include "application/figure/plot/plot_titles.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define SCHEMA "https://vega.github.io/schema/vega-lite/v5.json"
#define WIDTH 480
#define MAX_WIDTH 1400
#define PLACE_WIDTH 14
#define HEIGHT 300
#define DASH_SIZE 900    /* in a legend: a line of 30 pixels shows its dashes */
#define LEVEL_COLUMNS 70 /* names of places that fit beside each other without being turned */

/* Members are called x, y and series whatever the columns are called: so the name of a column is
 * never read as a path, and stands only where text is shown. */
struct drawing {
    struct arena *arena;
    const struct plot_spec *spec;
    const struct figure_style *style;
    struct plot_points points;
    struct plot_palette palette;
};

static json_t *values(const struct drawing *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->points.n; i++) {
        const struct plot_point *point = &d->points.list[i];
        json_t *value = json_object();
        json_object_set_new_nocheck(value, "x",
                                    d->points.has_places
                                        ? json_string(d->points.places[point->place])
                                        : json_share(point->x));
        if (point->y)
            json_object_set_new_nocheck(value, "y", json_share(point->y));
        if (d->spec->color)
            json_object_set_new_nocheck(value, "series",
                                        json_string(d->points.series[point->series]));
        json_array_append_new(list, value);
    }
    return list;
}

static json_int_t width(const struct drawing *d)
{
    size_t n = d->points.has_places ? d->points.n_places : 0;
    size_t wanted = n * PLACE_WIDTH;
    return (json_int_t)(wanted < WIDTH ? WIDTH : wanted > MAX_WIDTH ? MAX_WIDTH : wanted);
}

/* Half of the room that a box has. */
static json_int_t box_width(const struct drawing *d)
{
    size_t n = d->points.n_places * d->points.n_series;
    json_int_t room = width(d) / (json_int_t)(n ? n : 1) / 2;
    return room < 4 ? 4 : room > 80 ? 80 : room;
}

static json_t *mark(const struct drawing *d)
{
    const char *color = d->palette.series[0];
    switch (d->spec->mark) {
    case PLOT_LINE:
        return json_pack("{s:s, s:s}", "type", "line", "color", color);
    case PLOT_POINT:
        return json_pack("{s:s, s:b, s:f, s:s}", "type", "point", "filled", 1, "opacity", 0.75,
                         "color", color);
    case PLOT_AREA:
        return json_pack("{s:s, s:f, s:s}", "type", "area", "opacity", 0.85, "color", color);
    case PLOT_BOX:
        return json_pack("{s:s, s:f, s:s, s:I}", "type", "boxplot", "extent", 1.5, "color", color,
                         "size", box_width(d));
    case PLOT_BAR:
    case PLOT_HISTOGRAM:
        break;
    }
    return json_pack("{s:s, s:s}", "type", "bar", "color", color);
}

static json_t *names(const char *const *list, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, json_string(list[i]));
    return array;
}

static size_t columns_of_places(const struct drawing *d)
{
    size_t columns = 0;
    for (size_t i = 0; i < d->points.n_places && columns <= LEVEL_COLUMNS; i++)
        columns += text_columns(d->points.places[i]) + 1;
    return columns;
}

/* Whole numbers, such as years, get no thousands separator and no ticks between them. */
static bool has_whole_x(const struct drawing *d)
{
    for (size_t i = 0; i < d->points.n; i++)
        if (!json_is_integer(d->points.list[i].x))
            return false;
    return !d->spec->log_x;
}

static json_t *x_channel(const struct drawing *d)
{
    json_t *x = json_pack("{s:s, s:s}", "field", "x", "title", plot_x_title(d->arena, d->spec));
    const char *type = d->points.has_places ? "ordinal"
                       : d->points.is_date  ? "temporal"
                                            : "quantitative";
    json_object_set_new(x, "type", json_string(type));
    if (d->points.has_places) {
        int angle = columns_of_places(d) > LEVEL_COLUMNS ? -40 : 0;
        json_object_set_new(x, "sort", names(d->points.places, d->points.n_places));
        json_object_set_new(x, "axis",
                            json_pack("{s:i, s:i}", "labelAngle", angle, "labelLimit", 160));
    } else if (d->points.is_date) {
        json_object_set_new(x, "scale", json_pack("{s:s}", "type", "utc"));
    } else if (d->spec->mark == PLOT_HISTOGRAM) {
        json_object_set_new(x, "bin", json_pack("{s:i}", "maxbins", 30));
    } else {
        if (has_whole_x(d))
            json_object_set_new(x, "axis",
                                json_pack("{s:s, s:i}", "format", "d", "tickMinStep", 1));
        json_object_set_new(x, "scale",
                            d->spec->log_x ? json_pack("{s:s}", "type", "log")
                                           : json_pack("{s:b}", "zero", 0));
    }
    return x;
}

static json_t *y_channel(const struct drawing *d)
{
    json_t *y =
        json_pack("{s:s, s:s}", "type", "quantitative", "title", plot_y_title(d->arena, d->spec));
    if (d->spec->mark == PLOT_HISTOGRAM)
        json_object_set_new(y, "aggregate", json_string("count"));
    else
        json_object_set_new(y, "field", json_string("y"));
    if (d->spec->log_y)
        json_object_set_new(y, "scale", json_pack("{s:s}", "type", "log"));
    else if (d->spec->mark == PLOT_POINT || d->spec->mark == PLOT_LINE || d->spec->mark == PLOT_BOX)
        json_object_set_new(y, "scale", json_pack("{s:b}", "zero", 0));
    return y;
}

static json_t *series_channel(const struct drawing *d)
{
    json_t *range = json_array();
    for (size_t i = 0; i < d->points.n_series; i++)
        json_array_append_new(range, json_string(d->palette.series[i % PLOT_MAX_SERIES]));
    return json_pack("{s:s, s:s, s:s, s:{s:o, s:o}}", "field", "series", "type", "nominal", "title",
                     plot_series_title(d->arena, d->spec), "scale", "domain",
                     names(d->points.series, d->points.n_series), "range", range);
}

/* Series differ by shape or dash as well as by colour, for readers who do not see colours. */
static json_t *second_channel(const struct drawing *d)
{
    json_t *scale = json_pack("{s:o}", "domain", names(d->points.series, d->points.n_series));
    if (d->spec->mark == PLOT_LINE)
        json_object_set_new(
            scale, "range",
            json_pack("[[i,i],[i,i],[i,i],[i,i,i,i]]", 1, 0, 6, 3, 2, 2, 8, 3, 2, 3));
    return json_pack("{s:s, s:s, s:s, s:o}", "field", "series", "type", "nominal", "title",
                     plot_series_title(d->arena, d->spec), "scale", scale);
}

static json_t *encoding(const struct drawing *d)
{
    json_t *encoding = json_pack("{s:o, s:o}", "x", x_channel(d), "y", y_channel(d));
    if (!d->spec->color)
        return encoding;
    json_object_set_new(encoding, "color", series_channel(d));
    if (d->spec->mark == PLOT_LINE)
        json_object_set_new(encoding, "strokeDash", second_channel(d));
    if (d->spec->mark == PLOT_POINT)
        json_object_set_new(encoding, "shape", second_channel(d));
    if (d->spec->mark == PLOT_BAR || d->spec->mark == PLOT_BOX)
        json_object_set_new(encoding, "xOffset",
                            json_pack("{s:s, s:o}", "field", "series", "sort",
                                      names(d->points.series, d->points.n_series)));
    return encoding;
}

static json_t *config(const struct drawing *d)
{
    const char *text = d->palette.text, *line = d->palette.line;
    double size = d->style->edge_font_size;
    json_t *config = json_pack("{s:s, s:s, s:{s:n}}", "font", d->style->font, "background",
                               d->palette.background, "view", "stroke");
    json_object_set_new(config, "axis",
                        json_pack("{s:f, s:f, s:s, s:s, s:s, s:s, s:s, s:f}", "labelFontSize", size,
                                  "titleFontSize", d->style->font_size, "labelColor", text,
                                  "titleColor", text, "domainColor", line, "tickColor", line,
                                  "gridColor", line, "gridOpacity", 0.2));
    json_object_set_new(config, "legend",
                        json_pack("{s:f, s:f, s:s, s:s, s:i}", "labelFontSize", size,
                                  "titleFontSize", size, "labelColor", text, "titleColor", text,
                                  "labelLimit", 160));
    if (d->spec->mark == PLOT_LINE)
        json_object_set_new(json_object_get(config, "legend"), "symbolSize",
                            json_integer(DASH_SIZE));
    return config;
}

json_t *plot_vega_lite(const struct plot_spec *spec, const struct plot_data *data,
                       const struct figure_style *style)
{
    AUTO(arena) arena = { 0 };
    struct drawing d = { .arena = &arena, .spec = spec, .style = style };
    plot_points_init(&arena, spec, data, &d.points);
    plot_palette_init(&d.palette, style);
    return json_pack("{s:s, s:I, s:i, s:{s:o}, s:o, s:o, s:o}", "$schema", SCHEMA, "width",
                     width(&d), "height", HEIGHT, "data", "values", values(&d), "mark", mark(&d),
                     "encoding", encoding(&d), "config", config(&d));
}
