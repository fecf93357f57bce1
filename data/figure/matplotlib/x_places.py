def x_of(place):
    return place


def set_x(figure, axes):
    step = 1 + (len(PLACES) - 1) // MAX_TICKS if len(PLACES) > 4 * MAX_TICKS else 1
    shown = PLACES[::step]
    turned = sum(len(place) + 1 for place in shown) > 70
    axes.set_xticks(range(0, len(PLACES), step))
    axes.set_xticklabels([place if len(place) <= 30 else place[:29] + "\u2026" for place in shown],
                         rotation=40 if turned else 0, ha="right" if turned else "center")
    figure.set_figwidth(min(20, max(7.2, 0.2 * len(shown))))


