/* Each sentence adds to a graph what its form says (text_forms.c, text_verbs.c). Then it is decided
 * whether enough was understood; if not, the sentences themselves become the steps. At the end the
 * graph is tidied: what passes from one node to the next becomes the name of the arrow between
 * them, lonely names go, kind and direction are chosen. */
#include "application/figure/text_graph/text_graph_internal.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include "domain/figure/figure_words.h"
#include <ctype.h>
#include <string.h>

enum {
    LISTED_SENTENCES = 10, /* that are drawn when the text is not understood */
    SENTENCE_BYTES = 90,
    NODES_PER_PIECE = 4,   /* on average, of a graph that falls apart into several */
    FEW_MESSAGES = 3,      /* fewer make no sequence */
    MANY_PARTICIPANTS = 6, /* more do not stand side by side */
    FEW_NODES = 4,         /* up to here a flow reads from left to right */
    LONGEST_JOINED_LABEL = 60,
};

/* Names that differ by a final "s" are of one thing. */
static bool is_same_name(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > m)
        return is_same_name(b, a);
    return strncasecmp(a, b, n) == 0 && (m == n || (m == n + 1 && b[n] == 's' && n > 2));
}

/* "server" for "MCP server", when no other name ends in it. */
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
    const char *lower = figure_lower_case(graph->arena, name.text, name.length);
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

