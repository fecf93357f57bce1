/* A figure on its way through its stages: what each leaves for the next, and what all of them do
 * alike: record what they were given and what they gave, and ask the model for their contract.
 * Private to the stages. */
#ifndef APPLICATION_FIGURE_STAGES_STAGE_H
#define APPLICATION_FIGURE_STAGES_STAGE_H

#include "application/figure/stages/figure.h"
#include "application/orchestrators/prompt_template.h"
#include "domain/contract/contract.h"
#include "domain/figure/figure_findings.h"

#define STAGE_MAX_VALUES 10

struct figure_work {
    struct figure *figure;
    struct arena *arena;
    const struct figure_input *input;
    struct figure_stage_record *stages;
    size_t n_stages, stages_capacity;
    unsigned model_calls;
    /* from the Retriever */
    const struct figure_reference **examples;
    size_t n_examples;
    const char *retrieval_confidence;
    /* from the Planner */
    const char *initial_description;
    const char *assumption_block;           /* or NULL */
    const struct figure_graph *rules_graph; /* that the Planner's rules read; or NULL */
    /* from the Stylist, then from each round's Critic */
    const char *description;
    /* from Visualizer and Critic */
    struct figure_round *rounds; /* room for max_rounds */
    struct picture *pictures;
    size_t n_rounds;
    size_t first_round;          /* that this run draws: behind those of the figure it continues */
    unsigned unchanged, useless; /* rounds in a row */
    const char *render_error;    /* of the latest round; NULL: it was drawn */
};

static inline const struct settings *work_settings(const struct figure_work *work)
{
    return work->figure->session->services->settings;
}

/* The stages, one file each. Each records its input and output in the shapes of its contract, puts
 * both into the log, and leaves in the work what the next one needs. What a model could not do is
 * done by rules where that is possible, with a note; an error that comes back ends the figure. err
 * is never NULL here, and keeps what was got over until the figure ends. */
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
/* Makes the person's feedback on the round that was shown the critique of the last round, and what
 * it asks for the description of the next. ERR_INVALID: there is no model, and rules cannot. */
awaits MUST_CHECK enum err_code critic_take_feedback(struct figure_work *work, struct scope *scope,
                                                     struct err *err);

struct stage_run {
    struct figure_work *work;
    struct figure_stage_record record; /* model and note are the stage's to set */
    int64_t started_ms;
};

/* Steals input. */
struct stage_run stage_begin(struct figure_work *work, enum figure_stage stage, unsigned round,
                             json_t *input);
/* Steals output. The work has the record from here on. */
void stage_end(struct stage_run *run, json_t *output);

struct stage_question {
    const char *contract; /* "figure_planner": also names the prompts */
    struct prompt_value values[STAGE_MAX_VALUES];
    size_t n_values;
    const json_t *(*normalise)(void *context, struct arena *arena, const json_t *value);
    bool (*cross_check)(void *context, const json_t *value, struct problems *problems);
    void *context;
    const struct model_part *image; /* for a model that takes pictures; or NULL */
    bool may_be_too_long;           /* for the model's context: then it is not answered */
    const char *instead; /* what is done when it is not answered, for the note; NULL: an error */
};

/* *out is in the arena; NULL when there is no model, or when what it said does not fit the contract
 * (noted with question->instead): then the stage's own rules give the output. An error is one of
 * the transport, the scope or our own files; ERR_FAILED: not answered, and nothing is done instead.
 */
awaits MUST_CHECK enum err_code stage_ask(struct stage_run *run, struct scope *scope,
                                          const struct stage_question *question, const json_t **out,
                                          struct err *err);
/* The object with the text as this member, where it has none, null or white space; in the arena. */
const json_t *stage_filled_in(struct arena *arena, const json_t *value, const char *member,
                              const char *text);
/* Adds a problem when the member of an answer is blank: white space says nothing. */
void stage_want_words(const json_t *value, const char *member, struct problems *problems);
/* Adds to the record's note. */
void stage_note(struct stage_run *run, const char *note);

#endif
