/* How sure we may be that an intent was understood: tool match (lowered by the lexical analyst's
 * doubt) × completeness of the
 * required parameters (but for those that a planner writes) × validity of the values, lowered by
 * unresolved references and by unclear aspects that name something real. What the model says of
 * itself may lower the score by at most 0.2. And the questions that would raise it. Pure. */
#ifndef DOMAIN_PLAN_CONFIDENCE_H
#define DOMAIN_PLAN_CONFIDENCE_H

#include "domain/base/arena.h"
#include "domain/plan/intent.h"
#include "domain/tool/tool.h"

#define CONFIDENCE_REPORTED_MAX_EFFECT 0.2

struct confidence_input {
    const struct tool *const *shortlist; /* best first */
    size_t n_shortlist;
    size_t max_questions;
    double threshold;
    bool has_planner; /* a model plans the calls, and may write what the request only implies */
    bool is_planned;  /* the steps are there, with all of their values */
};

/* Fills intent->confidence. tools_needed are full names of the shortlist (others match badly). */
void confidence_score(struct arena *arena, struct intent *intent,
                      const struct confidence_input *input);

/* True when something must be asked: a required parameter is missing that the planner may not write
 * (plan/value_origin.h) or has no value for (null), whatever the score; the score is below the
 * threshold; or the model's flag is set and an unclear aspect names a parameter of a needed tool.
 * An intent that needs no tool is asked about only when the flag is set. */
bool confidence_needs_questions(const struct intent *intent, const struct confidence_input *input);

/* Fills intent->questions: missing required parameters first, then invalid ones, then (when the
 * tool is the doubt) which of the nearest two or three tools, "none" among them, then parameters
 * that an unclear aspect names. When none of these can be asked, what is to be done at all. At
 * most max_questions, keyed: a parameter's name, "tool" or "goal". */
void confidence_make_questions(struct arena *arena, struct intent *intent,
                               const struct confidence_input *input);

/* Adds the question what a parameter should be, where there is room: for what a plan would need
 * after the questions of the intent were none. */
void confidence_ask_for(struct arena *arena, struct intent *intent,
                        const struct confidence_input *input, const struct tool *tool,
                        const char *name);

/* Adds the question which of these tools is meant, "none" among the choices. */
void confidence_ask_tool(struct arena *arena, struct intent *intent,
                         const struct confidence_input *input, const struct tool *const *tools,
                         size_t n_tools);

/* Adds the question whether a call is to be made in spite of a doubt, a clause: "no tool covers
 * \"last\"". */
void confidence_ask_confirm(struct arena *arena, struct intent *intent,
                            const struct confidence_input *input, const struct tool *tool,
                            const json_t *args, const char *doubt);

/* Whether a value is there and is what the tool's schema says of the parameter. */
bool confidence_value_fits(const struct tool *tool, const char *name, const json_t *value);

#endif
