def x_of(number):
    return number


def set_x(figure, axes):
    if LOG_X:
        axes.set_xscale("log")
        set_log_labels(axes.xaxis)
    elif all(isinstance(row[0], int) for row in ROWS):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))


