def draw(axes):
    layers = [[x_of(x) for x, _ in rows_of(series)] for series in range(len(SERIES))]
    axes.hist(layers, bins=30 if len(ROWS) > 300 else 12, stacked=True,
              color=COLORS[:len(SERIES)], edgecolor=BACKGROUND,
              label=[label_of(series) for series in range(len(SERIES))])
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
