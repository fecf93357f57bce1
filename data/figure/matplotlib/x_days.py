def x_of(day):
    return datetime.datetime.strptime(day, "%Y-%m-%d")


def set_x(figure, axes):
    locator = matplotlib.dates.AutoDateLocator()
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(matplotlib.dates.ConciseDateFormatter(locator))


