#include "application/figure/text_graph/text_graph.h"
#include "application/figure/text_graph/text_graph_internal.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

enum {
    FALLBACK_SENTENCES = 10, /* drawn of a text that is not understood */
    SENTENCE_BYTES = 90,
    NODES_PER_PIECE = 4, /* on average, of a graph that falls apart into several */
};

static char *in_lower_case(struct arena *arena, struct phrase name)
{
    char *lower = arena_strndup(arena, name.text, name.length);
    for (char *at = lower; *at; at++)
        *at = (char)tolower((unsigned char)*at);
    return lower;
}

/* One more or less "s" makes no other thing. */
static bool is_same_name(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > m)
        return is_same_name(b, a);
    return strncasecmp(a, b, n) == 0 && (m == n || (m == n + 1 && b[n] == 's' && n > 2));
}

/* "server" for "MCP server", where only one thing ends so. */
static int node_that_ends_with(const struct growing_graph *graph, const char *name)
{
    int found = TEXT_GRAPH_NO_NODE;
    size_t length = strlen(name);
    for (size_t i = 0; i < graph->graph.n_nodes; i++) {
        const char *label = graph->graph.nodes[i].label;
        size_t longer = strlen(label);
        bool ends = longer > length && label[longer - length - 1] == ' ' &&
                    strcasecmp(label + longer - length, name) == 0;
        if (ends && found != TEXT_GRAPH_NO_NODE)
            return TEXT_GRAPH_NO_NODE;
        if (ends)
            found = (int)i;
    }
    return found;
}

static int find_node(const struct growing_graph *graph, const char *name)
{
    for (size_t i = 0; i < graph->graph.n_nodes; i++)
        if (is_same_name(graph->graph.nodes[i].label, name))
            return (int)i;
    return node_that_ends_with(graph, name);
}

static bool is_store(const char *lower)
{
    static const char *const words[] = { "database", "cache",      "store", "index",
                                         "queue",    "repository", "disk",  "memory" };
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (text_ends_with(lower, words[i]))
            return true;
    return false;
}

int growing_node(struct growing_graph *graph, struct phrase phrase, enum figure_role role)
{
    struct phrase name = phrase_name(phrase);
    struct figure_graph *out = &graph->graph;
    if (phrase_is(name, "it") || phrase_is(name, "they"))
        return graph->last_subject;
    if (name.length > TEXT_GRAPH_NAME_BYTES || !phrase_names_something(name))
        return TEXT_GRAPH_NO_NODE;
    char *lower = in_lower_case(graph->arena, name);
    int found = find_node(graph, lower);
    if (found != TEXT_GRAPH_NO_NODE)
        return found;
    if (out->n_nodes == TEXT_GRAPH_MAX_NODES) {
        graph->is_full = true;
        return TEXT_GRAPH_NO_NODE;
    }
    char *label = arena_strndup(graph->arena, name.text, name.length);
    size_t n = out->n_nodes;
    struct figure_node *node =
        arena_push(graph->arena, out->nodes, out->n_nodes, graph->node_capacity);
    *node = (struct figure_node){ .id = arena_printf(graph->arena, "n%zu", n + 1),
                                  .label = label,
                                  .role = is_store(lower) ? FIGURE_ROLE_STORE : role };
    return (int)n;
}

void growing_edge(struct growing_graph *graph, int from, int to, const char *label, bool is_answer)
{
    struct figure_graph *out = &graph->graph;
    if (from == TEXT_GRAPH_NO_NODE || to == TEXT_GRAPH_NO_NODE || from == to)
        return;
    if (out->n_edges == TEXT_GRAPH_MAX_EDGES) {
        graph->is_full = true;
        return;
    }
    struct figure_edge *edge =
        arena_push(graph->arena, out->edges, out->n_edges, graph->edge_capacity);
    *edge = (struct figure_edge){ .from = out->nodes[from].id,
                                  .to = out->nodes[to].id,
                                  .label = label,
                                  .line = is_answer ? FIGURE_LINE_DASHED : FIGURE_LINE_SOLID };
}

/* At most SENTENCE_BYTES of it, cut between two words where there are several. */
static const char *step_label(struct arena *arena, struct phrase sentence)
{
    size_t length = text_cut(sentence.text, sentence.length, SENTENCE_BYTES);
    if (length == sentence.length)
        return arena_strndup(arena, sentence.text, length);
    size_t blank = length;
    while (blank && sentence.text[blank] != ' ')
        blank--;
    return arena_printf(arena, "%.*s…", (int)(blank ? blank : length), sentence.text);
}

/* The sentence itself as a step, behind the last one. */
static void add_step(struct growing_graph *graph, struct phrase sentence)
{
    const char *label = step_label(graph->arena, phrase_name(sentence));
    struct figure_graph *out = &graph->graph;
    if (out->n_nodes == TEXT_GRAPH_MAX_NODES) {
        graph->is_full = true;
        return;
    }
    int node = (int)out->n_nodes;
    *arena_push(graph->arena, out->nodes, out->n_nodes, graph->node_capacity) =
        (struct figure_node){ .id = arena_printf(graph->arena, "n%d", node + 1), .label = label };
    growing_edge(graph, graph->last_step, node, "", false);
    graph->last_step = node;
}

