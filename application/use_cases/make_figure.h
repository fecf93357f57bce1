/* `mistro figure`: a text and a caption become a figure, in stages, written down as a run of kind
 * "figure". A figure that is there can be continued by a person's feedback, and show another of its
 * rounds. */
#ifndef APPLICATION_USE_CASES_MAKE_FIGURE_H
#define APPLICATION_USE_CASES_MAKE_FIGURE_H

#include "application/figure/report/figure_files.h"
#include "application/services.h"
#include "application/use_cases/job_state.h"

#define RUN_KIND_OF_FIGURES "figure" /* in the log */

struct figure_request {
    const char *source_context, *caption;
    const char *communicative_intent; /* NULL: what the caption says */
    enum figure_mode mode;
    const char *style;            /* NULL: settings.figure_style */
    const struct plot_data *data; /* of plot_code */
    const char *const *refs;      /* ids the person chose; NULL: the Retriever does */
    size_t n_refs;
    const char *width;   /* of the page: inches, "slides" or "column"; NULL: that of the style */
    bool as_list;        /* of struct figure */
    unsigned max_rounds; /* 0: settings.figure_max_rounds */
    const char *out;     /* folder in which the case's folder is made; NULL: nothing is written */
    bool out_follows_no_links;        /* of struct artifact_place */
    bool wants_picture;               /* of a plot, also without a folder */
    const char *name;                 /* of the case: a plain name; NULL: from the caption */
    const struct resumption *resumed; /* NULL: a new one is begun */
    /* A figure whose folder, out and name, has these files is changed; NULL: a new one is made. All
     * that is not below, and max_rounds (of which there are so many more), is as it was. */
    const struct figure_file *files;
    size_t n_files;
    const char *feedback; /* of a person, by which it is continued; NULL: another round is shown */
    int64_t round;        /* that one */
};

/* The request that the run began with, in the arena. A folder that it names without a leading slash
 * is below the current one. */
struct figure_request figure_request_kept(struct arena *arena, const struct resumption *resumed);

struct made_figure {
    struct figure_result result;
    struct figure_style style;
    const char *folder; /* "" when nothing is written */
    struct job_end end; /* of its run */
};

/* ERR_INVALID: an empty or binary source or caption, an unknown style or ref (nearest names),
 * plot_code without data; ERR_LIMIT: source beyond figure.max_context_bytes; what artifacts_open
 * says, before any work. The folder is complete when this returns ERR_NONE, and *out, but for its
 * end, is filled only then. Where it waits for calls to be settled (out->end.open) there is no
 * result. Of a figure that is there ERR_INVALID also says which file is missing or damaged, that it
 * has too many rounds, or that there is no model; ERR_NOT_FOUND: which rounds there are. Its folder
 * is replaced as a whole, or stays as it was. A run that continues one cannot be resumed, and a
 * round is chosen without a run. */
awaits MUST_CHECK enum err_code make_figure(struct services *services, struct scope *scope,
                                            struct arena *arena,
                                            const struct figure_request *request,
                                            struct made_figure *out, struct err *err);

#endif
