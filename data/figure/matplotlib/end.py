

def main(paths):
    figure, axes = set_up()
    draw(axes)
    set_x(axes)
    set_y(axes)
    if SERIES_TITLE:
        add_legend(axes)
    undated = {"svg": dict.fromkeys(["Date", "Creator", "Format", "Type"]),
               "pdf": {"CreationDate": None}}
    outside = [axes.xaxis.label, axes.yaxis.label, axes.get_legend() or axes.xaxis.label]
    for path in paths:
        figure.savefig(path, bbox_inches="tight", bbox_extra_artists=outside,
                       facecolor=BACKGROUND,
                       metadata=undated.get(path.rsplit(".", 1)[-1]))


if __name__ == "__main__":
    main(sys.argv[1:] or ["plot.png"])
