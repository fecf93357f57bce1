/* How the checks of a figure write down what they found (figure_findings.h). */
#ifndef DOMAIN_FIGURE_FIGURE_FINDING_H
#define DOMAIN_FIGURE_FIGURE_FINDING_H

#include "domain/base/attributes.h"
#include "domain/figure/figure_findings.h"

enum figure_weight {
    FINDING_UNFAITHFUL, /* critical */
    FINDING_DOUBTFUL,
    FINDING_UNREADABLE, /* critical */
    FINDING_HARD_TO_READ,
};

/* rule and fix are constants; beyond FIGURE_MAX_FINDINGS it is counted only. */
void figure_finding_add(struct figure_findings *findings, const char *rule,
                        enum figure_weight weight, const char *fix, const char *format, ...)
    PRINTF_LIKE(5, 6);
/* Foreign text as a message may have it: one line, cut; in the arena. */
const char *figure_finding_name(struct figure_findings *findings, const char *text);
/* The name stands in the text, as words of their own and in any case. */
bool figure_text_names(const char *text, const char *name);

#endif
