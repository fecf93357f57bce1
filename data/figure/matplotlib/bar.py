def draw(axes):
    width = 0.8 / len(SERIES)
    for series in range(len(SERIES)):
        rows = rows_of(series)
        shift = (series - (len(SERIES) - 1) / 2) * width
        axes.bar([x_of(x) + shift for x, y, _ in rows], [y for x, y, _ in rows], width,
                 color=COLORS[series], hatch=HATCHES[series], edgecolor=BACKGROUND,
                 linewidth=0, label=label_of(series))
