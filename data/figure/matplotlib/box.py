def draw(axes):
    width = 0.7 / len(SERIES)
    for series in range(len(SERIES)):
        values = {}
        for place, y, _ in rows_of(series):
            values.setdefault(place, []).append(y)
        shift = (series - (len(SERIES) - 1) / 2) * width
        parts = axes.boxplot(list(values.values()), widths=0.85 * width, patch_artist=True,
                             positions=[x_of(place) + shift for place in values],
                             vert=not LIES, manage_ticks=False,
                             medianprops={"color": TEXT, "linewidth": 2},
                             flierprops={"markersize": 4, "markeredgecolor": LINE,
                                         "markerfacecolor": COLORS[series]})
        for box in parts["boxes"]:
            box.set(facecolor=COLORS[series], edgecolor=LINE, linewidth=0.5)
        for line in parts["whiskers"] + parts["caps"]:
            line.set(color=LINE)
        axes.bar([0], [0], 0, color=COLORS[series], edgecolor=LINE, linewidth=0.5,
                 label=label_of(series))
