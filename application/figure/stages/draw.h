/* The Visualizer's ways to a picture: a typed graph through the renderer, a plot spec through the
 * compilers, or a tool that draws. Each fills a sketch; what could not be drawn is told in words,
 * with the reason. Private to application/figure. */
#ifndef APPLICATION_FIGURE_STAGES_DRAW_H
#define APPLICATION_FIGURE_STAGES_DRAW_H

#include "application/figure/stages/stage.h"

struct sketch {
    struct figure_artifact artifact;
    const json_t *drawn;              /* graph or spec; NULL of a tool */
    const struct figure_graph *graph; /* NULL of a plot and of a tool */
    struct picture picture;
    bool rendered;
    bool has_foreign_code; /* the artifact is code that mistro did not write */
    const char *problem;   /* why it was not drawn; NULL */
};

awaits MUST_CHECK enum err_code draw_graph(struct stage_run *run, struct scope *scope,
                                           struct sketch *out, struct err *err);
awaits MUST_CHECK enum err_code draw_plot(struct stage_run *run, struct scope *scope,
                                          struct sketch *out, struct err *err);
/* figure.image_tool */
awaits MUST_CHECK enum err_code draw_with_tool(struct stage_run *run, struct scope *scope,
                                               struct sketch *out, struct err *err);

/* The renderer draws it; what it cannot is a problem of the sketch. dot is NULL for a plot, whose
 * artifact is code: a picture of it is taken along, and the artifact stays the caller's to set.
 * Only the end of the scope is an error. */
awaits MUST_CHECK enum err_code draw_render(struct stage_run *run, struct scope *scope,
                                            const char *dot, struct sketch *sketch,
                                            struct err *err);
/* Takes a picture that is there: which file will be the artifact. */
void sketch_take_picture(struct stage_run *run, struct sketch *sketch);
/* Code from outside, of this source ("the tool"); *out_why where it is none, or too much. */
bool sketch_take_code(struct stage_run *run, struct sketch *sketch, const char *code,
                      const char *source, const char **out_why);
/* No picture: the artifact is a labelled storyboard (X26). */
void sketch_in_words(struct stage_run *run, struct sketch *sketch, const char *why,
                     const char *words);

/* What the checks find in what was drawn (figure_findings.h). */
void sketch_check(const struct figure_work *work, const struct sketch *sketch,
                  struct figure_findings *findings);

#endif
