def draw(axes):
    width = 0.7 / len(SERIES)
    for series in range(len(SERIES)):
        values = {}
        for place, y, _ in rows_of(series):
            values.setdefault(place, []).append(y)
        shift = (series - (len(SERIES) - 1) / 2) * width
        parts = axes.boxplot(list(values.values()), widths=0.85 * width, patch_artist=True,
                             positions=[x_of(place) + shift for place in values],
                             manage_ticks=False, medianprops={"color": TEXT},
                             flierprops={"markersize": 4})
        for box in parts["boxes"]:
            box.set(facecolor=COLORS[series], edgecolor=LINE, alpha=0.75)
        axes.bar([0], [0], 0, color=COLORS[series], label=label_of(series))
