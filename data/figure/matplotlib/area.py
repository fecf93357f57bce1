def draw(axes):
    layers = [[y for x, y, _ in rows_of(series)] for series in range(len(SERIES))]
    axes.stackplot([x_of(x) for x, y, _ in rows_of(0)], *layers, colors=COLORS, edgecolor=LINE,
                   linewidth=OUTLINE, labels=[label_of(series) for series in range(len(SERIES))])
    axes.margins(x=0)
