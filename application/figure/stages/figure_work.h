/* A figure on its way through its stages: what each leaves for the next. Private to
 * application/figure. */
#ifndef APPLICATION_FIGURE_STAGES_FIGURE_WORK_H
#define APPLICATION_FIGURE_STAGES_FIGURE_WORK_H

#include "application/figure/stages/figure.h"
#include "domain/figure/figure_findings.h"

struct figure_work {
    struct figure *figure;
    struct arena *arena;
    const struct figure_input *input;
    struct figure_stage_record *stages;
    size_t n_stages, stages_capacity;
    unsigned model_calls;
    /* of the Retriever */
    const struct figure_reference **examples;
    size_t n_examples;
    const char *retrieval_confidence;
    /* of the Planner */
    const char *initial_description;
    const char *assumption_block;           /* or NULL */
    const struct figure_graph *rules_graph; /* that the Planner's rules found; or NULL */
    /* of the Stylist, then of each round's Critic */
    const char *description;
    /* of Visualizer and Critic */
    struct figure_round *rounds; /* room for max_rounds */
    struct picture *pictures;
    size_t n_rounds;
    unsigned unchanged, useless; /* rounds in a row */
    const char *render_error;    /* of the latest round; NULL: it was drawn */
};

static inline struct journal *work_journal(const struct figure_work *work)
{
    return work->figure->journal;
}

/* Each stage records its input and output in the seed's shapes, tells both, and leaves what the
 * next one needs. A stage that a model could not do is done by rules where that is possible, with
 * a note; an error that comes back ends the figure. */
awaits MUST_CHECK enum err_code retriever_run(struct figure_work *work, struct scope *scope,
                                              struct err *err);
awaits MUST_CHECK enum err_code planner_run(struct figure_work *work, struct scope *scope,
                                            struct err *err);
awaits MUST_CHECK enum err_code stylist_run(struct figure_work *work, struct scope *scope,
                                            struct err *err);
/* Fills everything of work->rounds[round] but the critique, and its picture. */
awaits MUST_CHECK enum err_code visualizer_run(struct figure_work *work, struct scope *scope,
                                               unsigned round, struct err *err);
/* Fills the critique. */
awaits MUST_CHECK enum err_code critic_run(struct figure_work *work, struct scope *scope,
                                           unsigned round, struct err *err);

#endif
