/* The script: constants on top, the data as rows of literals, then fixed parts (plot_files), one
 * for what x is and one for the mark, which know those names. Nothing from outside stands anywhere
 * but in a string or a number. Text is shown as it is, a $ in it begins no formula (parse_math); a
 * label that begins with _ would not be in a legend. */
#include "application/figure/plot/plot.h"
#include "application/figure/plot/plot_palette.h"
#include "application/figure/plot/plot_points.h"
#include "application/figure/plot/plot_titles.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdio.h>
#include <string.h>

struct writing {
    struct buf *out;
    const struct plot_spec *spec;
    const struct plot_points *points;
};

/* The buffer has no bound, so nothing that is appended is lost. */
static void put(const struct writing *w, const char *text)
{
    (void)!buf_puts(w->out, text);
}

/* Of data/figure/matplotlib/. */
static void put_part(const struct writing *w, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "data/figure/matplotlib/%s.py", name);
    put(w, embedded_file_find(plot_files, path)->text);
}

/* Letters and signs that everyone sees; of ASCII, those that mean nothing in a string. Spaces of
 * other widths, marks of direction, joiners, selectors, private and unused planes are not. */
static bool is_plain(uint32_t code)
{
    static const uint32_t seen[][2] = {
        { 0xa1, 0xac },     { 0xae, 0x2ff },    { 0x370, 0x61b },     { 0x620, 0x17ff },
        { 0x1820, 0x1fff }, { 0x2010, 0x2027 }, { 0x2030, 0x205e },   { 0x2070, 0x2fff },
        { 0x3001, 0xd7ff }, { 0xf900, 0xfdff }, { 0x1f300, 0x1faff }, { 0x20000, 0x2ffff },
    };
    if (code < 0x80)
        return code >= 0x20 && code != 0x7f && !strchr("\"'\\<>", (int)code);
    for (size_t i = 0; i < ARRAY_LENGTH(seen); i++)
        if (code >= seen[i][0] && code <= seen[i][1])
            return true;
    return false;
}

/* Text quoted so that nothing in it can end the string: quotes, backslashes, angle brackets,
 * control characters and what a screen does not show become escapes; a byte that is not UTF-8,
 * U+FFFD. */
static void put_string(const struct writing *w, const char *text)
{
    put(w, "\"");
    for (size_t left = strlen(text), n; left; text += n, left -= n) {
        uint32_t code;
        n = text_utf8_next(text, left, &code);
        if (!n)
            code = 0xfffd;
        if (n && is_plain(code))
            (void)!buf_append(w->out, text, n);
        else if (code < 0x100)
            (void)!buf_printf(w->out, "\\x%02x", code);
        else if (code < 0x10000)
            (void)!buf_printf(w->out, "\\u%04x", code);
        else
            (void)!buf_printf(w->out, "\\U%08x", code);
        n = n ? n : 1;
    }
    put(w, "\"");
}

/* A number, or a text. */
static void put_value(const struct writing *w, const json_t *value)
{
    if (json_is_string(value))
        put_string(w, json_string_value(value));
    else
        json_append(w->out, value);
}

static void put_text(const struct writing *w, const char *name, const char *text)
{
    put(w, name);
    put(w, " = ");
    put_string(w, text);
    put(w, "\n");
}

static void put_texts(const struct writing *w, const char *name, const char *const *texts, size_t n)
{
    put(w, name);
    put(w, " = [");
    for (size_t i = 0; i < n; i++) {
        put(w, i ? ", " : "");
        put_string(w, texts[i]);
    }
    put(w, "]\n");
}

static void put_flag(const struct writing *w, const char *name, bool flag)
{
    put(w, name);
    put(w, flag ? " = True\n" : " = False\n");
}

static void put_style(const struct writing *w, const struct figure_style *style)
{
    struct plot_palette palette;
    plot_palette_init(&palette, style, w->spec->mark, w->points->n_series);
    put_texts(w, "COLORS", palette.colors, w->points->n_series);
    put_text(w, "BACKGROUND", palette.background);
    put_text(w, "TEXT", palette.text);
    put_text(w, "LINE", palette.line);
    put_text(w, "FONT", style->font);
    (void)!buf_printf(w->out, "FONT_SIZE = %g\nLABEL_SIZE = %g\nDPI = %u\n", style->font_size,
                      style->edge_font_size, style->dpi);
}

