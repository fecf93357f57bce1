/* The parts of text_graph.h: a graph while it grows, and the sentences it grows from. Private to
 * the room. */
#ifndef APPLICATION_FIGURE_TEXT_GRAPH_TEXT_GRAPH_INTERNAL_H
#define APPLICATION_FIGURE_TEXT_GRAPH_TEXT_GRAPH_INTERNAL_H

#include "application/figure/text_graph/text_graph.h"
#include <stdbool.h>
#include <stddef.h>

#define TEXT_GRAPH_NO_NODE (-1)
#define TEXT_GRAPH_NAME_BYTES 60 /* longer phrases are not names */
#define TEXT_GRAPH_LABEL_BYTES 48

struct growing_graph {
    struct arena *arena;
    struct figure_graph graph;
    size_t node_capacity, edge_capacity, group_capacity;
    size_t n_messages;      /* edges that say who tells whom what */
    int last_subject;       /* node, for "it" */
    int last_from, last_to; /* of the last message, for an answer that names no recipient */
    int last_step;          /* node of the last numbered step */
    bool is_full, has_arrows;
    size_t n_sentences, n_understood;
};

/* A piece of a text, blanks in it single; not terminated. */
struct phrase {
    const char *text;
    size_t length;
};

/* The sentences of a text, among them items of lists and lines that stand alone; in the arena. The
 * marks of items are taken off; *out_numbered says which had a number. */
struct phrase *text_sentences(struct arena *arena, const char *text, bool **out_numbered,
                              size_t *out_n);
/* The node of that name, made where there is none; TEXT_GRAPH_NO_NODE when the phrase is not a name
 * or the graph is full. "the", "first," and the like are taken off. */
int growing_node(struct growing_graph *graph, struct phrase name, enum figure_role role);
void growing_edge(struct growing_graph *graph, int from, int to, const char *label, bool is_answer);
/* What a message is called at its edge: without article, cut before "that", "with", "which". */
const char *phrase_label(struct arena *arena, struct phrase phrase);
/* Without blanks and commas around it, articles and words like "then" before it. */
struct phrase phrase_name(struct phrase phrase);
/* What stands before a place in the phrase, and what behind so many bytes from there. */
struct phrase phrase_before(struct phrase phrase, const char *at);
struct phrase phrase_behind(struct phrase phrase, const char *at, size_t length);
bool phrase_is(struct phrase phrase, const char *word); /* in any case */
/* False for "which", "are flattened" or "updates the weights", which go on about something else. */
bool phrase_names_something(struct phrase name);
/* Where `word`, one or several whole words, begins in the phrase; NULL when it is not in it. */
const char *phrase_find(struct phrase phrase, const char *word);
/* The first arrow ("→", "->" and the like) from the byte `from` on, of *out_length bytes; or NULL.
 */
const char *phrase_find_arrow(struct phrase phrase, size_t from, size_t *out_length);

/* The items of "A, B and C"; how many there are, at most room. */
size_t phrase_list(struct phrase list, struct phrase *out, size_t room);

/* Reads a sentence by its form. False when no form fits. */
bool text_graph_read_arrows(struct growing_graph *graph, struct phrase sentence);
bool text_graph_read_parts(struct growing_graph *graph, struct phrase sentence);
bool text_graph_read_verb(struct growing_graph *graph, struct phrase sentence);

#endif
