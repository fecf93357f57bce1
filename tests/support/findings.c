#include "tests/support/findings.h"
#include <string.h>

const struct figure_finding *findings_of(const struct figure_findings *findings, const char *rule)
{
    for (size_t i = 0; i < findings->n; i++)
        if (strcmp(findings->list[i].rule, rule) == 0)
            return &findings->list[i];
    return NULL;
}

struct figure_node plain_node(const char *id, const char *label)
{
    return (struct figure_node){ .id = id, .label = label };
}

struct figure_edge plain_edge(const char *from, const char *to, const char *label)
{
    return (struct figure_edge){ .from = from, .to = to, .label = label };
}
