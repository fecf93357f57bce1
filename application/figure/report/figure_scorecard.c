/* The scorecard of a figure (B2), computed by rules: from what the checks found, what the critic's
 * gates say and how large the picture became. Each deduction says why. */
#include "application/figure/report/figure_evidence.h"
#include "application/figure/report/figure_files.h"
#include <stdarg.h>
#include <stdio.h>

enum {
    CRITICAL_FINDING = 30,
    OTHER_FINDING = 8,
    GATE_FAILED = 40,
    NOT_REVIEWED = 25,
    NOT_DRAWN = 40,
    SMALL_GRAPH = 14, /* nodes that a reader takes in at once, */
    PER_NODE = 2,     /* and what each further one costs, … */
    MOST_FOR_NODES = 50,
    PER_LONG_LABEL = 4,
    MOST_FOR_LABELS = 30,
    PER_CROWDED_EDGE = 2, /* … and each edge beyond two for a node */
    MOST_FOR_EDGES = 20,
    EXTREME_SHAPE = 15, /* wider than four times its height, or the other way round */
    TINY_ON_A_PAGE = 10,
    BY_EYE_ONLY = 10, /* nobody looked at it */
};

#define EXTREME_RATIO 4.0
#define PAGE_POINTS 1600.0 /* beyond, letters get too small on a printed page */

struct dimension {
    int score;
    bool is_critical;
    json_t *issues;
};

static struct dimension dimension_begin(void)
{
    return (struct dimension){ .score = 100, .issues = json_array() };
}

static void deduct(struct dimension *dimension, int points, const char *format, ...)
    PRINTF_LIKE(3, 4);

static void deduct(struct dimension *dimension, int points, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    dimension->score = dimension->score > points ? dimension->score - points : 0;
    json_array_append_new(dimension->issues, json_string(text));
}

static int at_most(size_t count, int each, int most)
{
    return count >= (size_t)most ? most : (int)count * each > most ? most : (int)count * each;
}

static const char *severity_of(const struct dimension *dimension)
{
    if (dimension->is_critical || dimension->score < 40)
        return "critical";
    if (dimension->score < 70)
        return "major";
    return dimension->score < 90 ? "minor" : "none";
}

/* Takes the issues. */
static json_t *dimension_end(struct dimension *dimension, const char *evidence)
{
    return json_pack("{s:i, s:s, s:o, s:s}", "score", dimension->score, "evidence", evidence,
                     "issues", dimension->issues, "severity", severity_of(dimension));
}

static void add_findings(struct dimension *dimension, const struct figure_round *round,
                         bool readability)
{
    for (size_t i = 0; i < round->n_findings; i++) {
        const struct figure_finding *finding = &round->findings[i];
        if (finding->is_readability != readability)
            continue;
        int points = finding->is_critical ? CRITICAL_FINDING : OTHER_FINDING;
        dimension->score = dimension->score > points ? dimension->score - points : 0;
        dimension->is_critical = dimension->is_critical || finding->is_critical;
        json_array_append_new(dimension->issues, json_string(finding->message));
    }
}

static void add_gate(struct dimension *dimension, const struct figure_critique *critique,
                     bool gate_ok)
{
    if (!critique->reviewed)
        deduct(dimension, NOT_REVIEWED, "no critic's answer could be read");
    else if (!gate_ok)
        deduct(dimension, GATE_FAILED, "the critic's gate is closed");
}

/* What a critic and the checks said of one gate. */
static json_t *judge(const struct figure_evidence *evidence, bool readability)
{
    struct dimension dimension = dimension_begin();
    const struct figure_critique *critique = &evidence->round->critique;
    bool gate_ok = readability ? critique->readability_ok : critique->faithfulness_ok;
    const struct figure_counts *counts =
        readability ? &evidence->readability : &evidence->faithfulness;
    char text[160];
    add_findings(&dimension, evidence->round, readability);
    add_gate(&dimension, critique, gate_ok);
    if (!evidence->round->rendered)
        deduct(&dimension, NOT_DRAWN, "nothing was drawn: there are only words");
    snprintf(text, sizeof text, "%u critical and %u other findings; %s: %s", counts->critical,
             counts->others, readability ? "readability_ok" : "faithfulness_ok",
             !critique->reviewed ? "not reviewed"
             : gate_ok           ? "true"
                                 : "false");
    return dimension_end(&dimension, text);
}

