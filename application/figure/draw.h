/* The Visualizer's ways to a picture: a typed graph through the renderer, a plot spec through the
 * compilers, or a tool that draws. Each fills a sketch; what could not be drawn is told in words,
 * with the reason. Private to application/figure. */
#ifndef APPLICATION_FIGURE_DRAW_H
#define APPLICATION_FIGURE_DRAW_H

#include "application/figure/stage.h"

struct sketch {
    struct figure_artifact artifact;
    const json_t *drawn;              /* graph or spec; NULL of a tool */
    const struct figure_graph *graph; /* NULL of a plot and of a tool */
    struct picture picture;
    bool rendered;
    const char *problem; /* why it was not drawn; NULL */
};

awaits MUST_CHECK enum err_code draw_graph(struct stage_run *run, struct scope *scope,
                                           struct sketch *out, struct err *err);
awaits MUST_CHECK enum err_code draw_plot(struct stage_run *run, struct scope *scope,
                                          struct sketch *out, struct err *err);
/* figure.image_tool */
awaits MUST_CHECK enum err_code draw_with_tool(struct stage_run *run, struct scope *scope,
                                               struct sketch *out, struct err *err);

/* The renderer draws it; what it cannot becomes words. dot may be NULL (a plot). Only the end of
 * the scope is an error. */
awaits MUST_CHECK enum err_code draw_render(struct stage_run *run, struct scope *scope,
                                            const char *dot, struct sketch *sketch,
                                            struct err *err);
/* Takes a picture that is there: which file will be the artifact. */
void sketch_take_picture(struct stage_run *run, struct sketch *sketch);
/* No picture: the artifact is a labelled storyboard (X26). */
void sketch_in_words(struct stage_run *run, struct sketch *sketch, const char *why,
                     const char *words);

/* What the checks find in what was drawn (figure_findings.h). */
void sketch_check(const struct figure_work *work, const struct sketch *sketch,
                  struct figure_findings *findings);

#endif
