/* The scorecard of a figure, computed by rules: from what the checks found, what the critic's gates
 * say and how large the picture became. Each deduction says why. Below it as Markdown. */
#include "application/figure/report/figure_files_internal.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/picture_bytes.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX_BYTES = 4 * 1024 * 1024, LINE_COLUMNS = 500 };

enum {
    CRITICAL_FINDING = 30,
    OTHER_FINDING = 8,
    GATE_FAILED = 40,
    NOT_REVIEWED = 25,
    NOT_DRAWN = 40,
    SMALL_GRAPH = 14, /* nodes that a reader takes in at once */
    PER_NODE = 2,     /* for each further node */
    MOST_FOR_NODES = 50,
    PER_LONG_LABEL = 4,
    MOST_FOR_LABELS = 30,
    PER_CROWDED_EDGE = 2, /* for each edge beyond two for a node */
    MOST_FOR_EDGES = 20,
    EXTREME_SHAPE = 15, /* wider than four times its height, or the other way round */
    TINY_ON_A_PAGE = 10,
    BY_EYE_ONLY = 10, /* no person has looked at it */
};

#define EXTREME_RATIO 4.0
#define PAGE_POINTS 1600.0 /* a longer picture has too small letters on a printed page */

static const char nothing_drawn[] = "nothing was drawn: there are only words";

/* In the order in which they are printed. */
static const char *const dimensions[] = { "faithfulness", "conciseness", "readability",
                                          "aesthetics" };

#define LONG_LABEL_BYTES 48 /* more than fits in two lines */

/* What is known of the chosen round, apart from its findings and gates. */
struct evidence {
    const struct figure_round *round; /* NULL when no round was finished */
    bool is_plot;                     /* what is drawn is a plot spec, not a graph */
    size_t n_nodes, n_edges, n_long_labels;
    double width, height; /* of the picture, points; 0 when unknown */
};

static void measure_graph(struct evidence *evidence)
{
    const json_t *nodes = json_object_get(evidence->round->drawn, "nodes"), *node;
    size_t i;
    evidence->n_nodes = json_array_size(nodes);
    evidence->n_edges = json_array_size(json_object_get(evidence->round->drawn, "edges"));
    json_array_foreach (nodes, i, node) {
        const char *label = json_get_string(node, "label");
        evidence->n_long_labels += label && strlen(label) > LONG_LABEL_BYTES;
    }
}

static struct evidence evidence_of(const struct figure_result *result)
{
    struct evidence evidence = { .is_plot = result->log.mode == FIGURE_MODE_PLOT_CODE };
    if (result->best >= result->log.n_rounds)
        return evidence;
    evidence.round = &result->log.rounds[result->best];
    if (!evidence.is_plot)
        measure_graph(&evidence);
    const struct picture *picture = result->pictures ? &result->pictures[result->best] : NULL;
    if (picture && picture->bytes[PICTURE_SVG])
        (void)picture_size(picture->bytes[PICTURE_SVG], picture->lengths[PICTURE_SVG],
                           &evidence.width, &evidence.height);
    return evidence;
}

bool figure_is_ready(const struct figure_result *result)
{
    if (result->best >= result->log.n_rounds || result->manual_review_required)
        return false;
    assert(result->log.rounds);
    const struct figure_round *round = &result->log.rounds[result->best];
    return result->end == FIGURE_END_APPROVED && round->rendered && round->critique.reviewed &&
           round->critique.faithfulness_ok && round->critique.readability_ok &&
           !figure_critical_findings(round);
}

struct dimension {
    int score;
    bool is_critical;
    json_t *issues;
};

static struct dimension dimension_begin(void)
{
    return (struct dimension){ .score = 100, .issues = json_array() };
}

static void deduct_for(struct dimension *dimension, int points, const char *issue)
{
    dimension->score = dimension->score > points ? dimension->score - points : 0;
    json_array_append_new(dimension->issues, json_string(issue));
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
    deduct_for(dimension, points, text);
}

static int at_most(size_t count, int each, int most)
{
    return count >= (size_t)most ? most : (int)count * each > most ? most : (int)count * each;
}

