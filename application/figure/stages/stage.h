/* What all stages of a figure do alike: tell when they start and what they gave, and ask the model
 * for their contract. */
#ifndef APPLICATION_FIGURE_STAGES_STAGE_H
#define APPLICATION_FIGURE_STAGES_STAGE_H

#include "application/figure/stages/figure_work.h"
#include "application/orchestrators/prompt_template.h"
#include "domain/contract/contract.h"

#define STAGE_MAX_VALUES 10

struct stage_run {
    struct figure_work *work;
    struct figure_stage_record record; /* input, by_rules and note are the stage's to set */
    int64_t started_ms;
};

/* Steals input. */
struct stage_run stage_begin(struct figure_work *work, enum figure_stage stage, unsigned round,
                             json_t *input);
/* Steals output. The record is among the work's from now on. */
void stage_end(struct stage_run *run, json_t *output);

struct stage_question {
    const char *contract; /* "figure_planner": also names the prompts */
    struct prompt_value values[STAGE_MAX_VALUES];
    size_t n_values;
    bool (*cross_check)(void *context, const json_t *value, struct problems *problems);
    void *context;
    const struct model_part *image; /* for a model that sees; or NULL */
    bool may_be_too_long; /* for the model's context: that is no answer then, and no error */
};

/* What came of a question. */
enum stage_answer {
    STAGE_ANSWERED,
    STAGE_NO_MODEL,  /* nobody to ask */
    STAGE_NO_ANSWER, /* nothing that fits the contract; *err says what was wrong */
};

/* *out in the arena, when answered. An error is one of the transport, the scope or our own files.
 */
awaits MUST_CHECK enum err_code stage_ask(struct stage_run *run, struct scope *scope,
                                          const struct stage_question *question,
                                          enum stage_answer *out_answer, const json_t **out,
                                          struct err *err);
/* The stage's own rules gave the output; why, unless it is that there is no model. */
void stage_by_rules(struct stage_run *run, enum stage_answer answer, const struct err *why,
                    const char *instead);
/* That the member of an answer is blank is a problem: blanks have no words either (S1-2 … S1-17).
 */
void stage_want_words(const json_t *value, const char *member, struct problems *problems);
/* Adds to the record's note. */
void stage_note(struct stage_run *run, const char *note);

#endif
