def x_of(time):
    return datetime.datetime.fromisoformat(time)


def set_x(axes):
    locator = matplotlib.dates.AutoDateLocator()
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(matplotlib.dates.ConciseDateFormatter(locator))