/* Takes the issues. */
static json_t *dimension_end(struct dimension *dimension, const char *evidence)
{
    const char *severity = dimension->is_critical || dimension->score < 40 ? "critical"
                           : dimension->score < 70                         ? "major"
                           : dimension->score < 90                         ? "minor"
                                                                           : "none";
    return json_pack("{s:i, s:s, s:o, s:s}", "score", dimension->score, "evidence", evidence,
                     "issues", dimension->issues, "severity", severity);
}

/* What a critic and the checks said of one gate. */
static json_t *judge(const struct evidence *evidence, bool readability)
{
    struct dimension dimension = dimension_begin();
    const struct figure_round *round = evidence->round;
    const struct figure_critique *critique = &round->critique;
    bool gate_ok = readability ? critique->readability_ok : critique->faithfulness_ok;
    unsigned critical = 0, others = 0;
    char text[160];
    for (size_t i = 0; i < round->n_findings; i++) {
        const struct figure_finding *finding = &round->findings[i];
        if (finding->is_readability != readability)
            continue;
        *(finding->is_critical ? &critical : &others) += 1;
        deduct_for(&dimension, finding->is_critical ? CRITICAL_FINDING : OTHER_FINDING,
                   finding->message);
    }
    dimension.is_critical = critical > 0;
    if (!critique->reviewed)
        deduct_for(&dimension, NOT_REVIEWED, "no model has reviewed it");
    else if (!gate_ok)
        deduct_for(&dimension, GATE_FAILED, "the critic's gate is closed");
    if (!round->rendered)
        deduct_for(&dimension, NOT_DRAWN, nothing_drawn);
    snprintf(text, sizeof text, "%u critical and %u other findings; %s: %s", critical, others,
             readability ? "readability_ok" : "faithfulness_ok",
             !critique->reviewed ? "not reviewed"
             : gate_ok           ? "true"
                                 : "false");
    return dimension_end(&dimension, text);
}

static json_t *judge_conciseness(const struct evidence *evidence)
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
               "%zu labels are longer than %d bytes", evidence->n_long_labels, LONG_LABEL_BYTES);
    if (evidence->n_edges > 2 * evidence->n_nodes)
        deduct(&dimension,
               at_most(evidence->n_edges - 2 * evidence->n_nodes, PER_CROWDED_EDGE, MOST_FOR_EDGES),
               "%zu edges between %zu nodes", evidence->n_edges, evidence->n_nodes);
    snprintf(text, sizeof text, "%zu nodes, %zu edges, %zu long labels", evidence->n_nodes,
             evidence->n_edges, evidence->n_long_labels);
    return dimension_end(&dimension, text);
}

/* The style was checked for contrast and colour blindness before it was used; here it is the shape
 * of the picture, and that no person has looked at it. */
static json_t *judge_aesthetics(const struct evidence *evidence)
{
    struct dimension dimension = dimension_begin();
    char text[200] = "no picture to measure";
    double width = evidence->width, height = evidence->height;
    bool is_measured = width > 0 && height > 0, is_wide = width > height;
    if (!evidence->round->rendered)
        deduct_for(&dimension, NOT_DRAWN, nothing_drawn);
    if (is_measured) {
        double longer = is_wide ? width : height, shorter = is_wide ? height : width;
        if (longer / shorter > EXTREME_RATIO)
            deduct(&dimension, EXTREME_SHAPE, "%.1f times as %s as it is %s", longer / shorter,
                   is_wide ? "wide" : "high", is_wide ? "high" : "wide");
        if (longer > PAGE_POINTS)
            deduct(&dimension, TINY_ON_A_PAGE, "%.0f points long: letters get small on a page",
                   longer);
    }
    deduct_for(&dimension, BY_EYE_ONLY,
               "rules see proportions and contrast, not beauty: look at it");
    if (is_measured)
        snprintf(text, sizeof text, "%.0f × %.0f points; the style's contrasts were checked", width,
                 height);
    else if (evidence->is_plot)
        snprintf(text, sizeof text, "code for a plot that is drawn elsewhere");
    return dimension_end(&dimension, text);
}

static json_t *nothing_to_judge(void)
{
    return json_pack("{s:i, s:s, s:[s], s:s}", "score", 0, "evidence", "no round was finished",
                     "issues", "there is no figure", "severity", "critical");
}

