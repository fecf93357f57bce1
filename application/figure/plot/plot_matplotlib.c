#include "application/figure/plot/plot_code.h"
#include "application/figure/plot/plot_palette.h"
#include "application/figure/plot/plot_points.h"
#include "application/figure/plot/plot_python.h"
#include "application/figure/plot/plot_scripts.h"
#include "domain/base/text.h"

/* Constants on top, the data as rows of literals, then one of the scripts of plot_scripts.h, which
 * knows those names. Nothing from outside stands anywhere but in a string or a number. */
struct writing {
    struct buf *out;
    const struct plot_spec *spec;
    const struct plot_points *points;
};

static void put(const struct writing *w, const char *text)
{
    (void)!buf_puts(w->out, text);
}

static void put_text(const struct writing *w, const char *name, const char *text)
{
    put(w, name);
    put(w, " = ");
    plot_python_text(w->out, text);
    put(w, "\n");
}

static void put_flag(const struct writing *w, const char *name, bool flag)
{
    (void)!buf_printf(w->out, "%s = %s\n", name, flag ? "True" : "False");
}

static void put_texts(const struct writing *w, const char *name, const char *const *texts, size_t n)
{
    put(w, name);
    put(w, " = ");
    plot_python_texts(w->out, texts, n);
    put(w, "\n");
}

static void put_style(const struct writing *w, const struct figure_style *style)
{
    struct plot_palette palette;
    const char *colors[PLOT_MAX_SERIES];
    plot_palette_init(&palette, style);
    for (size_t i = 0; i < PLOT_MAX_SERIES; i++)
        colors[i] = palette.series[i];
    put_texts(w, "COLORS", colors, PLOT_MAX_SERIES);
    put_text(w, "BACKGROUND", palette.background);
    put_text(w, "TEXT", palette.text);
    put_text(w, "LINE", palette.line);
    put_text(w, "FONT", style->font);
    (void)!buf_printf(w->out, "FONT_SIZE = %g\nLABEL_SIZE = %g\nDPI = %u\n", style->font_size,
                      style->edge_font_size, style->dpi);
}

/* Numbers as they are, days as text that the script reads, everything else as its place. */
static void put_row(const struct writing *w, const struct plot_point *point)
{
    put(w, "    (");
    if (w->points->has_places)
        (void)!buf_printf(w->out, "%zu", point->place);
    else
        plot_python_value(w->out, point->x);
    put(w, ", ");
    if (point->y) {
        plot_python_value(w->out, point->y);
        put(w, ", ");
    }
    (void)!buf_printf(w->out, "%zu),\n", point->series);
}

static void put_data(const struct writing *w)
{
    const struct plot_points *points = w->points;
    put_texts(w, "SERIES", points->series, points->n_series);
    if (points->has_places)
        put_texts(w, "PLACES", points->places, points->n_places);
    put(w, w->spec->mark == PLOT_HISTOGRAM ? "# x and series\nROWS = [\n"
                                           : "# x, y and series\nROWS = [\n");
    for (size_t i = 0; i < points->n; i++)
        put_row(w, &points->list[i]);
    put(w, "]\n");
}

static void put_script(const struct writing *w)
{
    const struct plot_points *points = w->points;
    put(w, plot_script_helpers);
    if (points->has_places)
        put(w, plot_script_places);
    else
        put(w, points->is_date ? plot_script_days : plot_script_numbers);
    put(w, plot_script_marks[w->spec->mark]);
    put(w, plot_script_end);
}

const char *plot_matplotlib(struct arena *arena, const struct plot_spec *spec,
                            const struct plot_data *data, const struct figure_style *style)
{
    AUTO(buf) out;
    struct plot_points points;
    plot_points_init(arena, spec, data, &points);
    const struct writing w = { &out, spec, &points };
    buf_init(&out, SIZE_MAX);
    put(&w, plot_script_begin);
    put_text(&w, "X_TITLE", plot_x_title(spec));
    put_text(&w, "Y_TITLE", plot_y_title(arena, spec));
    put_text(&w, "SERIES_TITLE", spec->color ? spec->color : "");
    put_flag(&w, "LOG_X", spec->log_x);
    put_flag(&w, "LOG_Y", spec->log_y);
    put_style(&w, style);
    put_data(&w);
    put_script(&w);
    return arena_strndup(arena, out.bytes, out.length);
}
