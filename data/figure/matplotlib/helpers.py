MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "p", "h"]
DASHES = ["-", "--", ":", "-."]
HATCHES = ["", "", "", "", "//", "..", "--", "xx", "||", "oo", "++", "**"]
MAX_TICKS = 20
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def label_of(series):
    name = SERIES[series]
    return " " + name if name.startswith("_") else name


def rows_of(series):
    return [row for row in ROWS if row[-1] == series]


class LogLabels(LogFormatter):
    """The labels that matplotlib would set as formulas, in letters: 200, 10⁷, 3×10⁻⁶."""

    def __call__(self, value, position=None):
        if not super().__call__(value, position):
            return ""
        if 1e-4 < value < 1e5:
            return "%g" % value
        factor, power = ("%.2e" % value).split("e")
        factor = factor.rstrip("0").rstrip(".")
        factor = "" if factor == "1" else factor + "×"
        return factor + "10" + str(int(power)).translate(SUPERSCRIPTS)


def set_log_labels(axis):
    axis.set_major_formatter(LogLabels())
    axis.set_minor_formatter(LogLabels())


def set_up():
    matplotlib.rcParams["font.family"] = [FONT, "sans-serif"]
    if "text.parse_math" in matplotlib.rcParams:
        matplotlib.rcParams["text.parse_math"] = False
    figure, axes = plt.subplots(figsize=(7.2, 4.5), dpi=DPI, facecolor=BACKGROUND)
    axes.set_facecolor(BACKGROUND)
    axes.set_axisbelow(True)
    axes.grid(True, axis="y", color=LINE, alpha=0.2)
    axes.tick_params(which="both", colors=TEXT, labelsize=LABEL_SIZE)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(LINE)
    axes.set_xlabel(X_TITLE, color=TEXT, fontsize=FONT_SIZE)
    axes.set_ylabel(Y_TITLE, color=TEXT, fontsize=FONT_SIZE)
    return figure, axes


