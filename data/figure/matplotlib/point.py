def draw(axes):
    for series in range(len(SERIES)):
        rows = rows_of(series)
        axes.scatter([x_of(x) for x, y, _ in rows], [y for x, y, _ in rows], s=22,
                     color=COLORS[series], marker=MARKERS[series], alpha=0.75,
                     label=label_of(series))
