/* The script: constants on top, the data as rows of literals, then fixed parts, one for what x is
 * and one for the mark, which know those names. Nothing from outside stands anywhere but in a
 * string or a number. */
#include "application/figure/plot/plot.h"
#include "application/figure/plot/plot_palette.h"
#include "application/figure/plot/plot_points.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

static const char script_begin[] = "\"\"\"A plot with its data. Needs Python 3 and matplotlib: "
                                   "python3 THIS_FILE PICTURE.png\"\"\"\n"
                                   "import datetime\n"
                                   "import sys\n"
                                   "\n"
                                   "import matplotlib\n"
                                   "\n"
                                   "matplotlib.use(\"Agg\")\n"
                                   "import matplotlib.pyplot as plt\n"
                                   "from matplotlib.ticker import MaxNLocator\n"
                                   "\n";

/* parse_math: text is shown as it is, a $ in it begins no formula. A label that begins with _ would
 * not be in a legend. */
static const char script_helpers[] =
    "MARKERS = [\"o\", \"s\", \"^\", \"D\", \"v\", \"P\", \"X\", \"<\", \">\", \"*\", \"p\", "
    "\"h\"]\n"
    "DASHES = [\"-\", \"--\", \":\", \"-.\"]\n"
    "HATCHES = [\"\", \"\", \"\", \"\", \"//\", \"..\", \"--\", \"xx\", \"||\", "
    "\"oo\", \"++\", \"**\"]\n"
    "MAX_TICKS = 20\n"
    "\n"
    "\n"
    "def label_of(series):\n"
    "    name = SERIES[series]\n"
    "    return \" \" + name if name.startswith(\"_\") else name\n"
    "\n"
    "\n"
    "def rows_of(series):\n"
    "    return [row for row in ROWS if row[-1] == series]\n"
    "\n"
    "\n"
    "def set_up():\n"
    "    matplotlib.rcParams[\"font.family\"] = [FONT, \"sans-serif\"]\n"
    "    if \"text.parse_math\" in matplotlib.rcParams:\n"
    "        matplotlib.rcParams[\"text.parse_math\"] = False\n"
    "    figure, axes = plt.subplots(figsize=(7.2, 4.5), dpi=DPI, facecolor=BACKGROUND)\n"
    "    axes.set_facecolor(BACKGROUND)\n"
    "    axes.set_axisbelow(True)\n"
    "    axes.grid(True, axis=\"y\", color=LINE, alpha=0.2)\n"
    "    axes.tick_params(colors=TEXT, labelsize=LABEL_SIZE)\n"
    "    for side in (\"top\", \"right\"):\n"
    "        axes.spines[side].set_visible(False)\n"
    "    for side in (\"left\", \"bottom\"):\n"
    "        axes.spines[side].set_color(LINE)\n"
    "    axes.set_xlabel(X_TITLE, color=TEXT, fontsize=FONT_SIZE)\n"
    "    axes.set_ylabel(Y_TITLE, color=TEXT, fontsize=FONT_SIZE)\n"
    "    return figure, axes\n"
    "\n"
    "\n";

static const char script_places[] =
    "def x_of(place):\n"
    "    return place\n"
    "\n"
    "\n"
    "def set_x(figure, axes):\n"
    "    step = 1 + (len(PLACES) - 1) // MAX_TICKS if len(PLACES) > 4 * MAX_TICKS else 1\n"
    "    shown = PLACES[::step]\n"
    "    turned = sum(len(place) + 1 for place in shown) > 70\n"
    "    axes.set_xticks(range(0, len(PLACES), step))\n"
    "    axes.set_xticklabels([place if len(place) <= 30 else place[:29] + \"\\u2026\" for place "
    "in "
    "shown],\n"
    "                         rotation=40 if turned else 0, ha=\"right\" if turned else "
    "\"center\")\n"
    "    figure.set_figwidth(min(20, max(7.2, 0.2 * len(shown))))\n"
    "\n"
    "\n";

static const char script_days[] =
    "def x_of(day):\n"
    "    return datetime.datetime.strptime(day, \"%Y-%m-%d\")\n"
    "\n"
    "\n"
    "def set_x(figure, axes):\n"
    "    locator = matplotlib.dates.AutoDateLocator()\n"
    "    axes.xaxis.set_major_locator(locator)\n"
    "    axes.xaxis.set_major_formatter(matplotlib.dates.ConciseDateFormatter(locator))\n"
    "\n"
    "\n";

static const char script_numbers[] =
    "def x_of(number):\n"
    "    return number\n"
    "\n"
    "\n"
    "def set_x(figure, axes):\n"
    "    if LOG_X:\n"
    "        axes.set_xscale(\"log\")\n"
    "    elif all(isinstance(row[0], int) for row in ROWS):\n"
    "        axes.xaxis.set_major_locator(MaxNLocator(integer=True))\n"
    "\n"
    "\n";

static const char draw_bars[] =
    "def draw(axes):\n"
    "    width = 0.8 / len(SERIES)\n"
    "    for series in range(len(SERIES)):\n"
    "        rows = rows_of(series)\n"
    "        shift = (series - (len(SERIES) - 1) / 2) * width\n"
    "        axes.bar([x_of(x) + shift for x, y, _ in rows], [y for x, y, _ in rows], width,\n"
    "                 color=COLORS[series], hatch=HATCHES[series], edgecolor=BACKGROUND,\n"
    "                 linewidth=0, label=label_of(series))\n";