static json_t *judge_conciseness(const struct figure_evidence *evidence)
{
    struct dimension dimension = dimension_begin();
    char text[160];
    if (evidence->is_plot || !evidence->n_nodes) {
        snprintf(text, sizeof text, "%s: nothing to count",
                 evidence->is_plot ? "a plot of columns" : "no graph was drawn");
        return dimension_end(&dimension, text);
    }
    if (evidence->n_nodes > SMALL_GRAPH)
        deduct(&dimension, at_most(evidence->n_nodes - SMALL_GRAPH, PER_NODE, MOST_FOR_NODES),
               "%zu nodes are more than a reader takes in at once (%d)", evidence->n_nodes,
               SMALL_GRAPH);
    if (evidence->n_long_labels)
        deduct(&dimension, at_most(evidence->n_long_labels, PER_LONG_LABEL, MOST_FOR_LABELS),
               "%zu labels are longer than %d bytes", evidence->n_long_labels,
               FIGURE_LONG_LABEL_BYTES);
    if (evidence->n_edges > 2 * evidence->n_nodes)
        deduct(&dimension,
               at_most(evidence->n_edges - 2 * evidence->n_nodes, PER_CROWDED_EDGE, MOST_FOR_EDGES),
               "%zu edges between %zu nodes", evidence->n_edges, evidence->n_nodes);
    snprintf(text, sizeof text, "%zu nodes, %zu edges, %zu long labels", evidence->n_nodes,
             evidence->n_edges, evidence->n_long_labels);
    return dimension_end(&dimension, text);
}

static void add_shape(struct dimension *dimension, double width, double height)
{
    double ratio = width > height ? width / height : height / width;
    double longer = width > height ? width : height;
    if (ratio > EXTREME_RATIO)
        deduct(dimension, EXTREME_SHAPE, "%.1f times as %s as it is %s", ratio,
               width > height ? "wide" : "high", width > height ? "high" : "wide");
    if (longer > PAGE_POINTS)
        deduct(dimension, TINY_ON_A_PAGE, "%.0f points long: letters get small on a page", longer);
}

/* The style was checked for contrast and colour blindness before it was used; what is left is the
 * shape of the picture, and that nobody looked at it. */
static json_t *judge_aesthetics(const struct figure_evidence *evidence)
{
    struct dimension dimension = dimension_begin();
    char text[200] = "no picture to measure";
    bool is_measured = evidence->width > 0 && evidence->height > 0;
    if (!evidence->round->rendered)
        deduct(&dimension, NOT_DRAWN, "nothing was drawn: there are only words");
    if (is_measured)
        add_shape(&dimension, evidence->width, evidence->height);
    deduct(&dimension, BY_EYE_ONLY, "rules see proportions and contrast, not beauty: look at it");
    if (is_measured)
        snprintf(text, sizeof text, "%.0f × %.0f points; the style's contrasts were checked",
                 evidence->width, evidence->height);
    else if (evidence->is_plot)
        snprintf(text, sizeof text, "code for a plot that is drawn elsewhere");
    return dimension_end(&dimension, text);
}

static json_t *overall(const struct figure_result *result)
{
    char notes[400];
    snprintf(notes, sizeof notes,
             "scores are computed by rules from findings, gates and geometry of the chosen round; "
             "no model gave them%s",
             result->log.n_rounds ? "" : "; no round was finished: all scores are 0");
    return json_pack("{s:b, s:b, s:s}", "ready_for_publish", (int)figure_is_ready(result),
                     "manual_review_required", (int)result->manual_review_required, "notes", notes);
}

static json_t *nothing_to_judge(void)
{
    return json_pack("{s:i, s:s, s:[s], s:s}", "score", 0, "evidence", "no round was finished",
                     "issues", "there is no figure", "severity", "critical");
}

json_t *figure_scorecard(const struct figure_result *result)
{
    struct figure_evidence evidence = figure_evidence_best(result);
    bool has = evidence.round != NULL;
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "faithfulness",
                     has ? judge(&evidence, false) : nothing_to_judge(), "conciseness",
                     has ? judge_conciseness(&evidence) : nothing_to_judge(), "readability",
                     has ? judge(&evidence, true) : nothing_to_judge(), "aesthetics",
                     has ? judge_aesthetics(&evidence) : nothing_to_judge(), "overall",
                     overall(result));
}
