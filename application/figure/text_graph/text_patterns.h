/* The sentences that are drawn, as patterns, and what each draws. Private to the room. */
#ifndef APPLICATION_FIGURE_TEXT_GRAPH_TEXT_PATTERNS_H
#define APPLICATION_FIGURE_TEXT_GRAPH_TEXT_PATTERNS_H

#include "application/figure/text_graph/text_graph_internal.h"

/* What the capitals of a pattern stand for: X, Y, P things; B, C what is worked on; S a store; A, D
 * states; G a group; M the name of a message; K somebody who is known; T anything.
 *
 * The drawing is one or more of: "X>Y" an edge, with ":M" its name ("@": the verb); before it "!"
 * a message, "~" an answer, "*" a change of state; "?" whoever is answered; "*D" names states;
 * "P@G" puts things into a group; "." no other thing can be meant by "it" in what follows; ","
 * another clause has to follow. */
struct text_pattern {
    const char *words; /* one pattern or several, with semicolons between */
    const char *drawing;
};

extern const struct text_pattern text_patterns[];
extern const size_t n_text_patterns;

struct text_match {
    struct phrase slots['Z' - 'A' + 1];
    struct phrase verb; /* as it is written */
    enum number number; /* that it asks of its subject */
    char subject, last; /* slots: the first one, and the one that ends the clause, or 0 */
};

/* Whether the clause is such a sentence, to its last word. The pattern ends at a semicolon. */
bool text_pattern_fits(const char *pattern, struct phrase clause, struct text_match *out);
/* Adds what the match says; false when one of its names is not sure. `is_last`: clause of its
 * sentence. */
bool text_pattern_draw(struct growing_graph *graph, const char *drawing,
                       const struct text_match *match, bool is_last);
/* Whether a verb of any pattern stands at the front. */
bool text_verb_at(struct phrase at);

#endif
