def draw(axes):
    for series in range(len(SERIES)):
        rows = rows_of(series)
        axes.plot([x_of(x) for x, y, _ in rows], [y for x, y, _ in rows],
                  color=COLORS[series], linestyle=DASHES[series % len(DASHES)],
                  marker=MARKERS[series] if len(rows) <= 30 else None, markersize=4,
                  label=label_of(series))
