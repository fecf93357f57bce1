def draw(axes):
    widths = [right - left for left, right in zip(EDGES, EDGES[1:])]
    below = [0] * len(widths)
    for series in range(len(SERIES)):
        counts = [y for x, y, _ in rows_of(series)]
        axes.bar(EDGES[:-1], counts, widths, below, align="edge", color=COLORS[series],
                 edgecolor=LINE, linewidth=0.5, label=label_of(series))
        below = [low + count for low, count in zip(below, counts)]
