def draw(axes):
    for series in range(len(SERIES)):
        rows = rows_of(series)
        axes.plot([x_of(x) for x, y, _ in rows], [y for x, y, _ in rows],
                  color=COLORS[series], linestyle=DASHES[series % len(DASHES)],
                  linewidth=1.5 if series < len(DASHES) else 3,
                  marker=MARKERS[series] if MARKED else None, markersize=5,
                  label=label_of(series))
