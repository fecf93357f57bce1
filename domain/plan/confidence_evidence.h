/* The evidence under a confidence score: which tools an intent means and what is known about their
 * parameters. Used by confidence.c and confidence_questions.c. */
#ifndef DOMAIN_PLAN_CONFIDENCE_EVIDENCE_H
#define DOMAIN_PLAN_CONFIDENCE_EVIDENCE_H

#include "domain/plan/confidence.h"

#define CONFIDENCE_ALIAS 0.9
#define CONFIDENCE_GUESS 0.5

enum parameter_state { PARAMETER_MISSING, PARAMETER_INVALID, PARAMETER_FITS };

struct parameter {
    const struct tool *tool;
    const char *name;
    const json_t *schema; /* NULL when the tool does not know the parameter */
    const json_t *value;
    enum parameter_state state;
    bool required;
    bool unclear;     /* an unclear aspect names it */
    bool placeholder; /* "{…}" or "<…>" stands where a value should */
};

struct evidence {
    double tool_match; /* the worst of the needed tools */
    struct parameter *parameters;
    size_t n_parameters;
};

/* How well a name fits the best tool of the shortlist: 1 its full name, CONFIDENCE_ALIAS another
 * way to write it, CONFIDENCE_GUESS a slip, 0 none. *out_tool is NULL below CONFIDENCE_ALIAS. */
double confidence_match_tool(const char *name, const struct confidence_input *input,
                             const struct tool **out_tool);
/* Whether a value is there, is no placeholder, and is what the tool's schema says of a parameter.
 */
bool confidence_value_fits(const struct tool *tool, const char *name, const json_t *value);
/* Parameters of the first tool, and of later ones what the request gives: what a later tool still
 * lacks may come from the results of earlier ones. */
void confidence_collect(struct arena *arena, const struct intent *intent,
                        const struct confidence_input *input, struct evidence *out);

#endif