json_t *figure_scorecard(const struct figure_result *result)
{
    struct evidence evidence = evidence_of(result);
    bool has = evidence.round != NULL;
    char notes[400];
    snprintf(notes, sizeof notes,
             "scores are computed by rules from findings, gates and geometry of the chosen round; "
             "no model gave them%s",
             result->log.n_rounds ? "" : "; no round was finished: all scores are 0");
    return json_pack("{s:o, s:o, s:o, s:o, s:{s:b, s:b, s:s}}", "faithfulness",
                     has ? judge(&evidence, false) : nothing_to_judge(), "conciseness",
                     has ? judge_conciseness(&evidence) : nothing_to_judge(), "readability",
                     has ? judge(&evidence, true) : nothing_to_judge(), "aesthetics",
                     has ? judge_aesthetics(&evidence) : nothing_to_judge(), "overall",
                     "ready_for_publish", (int)figure_is_ready(result), "manual_review_required",
                     (int)result->manual_review_required, "notes", notes);
}

/* Text from outside in Markdown: one line, in which nothing is markup. */
static const char *plain(struct arena *arena, const char *text)
{
    AUTO(buf) out;
    buf_init(&out, TEXT_MAX_BYTES);
    const char *line =
        text_one_line(arena, text ? text : "", text ? strlen(text) : 0, LINE_COLUMNS);
    for (const char *at = line; *at; at++) {
        bool is_markup = strchr("\\`*_{}[]<>()#+!|~&", *at) != NULL;
        if (!buf_append(&out, is_markup ? "\\" : "", is_markup ? 1 : 0) || !buf_append(&out, at, 1))
            break;
    }
    return arena_strdup(arena, buf_string(&out));
}

static bool add_table(struct buf *out, struct arena *arena, const json_t *scorecard)
{
    bool fits = buf_puts(out, "| dimension | score | severity | evidence |\n"
                              "| --- | ---: | --- | --- |\n");
    for (size_t i = 0; i < ARRAY_LENGTH(dimensions) && fits; i++) {
        const json_t *one = json_object_get(scorecard, dimensions[i]);
        fits = buf_printf(out, "| %s | %d | %s | %s |\n", dimensions[i],
                          (int)json_get_int(one, "score", 0), json_get_string(one, "severity"),
                          plain(arena, json_get_string(one, "evidence")));
    }
    return fits;
}

static bool add_issues(struct buf *out, struct arena *arena, const json_t *scorecard)
{
    bool fits = buf_puts(out, "\n## Issues\n\n");
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(dimensions); i++) {
        const json_t *issues = json_object_get(json_object_get(scorecard, dimensions[i]), "issues");
        for (size_t k = 0; k < json_array_size(issues) && fits; k++, n++)
            fits = buf_printf(out, "- %s: %s\n", dimensions[i],
                              plain(arena, json_string_value(json_array_get(issues, k))));
    }
    return fits && (n || buf_puts(out, "none\n"));
}

static bool add_unresolved(struct buf *out, struct arena *arena, const char *lines)
{
    if (!lines || !*lines)
        return true;
    bool fits = buf_puts(out, "\n## For the review\n\n");
    for (const char *line = lines; *line && fits; line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        if (length)
            fits = buf_printf(out, "- %s\n", plain(arena, arena_strndup(arena, line, length)));
        line += length;
    }
    return fits;
}

const char *figure_scorecard_text(struct arena *arena, const struct figure_result *result,
                                  const json_t *scorecard)
{
    AUTO(buf) out;
    buf_init(&out, TEXT_MAX_BYTES);
    const json_t *all = json_object_get(scorecard, "overall");
    bool fits =
        buf_printf(&out, "# Scorecard: %s\n\n", plain(arena, result->input.caption)) &&
        buf_printf(&out,
                   "Rounds: %zu, chosen%s: round %zu (the first is 0). Ready for "
                   "publishing: **%s**. Review by a person: **%s**.\n\n",
                   result->log.n_rounds, result->chosen_by_person ? " by a person" : "",
                   result->best, json_get_bool(all, "ready_for_publish", false) ? "yes" : "no",
                   result->manual_review_required ? "required" : "not required") &&
        add_table(&out, arena, scorecard) && add_issues(&out, arena, scorecard) &&
        add_unresolved(&out, arena, result->unresolved) &&
        buf_printf(&out, "\n%s\n", plain(arena, json_get_string(all, "notes")));
    return arena_strdup(arena, fits ? buf_string(&out) : "# Scorecard\n\ntoo long to print\n");
}