static const char draw_lines[] =
    "def draw(axes):\n"
    "    for series in range(len(SERIES)):\n"
    "        rows = rows_of(series)\n"
    "        axes.plot([x_of(x) for x, y, _ in rows], [y for x, y, _ in rows],\n"
    "                  color=COLORS[series], linestyle=DASHES[series % len(DASHES)],\n"
    "                  marker=MARKERS[series] if len(rows) <= 30 else None, markersize=4,\n"
    "                  label=label_of(series))\n";

static const char draw_points[] =
    "def draw(axes):\n"
    "    for series in range(len(SERIES)):\n"
    "        rows = rows_of(series)\n"
    "        axes.scatter([x_of(x) for x, y, _ in rows], [y for x, y, _ in rows], s=22,\n"
    "                     color=COLORS[series], marker=MARKERS[series], alpha=0.75,\n"
    "                     label=label_of(series))\n";

static const char draw_areas[] =
    "def draw(axes):\n"
    "    layers = [[y for x, y, _ in rows_of(series)] for series in range(len(SERIES))]\n"
    "    axes.stackplot([x_of(x) for x, y, _ in rows_of(0)], *layers, colors=COLORS, alpha=0.85,\n"
    "                   labels=[label_of(series) for series in range(len(SERIES))])\n"
    "    axes.margins(x=0)\n";

static const char draw_histogram[] =
    "def draw(axes):\n"
    "    layers = [[x_of(x) for x, _ in rows_of(series)] for series in range(len(SERIES))]\n"
    "    axes.hist(layers, bins=30 if len(ROWS) > 300 else 12, stacked=True,\n"
    "              color=COLORS[:len(SERIES)], edgecolor=BACKGROUND,\n"
    "              label=[label_of(series) for series in range(len(SERIES))])\n"
    "    axes.yaxis.set_major_locator(MaxNLocator(integer=True))\n";

static const char draw_boxes[] =
    "def draw(axes):\n"
    "    width = 0.7 / len(SERIES)\n"
    "    for series in range(len(SERIES)):\n"
    "        values = {}\n"
    "        for place, y, _ in rows_of(series):\n"
    "            values.setdefault(place, []).append(y)\n"
    "        shift = (series - (len(SERIES) - 1) / 2) * width\n"
    "        parts = axes.boxplot(list(values.values()), widths=0.85 * width, patch_artist=True,\n"
    "                             positions=[x_of(place) + shift for place in values],\n"
    "                             manage_ticks=False, medianprops={\"color\": TEXT},\n"
    "                             flierprops={\"markersize\": 4})\n"
    "        for box in parts[\"boxes\"]:\n"
    "            box.set(facecolor=COLORS[series], edgecolor=LINE, alpha=0.75)\n"
    "        axes.bar([0], [0], 0, color=COLORS[series], label=label_of(series))\n";

static const char *const script_marks[] = {
    [PLOT_BAR] = draw_bars,   [PLOT_LINE] = draw_lines,          [PLOT_POINT] = draw_points,
    [PLOT_AREA] = draw_areas, [PLOT_HISTOGRAM] = draw_histogram, [PLOT_BOX] = draw_boxes,
};

static const char script_end[] =
    "\n"
    "\n"
    "def main(path):\n"
    "    figure, axes = set_up()\n"
    "    draw(axes)\n"
    "    set_x(figure, axes)\n"
    "    if LOG_Y:\n"
    "        axes.set_yscale(\"log\")\n"
    "    if SERIES_TITLE:\n"
    "        legend = axes.legend(title=SERIES_TITLE, fontsize=LABEL_SIZE, frameon=False,\n"
    "                             labelcolor=TEXT, bbox_to_anchor=(1.01, 1), loc=\"upper left\")\n"
    "        legend.get_title().set(color=TEXT, fontsize=LABEL_SIZE)\n"
    "    figure.savefig(path, bbox_inches=\"tight\", facecolor=BACKGROUND)\n"
    "\n"
    "\n"
    "if __name__ == \"__main__\":\n"
    "    main(sys.argv[1] if len(sys.argv) > 1 else \"plot.png\")\n";

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
        put_value(w, point->x);
    put(w, ", ");
    if (point->y) {
        put_value(w, point->y);
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

const char *plot_matplotlib(struct arena *arena, const struct plot_spec *spec,
                            const struct plot_data *data, const struct figure_style *style)
{
    AUTO(buf) out;
    struct plot_points points;
    plot_points_init(arena, spec, data, &points);
    const struct writing w = { &out, spec, &points };
    buf_init(&out, SIZE_MAX);
    put(&w, script_begin);
    put_text(&w, "X_TITLE", plot_x_title(spec));
    put_text(&w, "Y_TITLE", plot_y_title(arena, spec));
    put_text(&w, "SERIES_TITLE", spec->color ? spec->color : "");
    (void)!buf_printf(&out, "LOG_X = %s\nLOG_Y = %s\n", spec->log_x ? "True" : "False",
                      spec->log_y ? "True" : "False");
    put_style(&w, style);
    put_data(&w);
    put(&w, script_helpers);
    put(&w, points.has_places ? script_places : points.is_date ? script_days : script_numbers);
    put(&w, script_marks[spec->mark]);
    put(&w, script_end);
    return arena_strndup(arena, out.bytes, out.length);
}
