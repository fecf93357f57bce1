#include "application/figure/report/figure_evidence.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdlib.h>
#include <string.h>

static void count_findings(struct figure_evidence *evidence)
{
    for (size_t i = 0; i < evidence->round->n_findings; i++) {
        const struct figure_finding *finding = &evidence->round->findings[i];
        struct figure_counts *counts =
            finding->is_readability ? &evidence->readability : &evidence->faithfulness;
        *(finding->is_critical ? &counts->critical : &counts->others) += 1;
    }
}

static void measure_graph(struct figure_evidence *evidence)
{
    const json_t *nodes = json_object_get(evidence->round->drawn, "nodes"), *node;
    size_t i;
    evidence->n_nodes = json_array_size(nodes);
    evidence->n_edges = json_array_size(json_object_get(evidence->round->drawn, "edges"));
    json_array_foreach (nodes, i, node) {
        const char *label = json_get_string(node, "label");
        evidence->n_long_labels += label && strlen(label) > FIGURE_LONG_LABEL_BYTES;
    }
}

/* The four numbers of "0,0,120.5,80"; false when they are not there. */
static bool read_box(const char *text, double *out_numbers)
{
    for (size_t i = 0; i < 4; i++) {
        char *end = NULL;
        out_numbers[i] = strtod(text, &end);
        if (end == text || *end != (i < 3 ? ',' : '\0'))
            return false;
        text = end + 1;
    }
    return true;
}

/* The geometry of Graphviz has "bb":"0,0,width,height". */
static void measure_picture(struct figure_evidence *evidence, const char *geometry)
{
    const char *box;
    size_t length;
    double numbers[4]; /* left, bottom, right, top */
    char text[128];
    if (!geometry || !json_member_text(geometry, strlen(geometry), "bb", &box, &length) ||
        length < 2 || length >= sizeof text)
        return;
    memcpy(text, box + 1, length - 2); /* a string, without its quotes */
    text[length - 2] = '\0';
    if (!read_box(text, numbers))
        return;
    evidence->width = numbers[2] > numbers[0] ? numbers[2] - numbers[0] : 0;
    evidence->height = numbers[3] > numbers[1] ? numbers[3] - numbers[1] : 0;
}

struct figure_evidence figure_evidence_of(const struct figure_result *result, size_t round)
{
    struct figure_evidence evidence = { 0 };
    if (round >= result->log.n_rounds)
        return evidence;
    evidence.round = &result->log.rounds[round];
    evidence.is_plot = result->log.mode == FIGURE_MODE_PLOT_CODE;
    count_findings(&evidence);
    if (!evidence.is_plot)
        measure_graph(&evidence);
    if (result->pictures)
        measure_picture(&evidence, result->pictures[round].geometry);
    return evidence;
}

struct figure_evidence figure_evidence_best(const struct figure_result *result)
{
    return figure_evidence_of(result, result->best);
}

bool figure_is_ready(const struct figure_result *result)
{
    struct figure_evidence evidence = figure_evidence_best(result);
    if (!evidence.round || result->manual_review_required)
        return false;
    const struct figure_critique *critique = &evidence.round->critique;
    return result->end == FIGURE_END_APPROVED && evidence.round->rendered && critique->reviewed &&
           critique->faithfulness_ok && critique->readability_ok &&
           !evidence.faithfulness.critical && !evidence.readability.critical;
}
