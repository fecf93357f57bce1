/* The use case of a figure among fakes: the real prompts, styles and references, a model that
 * answers every stage, a renderer and files in memory. A test breaks something, draws, and asks
 * whether a rule that always holds was broken. */
#ifndef TESTS_SUPPORT_FULL_FIGURE_JOB_H
#define TESTS_SUPPORT_FULL_FIGURE_JOB_H

#include "application/use_cases/make_figure.h"
#include "tests/support/fakes/fake_renderer.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"

/* Answers each stage in its turn: its first graph has a name that the text does not have, its
 * first critique approves of it all the same and asks for the next round. */
struct drawing_model {
    struct model base;
    unsigned n_graphs, n_critiques;
    int64_t context_tokens; /* 0: it does not say */
};

struct figure_job {
    struct immediate_runtime runtime;
    struct fake_services services; /* its model is the one below */
    struct drawing_model model;
    struct fake_renderer renderer;
    struct arena arena;
    struct scope scope;
    struct figure_request request; /* a diagram, into the folder runs/x */
    struct plot_data data;
    struct figure_result result;
    const char *folder, *run_id;
    struct err err;
};

/* For cmocka. */
int figure_job_set_up(void **state);
int figure_job_tear_down(void **state);

/* From now on a plot of two columns. */
void figure_job_plots(struct figure_job *job);
enum err_code figure_job_draw(struct figure_job *job);
/* What must hold however figure_job_draw ended, with what it gave; NULL when it does. */
const char *figure_job_broken_rule(struct figure_job *job, enum err_code code);

#endif
