/* Parts of a graph with nothing but what a test says, and what rules found about them. */
#ifndef TESTS_SUPPORT_FINDINGS_H
#define TESTS_SUPPORT_FINDINGS_H

#include "domain/figure/figure_findings.h"

/* The first that the rule found; NULL where it found nothing. */
const struct figure_finding *findings_of(const struct figure_findings *findings, const char *rule);

struct figure_node plain_node(const char *id, const char *label);
struct figure_edge plain_edge(const char *from, const char *to, const char *label);

#endif
