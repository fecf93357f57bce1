#include "domain/plan/confidence.h"
#include "domain/plan/confidence_evidence.h"

#define PENALTY_UNCLEAR 0.1
#define PENALTY_PLACEHOLDER 0.2

static double share(size_t part, size_t whole)
{
    return whole ? (double)part / (double)whole : 1;
}

static void weigh_parameters(const struct evidence *evidence, struct confidence *out)
{
    size_t required = 0, there = 0, fitting = 0, given = 0;
    for (size_t i = 0; i < evidence->n_parameters; i++) {
        const struct parameter *parameter = &evidence->parameters[i];
        bool missing = parameter->state == PARAMETER_MISSING;
        required += parameter->required;
        given += !missing;
        there += parameter->required && !missing;
        fitting += parameter->state == PARAMETER_FITS;
        out->penalty += parameter->placeholder ? PENALTY_PLACEHOLDER : 0;
        out->penalty += parameter->unclear ? PENALTY_UNCLEAR : 0;
    }
    out->completeness = share(there, required);
    out->validity = share(fitting, given);
}

/* The model's own number only lowers the score, towards itself and not by much. */
static double reported_doubt(double reported, double score)
{
    double doubt = reported >= 0 && reported < score ? score - reported : 0;
    return doubt < CONFIDENCE_REPORTED_MAX_EFFECT ? doubt : CONFIDENCE_REPORTED_MAX_EFFECT;
}

void confidence_score(struct arena *arena, struct intent *intent,
                      const struct confidence_input *input)
{
    struct evidence evidence;
    struct confidence confidence = { 0 };
    confidence_collect(arena, intent, input, &evidence);
    confidence.tool_match = evidence.tool_match;
    weigh_parameters(&evidence, &confidence);
    double score = confidence.tool_match * confidence.completeness * confidence.validity;
    score = score > confidence.penalty ? score - confidence.penalty : 0;
    double doubt = reported_doubt(intent->reported_confidence, score);
    confidence.penalty += doubt;
    confidence.score = score > doubt ? score - doubt : 0;
    intent->confidence = confidence;
}

static bool names_something_real(const struct intent *intent, const struct confidence_input *input)
{
    AUTO(arena) scratch = { 0 };
    struct evidence evidence;
    confidence_collect(&scratch, intent, input, &evidence);
    for (size_t i = 0; i < evidence.n_parameters; i++)
        if (evidence.parameters[i].unclear)
            return true;
    return false;
}

bool confidence_needs_questions(const struct intent *intent, const struct confidence_input *input)
{
    if (!intent->n_tools_needed)
        return intent->needs_clarification;
    return intent->confidence.score < input->threshold ||
           (intent->needs_clarification && names_something_real(intent, input));
}
