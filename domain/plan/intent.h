/* What the user wants, as far as it was understood, and the evidence-based confidence in it
 * (plan/confidence.h). The number a model reports about itself is kept apart: it may lower the
 * score a little and never raises it, because small models report high numbers for anything. */
#ifndef DOMAIN_PLAN_INTENT_H
#define DOMAIN_PLAN_INTENT_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define QUESTION_MAX_CHOICES 20 /* shown; of more it is said how many there are */

struct question {
    const char *key;   /* what an answer refers to: a parameter's name, "tool", "goal", "confirm" */
    const char *text;  /* a sentence for a person */
    const char *wants; /* in words: "a list of objects"; NULL where there are choices */
    const char *example;  /* of an answer; NULL where none can be given */
    const char **choices; /* allowed answers, the first of them; NULL when free */
    size_t n_choices, n_more_choices;
};

struct confidence {
    double score;        /* 0..1: tool_match * completeness * validity - penalties */
    double tool_match;   /* 1 exact, 0.9 alias, less for a guess, 0 none */
    double completeness; /* share of required parameters that are present */
    double validity;     /* share of present parameters that fit the schema */
    double penalty;      /* unresolved references, unclear aspects, reported doubt */
};

struct intent {
    const char *primary_goal;
    const char **tools_needed; /* full names, in order; empty when no tool fits */
    size_t n_tools_needed;
    const json_t *parameters;   /* object: what the request says about the tools' parameters */
    bool needs_clarification;   /* the model's own flag */
    double reported_confidence; /* the model's number; negative when it gave none */
    const char **unclear_aspects;
    size_t n_unclear_aspects;
    struct confidence confidence;
    /* Set with the confidence, of the first tool: it lacks parameters that the planner writes, and
     * has a list where one value is taken, which means a step for each. */
    bool has_gaps_to_write, has_lists_of_steps;
    struct question *questions; /* what to ask when the confidence is below the threshold */
    size_t n_questions;
    const char *analyst;     /* "model" or "lexical" */
    double tool_doubt;       /* 0..1: of the lexical analyst, that other tools are meant */
    const char *explanation; /* of the lexical analyst: lines that say why; else NULL */
    const char *refusal;     /* of the lexical analyst: why it needs no tool; else NULL */
    const char *reason;      /* why it was not the one who was asked; else NULL */
    const json_t *steps;     /* of the lexical analyst: several calls; else NULL */
    const char *open_step;   /* the id of that step which lacks a value; or NULL */
};

/* For the result object and the run log; owned by the caller. */
json_t *intent_to_json(const struct intent *intent);
json_t *questions_to_json(const struct question *questions, size_t n);
/* The keys, each between these texts. In the arena. */
const char *questions_keys(struct arena *arena, const struct intent *intent, const char *before,
                           const char *behind);
/* " --answer KEY=…" of each, for a person to copy into a shell: a key comes from a server and may
 * have anything in it, so that one which is no plain word is quoted. In the arena. */
const char *questions_flags(struct arena *arena, const struct intent *intent);
/* What it wants, with an example: "A list of objects, for instance [{…}]"; "" where there are
 * choices. In the arena. */
const char *question_shape(struct arena *arena, const struct question *question);
/* Its text and its shape. In the arena. */
const char *question_say(struct arena *arena, const struct question *question);
/* " (a, b, c and 4,997 more)"; "" where the answer is free. In the arena. */
const char *question_choices(struct arena *arena, const struct question *question);
/* Whether a choice may be said by its place in the list: not where a number is a choice. */
bool question_is_numbered(const struct question *question);

#endif
