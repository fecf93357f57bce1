def draw(axes):
    width = 0.8 / len(SERIES)
    bars = axes.barh if LIES else axes.bar
    for series in range(len(SERIES)):
        rows = rows_of(series)
        shift = (series - (len(SERIES) - 1) / 2) * width
        bars([x_of(x) + shift for x, y, _ in rows], [y for x, y, _ in rows], width,
             color=COLORS[series], edgecolor=LINE, linewidth=OUTLINE, label=label_of(series))
