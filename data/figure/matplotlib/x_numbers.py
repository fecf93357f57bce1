def x_of(number):
    return number


def set_x(axes):
    if LOG_X:
        axes.set_xscale("log")
        set_log_labels(axes.xaxis, POWERS_X)
        return
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}" if YEARS else NUMBER))
    if all(isinstance(row[0], int) for row in ROWS):
        axes.xaxis.set_major_locator(whole_numbers())


