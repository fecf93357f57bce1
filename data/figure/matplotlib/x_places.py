def x_of(place):
    return place


def set_x(axes):
    axis = axes.yaxis if LIES else axes.xaxis
    axis.set_ticks(range(0, len(PLACES), LABEL_STEP))
    axis.set_ticklabels(PLACES[::LABEL_STEP])
    axis.set_tick_params(length=0)
    if LIES:
        axes.set_ylim(len(PLACES) - 0.5, -0.5)
    else:
        axes.set_xlim(-0.5, len(PLACES) - 0.5)
    if TURNED:
        plt.setp(axes.get_xticklabels(), rotation=40, ha="right", rotation_mode="anchor")


