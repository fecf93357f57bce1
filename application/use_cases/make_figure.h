/* `mistro figure`: a text and a caption become a figure, in stages, written down as a run of kind
 * "figure". */
#ifndef APPLICATION_USE_CASES_MAKE_FIGURE_H
#define APPLICATION_USE_CASES_MAKE_FIGURE_H

#include "application/figure/stages/figure.h"
#include "application/services.h"

struct figure_request {
    const char *source_context, *caption;
    const char *communicative_intent; /* NULL: what the caption says */
    enum figure_mode mode;
    const char *style;            /* NULL: settings.figure_style */
    const struct plot_data *data; /* of plot_code */
    const char *const *refs;      /* ids the person chose; NULL: the Retriever does */
    size_t n_refs;
    unsigned max_rounds; /* 0: settings.figure_max_rounds */
    const char *out;     /* folder in which the case's folder is made; NULL: nothing is written */
    bool out_follows_no_links; /* of struct artifact_place */
    const char *name;          /* of the case: a plain name; NULL: from the caption */
};

/* ERR_INVALID: an empty or binary source or caption, an unknown style or ref (nearest names),
 * plot_code without data; ERR_LIMIT: source beyond figure.max_context_bytes; what artifacts_open
 * says, before any work. The folder is complete when this returns ERR_NONE, and its path in
 * *out_folder ("" when nothing is written). */
awaits MUST_CHECK enum err_code make_figure(struct services *services, struct scope *scope,
                                            struct arena *arena,
                                            const struct figure_request *request,
                                            struct figure_result *out, const char **out_folder,
                                            const char **out_run_id, struct err *err);

#endif
