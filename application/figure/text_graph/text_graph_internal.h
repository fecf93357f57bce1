/* The parts of text_graph.h: a graph while it grows, and the sentences it grows from. A reader of a
 * form adds what a sentence says, and gives false as soon as a word of it does not fit; whoever
 * called it then takes the graph as it was before. Private to the room. */
#ifndef APPLICATION_FIGURE_TEXT_GRAPH_TEXT_GRAPH_INTERNAL_H
#define APPLICATION_FIGURE_TEXT_GRAPH_TEXT_GRAPH_INTERNAL_H

#include "application/figure/text_graph/text_graph.h"
#include <stdbool.h>
#include <stddef.h>

#define TEXT_GRAPH_NO_NODE (-1)
#define TEXT_GRAPH_NAME_BYTES 60 /* longer phrases are not names */
#define TEXT_GRAPH_LABEL_BYTES 60
#define TEXT_GRAPH_NAMED_SENTENCES 3 /* of those that were not read */

/* A piece of a text, blanks in it single; not terminated. */
struct phrase {
    const char *text;
    size_t length;
};

struct sentence {
    struct phrase phrase; /* without the mark of an item */
    int number;           /* of the item that it begins, or 0 */
    bool is_apart;        /* a question, or more than a name in it is quoted */
};

struct sentences {
    struct sentence *list;
    size_t n, capacity;
    bool may_be_wrapped; /* lines of arrows where a name might go on in the next */
    bool may_be_titled;  /* a line without an arrow that might begin a name, or be no part of one */
};

/* Grammatical number, of a name or as a verb asks for it. */
enum number { NUMBER_NONE = 0, NUMBER_ONE = 1, NUMBER_MANY = 2, NUMBER_ANY = 3 };

/* Where the last step may go on: after a decision in two places. */
struct step_end {
    int node;
    const char *label;
};

struct growing_graph {
    struct arena *arena;
    struct figure_graph graph;
    size_t node_capacity, edge_capacity, group_capacity;
    bool is_full, has_arrows;
    size_t n_sentences, n_understood;
    struct phrase unread[TEXT_GRAPH_NAMED_SENTENCES]; /* the first of the others */

    const char *condition; /* of what the sentence says, as it stands at its arrows; or NULL */
    int it;                /* node that "it" or "they" means, or TEXT_GRAPH_NO_NODE */
    int subject;           /* node of the last clause */
    enum number it_number;
    bool was_if; /* the sentence before said "if" */

    size_t n_messages; /* edges that say who tells whom what */
    size_t n_gap;      /* sentences since the last of them that were not understood */

    bool is_state[TEXT_GRAPH_MAX_NODES];
    int state;           /* node, of "In the open state, …"; or TEXT_GRAPH_NO_NODE */
    struct phrase event; /* "a timeout occurs" before a change of state */

    struct step_end ends[2];
    size_t n_ends;
    int decision; /* node that "otherwise" goes on from, or TEXT_GRAPH_NO_NODE */
    int steps[TEXT_GRAPH_MAX_NODES + 1]; /* node of each step by its number, or 0 and no step */
    int n_steps;
    bool misses_step; /* an item with a number was not understood */
    bool counts;      /* "Second, …": steps, or arguments */
    bool is_choice;   /* the last sentence was a decision without a marker */
};

struct sentences text_sentences(struct arena *arena, const char *text);

/* The node of that name, made where there is none; TEXT_GRAPH_NO_NODE when the phrase is no name,
 * may mean several nodes, or the graph is full. The second takes any words for a name. */
int growing_node(struct growing_graph *graph, struct phrase name, enum figure_role role);
int growing_node_of_words(struct growing_graph *graph, struct phrase words, enum figure_role role);
/* Adds the graph's condition to the label. False when it cannot be. */
bool growing_edge(struct growing_graph *graph, int from, int to, const char *label, bool is_answer);
/* A node of its own for words that are shown as they are, cut where they are long. */
int growing_box(struct growing_graph *graph, struct phrase words, enum figure_role role);

/* Without blanks, commas and quotation marks around it. */
struct phrase phrase_trim(struct phrase phrase);
/* That, and without articles and possessives before it. */
struct phrase phrase_name(struct phrase phrase);
/* What stands before a place in the phrase, and what behind so many bytes from there. */
struct phrase phrase_before(struct phrase phrase, const char *at);
struct phrase phrase_behind(struct phrase phrase, const char *at, size_t length);
bool phrase_is(struct phrase phrase, const char *word); /* in any case */
/* Where `word`, one or several whole words, begins in the phrase; NULL when it is not in it. */
const char *phrase_find(struct phrase phrase, const char *word);
/* The first arrow ("→", "->" and the like) from the byte `from` on, of *out_length bytes; or NULL.
 */
const char *phrase_find_arrow(struct phrase phrase, size_t from, size_t *out_length);

/* Takes the next word off the front, without punctuation behind it. False at the end, and *out_word
 * stays as it was. */
bool phrase_next_word(struct phrase *rest, struct phrase *out_word);
struct phrase phrase_last_word(struct phrase phrase);
/* Lists of words are in one string, with a blank around each word. */
bool phrase_is_listed(struct phrase word, const char *list);
bool phrase_has_listed(struct phrase phrase, const char *list);
/* Takes the first word off when it is listed and not the only one. */
bool phrase_drop_listed(struct phrase *phrase, const char *list);

/* Begins with an article, an ordinal or a capital, so that it is surely no verb. */
bool phrase_is_marked(struct phrase words);
/* Whether the phrase, as phrase_name gives it, is surely a name. */
bool phrase_is_name(struct phrase name);
enum number phrase_number(struct phrase name);
/* Which number the word has as a form of a verb that is known and not drawn. */
enum number phrase_other_verb(struct phrase word);
/* What a message is called at its edge; "" for "it", NULL for what cannot be one. */
const char *phrase_label(struct arena *arena, struct phrase phrase);
/* The items of "A, B and C"; how many there are, 0 where that is not sure. `ends_clause`: a verb
 * might stand behind its "and". */
size_t phrase_list(struct arena *arena, struct phrase list, bool ends_clause, struct phrase *out,
                   size_t room);

/* Readers of a sentence by its form. False when it does not fit, and the graph is spoiled. */
bool text_graph_read_arrows(struct growing_graph *graph, const struct sentence *sentence);
/* When all arrows are read: what stands in brackets behind a name becomes the name of the arrow
 * that leads there. */
void text_graph_name_arrows(struct growing_graph *graph);
bool text_graph_read_sentence(struct growing_graph *graph, const struct sentence *sentence);
/* One of a process, as it is written: a step, a decision, or a loop. */
bool text_graph_read_step(struct growing_graph *graph, const struct sentence *sentence);

#endif