/* Adds the sentence itself as a step behind the last one. */
static void add_step(struct growing_graph *graph, struct phrase sentence)
{
    struct figure_graph *out = &graph->graph;
    struct phrase name = phrase_name(sentence);
    size_t length = text_cut(name.text, name.length, SENTENCE_BYTES), blank = length;
    if (out->n_nodes == TEXT_GRAPH_MAX_NODES) {
        graph->is_full = true;
        return;
    }
    /* Cut between two words where there are several. */
    while (blank && length < name.length && name.text[blank] != ' ')
        blank--;
    const char *label =
        length == name.length
            ? arena_strndup(graph->arena, name.text, length)
            : arena_printf(graph->arena, "%.*s…", (int)(blank ? blank : length), name.text);
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

/* Into how many pieces the graph falls; nodes without an edge do not count. */
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

/* What speaks against the graph that was read, or NULL: it has to have two thirds of the text in
 * it, and hang together, unless it was written as arrows. */
static const char *doubt(const struct growing_graph *graph)
{
    const struct figure_graph *out = &graph->graph;
    if (out->n_edges == 0 && out->n_groups == 0)
        return "no relation was found in the text";
    if (graph->n_understood * 3 < graph->n_sentences * 2)
        return arena_printf(graph->arena, "rules can draw only %zu of its %zu sentences",
                            graph->n_understood, graph->n_sentences);
    if (graph->has_arrows || graph->is_full)
        return NULL;
    size_t pieces = out->n_groups ? 1 : pieces_of(out);
    return pieces > 1 && out->n_nodes < pieces * NODES_PER_PIECE
               ? "what rules read of the text falls apart"
               : NULL;
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

static const struct figure_node *node_of(const struct figure_graph *graph, const char *id)
{
    int i = figure_graph_find(graph, id);
    return i < 0 ? NULL : &graph->nodes[i];
}

static void drop_edge(struct figure_graph *graph, size_t at)
{
    graph->n_edges--;
    for (size_t i = at; i < graph->n_edges; i++)
        graph->edges[i] = graph->edges[i + 1];
}

/* The only edge into (or out of) the node; -1 when there is none, or several, or it has a name. */
static int only_edge(const struct figure_graph *graph, const char *id, bool into)
{
    int found = -1;
    for (size_t i = 0; i < graph->n_edges; i++) {
        const struct figure_edge *edge = &graph->edges[i];
        if (strcmp(into ? edge->to : edge->from, id) != 0)
            continue;
        if (found >= 0 || *edge->label)
            return -1;
        found = (int)i;
    }
    return found;
}

static bool is_data(const struct figure_graph *graph, const char *id)
{
    const struct figure_node *node = node_of(graph, id);
    return node && node->role == FIGURE_ROLE_DATA;
}

/* "lexer → tokens → parser" says the same as an arrow named tokens. */
static bool fold_into_edge(struct figure_graph *graph, const struct figure_node *node)
{
    int in = only_edge(graph, node->id, true), out = only_edge(graph, node->id, false);
    if (node->role != FIGURE_ROLE_DATA || node->group || in < 0 || out < 0)
        return false;
    struct figure_edge *first = &graph->edges[in];
    const char *target = graph->edges[out].to;
    if (strcmp(first->from, target) == 0 || is_data(graph, first->from) || is_data(graph, target))
        return false;
    first->to = target;
    first->label = node->label;
    drop_edge(graph, (size_t)out);
    return true;
}

static void fold_data(struct figure_graph *graph)
{
    size_t kept = 0, n = graph->n_nodes;
    for (size_t i = 0; i < n; i++) {
        struct figure_node node = graph->nodes[i];
        if (!fold_into_edge(graph, &node))
            graph->nodes[kept++] = node;
        else if (kept <= i)
            /* nodes behind it are still looked up by id */
            graph->nodes[i] = (struct figure_node){ .id = "", .label = "" };
    }
    graph->n_nodes = kept;
}

/* Two arrows side by side become one with both names. */
static void join_beside(struct arena *arena, struct figure_graph *graph)
{
    for (size_t i = 0; i < graph->n_edges; i++)
        for (size_t k = i + 1; k < graph->n_edges;) {
            struct figure_edge *a = &graph->edges[i];
            const struct figure_edge *b = &graph->edges[k];
            bool fits = strlen(a->label) + strlen(b->label) <= LONGEST_JOINED_LABEL;
            bool is_beside =
                strcmp(a->from, b->from) == 0 && strcmp(a->to, b->to) == 0 && a->line == b->line;
            if (!is_beside || !fits) {
                k++;
                continue;
            }
            bool is_more = *b->label && !strstr(a->label, b->label);
            if (is_more)
                a->label = *a->label ? arena_printf(arena, "%s, %s", a->label, b->label) : b->label;
            drop_edge(graph, k);
        }
}

static bool has_edge(const struct figure_graph *graph, const char *id)
{
    for (size_t i = 0; i < graph->n_edges; i++)
        if (strcmp(graph->edges[i].from, id) == 0 || strcmp(graph->edges[i].to, id) == 0)
            return true;
    return false;
}

/* Drops names that were met in a form and then belonged to nothing. */
static void drop_lonely(struct figure_graph *graph)
{
    size_t n = 0;
    for (size_t i = 0; i < graph->n_nodes; i++)
        if (graph->nodes[i].group || has_edge(graph, graph->nodes[i].id))
            graph->nodes[n++] = graph->nodes[i];
    graph->n_nodes = n;
}

/* Names begin with a capital, except for those that have a spelling of their own ("iPhone"). */
static const char *with_capital(struct arena *arena, const char *label)
{
    char *copy = arena_strdup(arena, label);
    if (!figure_word_is_name(arena_strndup(arena, label, strcspn(label, " "))) && label[0] >= 'a' &&
        label[0] <= 'z')
        copy[0] = (char)toupper((unsigned char)label[0]);
    return copy;
}

static void choose_kind(struct growing_graph *graph)
{
    struct figure_graph *out = &graph->graph;
    bool is_talk = graph->n_messages >= FEW_MESSAGES && graph->n_messages == out->n_edges &&
                   out->n_nodes <= MANY_PARTICIPANTS && out->n_groups == 0;
    out->kind = is_talk ? FIGURE_SEQUENCE : FIGURE_FLOW;
    for (size_t i = 0; is_talk && i < out->n_nodes; i++)
        out->nodes[i].role = FIGURE_ROLE_ACTOR;
}

static void tidy(struct growing_graph *graph)
{
    struct figure_graph *out = &graph->graph;
    choose_kind(graph);
    if (out->n_edges)
        drop_lonely(out);
    if (out->kind == FIGURE_FLOW) {
        fold_data(out);
        join_beside(graph->arena, out);
    }
    out->direction = out->n_nodes <= FEW_NODES ? FIGURE_LEFT_TO_RIGHT : FIGURE_TOP_TO_BOTTOM;
    for (size_t i = 0; i < out->n_nodes; i++)
        out->nodes[i].label = with_capital(graph->arena, out->nodes[i].label);
    for (size_t i = 0; i < out->n_groups; i++)
        out->groups[i].label = with_capital(graph->arena, out->groups[i].label);
}

bool text_graph(struct arena *arena, const char *text, struct figure_graph *out,
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
    *out = (struct figure_graph){ 0 };
    for (size_t i = 0; i < n && !graph.is_full; i++)
        read_sentence(&graph, sentences[i], numbered[i]);
    *out_note = doubt(&graph);
    if (*out_note)
        return false;
    tidy(&graph);
    *out = graph.graph;
    *out_note = note_of(&graph);
    return true;
}

void text_graph_of_sentences(struct arena *arena, const char *text, struct figure_graph *out,
                             const char **out_note)
{
    struct growing_graph graph = { .arena = arena, .last_step = TEXT_GRAPH_NO_NODE };
    bool *numbered = NULL;
    size_t n = 0;
    struct phrase *sentences = text_sentences(arena, text, &numbered, &n);
    for (size_t i = 0; i < n && i < LISTED_SENTENCES; i++)
        add_step(&graph, sentences[i]);
    tidy(&graph);
    *out = graph.graph;
    *out_note = n > LISTED_SENTENCES
                    ? arena_printf(arena, "the first %d of %zu sentences stand in their order",
                                   LISTED_SENTENCES, n)
                    : "the sentences of the text stand in their order";
}
