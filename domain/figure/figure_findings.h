/* What code can see of a figure before a critic is asked: names that got lost on the way from the
 * Planner's words to the Stylist's and into the picture, labels that the source does not say, parts
 * of a graph that are not connected, numbers in code that are in no source, text that is clipped or
 * overlaps by the renderer's own geometry, "Figure 3" within the picture, a caption that does not
 * say what the figure shows. Pure. */
#ifndef DOMAIN_FIGURE_FIGURE_FINDINGS_H
#define DOMAIN_FIGURE_FIGURE_FINDINGS_H

#include "domain/figure/figure_geometry.h"
#include "domain/figure/figure_graph.h"
#include "domain/figure/figure_stage.h"

#define FIGURE_MAX_FINDINGS 40
#define FIGURE_MAX_ENTITIES 200

struct figure_findings {
    struct arena *arena; /* borrowed */
    struct figure_finding list[FIGURE_MAX_FINDINGS];
    const char *causes[FIGURE_MAX_FINDINGS]; /* of each: its message without the count */
    size_t n;
    size_t dropped;
};

/* The names a text speaks of: quoted words, capitalised phrases, acronyms, words with digits or
 * inner capitals; and, of a text without any, its most frequent nouns. In the order of their first
 * appearance, each once; in the arena. */
const char **figure_entities(struct arena *arena, const char *text, size_t *out_n);

/* Entities of `before` that `after` no longer has. */
void find_lost_entities(struct figure_findings *findings, const char *before, const char *after);
/* Labels against the entities of the description and the words of the source. */
void find_label_faults(struct figure_findings *findings, const struct figure_graph *graph,
                       const char *description, const char *source_context, const char *caption);
/* Islands, and nodes without an edge in a graph that has edges. */
void find_graph_faults(struct figure_findings *findings, const struct figure_graph *graph);
/* Numbers of the code that the source does not have. */
void find_foreign_numbers(struct figure_findings *findings, const char *code, const char *source);
/* geometry: what `dot -Tjson` wrote for this graph. */
void find_geometry_faults(struct figure_findings *findings, const json_t *geometry,
                          const struct figure_page *page);
/* "Figure 3: Documents" becomes "Documents": the number belongs to the page that the figure stands
 * on. A label that says nothing else stays, and is a finding. */
void figure_graph_drop_numbers(struct figure_graph *graph);
/* "Figure 3", or the caption, as text of the picture. */
void find_caption_in_picture(struct figure_findings *findings, const struct figure_graph *graph,
                             const char *caption);

/* Why a caption may be ambiguous ("The caption asks instead of saying"), or NULL. A doubt makes the
 * Planner say what it assumes, and the Critic holds that against the source. */
const char *caption_doubt(struct arena *arena, const char *caption, const char *source_context);

/* For the critic and the log: one line each; in the arena. */
const char *figure_findings_print(const struct figure_findings *findings);
json_t *figure_findings_to_json(const struct figure_finding *list, size_t n); /* caller's */

/* For the checks themselves. */
enum figure_weight {
    FINDING_UNFAITHFUL, /* critical */
    FINDING_DOUBTFUL,
    FINDING_UNREADABLE, /* critical */
    FINDING_HARD_TO_READ,
};
/* rule and fix are constants. What a rule says again in the same words has the same cause, and is
 * counted; a finding beyond FIGURE_MAX_FINDINGS is dropped, and that is counted too. */
void figure_finding_add(struct figure_findings *findings, const char *rule,
                        enum figure_weight weight, const char *fix, const char *format, ...)
    PRINTF_LIKE(5, 6);
/* Text from outside as a message may have it: one line, cut; in the arena. */
const char *figure_finding_name(struct figure_findings *findings, const char *text);

#endif
