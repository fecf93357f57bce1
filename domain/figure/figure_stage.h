/* What passes between the stages of a figure, as values: their inputs and outputs, and the log of
 * the rounds. The names of members in JSON are a contract with other programs, which docs/figure.md
 * has. Strings belong to an arena. */
#ifndef DOMAIN_FIGURE_FIGURE_STAGE_H
#define DOMAIN_FIGURE_FIGURE_STAGE_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define FIGURE_MAX_REFS 10  /* that the Retriever may choose */
#define FIGURE_SMALL_POOL 5 /* fewer candidates than this make the confidence low */
#define FIGURE_MAX_POOL 200
#define FIGURE_MAX_ROUNDS 20 /* the bound of settings.figure_max_rounds */
#define FIGURE_MAX_TEXT_BYTES 262144

/* X(stage, name): in the order in which they run */
#define FIGURE_STAGES(X)                                                                           \
    X(RETRIEVER, "retriever")                                                                      \
    X(PLANNER, "planner")                                                                          \
    X(STYLIST, "stylist")                                                                          \
    X(VISUALIZER, "visualizer")                                                                    \
    X(CRITIC, "critic")

enum figure_stage {
#define X(stage, name) STAGE_##stage,
    FIGURE_STAGES(X)
#undef X
};

/* X(mode, name): a picture, or the code of a plot */
#define FIGURE_MODES(X)                                                                            \
    X(DIAGRAM_IMAGE, "diagram_image")                                                              \
    X(PLOT_CODE, "plot_code")

enum figure_mode {
#define X(mode, name) FIGURE_MODE_##mode,
    FIGURE_MODES(X)
#undef X
};

/* X(type, name): what each mode gives; a prompt stands for what could not be drawn */
#define FIGURE_ARTIFACTS(X)                                                                        \
    X(IMAGE_PATH, "image_path")                                                                    \
    X(CODE_TEXT, "code_text")                                                                      \
    X(IMAGE_PROMPT, "image_prompt")

enum figure_artifact_type {
#define X(type, name) FIGURE_ARTIFACT_##type,
    FIGURE_ARTIFACTS(X)
#undef X
};

/* One entry of the pool, with what the Planner learns from it. */
struct figure_reference {
    const char *id, *summary, *domain, *diagram_type;
    const json_t *graph; /* domain/figure/figure_graph.h; NULL where there is none */
    const json_t *plot;  /* domain/figure/plot_spec.h over columns of an example; or NULL */
};

struct figure_input {
    const char *source_context, *communicative_intent, *caption; /* byte-identical to the end */
    enum figure_mode mode;
    const struct figure_reference *pool;
    size_t n_pool;
};

struct figure_artifact {
    enum figure_artifact_type type;
    const char *value;
};

struct figure_critique {
    const char *critic_suggestions, *revised_description;
    bool stop_flag, faithfulness_ok, readability_ok;
    bool reviewed; /* said by a critic whose answer could be read; false approves nothing */
};

/* Something a check found (domain/figure/figure_findings.h), before any critic spoke. */
struct figure_finding {
    const char *rule;    /* "entity_lost", "label_invented", "text_clipped", … */
    bool is_critical;    /* faithfulness_ok or readability_ok may not be true while it stands */
    bool is_readability; /* else it is about faithfulness */
    const char *message; /* one line, with the count above 1 */
    const char *fix;     /* as an instruction */
    size_t count;        /* in how many places it was found */
};

struct figure_round {
    unsigned round; /* from 0 */
    const char *description_t;
    struct figure_artifact artifact;
    const json_t *drawn; /* the typed graph or plot spec behind it; NULL for a prompt */
    struct figure_critique critique;
    /* What was said of it before a person's feedback, which is the critique now; or NULL. */
    const json_t *before_feedback;
    const struct figure_finding *findings;
    size_t n_findings;
    bool rendered; /* there is a picture, or code, and not only words */
};

struct figure_round_log {
    unsigned max_rounds;
    enum figure_mode mode;
    bool terminated_early;
    const char *termination_reason; /* "" */
    const struct figure_round *rounds;
    size_t n_rounds;
};

/* The Retriever's input, the Critic's output and the round log, owned by the caller. Strings are
 * UTF-8; NULL is "". A critique that no critic gave also has "reviewed": false. */
json_t *figure_input_to_json(const struct figure_input *input);
json_t *figure_critique_to_json(const struct figure_critique *critique);
json_t *figure_round_log_to_json(const struct figure_round_log *log);
/* Of a value that keeps the Critic's contract; its strings stay the value's. */
struct figure_critique figure_critique_from_json(const json_t *value);

const char *figure_stage_name(enum figure_stage stage);
bool figure_stage_parse(const char *name, enum figure_stage *out);
const char *figure_mode_name(enum figure_mode mode);
bool figure_mode_parse(const char *name, enum figure_mode *out);
const char *figure_artifact_name(enum figure_artifact_type type);
bool figure_artifact_parse(const char *name, enum figure_artifact_type *out);

#endif