static void put_layout(const struct writing *w, const struct figure_style *style)
{
    const struct plot_layout layout = plot_layout_of(w->spec, w->points, style);
    (void)!buf_printf(w->out, "WIDTH, HEIGHT = %u, %u\nLABEL_STEP = %zu\n", layout.width,
                      layout.height, layout.label_step);
    put_flag(w, "LIES", layout.is_horizontal);
    put_flag(w, "TURNED", layout.is_turned);
    put_flag(w, "MARKED", layout.has_marks);
    put_flag(w, "COUNTS", plot_counts(w->spec));
    put_flag(w, "STACKED", plot_is_stacked(w->spec));
    put_flag(w, "YEARS", w->points->is_year);
    put_flag(w, "LOG_X", w->spec->log_x);
    put_flag(w, "LOG_Y", w->spec->log_y);
    put_flag(w, "POWERS_X", w->spec->log_x && plot_has_powers(w->points, false));
    put_flag(w, "POWERS_Y", w->spec->log_y && plot_has_powers(w->points, true));
}

/* Numbers as they are, times as text that the script reads, everything else as its place. */
static void put_row(const struct writing *w, const struct plot_point *point)
{
    put(w, "    (");
    if (w->points->has_places || w->points->edges)
        (void)!buf_printf(w->out, "%zu", point->place);
    else
        put_value(w, point->x);
    put(w, ", ");
    put_value(w, point->y);
    (void)!buf_printf(w->out, ", %zu),\n", point->series);
}

/* Names of places and series are cut as Vega-Lite cuts them. */
static void put_names(const struct writing *w, struct arena *arena, const char *name,
                      const char *const *list, size_t n)
{
    const char **cut = arena_array(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++) {
        size_t kept = text_cut_columns(list[i], PLOT_LABEL_COLUMNS);
        cut[i] = list[i][kept] ? arena_printf(arena, "%.*s…", (int)kept, list[i]) : list[i];
    }
    put_texts(w, name, cut, n);
}

static void put_edges(const struct writing *w)
{
    put(w, "EDGES = [");
    for (size_t i = 0; i <= w->points->n_bins; i++)
        (void)!buf_printf(w->out, "%s%.17g", i ? ", " : "", w->points->edges[i]);
    put(w, "]\n");
}

static void put_data(const struct writing *w, struct arena *arena)
{
    const struct plot_points *points = w->points;
    put_names(w, arena, "SERIES", points->series, points->n_series);
    if (points->has_places)
        put_names(w, arena, "PLACES", points->places, points->n_places);
    if (points->edges)
        put_edges(w);
    put(w, "# x, y and series\nROWS = [\n");
    for (size_t i = 0; i < points->n; i++)
        put_row(w, &points->list[i]);
    put(w, "]\n");
}

const char *plot_matplotlib(struct arena *arena, const struct plot_spec *spec,
                            const struct plot_data *data, const struct figure_style *style)
{
    AUTO(buf) out;
    struct plot_points points;
    plot_points_init(arena, spec, data, &points);
    const struct writing w = { &out, spec, &points };
    buf_init(&out, SIZE_MAX);
    put_part(&w, "begin");
    put_text(&w, "X_TITLE", plot_x_title(arena, spec));
    put_text(&w, "Y_TITLE", plot_y_title(arena, spec));
    put_text(&w, "SERIES_TITLE", plot_series_title(arena, spec));
    put_style(&w, style);
    put_layout(&w, style);
    put_data(&w, arena);
    put_part(&w, "helpers");
    put_part(&w, points.has_places ? "x_places" : points.is_time ? "x_times" : "x_numbers");
    put_part(&w, plot_mark_name(spec->mark));
    put_part(&w, "end");
    return arena_strndup(arena, out.bytes, out.length);
}