static void read_sentence(struct growing_graph *graph, struct phrase sentence, bool is_numbered)
{
    graph->n_sentences++;
    bool is_arrow = text_graph_read_arrows(graph, sentence);
    graph->has_arrows = graph->has_arrows || is_arrow;
    if (is_arrow || text_graph_read_parts(graph, sentence) || text_graph_read_verb(graph, sentence))
        graph->n_understood++;
    else if (is_numbered) {
        add_step(graph, sentence);
        graph->n_understood++;
    }
}

static void read_text(struct growing_graph *graph, const struct phrase *sentences,
                      const bool *numbered, size_t n)
{
    for (size_t i = 0; i < n && !graph->is_full; i++)
        read_sentence(graph, sentences[i], numbered[i]);
}

/* How many pieces the edges leave the nodes in; nodes without any are none. */
static size_t pieces_of(const struct figure_graph *graph)
{
    int piece[TEXT_GRAPH_MAX_NODES];
    size_t n = 0;
    for (size_t i = 0; i < graph->n_nodes; i++)
        piece[i] = -1;
    for (size_t i = 0; i < graph->n_edges; i++) {
        int from = figure_graph_find(graph, graph->edges[i].from);
        int to = figure_graph_find(graph, graph->edges[i].to);
        int old = piece[to], new = piece[from] < 0 ? from : piece[from];
        n += (piece[from] < 0 && old < 0) ? 1 : 0;
        n -= (piece[from] >= 0 && old >= 0 && old != new) ? 1 : 0;
        new = piece[from] < 0 && old >= 0 ? old : new;
        piece[from] = piece[to] = new;
        for (size_t k = 0; old >= 0 && k < graph->n_nodes; k++)
            piece[k] = piece[k] == old ? new : piece[k];
    }
    return n;
}

/* What to say against the graph that was read: half of the text has to be in it, and it has to
 * hang together. Arrows and parts are taken as they are written. NULL: nothing. */
static const char *doubt(const struct growing_graph *graph)
{
    const struct figure_graph *out = &graph->graph;
    if (out->n_edges == 0 && out->n_groups == 0)
        return "no relation was found in the text";
    if (graph->has_arrows || graph->is_full)
        return NULL;
    if (graph->n_understood * 2 < graph->n_sentences)
        return arena_printf(graph->arena, "rules can draw only %zu of %zu sentences",
                            graph->n_understood, graph->n_sentences);
    size_t pieces = out->n_groups ? 1 : pieces_of(out);
    return pieces > 1 && out->n_nodes < pieces * NODES_PER_PIECE
               ? "what rules read of the text falls apart"
               : NULL;
}

/* Nothing is known of the text but the order of its sentences. */
static void draw_sentences(struct growing_graph *graph, const struct phrase *sentences, size_t n)
{
    *graph = (struct growing_graph){ .arena = graph->arena,
                                     .last_subject = TEXT_GRAPH_NO_NODE,
                                     .last_step = TEXT_GRAPH_NO_NODE };
    for (size_t i = 0; i < n && i < FALLBACK_SENTENCES; i++)
        add_step(graph, sentences[i]);
}

static const char *fallback_note(struct arena *arena, const char *why, size_t n)
{
    return n > FALLBACK_SENTENCES
               ? arena_printf(arena, "%s; the first %d of its %zu sentences stand in their order",
                              why, FALLBACK_SENTENCES, n)
               : arena_printf(arena, "%s; its sentences stand in their order", why);
}

static const char *note_of(const struct growing_graph *graph)
{
    if (graph->is_full)
        return arena_printf(graph->arena, "only the first %zu things of the text are drawn",
                            graph->graph.n_nodes);
    size_t left = graph->n_sentences - graph->n_understood;
    return left ? arena_printf(graph->arena, "%zu of %zu sentences say nothing that rules can draw",
                               left, graph->n_sentences)
                : NULL;
}

void text_graph(struct arena *arena, const char *text, struct figure_graph *out,
                const char **out_note)
{
    struct growing_graph graph = { .arena = arena,
                                   .last_subject = TEXT_GRAPH_NO_NODE,
                                   .last_from = TEXT_GRAPH_NO_NODE,
                                   .last_to = TEXT_GRAPH_NO_NODE,
                                   .last_step = TEXT_GRAPH_NO_NODE };
    bool *numbered = NULL;
    size_t n = 0;
    struct phrase *sentences = text_sentences(arena, text, &numbered, &n);
    read_text(&graph, sentences, numbered, n);
    const char *why = doubt(&graph);
    if (why)
        draw_sentences(&graph, sentences, n);
    text_graph_tidy(&graph);
    *out = graph.graph;
    *out_note = why ? fallback_note(arena, why, n) : note_of(&graph);
}
