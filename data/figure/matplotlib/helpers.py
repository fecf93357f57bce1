MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "p", "h"]
DASHES = [(0, pattern) for pattern in (
    None, (4, 2), (1.5, 1.5), (5, 2, 1.5, 2), (8, 3), (3, 4), (8, 2, 1.5, 2, 1.5, 2), (1, 3))]
OUTLINE = 0.5 if len(SERIES) > 1 else 0
NUMBER = "{x:,.10g}"
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def label_of(series):
    name = SERIES[series]
    return " " + name if name.startswith("_") else name


def rows_of(series):
    return [row for row in ROWS if row[-1] == series]


def whole_numbers():
    return MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True)


class LogLabels(LogFormatter):
    """The labels that matplotlib would set as formulas, in letters: 10⁷, 3×10⁻⁶; or all as 200."""

    def __call__(self, value, position=None):
        if not super().__call__(value, position):
            return ""
        if not self.powers:
            return NUMBER.format(x=value)
        factor, power = ("%.2e" % value).split("e")
        factor = factor.rstrip("0").rstrip(".")
        factor = "" if factor == "1" else factor + "×"
        return factor + "10" + str(int(power)).translate(SUPERSCRIPTS)


def set_log_labels(axis, powers):
    for set_formatter in (axis.set_major_formatter, axis.set_minor_formatter):
        labels = LogLabels()
        labels.powers = powers
        set_formatter(labels)


def set_up():
    matplotlib.rcParams["font.family"] = [FONT, "sans-serif"]
    matplotlib.rcParams["svg.hashsalt"] = "plot"
    if "text.parse_math" in matplotlib.rcParams:
        matplotlib.rcParams["text.parse_math"] = False
    figure, axes = plt.subplots(figsize=(WIDTH / 66.7, HEIGHT / 66.7), dpi=DPI,
                                facecolor=BACKGROUND)
    axes.set_facecolor(BACKGROUND)
    axes.set_axisbelow(True)
    axes.grid(True, axis="x" if LIES else "y", color=LINE, alpha=0.2)
    axes.tick_params(which="both", colors=TEXT, labelsize=LABEL_SIZE)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(LINE)
    axes.set_xlabel(Y_TITLE if LIES else X_TITLE, color=TEXT, fontsize=FONT_SIZE)
    axes.set_ylabel(X_TITLE if LIES else Y_TITLE, color=TEXT, fontsize=FONT_SIZE)
    return figure, axes


def set_y(axes):
    axis = axes.xaxis if LIES else axes.yaxis
    axis.set_major_formatter(StrMethodFormatter(NUMBER))
    if LOG_Y:
        (axes.set_xscale if LIES else axes.set_yscale)("log")
        set_log_labels(axis, POWERS_Y)
    elif COUNTS:
        axis.set_major_locator(whole_numbers())


def add_legend(axes):
    handles, labels = axes.get_legend_handles_labels()
    if STACKED:
        handles, labels = handles[::-1], labels[::-1]
    legend = axes.legend(handles, labels, title=SERIES_TITLE, fontsize=LABEL_SIZE, frameon=False,
                         labelcolor=TEXT, bbox_to_anchor=(1.01, 1), loc="upper left",
                         handlelength=3)
    legend.get_title().set(color=TEXT, fontsize=LABEL_SIZE)


