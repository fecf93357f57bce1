#include "application/figure/plot/plot_scripts.h"

const char plot_script_begin[] = "\"\"\"A plot with its data. Needs Python 3 and matplotlib: "
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
const char plot_script_helpers[] =
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

const char plot_script_places[] =
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

const char plot_script_days[] =
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

const char plot_script_numbers[] =
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

static const char bars[] =
    "def draw(axes):\n"
    "    width = 0.8 / len(SERIES)\n"
    "    for series in range(len(SERIES)):\n"
    "        rows = rows_of(series)\n"
    "        shift = (series - (len(SERIES) - 1) / 2) * width\n"
    "        axes.bar([x_of(x) + shift for x, y, _ in rows], [y for x, y, _ in rows], width,\n"
    "                 color=COLORS[series], hatch=HATCHES[series], edgecolor=BACKGROUND,\n"
    "                 linewidth=0, label=label_of(series))\n";

static const char lines[] =
    "def draw(axes):\n"
    "    for series in range(len(SERIES)):\n"
    "        rows = rows_of(series)\n"
    "        axes.plot([x_of(x) for x, y, _ in rows], [y for x, y, _ in rows],\n"
    "                  color=COLORS[series], linestyle=DASHES[series % len(DASHES)],\n"
    "                  marker=MARKERS[series] if len(rows) <= 30 else None, markersize=4,\n"
    "                  label=label_of(series))\n";

static const char points[] =
    "def draw(axes):\n"
    "    for series in range(len(SERIES)):\n"
    "        rows = rows_of(series)\n"
    "        axes.scatter([x_of(x) for x, y, _ in rows], [y for x, y, _ in rows], s=22,\n"
    "                     color=COLORS[series], marker=MARKERS[series], alpha=0.75,\n"
    "                     label=label_of(series))\n";

static const char areas[] =
    "def draw(axes):\n"
    "    layers = [[y for x, y, _ in rows_of(series)] for series in range(len(SERIES))]\n"
    "    axes.stackplot([x_of(x) for x, y, _ in rows_of(0)], *layers, colors=COLORS, alpha=0.85,\n"
    "                   labels=[label_of(series) for series in range(len(SERIES))])\n"
    "    axes.margins(x=0)\n";

static const char histogram[] =
    "def draw(axes):\n"
    "    layers = [[x_of(x) for x, _ in rows_of(series)] for series in range(len(SERIES))]\n"
    "    axes.hist(layers, bins=30 if len(ROWS) > 300 else 12, stacked=True,\n"
    "              color=COLORS[:len(SERIES)], edgecolor=BACKGROUND,\n"
    "              label=[label_of(series) for series in range(len(SERIES))])\n"
    "    axes.yaxis.set_major_locator(MaxNLocator(integer=True))\n";

static const char boxes[] =
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

const char *const plot_script_marks[] = {
    [PLOT_BAR] = bars,   [PLOT_LINE] = lines,          [PLOT_POINT] = points,
    [PLOT_AREA] = areas, [PLOT_HISTOGRAM] = histogram, [PLOT_BOX] = boxes,
};

const char plot_script_end[] =
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
