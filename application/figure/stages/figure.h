/* A figure in stages: Retriever → Planner → Stylist → Visualizer → Critic, the last two in rounds.
 * Each stage asks the model for its contract, or, without a model, does its work by rules and says
 * so. What code can check is checked before the critic is asked, and the critic sees the findings
 * and the style guide; a critic that cannot be read approves nothing. The best round is kept, which
 * need not be the last.
 *
 * A round is better than another by: rendered; fewer critical findings; both gates; fewer findings;
 * and, where all that is equal, the earlier one.
 *
 * A figure can be continued by a person's feedback on the round that is shown. It is the critique
 * that the next round follows, also after an approval; only rounds drawn since are shown then, for
 * those before are what the person wants changed. */
#ifndef APPLICATION_FIGURE_STAGES_FIGURE_H
#define APPLICATION_FIGURE_STAGES_FIGURE_H

#include "application/ports/artifacts.h"
#include "application/ports/renderer.h"
#include "application/ports/tool_index.h"
#include "application/runs/run_session.h"
#include "domain/figure/figure_geometry.h"
#include "domain/figure/figure_stage.h"
#include "domain/figure/figure_style.h"
#include "domain/figure/plot_spec.h"

#define FIGURE_MAX_SEEN_BYTES 2097152 /* of a PNG that is sent to a critic; a larger one is not */

/* X(end, name) */
#define FIGURE_ENDS(X)                                                                             \
    X(APPROVED, "approved") /* stop_flag with both gates, by a critic that could be read */        \
    X(CHECKED, "checked")   /* without a model: no finding is critical, and it is not reviewed */  \
    X(MAX_ROUNDS, "max_rounds")                                                                    \
    X(NO_PROGRESS, "no_progress")   /* the description came back unchanged twice */                \
    X(CRITIC_LOST, "critic_lost")   /* useless for two rounds */                                   \
    X(RENDER_LOST, "render_lost")   /* a later round could not be drawn; an earlier one stands */  \
    X(STAGE_FAILED, "stage_failed") /* Planner or Critic gave nothing: inputs need repair */

enum figure_end {
#define X(end, name) FIGURE_END_##end,
    FIGURE_ENDS(X)
#undef X
};

struct figure_stage_record {
    enum figure_stage stage;
    unsigned round;
    const json_t *input, *output; /* as stage_contract.h has them; in the arena */
    bool by_rules;                /* no model was asked, or none answered */
    const char *model;            /* the name that answered; NULL by rules */
    const char *note;             /* what was out of the ordinary, one line; or NULL */
    int64_t duration_ms;
};

struct figure_result {
    enum figure_end end;
    struct figure_input input;
    struct figure_round_log log;
    const struct figure_stage_record *stages; /* in the order in which they ran */
    size_t n_stages;
    const json_t *stages_before;    /* of the figure that is continued, as its file has them */
    size_t best;                    /* index into log.rounds: the round that is shown */
    bool chosen_by_person;          /* and not by the order above */
    const struct picture *pictures; /* one per round; all NULL where nothing was drawn */
    const struct plot_data *data;   /* of mode plot_code; or NULL */
    bool manual_review_required;
    const char *unresolved; /* issues for that review, lines; "" */
    const char *retrieval_confidence;
    int64_t duration_ms;
    unsigned model_calls;
    struct err err; /* STAGE_FAILED: why */
};

struct figure {
    struct run_session *session; /* its toolbox is NULL where no figure.image_tool is configured */
    struct engine *engine;       /* NULL: by rules */
    const char *model;           /* its name; NULL by rules */
    bool can_see;                /* whether the model takes pictures */
    struct tool_index *index;    /* of its own, for the pool */
    struct renderer *renderer;   /* NULL: nothing is drawn */
    const struct figure_style *style;
    struct figure_page page;      /* that a diagram is laid out for */
    const struct plot_data *data; /* of plot_code; NULL: none */
    bool wants_picture;           /* of a plot as well, for which its script is run */
    unsigned max_rounds;          /* with those of the figure that is continued */
    const char *const *refs;      /* ids of the pool that the person chose; n_refs 0: none */
    size_t n_refs;
    bool as_list;       /* a text that rules do not understand becomes the list of its sentences */
    const char *folder; /* of its files, for the record: "runs/tcp"; NULL: none are written */
    const struct figure_result *before; /* that is continued; NULL: a new one */
    const char *feedback;               /* of a person, on its round `best` */
};

size_t figure_critical_findings(const struct figure_round *round);
/* Runs all stages. ERR_NONE whenever *out says how it ended. */
awaits MUST_CHECK enum err_code figure_run(struct figure *figure, const struct figure_input *input,
                                           struct figure_result *out, struct err *err);

/* Makes a round of the log the one that is shown: best, and what a person has to look at. */
void figure_show_round(struct arena *arena, struct figure_result *result, size_t round,
                       bool by_person);

const char *figure_end_name(enum figure_end end);
/* "round_0.svg": the picture of a round, for image_path. It is relative to the folder of the
 * figure, which may be moved. In the arena. */
const char *figure_picture_path(struct arena *arena, unsigned round, const char *suffix);

#endif
