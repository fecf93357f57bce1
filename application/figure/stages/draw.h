/* The Visualizer's ways to a picture: a typed graph through the renderer, a plot spec through the
 * compilers, or a tool that draws. Each fills a sketch; what could not be drawn is put into words,
 * with the reason. Private to the stages. */
#ifndef APPLICATION_FIGURE_STAGES_DRAW_H
#define APPLICATION_FIGURE_STAGES_DRAW_H

#include "application/figure/stages/stage.h"

struct sketch {
    struct figure_artifact artifact;
    const json_t *drawn;              /* graph or spec; NULL when a tool drew */
    const struct figure_graph *graph; /* NULL for a plot, and when a tool drew */
    const struct plot_spec *plot;     /* NULL for a graph, and when a tool drew */
    bool is_guess;                    /* rules chose the columns of the plot */
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

/* Has the renderer draw it; what it cannot draw is a problem of the sketch. dot is NULL for a plot,
 * whose artifact is mistro's own code: a picture of it is kept beside the artifact. Only
 * the end of the scope is an error. */
awaits MUST_CHECK enum err_code draw_render(struct stage_run *run, struct scope *scope,
                                            const char *dot, struct sketch *sketch,
                                            struct err *err);
/* The best of several layouts of the graph, in Graphviz' language: the first one where it can be
 * read on the figure's page, or where nothing but the renderer knows how it will look. Fails as the
 * renderer does. */
awaits MUST_CHECK enum err_code draw_layout(struct stage_run *run, struct scope *scope,
                                            const struct figure_graph *graph, const char **out_dot,
                                            struct err *err);
/* It was not drawn, for that reason. */
void sketch_fail(struct stage_run *run, struct sketch *sketch, const struct err *err);
/* Makes the picture that is in the sketch the artifact: the file in which it will be. */
void sketch_take_picture(struct stage_run *run, struct sketch *sketch);
/* Takes code from outside, from this source ("the tool"); false with *out_why when it is blank or
 * too long. */
bool sketch_take_code(struct stage_run *run, struct sketch *sketch, const char *code,
                      const char *source, const char **out_why);
/* There is no picture: the artifact becomes a storyboard, labelled with the reason. */
void sketch_in_words(struct stage_run *run, struct sketch *sketch, const char *why,
                     const char *words);

#endif
