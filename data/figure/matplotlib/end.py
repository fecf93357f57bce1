

def main(path):
    figure, axes = set_up()
    draw(axes)
    set_x(figure, axes)
    if LOG_Y:
        axes.set_yscale("log")
        set_log_labels(axes.yaxis)
    if SERIES_TITLE:
        legend = axes.legend(title=SERIES_TITLE, fontsize=LABEL_SIZE, frameon=False,
                             labelcolor=TEXT, bbox_to_anchor=(1.01, 1), loc="upper left")
        legend.get_title().set(color=TEXT, fontsize=LABEL_SIZE)
    figure.savefig(path, bbox_inches="tight", facecolor=BACKGROUND)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "plot.png")
