def x_of(time):
    return datetime.datetime.fromisoformat(time)


def set_x(axes):
    left, right = axes.get_xlim()
    starts_anew = not 3 < right - left < 60  # days from the 1st: the 31st would be beside it
    locator = matplotlib.dates.AutoDateLocator(minticks=2, maxticks=5,
                                               interval_multiples=starts_anew)
    formatter = matplotlib.dates.AutoDateFormatter(locator)
    formatter.scaled.update({1 / 24: "%m-%d %H:%M", 1 / 1440: "%m-%d %H:%M"})
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(formatter)


